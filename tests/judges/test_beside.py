"""Two answers beside each other: steps, the prompt's block, what is not comparable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from blueprints import Blueprint, QualityPart, Span, Status, Word
from extractors.prominence import prominences
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
    PITCH,
    RATE,
    TREND,
    VARIATION,
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
    made |= groups
    return Blueprint(clip="0" * 64, **made)


def other(**groups: Any) -> Blueprint:
    return answer(**groups).model_copy(update={"clip": "1" * 64})


def parts(*scores: tuple[float, float]) -> list[QualityPart]:
    """Seconds and P.808 of stretches from one beginning, in a band of 8 kHz."""
    return [
        QualityPart(
            start_s=0.2,
            end_s=0.2 + seconds,
            p808=p808,
            bandwidth_hz=8000.0,
            clipping_ratio=0.0,
        )
        for seconds, p808 in scores
    ]


def prompt(
    rendering: str, beside: str, instruction: str = "Speak slowly."
) -> list[str]:
    """Return the texts of both orders."""
    view = PairTextView(JudgeOptions(rendering=rendering, beside=beside))  # type: ignore[arg-type]
    pair = Pair(
        id="p",
        instruction=Instruction(text=instruction),
        a=Answer(audio="a.wav"),
        b=Answer(audio="b.wav"),
    )
    slow = other(rate=make.rate(articulation_wpm=120.0))
    shown_case = Case.of(pair, answer(rate=make.rate(articulation_wpm=240.0)), slow)
    prepared = view.prepare(shown_case)
    texts = []
    for order in ("ab", "ba"):
        messages = view.messages(prepared, order)
        texts.append("\n".join(message.content for message in messages))
    return texts


@pytest.mark.parametrize("step", [*VOICE, *VOICE_WITH_DISTILLMOS, *DELIVERY])
def test_every_step_has_a_source_and_is_symmetric(step: Step) -> None:
    assert len(step.source) > 30
    assert step.between(3.0, 3.0) == 0
    assert step.between(4.0, 3.0) == pytest.approx(-step.between(3.0, 4.0))


@pytest.mark.parametrize("rendering", ["compact", "brief"])
def test_the_block_is_swapped_with_the_order_and_starts_with_what_is_asked(
    rendering: str,
) -> None:
    for text, slower in zip(
        prompt(rendering, "steps"), ("1 is faster", "2 is faster"), strict=True
    ):
        [line] = [x for x in text.splitlines() if x.startswith("delivery: ")]
        # ln(240 / 120) / ln(1.19) = 3.98
        assert line.startswith(f"delivery: {slower} by 3.9 steps")
        assert "a tie" in text


@pytest.mark.parametrize("rendering", ["compact", "brief"])
def test_off_leaves_no_trace_of_steps(rendering: str) -> None:
    for text in prompt(rendering, "off"):
        assert "steps" not in text.replace("equal steps", "").replace("1 step", "")


def test_the_prompt_of_the_paper_has_no_steps() -> None:
    assert prompt("paper", "steps") == prompt("paper", "off")


def test_voices_are_compared_on_speech_of_one_length() -> None:
    short = make.quality(p808=3.2).model_copy(
        update={"parts": parts((1.0, 3.1), (2.0, 3.4))}
    )
    whole = make.quality(p808=4.0).model_copy(
        update={"parts": parts((1.0, 3.1), (2.0, 3.4), (5.0, 3.9), (9.01, 4.0))}
    )
    lead = voice_lead(answer(quality=short), other(quality=whole))
    assert (lead.steps, lead.seconds) == (0.0, pytest.approx(2.0))
    # a whole clip that has no parts is compared as it is
    old = voice_lead(
        answer(quality=make.quality(p808=3.4)), other(quality=make.quality(p808=4.0))
    )
    assert old.steps == pytest.approx(-2.0)


def test_an_answer_in_which_nobody_speaks_has_no_step_of_delivery() -> None:
    puff = answer()
    silent = puff.model_copy(
        update={"signal": puff.signal.model_copy(update={"speech": []})}
    )  # type: ignore[union-attr]
    assert any(one.steps is not None for one in delivery(answer(), other()))
    told = {one.step: one for one in delivery(silent, other())}
    assert all(told[step].steps is None for step in (PITCH, VARIATION, LOUDNESS))
    assert told[PITCH].why == "too little speech"


def test_periodicity_counts_of_one_voice_saying_one_text_alone() -> None:
    def voiced(decibels: float) -> dict[str, Any]:
        part = parts((2.0, 3.5))[0].model_copy(update={"prominence_db": decibels})
        return {"quality": make.quality().model_copy(update={"parts": [part]})}

    clear, rough = voiced(14.0), voiced(5.0)
    assert voice_lead(answer(**clear), other(**rough)).steps == pytest.approx(1.5)
    # other words, another voice, or no pitch: nothing is said of it
    strange = other(text="bananas are yellow when ripe", **rough)
    higher = other(pitch=make.pitch(median_hz=400.0), **rough)
    unvoiced = other(pitch=make.absent(Status.NO_SPEECH), **rough)
    for one in (strange, higher, unvoiced):
        assert voice_lead(answer(**clear), one).steps == 0


def test_prominence_is_of_the_stretch_and_falls_with_noise() -> None:
    time = np.arange(4 * 16_000) / 16_000
    voice = np.sum([np.cos(2 * np.pi * 120 * k * time) for k in range(1, 30)], axis=0)
    noise = np.random.default_rng(1).normal(size=len(time))
    scores = [
        prominences(
            np.asarray(0.05 * (voice + share * noise), np.float32), [0.01, 1.0, 4.0]
        )
        for share in (0.0, 3.0, 30.0)
    ]
    assert all(none is None for none, *_ in scores)
    clean, noisy, buried = (whole for *_, whole in scores)
    assert clean is not None
    assert noisy is not None
    assert buried is not None
    assert clean > noisy + 3 > buried + 6
    assert scores[0][1] == pytest.approx(clean, abs=0.2)


def test_the_rate_of_each_part_is_told_where_one_and_then_another_is_asked() -> None:
    asked = measures_asked("Say the sentence first slowly, then fast.")
    assert asked == (TREND,)
    starts = [0.0, 1.0, 2.0, 4.0, 4.25, 4.5, 4.75]
    spoken = [
        Word(text="word", start_s=start, end_s=start + length)
        for start, length in zip(starts, [1.0] * 3 + [0.25] * 4, strict=True)
    ]
    transcript = make.transcript("word " * 7).model_copy(update={"words": spoken})
    signal = make.signal(duration_s=5.0, pauses=[Span(start_s=3.0, end_s=4.0)])
    text = block(answer(transcript=transcript, signal=signal), other(), asked)
    # three words in 3 s, then four in 1 s
    assert "words/min between pauses: 1: 60, 240" in text
    assert "between pauses" not in block(
        answer(transcript=transcript, signal=signal), other()
    )


def test_rates_and_channels_of_the_recordings_are_no_step() -> None:
    narrow = other(signal=make.signal(duration_s=4.0, rate_hz=48_000, channels=2))
    wide = answer(signal=make.signal(duration_s=4.0, rate_hz=16_000, channels=1))
    assert voice_lead(wide, narrow).steps == 0
    text = block(wide, narrow)
    assert "no audible difference" in text
    line = "files: sampled at 16 v 48 kHz, 1 v 2 channels, no step by itself"
    assert line in text.splitlines()
    short = block(narrow, wide, brief=True).splitlines()
    assert "files: 48 v 16 kHz, 2 v 1 channels, no step" in short
    assert "files" not in block(wide, narrow, drop=["signal"])
    assert "files" not in block(wide, wide)


def test_the_line_of_unequal_rates_names_one_step_of_the_band_once() -> None:
    whole = make.quality(p808=4.0)
    half = other(
        signal=make.signal(duration_s=4.0, rate_hz=8000, bandwidth_hz=4000.0),
        quality=whole,
    )
    wide = answer(
        signal=make.signal(duration_s=4.0, rate_hz=22_050, bandwidth_hz=8000.0),
        quality=whole,
    )
    text = block(wide, half)
    assert "files: sampled at 22.05 v 8 kHz, no step by itself" in text.splitlines()
    assert text.count("bandwidth") == 1


def test_little_speech_of_different_words_is_not_comparable() -> None:
    short = make.quality(p808=3.2).model_copy(
        update={"parts": parts((1.0, 2.7), (1.52, 3.0))}
    )
    same = voice_lead(answer(quality=short), other(quality=short))
    assert same.steps == 0
    strange = other(text="bananas are yellow when ripe", quality=short)
    lead = voice_lead(answer(quality=short), strange)
    assert lead.steps is None
    assert "at least 2 s of different words are compared" in lead.why


@pytest.mark.parametrize(
    "group", ["quality", "pitch", "loudness", "rate", "transcript", "signal"]
)
def test_a_group_that_is_absent_on_one_side_has_a_line_and_no_step(group: str) -> None:
    groups = {group: make.absent(Status.UNAVAILABLE)}
    absent = other(**groups)
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


def test_a_difference_that_prints_as_no_step_is_not_told() -> None:
    better = answer(quality=make.quality(parts=parts((3.6, 3.7))))
    for p808 in (3.699, 3.701):
        worse = other(quality=make.quality(parts=parts((3.6, p808))))
        assert voice_lead(better, worse).differences[0].steps
        assert "0.0" not in block(better, worse)
    worse = other(quality=make.quality(parts=parts((3.6, 3.6))))
    assert "(+ for 1: P808 +0." in block(better, worse)


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
    assert (
        "pauses in s: 1: 0.8 at 1, 0.5 at 2.5; 1.5 s of silence behind the last word."
        in text
    )
    assert "pauses in s" not in block(paused, other())


def test_the_case_of_other_tests_has_a_block() -> None:
    view = PairTextView(JudgeOptions())
    shown_case = case()
    assert (
        "Answers 1 and 2 beside each other"
        in view.messages(view.prepare(shown_case), "ab")[1].content
    )
