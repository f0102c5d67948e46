"""Clips, and what is known of them, without a voice activity detector."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blueprints import Absent, Blueprint, Span, Transcript, UserError
from extractors.audio import Clip
from extractors.base import Extractor
from tests.support import blueprints as make

SENTENCE = "Hello there, how are you doing today?"


def voice(seconds: float = 4.0, rate: int = 16_000, channels: int = 1) -> Clip:
    """Make bursts of a harmonic tone of wandering pitch, like speech to models."""
    time = np.arange(round(seconds * rate)) / rate
    phase = 2 * np.pi * np.cumsum(140 + 30 * np.sin(np.pi * time)) / rate
    wave = sum(np.sin(k * phase) / k for k in range(1, 12)) * (
        np.sin(4 * np.pi * time) > -0.3
    )
    samples = (0.1 * wave).astype(np.float32)
    return Clip(np.repeat(samples[:, np.newaxis], channels, axis=1), rate, "voice")


def silence(seconds: float = 2.0) -> Clip:
    """Digital silence."""
    return Clip(np.zeros((round(seconds * 16_000), 1), np.float32), 16_000, "silence")


def known(clip: Clip, *spans: tuple[float, float]) -> Blueprint:
    """Return a blueprint of where speech is; by default everywhere, if any sound is."""
    peak = float(np.abs(clip.samples).max())
    if not spans and peak > 0:
        spans = ((0.0, clip.seconds),)
    speech = [Span(start_s=start, end_s=end) for start, end in spans]
    level = float(20 * np.log10(peak)) if peak else None
    signal = make.signal(
        duration_s=clip.seconds,
        rate_hz=clip.rate,
        channels=clip.channels,
        peak_dbfs=level,
        rms_dbfs=level,
        bandwidth_hz=None,
        speech_s=sum(span.seconds for span in speech),
        speech=speech,
    )
    return Blueprint(clip=clip.sha256, signal=signal)


def unspoken(clip: Clip) -> Blueprint:
    """Return a blueprint that says that nobody speaks."""
    blueprint = known(clip)
    quiet = blueprint.signal.model_copy(update={"speech": [], "speech_s": 0.0})
    return blueprint.model_copy(update={"signal": quiet})


def spoken_in(
    language: str, source: Any = "detected", probability: float | None = 0.9
) -> Any:
    """Return a transcript in a language."""
    return Transcript(
        text="...",
        language=language,
        language_source=source,
        language_probability=probability,
        words=[],
    )


def measured(extractor: Extractor, clip: Clip, *spans: tuple[float, float]) -> Any:
    """Measure the group of a clip, which must be there."""
    value = extractor.extract(clip, known(clip, *spans))
    assert not isinstance(value, Absent), value
    return value


@contextmanager
def refused(path: Path, *words: str) -> Iterator[None]:
    """Expect a one-line user error that names the file and has these words."""
    with pytest.raises(UserError) as info:
        yield
    told = str(info.value)
    for word in (str(path), *words):
        assert word in told, told
    assert "\n" not in told
    assert len(told) < 700
