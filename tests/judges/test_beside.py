"""Two answers beside each other: steps, the block in prompts, and what cannot be compared."""

from __future__ import annotations

from typing import Any

import pytest

from blueprints import Blueprint, QualityPart, Span, Status
from tests.support import blueprints as make
from tests.support.cases import case
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Pair
from trace_eval.judges.base import Case
from trace_eval.judges.beside.delivery import delivery
from trace_eval.judges.beside.steps import (
    DELIVERY,
    LOUDNESS,
    PAUSE,
    RATE,
    VOICE,
    VOICE_WITH_DISTILLMOS,
    Step,
)
from trace_eval.judges.beside.text import block
from trace_eval.judges.beside.voice import voice_lead
from trace_eval.judges.beside.words import shared_words
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.rules.measures import measures_asked, names_unseen_text
from trace_eval.judges.views.pair.text import PairTextView


def answer(text: str = "the tower leans to the south", **groups: Any) -> Blueprint:
    speech = [Span(start_s=0.2, end_s=3.8)]
    made: dict[str, Any] = {
        "signal": make.signal(duration_s=4.0, speech_s=3.6, speech=speech, pauses=[]),
        "transcript": make.transcript(text),
        "quality": make.quality(),
        "pitch": make.pitch(),
        "loudness": make.loudness(),
        "rate": make.rate(),
    }
    return Blueprint(clip="0" * 64, **{**made, **groups})


def other(**groups: Any) -> Blueprint:
    return answer(**groups).model_copy(update={"clip": "1" * 64})


def parts(*scores: tuple[float, float]) -> list[QualityPart]:
    """Seconds and P.808 of stretches from one beginning, in a band of 8 kHz."""
    return [
        QualityPart(
            start_s=0.2, end_s=0.2 + seconds, p808=p808, bandwidth_hz=8000.0, clipping_ratio=0.0
        )
        for seconds, p808 in scores
    ]


def prompt(rendering: str, beside: str, instruction: str = "Speak slowly.") -> list[str]:
    """Return the texts of both orders."""
    view = PairTextView(JudgeOptions(rendering=rendering, beside=beside))  # type: ignore[arg-type]
    pair = Pair(
        id="p",
        instruction=Instruction(text=instruction),
        a=Answer(audio="a.wav"),
        b=Answer(audio="b.wav"),
    )
    slow = other(rate=make.rate(articulation_wpm=120.0))
    found = Case.of(pair, answer(rate=make.rate(articulation_wpm=240.0)), slow)
    prepared = view.prepare(found)
    return ["\n".join(m.content for m in view.messages(prepared, o)) for o in ("ab", "ba")]


@pytest.mark.parametrize("step", [*VOICE, *VOICE_WITH_DISTILLMOS, *DELIVERY])
def test_every_step_has_a_source_and_is_symmetric(step: Step) -> None:
    assert len(step.source) > 30
    assert step.between(3.0, 3.0) == 0
    assert step.between(4.0, 3.0) == pytest.approx(-step.between(3.0, 4.0))


@pytest.mark.parametrize("rendering", ["compact", "brief"])
def test_the_block_is_swapped_with_the_order_and_starts_with_what_is_asked(rendering: str) -> None:
    for text, slower in zip(
        prompt(rendering, "steps"), ("1 is faster", "2 is faster"), strict=True
    ):
        [line] = [x for x in text.splitlines() if x.startswith("delivery: ")]
        # ln(240 / 120) / ln(1.18) = 4.19
        assert line.startswith(f"delivery: {slower} by 4.1 steps")
        assert "a tie" in text


@pytest.mark.parametrize("rendering", ["compact", "brief"])
def test_off_leaves_no_trace_of_steps(rendering: str) -> None:
    for text in prompt(rendering, "off"):
        assert "steps" not in text.replace("equal steps", "").replace("1 step", "")


def test_the_prompt_of_the_paper_has_no_steps() -> None:
    assert prompt("paper", "steps") == prompt("paper", "off")


