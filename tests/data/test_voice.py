"""The voice of a system's answers: each beside the others, where enough are comparable."""

from __future__ import annotations

import pytest

from blueprints import Blueprint, Extension
from tests.support import blueprints as make
from tests.support.blueprints import answer
from trace_eval.data.measures.voice import likeness_to_others


def voice(*direction: float, bandwidth_hz: float = 7000.0) -> Blueprint:
    group = Extension(values={"embedding": list(direction)}, shown=False)
    signal = make.signal(bandwidth_hz=bandwidth_hz)
    return answer(signal=signal).model_copy(update={"extensions": {"speaker": group}})


def test_the_odd_answer_is_the_least_alike() -> None:
    answers = {f"q{number}": voice(1, 0) for number in range(9)} | {"odd": voice(0, 1)}
    likeness = likeness_to_others(answers)
    assert likeness["odd"].value == pytest.approx(0)
    # The others' mean: eight of one direction and one across it, 8 / sqrt(65) = .9923.
    assert likeness["q0"].value == pytest.approx(0.9923, abs=1e-4)


def test_under_eight_answers_of_one_bandwidth_it_is_not_known() -> None:
    answers = {f"q{number}": voice(1, 0) for number in range(8)}
    answers |= {f"t{number}": voice(1, 0, bandwidth_hz=3600) for number in range(7)}
    likeness = likeness_to_others(answers | {"none": answer()})
    assert likeness["q0"].value == 1
    assert likeness["t0"].value is None
    assert "7 answers in narrow band; 8 are needed" in str(likeness["t0"].reason)
    assert "group speaker" in str(likeness["none"].reason)
