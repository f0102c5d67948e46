"""The voice of a system's answers: each beside the others, if enough are comparable."""

from __future__ import annotations

import pytest

from blueprints import Blueprint, Extension
from tests.support import blueprints as make
from tests.support.blueprints import answer
from trace_eval.data.measures.pair import speaker_similarity
from trace_eval.data.measures.voice import (
    SystemVoice,
    likeness_to_others,
    system_voices,
    voice_of,
)


def voice(
    *direction: float, bandwidth_hz: float | None = 7000.0, speech_s: float = 5.0
) -> Blueprint:
    group = Extension(values={"embedding": list(direction)}, shown=False)
    signal = make.signal(bandwidth_hz=bandwidth_hz, speech_s=speech_s)
    return answer(signal=signal).model_copy(update={"extensions": {"speaker": group}})


def rows(answers: dict[str, Blueprint]) -> tuple[SystemVoice, ...]:
    return system_voices({"x": {item: voice_of(one) for item, one in answers.items()}})


def test_the_odd_answer_is_the_least_alike_and_another_voice() -> None:
    answers = {f"q{number}": voice(1, 0) for number in range(9)} | {"odd": voice(0, 1)}
    likeness = likeness_to_others(
        {item: voice_of(one) for item, one in answers.items()}
    )
    assert likeness["odd"].value == pytest.approx(0)
    # The others' mean: eight of one direction and one across it, 8 / sqrt(65) = .9923.
    assert likeness["q0"].value == pytest.approx(0.9923, abs=1e-4)
    [row] = rows(answers)
    assert (row.answers, row.others, row.item) == (10, ("odd",), "odd")
    assert (
        "1 of 10 answers in wide band in another voice than the rest: odd"
        in row.sentence
    )


def test_an_answer_of_under_four_seconds_is_not_called_another_voice() -> None:
    answers = {f"q{number}": voice(1, 0) for number in range(9)}
    [row] = rows(answers | {"odd": voice(0, 1, speech_s=3.9)})
    assert (row.others, row.short, row.item, row.least) == ((), 1, "odd", 0)
    assert "no other voice in 10 answers" in row.sentence
    assert "1 under 4 s of speech cannot be told" in row.sentence


def test_under_eight_answers_of_one_bandwidth_it_is_not_known() -> None:
    answers = {f"q{number}": voice(1, 0) for number in range(8)}
    answers |= {f"t{number}": voice(1, 0, bandwidth_hz=3600) for number in range(7)}
    answers |= {"none": answer(), "brief": voice(0, 1, speech_s=1.9)}
    answers |= {"unmeasured": voice(0, 1, bandwidth_hz=None)}
    likeness = likeness_to_others(
        {item: voice_of(one) for item, one in answers.items()}
    )
    assert likeness["q0"].value == 1
    assert likeness["t0"].value is None
    assert "7 answers in narrow band; 8 are needed" in str(likeness["t0"].reason)
    assert "group speaker" in str(likeness["none"].reason)
    assert likeness["brief"].reason == "1.9 s of speech; 2 s are needed"
    assert likeness["unmeasured"].reason == "its bandwidth was not measured"
    wide, narrow = rows(answers)
    assert (wide.answers, wide.left_out, wide.others) == (8, 10, ())
    assert (narrow.answers, narrow.in_another_voice) == (7, None)
    assert "voice of x: not known, 7 answers in narrow band" in narrow.sentence


def test_on_a_telephone_an_odd_voice_lies_far_under_the_median() -> None:
    turned = [(1, 0.01 * number) for number in range(12)]
    answers = {
        f"q{number}": voice(*direction, bandwidth_hz=3600)
        for number, direction in enumerate(turned)
    }
    [row] = rows(answers)
    assert row.others == ()
    [row] = rows(answers | {"odd": voice(0.8, 0.7, bandwidth_hz=3600)})
    assert row.others == (
        "odd",
    )  # likeness .79: in wide band it would be the same voice


def test_a_system_whose_voice_nobody_could_measure_says_why() -> None:
    [row] = rows({"q1": answer()})
    assert row.bandwidth == ""
    assert row.sentence.startswith("voice of x: not known, group speaker")
    assert system_voices({"x": {}}) == ()


def test_voices_of_two_bandwidths_are_not_compared() -> None:
    wide, narrow = voice(1, 0), voice(1, 0, bandwidth_hz=3600)
    assert speaker_similarity(narrow, narrow).value == 1
    for a, b in ((wide, narrow), (narrow, wide)):
        measure = speaker_similarity(a, b)
        assert measure.value is None
        assert "bandwidth of a telephone" in str(measure.reason)


def test_a_voice_is_not_compared_by_less_than_two_seconds() -> None:
    measure = speaker_similarity(voice(1, 0), voice(1, 0, speech_s=1.9))
    assert measure.value is None
    assert measure.reason == "one side has 1.9 s of speech; 2 s are needed"
