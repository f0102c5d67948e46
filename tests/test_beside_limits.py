"""A figure is never printed as the limit that it passed or missed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from blueprints import Absent, InputError
from extractors.base import silent, speech_gate
from tests.support import blueprints, cases
from trace_eval.compare.flips import VerdictNoise
from trace_eval.compare.gate.report import GateRow
from trace_eval.compare.gate.rows import _why
from trace_eval.compare.options import GateOptions
from trace_eval.data.arrow_tables import _refuse_unpacked
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.share import Share
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


def gate_row(difference: float) -> GateRow:
    """Make the row of a metric of 1,000 items that fails by this difference."""
    return GateRow(
        metric="pair.overall",
        items=1000,
        baseline=0.5,
        candidate=0.5 + difference,
        difference=IntervalEstimate(difference),
        limit=None,
        p=0.01,
        p_holm=0.01,
        flips=Share(0, 1000),
        noise=VerdictNoise((), 0, Share(0, 0), reason="no run"),
        power=0.9,
        visible=0.01,
        worst=difference,
        verdict="fail",
        why="",
    )


def test_a_drop_beside_the_margin_of_a_gate() -> None:
    options = GateOptions(margin=0.02)
    assert _why(gate_row(-0.02004), options).startswith("worse by 2.004 points, p 0.01")
    assert _why(gate_row(-0.0812), options).startswith("worse by 8.1 points, p 0.01")
    row = replace(gate_row(-0.01998), verdict="pass")
    assert _why(row, options).startswith("-1.998 points, p 0.01;")
    row = replace(gate_row(-0.02), verdict="pass", p_holm=0.05003)
    assert _why(row, options).startswith("-2.0 points, p 0.05003;")
    row = replace(row, difference=IntervalEstimate(0.003), p_holm=1e-5)
    assert _why(row, options).startswith("+0.3 points, p 1e-05;")
    row = replace(row, verdict="cannot tell", power=0.4996)
    assert "probability of only 0.4996 (n 1000)" in _why(row, options)


def test_a_batch_that_is_a_little_too_large() -> None:
    with pytest.raises(
        InputError, match=r"holds 100\.1 MB once it is unpacked; at most"
    ):
        _refuse_unpacked(Path("x.arrow"), 100_100_000, 100_000_000)
    with pytest.raises(InputError, match="holds 180 MB once it is unpacked; at most"):
        _refuse_unpacked(Path("x.arrow"), 180_300_000, 100_000_000)
