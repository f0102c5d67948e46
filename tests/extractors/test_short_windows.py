"""Windows as long as their speech, and what shows that one was too short."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blueprints import Blueprint, Span, Transcript
from extractors import packaged
from extractors.audio import decode
from extractors.faster_whisper import FasterWhisperExtractor
from extractors.short_windows import cut
from extractors.signal import SignalExtractor
from extractors.window_checks import broken

CLIPS = Path(__file__).resolve().parents[2] / "examples" / "clips"


@pytest.mark.parametrize(("speech_s", "window_s"), [(0.5, 10), (4.9, 10), (5.01, 11), (28, 30)])
def test_a_window_has_its_speech_and_a_margin(speech_s: float, window_s: int) -> None:
    features = np.zeros((80, 3000), np.float32)
    features[:, : round(speech_s * 100)] = 0.3
    short = cut(features, 100)
    assert short.shape == (80, window_s * 100)
    assert (short == features[:, : window_s * 100]).all()


def segment(text: str, end: float, log_probability: float = -0.3) -> dict[str, Any]:
    return {"text": text, "avg_logprob": log_probability, "words": [{"word": text, "end": end}]}


def test_what_a_short_window_breaks_is_seen() -> None:
    parts = [Span(start_s=0, end_s=4)]
    assert broken([segment("close the door", 3.8)], parts) is None
    assert broken([segment("close the door please", 2.4)], parts) == "it ends before the speech"
    assert broken([segment("close the door", 4.6)], parts) == "it ends after the speech"
    assert broken([segment("close the door", 3.8, -0.9)], parts) == "it is unsure of its words"
    assert broken([segment("close the door close the door", 3.8)], parts) == "it repeats itself"
    assert broken([segment("no no no", 3.8)], parts) == "it repeats itself"
    assert broken([segment("very very good", 3.8)], parts) is None
    assert broken([], parts) == "no words"


def test_a_sentence_is_said_as_often_as_in_whole_windows() -> None:
    full = FasterWhisperExtractor(model=packaged.ENGLISH, device="cpu", beam_size=1)
    if reason := full.unavailable():
        pytest.skip(reason)
    short, detector = replace(full, short_windows=True), SignalExtractor()
    for name, times in (("three-times-a.ogg", 3), ("three-times-b.ogg", 1)):
        clip = decode(CLIPS / name)
        known = Blueprint(clip=clip.sha256)
        known = known.with_group("signal", detector.extract(clip, known), detector.provenance())
        found = short.extract(clip, known)
        assert isinstance(found, Transcript)
        # A short window alone writes it four times.
        assert found.text == " ".join(["Please close the door behind you."] * times)
    assert short.provenance() != full.provenance()
    assert short.parameters()["short_windows"] == {"min_s": 10.0, "margin_s": 5.0}
    assert "short_windows" not in full.parameters()
