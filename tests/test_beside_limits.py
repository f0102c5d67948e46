"""A figure is never printed as the limit that it passed or missed."""

from __future__ import annotations

import numpy as np
import pytest

from blueprints import Absent
from extractors.base import silent, speech_gate
from tests.support import blueprints, cases
from trace_eval.judges.views.sound.layout import ClipRefused, check_length


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(30.004, "has 30.004 s, the limit is 30 s"), (0.09996, "has 0.09996 s, at least")],
)
def test_the_length_of_a_clip(seconds: float, words: str) -> None:
    with pytest.raises(ClipRefused, match=words):
        check_length(seconds, 30.0)


def test_speech_that_is_a_little_too_short_or_too_soft() -> None:
    short = cases.blueprint(signal=blueprints.signal(speech_s=2.996))
    gate = speech_gate(short, min_speech_s=3.0)
    assert isinstance(gate, Absent)
    assert gate.reason == "2.996 s of speech, at least 3 s are needed"
    soft = cases.blueprint(signal=blueprints.signal(peak_dbfs=-60.04))
    gate = speech_gate(soft)
    assert isinstance(gate, Absent)
    assert "-60.04 dBFS, silence is under -60" in (gate.reason or "")
    samples = np.full((1600, 1), 10 ** (-60.04 / 20), np.float32)
    samples[::2] *= -1
    gate = silent(samples)
    assert isinstance(gate, Absent)
    assert "-60.04 dBFS, silence is under -60" in (gate.reason or "")


@pytest.mark.parametrize("offset", [0.0, 0.5])
def test_silence_with_an_offset_has_no_peak_of_minus_infinity(offset: float) -> None:
    gate = silent(np.full((1600, 2), offset, np.float32))
    assert isinstance(gate, Absent)
    assert gate.reason == "all samples are equal, silence is under -60"