def test_voices_are_compared_on_speech_of_one_length() -> None:
    short = make.quality(p808=3.2).model_copy(update={"parts": parts((1.0, 3.1), (2.0, 3.4))})
    whole = make.quality(p808=4.0).model_copy(
        update={"parts": parts((1.0, 3.1), (2.0, 3.4), (5.0, 3.9), (9.01, 4.0))}
    )
    lead = voice_lead(answer(quality=short), other(quality=whole))
    assert (lead.steps, lead.seconds) == (0.0, pytest.approx(2.0))
    # a whole clip that has no parts is compared as it is
    old = voice_lead(answer(quality=make.quality(p808=3.4)), other(quality=make.quality(p808=4.0)))
    assert old.steps == pytest.approx(-2.0)


def test_little_speech_of_different_words_is_not_comparable() -> None:
    short = make.quality(p808=3.2).model_copy(update={"parts": parts((1.0, 2.7), (1.52, 3.0))})
    same = voice_lead(answer(quality=short), other(quality=short))
    assert same.steps == 0
    strange = other(text="bananas are yellow when ripe", quality=short)
    lead = voice_lead(answer(quality=short), strange)
    assert lead.steps is None
    assert "at least 2 s of different words are compared" in lead.why


@pytest.mark.parametrize("group", ["quality", "pitch", "loudness", "rate", "transcript", "signal"])
def test_a_group_that_is_absent_on_one_side_has_a_line_and_no_step(group: str) -> None:
    absent = other(**{group: make.absent(Status.UNAVAILABLE)})
    for a, b in ((answer(), absent), (absent, answer())):
        text = block(a, b, DELIVERY)
        assert "not comparable" in text
        assert "nan" not in text
        assert block(a, b, drop=[group] if group != "signal" else []) != text


def test_an_empty_answer_and_the_same_file_twice_have_no_step() -> None:
    silent = make.silence()
    text = block(answer(), silent, (RATE,))
    assert "voice quality: not comparable" in text
    twice = block(answer(), answer())
    assert "voice quality: no audible difference, 0 steps in all" in twice
    assert "delivery: all under one step" in twice
    assert "words: the same words (6)" in twice


def test_a_common_level_says_nothing_of_loudness() -> None:
    [loudness] = [x for x in delivery(answer(), other()) if x.step is LOUDNESS]
    assert loudness.steps is None
    assert "levelled" in loudness.why


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ("close the green door", "close the green door", "the same words"),
        ("close the green door", "close the grain door", "nearly the same words"),
        ("close the green door", "I am sorry", "different words"),
        ("", "", "the same words"),
    ],
)
def test_words_in_common_are_told(a: str, b: str, said: str) -> None:
    assert shared_words(answer(a), other(text=b)).alike == said


@pytest.mark.parametrize(
    ("instruction", "unseen"),
    [
        ("Say the next sentence slowly.", True),
        ("Read the following text loudly.", True),
        ("Say the next sentence slowly: 'The door is green.'", False),
        ("What is the next planet?", False),
    ],
)
def test_a_request_that_names_a_text_which_is_not_there_says_so(
    instruction: str, unseen: bool
) -> None:
    assert names_unseen_text(instruction) is unseen
    assert ("is not shown" in prompt("compact", "steps", instruction)[0]) is unseen


def test_pauses_are_listed_where_the_request_is_about_them() -> None:
    assert measures_asked("Say it with a long pause of two seconds.") == (PAUSE,)
    pauses = [Span(start_s=1.0, end_s=1.8), Span(start_s=2.5, end_s=3.0)]
    speech = [Span(start_s=0.0, end_s=1.0), Span(start_s=3.0, end_s=3.5)]
    paused = answer(signal=make.signal(duration_s=5.0, speech=speech, pauses=pauses))
    text = block(paused, other(), (PAUSE,))
    assert "pauses in s: 1: 0.8 at 1, 0.5 at 2.5; 1.5 s of silence behind the last word." in text
    assert "pauses in s" not in block(paused, other())


def test_the_case_of_other_tests_has_a_block() -> None:
    view = PairTextView(JudgeOptions())
    found = case()
    assert (
        "Answers 1 and 2 beside each other" in view.messages(view.prepare(found), "ab")[1].content
    )
