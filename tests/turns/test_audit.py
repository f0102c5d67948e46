"""Faults of recorders, planted in a call of 30 s, and what is said of its figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from benchmarks.faults import FAULTS, found_faults
from extractors.audio import SPEECH_RATE, decode
from tests.support.cli import ROOT, trace_eval
from trace_eval.turns.report import time_turns


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one call: user and agent by turns, room tone 50 dB below."""
    speech = decode(ROOT / "examples" / "clips" / "loud-a.ogg").speech[: 3 * SPEECH_RATE]
    sound = 5e-4 * np.random.default_rng(1).standard_normal((30 * SPEECH_RATE, 2))
    for at_s, channel in ((1, 1), (5, 0), (9, 1), (13, 0), (17, 1), (21, 0), (25, 1)):
        sound[at_s * SPEECH_RATE :][: len(speech), channel] += 0.5 * speech / np.abs(speech).max()
    folder = tmp_path_factory.mktemp("calls")
    soundfile.write(folder / "call.wav", sound, SPEECH_RATE)
    return folder


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found_and_no_other(calls: Path, name: str) -> None:
    ((_, found),) = found_faults(calls, name, seed=1)
    assert set(found) == (set() if name == "none" else {name})


def test_spoiled_figures_are_no_numbers(calls: Path, tmp_path: Path) -> None:
    sound, rate = soundfile.read(calls / "call.wav")
    soundfile.write(tmp_path / "call.wav", np.repeat(sound.mean(axis=1)[:, None], 2, axis=1), rate)
    report = time_turns(tmp_path / "call.wav")
    values: Any = report.record()
    assert values["audit"]["call"]["verdict"] == "not usable: one sound on both channels"
    for name, figure in report.figures.items():
        assert figure.value is None, name
        assert figure.reason == "not usable here", name
    done = trace_eval("turns", tmp_path / "call.wav", "--audit")
    assert done.code == 0
    assert "one sound on both channels" in done.out
    assert "audit: 0 of 1 recording usable" in done.out
