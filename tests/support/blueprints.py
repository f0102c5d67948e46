"""Sample blueprints: an ordinary answer of 10 s, group by group, and changes to it.

Tests and benchmarks make theirs from these; each names only the values that it is
about.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from blueprints import (
    Absent,
    Accent,
    Blueprint,
    Contour,
    Emotion,
    Loudness,
    Pitch,
    Quality,
    Rate,
    Signal,
    Span,
    Spoken,
    Status,
    Transcript,
    Word,
)

#: Ten values one second apart: 9 s from the first to the last.
CONTOUR = Contour(start_s=0.5, step_s=1.0, values=[1.0] * 10)


def signal(**changes: Any) -> Signal:
    values: dict[str, Any] = {
        "duration_s": 10.0,
        "rate_hz": 16000,
        "channels": 1,
        "peak_dbfs": -3.0,
        "rms_dbfs": -23.0,
        "clipping_ratio": 0.0,
        "bandwidth_hz": 7000.0,
        "speech_s": 9.0,
        "speech": [Span(start_s=0.5, end_s=9.5)],
        "pauses": [],
    }
    values |= changes
    return Signal(**values)


def pauses(*lengths: float) -> Signal:
    spans = [Span(start_s=2.0 * i, end_s=2.0 * i + s) for i, s in enumerate(lengths)]
    return signal(pauses=spans)


def transcript(text: str, *suspect: str, words: Sequence[Word] = ()) -> Transcript:
    return Transcript(
        text=text,
        language="en",
        language_source="model",
        words=list(words),
        suspect=list(suspect),
    )


def spoken_in(language: str, probability: float = 0.9, **changes: Any) -> Spoken:
    """Return what a recogniser says of the language that it hears."""
    values: dict[str, Any] = {
        "language": language,
        "probability": probability,
        "sure": probability >= 0.5,
        "runner_up": None,
        "runner_up_probability": None,
        "window_s": 10,
    }
    values |= changes
    return Spoken(**values)


def quality(ovrl: float = 3.3, p808: float = 3.7, **changes: Any) -> Quality:
    values: dict[str, Any] = {"sig": 3.5, "bak": 4.0, "windows": 1, "level_dbfs": -23.0}
    values |= changes
    return Quality(ovrl=ovrl, p808=p808, **values)


def pitch(**changes: Any) -> Pitch:
    values: dict[str, Any] = {
        "mean_hz": 180.0,
        "std_hz": 25.0,
        "median_hz": 180.0,
        "std_semitones": 2.5,
        "range_semitones": 8.0,
        "slope_semitones_per_s": 0.0,
        "voiced_ratio": 0.55,
        "floor_hz": 75.0,
        "ceiling_hz": 400.0,
        "contour": CONTOUR,
    }
    values |= changes
    return Pitch(**values)


def loudness(**changes: Any) -> Loudness:
    values: dict[str, Any] = {
        "integrated_lufs": -23.0,
        "std_lu": 3.0,
        "range_lu": 8.0,
        "slope_lu_per_s": 0.0,
        "contour": CONTOUR,
    }
    values |= changes
    return Loudness(**values)


def rate(**changes: Any) -> Rate:
    values: dict[str, Any] = {
        "wpm": 160.0,
        "articulation_wpm": 180.0,
        "syllables_per_s": 3.75,
        "words": 27,
        "syllables": 34,
        "trend": 1.0,
        "contour": CONTOUR,
    }
    values |= changes
    return Rate(**values)


def emotion(**scores: float) -> Emotion:
    return Emotion(scores=scores, top=max(scores, key=lambda name: scores[name]))


def accent(**similarities: float) -> Accent:
    top = max(similarities, key=lambda name: similarities[name])
    return Accent(similarities=similarities, top=top)


def absent(status: Status = Status.FAILED) -> Absent:
    return Absent(status=status, reason=f"made {status} by the test")


def answer(
    text: str = "the cat sat on the mat and looked at us", **groups: Any
) -> Blueprint:
    """Return an ordinary answer of 10 s; name a group to replace it."""
    ordinary: dict[str, Any] = {
        "signal": signal(),
        "transcript": transcript(text),
        "quality": quality(),
        "pitch": pitch(),
        "loudness": loudness(),
        "rate": rate(),
    }
    ordinary |= groups
    return Blueprint(clip="0" * 64, **ordinary)


def silence() -> Blueprint:
    quiet = absent(Status.SILENT)
    groups = dict.fromkeys(
        ("transcript", "quality", "pitch", "loudness", "rate"), quiet
    )
    return answer(
        signal=signal(peak_dbfs=None, rms_dbfs=None, speech_s=0.0, speech=[]), **groups
    )
