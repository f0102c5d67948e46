"""Judge ``rules`` on delivery: requests against the evidence, and neutral delivery."""

from __future__ import annotations

from typing import Any

import pytest

from blueprints import Blueprint, EmotionWindow, Status
from fusion import Rating
from tests.support import blueprints as make
from tests.support.blueprints import answer
from tests.support.cases import judged
from trace_eval.data.outcome import Reason
from trace_eval.judges.beside.steps import PITCH, RATE
from trace_eval.judges.rules.findings import beside_limits, within
from trace_eval.judges.rules.relative import Way
from trace_eval.judges.rules.thresholds import RuleThresholds


def delivery(instruction: str, a: Blueprint, b: Blueprint) -> str:
    return str(judged(a, b, instruction).dimensions["paralinguistics"].rating)


def wpm(rate: float) -> dict[str, Any]:
    return {"rate": make.rate(articulation_wpm=float(rate))}


FLAT, HALTING = {"pitch": make.pitch(std_semitones=0.3)}, {"signal": make.pauses(4.0)}

# -- paralinguistics: each request, the answer that meets it first ---------------------

MEETS: list[tuple[str, dict[str, Any]]] = [
    ("Speak slowly.", {"rate": make.rate(articulation_wpm=120.0)}),
    ("Speak fast.", {"rate": make.rate(articulation_wpm=240.0)}),
    (
        "Speak fast.",
        {"rate": make.rate(articulation_wpm=0.0, syllables_per_s=5.5)},
    ),  # 264
    ("Count to nine and accelerate.", {"rate": make.rate(trend=1.3)}),
    ("Count to nine, slowing down.", {"rate": make.rate(trend=0.5)}),
    ("Say it loudly.", {"loudness": make.loudness(integrated_lufs=-15.0)}),
    ("Say it softly.", {"loudness": make.loudness(integrated_lufs=-32.0)}),
    (
        "Count, getting louder.",
        {"loudness": make.loudness(slope_lu_per_s=0.8)},
    ),  # 7.2 LU in 9 s
    (
        "Count with your voice fading away.",
        {"loudness": make.loudness(slope_lu_per_s=-1.5)},
    ),
    ("Whisper it.", {"pitch": make.pitch(voiced_ratio=0.05)}),
    ("Whisper it.", {"pitch": make.absent(Status.NO_SPEECH)}),
    ("Speak in a high-pitched voice.", {"pitch": make.pitch(median_hz=300.0)}),
    ("Speak in a deep voice.", {"pitch": make.pitch(median_hz=95.0)}),
    (
        "Count, gradually raising the pitch.",
        {"pitch": make.pitch(slope_semitones_per_s=0.5)},
    ),
    (
        "Count while lowering your pitch.",
        {"pitch": make.pitch(slope_semitones_per_s=-1.0)},
    ),
    ("Speak in a monotone voice.", {"pitch": make.pitch(std_semitones=0.9)}),
    ("Speak in an expressive way.", {"pitch": make.pitch(std_semitones=4.0)}),
    ("Say it with a long pause in it.", {"signal": make.pauses(0.9)}),
]


@pytest.mark.parametrize(("instruction", "groups"), MEETS)
def test_the_answer_that_does_as_asked_wins(
    instruction: str, groups: dict[str, Any]
) -> None:
    assert delivery(instruction, answer(**groups), answer()) == "1"
    assert delivery(instruction, answer(), answer()) == "both_bad"


GREEN = "Say 'close the green door' three times."

#: Instruction, both answers, and the rating.
DECIDED: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    # the opposite of what is to be avoided
    ("Say it, but don't whisper.", {"pitch": make.pitch(voiced_ratio=0.05)}, {}, "2"),
    # the cut is 0.75 of 2 s
    (
        "Read it and pause for two seconds.",
        {"signal": make.pauses(1.6)},
        {"signal": make.pauses(1.4)},
        "1",
    ),
    (
        GREEN,
        {"text": "close the green door"},
        {"text": "close the green door " * 3},
        "2",
    ),
    (
        "[emotion: sad]My dog ran away.",
        {"emotion": make.emotion(neutral=0.8, happy=0.1)},
        {"emotion": make.emotion(neutral=0.1, happy=0.8)},
        "1",
    ),
    (
        "Say it in a sad voice.",
        {"emotion": make.emotion(sad=0.8, happy=0.1)},
        {"emotion": make.emotion(sad=0.1, happy=0.8)},
        "1",
    ),
    (
        "Speak with a British accent.",
        {"accent": make.accent(england=0.6, us=0.3)},
        {"accent": make.accent(england=0.3, us=0.6)},
        "1",
    ),
    # 5.8 nuclei/s / 1.25 per word * 60 = 278 words/min, though the recogniser got 127
    (
        "Speak slowly.",
        {
            "rate": make.rate(articulation_wpm=127.0, syllables_per_s=5.8),
            "transcript": make.transcript("with dropbox", "low_confidence"),
        },
        {"rate": make.rate(articulation_wpm=127.0)},
        "2",
    ),
    # by words 150, by syllables 4.0 / 1.25 * 60 = 192; the other's words are guesses,
    # 192 as well
    (
        "Speak slowly.",
        {"rate": make.rate(articulation_wpm=150.0, syllables_per_s=4.0)},
        {
            "rate": make.rate(articulation_wpm=90.0, syllables_per_s=4.0),
            "transcript": make.transcript("with dropbox", "low_confidence"),
        },
        "both_bad",
    ),
    # slow is at most 140, noise 10: 105 passes by 3.5, 120 by 2, 135 by 0.5; two units
    # decide
    ("Speak slowly.", wpm(105), wpm(135), "1"),
    ("Speak slowly.", wpm(105), wpm(120), "both_good"),
    # ordinary is up to 290, so neither is slow; nor is slower than slow ever better
    ("Speak slowly.", wpm(300), wpm(400), "both_bad"),
    ("Speak slowly.", wpm(80), wpm(40), "both_good"),
    # not clearly apart, which is 1.25 times, though one alone reaches the norm
    ("Speak slowly.", wpm(139), wpm(141), "both_good"),
    # what is to be avoided goes by the norm alone: neither of these is slow
    ("Do not speak slowly.", wpm(150), wpm(220), "both_good"),
    # without a request, delivery must be ordinary: 3 of 4 checks against 4 of 4
    ("What is the tallest mountain?", {}, {}, "both_good"),
    ("What is the tallest mountain?", HALTING, {}, "2"),
    ("What is the tallest mountain?", FLAT | HALTING, FLAT | HALTING, "both_bad"),
]


@pytest.mark.parametrize(("instruction", "a", "b", "rating"), DECIDED)
def test_deliveries_are_compared(
    instruction: str, a: dict[str, Any], b: dict[str, Any], rating: str
) -> None:
    assert delivery(instruction, answer(**a), answer(**b)) == rating


def test_a_short_text_is_too_easily_misheard_to_be_counted_as_missing() -> None:
    order = "Say 'tomato' twice."
    verdict = judged(answer("tomato to me"), answer("tomato"), order).dimensions[
        "paralinguistics"
    ]
    assert verdict.rating == Rating.BOTH_GOOD
    assert "easily misheard" in verdict.reasoning
    assert verdict.evidence["checks"] == "neutral"


def test_emotion_needs_an_emotion_classifier() -> None:
    order = "Say it in a sad voice."
    # Raised pitch shows that somebody is aroused, if at all; neutral delivery shows
    # nothing of it.
    high = answer(pitch=make.pitch(median_hz=300.0), signal=make.pauses(4.0))
    judgement = judged(high, answer(), order)
    assert judgement.rating("paralinguistics") is None
    assert judgement.reason is Reason.EVIDENCE_MISSING
    assert (
        "no evidence of what was asked for (emotion sad: emotion was not measured; -x"
        in str(judgement.detail)
    )


def test_several_emotions_are_looked_for_in_the_windows() -> None:
    order = "Say it in a happy and then an angry tone."
    flat = make.emotion(happy=0.6, angry=0.4)
    windows = [
        EmotionWindow(start_s=0, end_s=5, scores={"happy": 0.9, "angry": 0.1}),
        EmotionWindow(start_s=5, end_s=10, scores={"happy": 0.2, "angry": 0.8}),
    ]
    both = flat.model_copy(update={"trajectory": windows})
    one = flat.model_copy(update={"trajectory": windows[:1]})
    assert delivery(order, answer(emotion=both), answer(emotion=one)) == "1"
    assert "the clip has one score" in str(
        judged(answer(emotion=flat), answer(emotion=flat), order).detail
    )


def test_an_accent_without_a_label_is_not_judged() -> None:
    british = answer(accent=make.accent(england=0.6, us=0.3))
    verdict = judged(british, british, "Use an Italian accent.").dimensions[
        "paralinguistics"
    ]
    assert "does not know italian" in verdict.reasoning


def test_what_can_be_told_of_one_answer_only_is_not_compared() -> None:
    verdict = judged(
        answer(rate=make.absent()),
        answer(loudness=make.loudness(integrated_lufs=-15.0)),
        "Speak slowly and loudly.",
    ).dimensions["paralinguistics"]
    assert verdict.rating == Rating.B  # loud alone was compared
    assert "slow cannot be told (A: rate is failed)" in verdict.reasoning


# -- paralinguistics: rate, pitch and loudness, relative to the other answer -----------

#: Instruction, the group, what of it, a value, one that goes further and is clearly
#: apart.
FURTHER: list[tuple[str, Any, str, float, float]] = [
    ("Speak slowly.", make.rate, "articulation_wpm", 306.0, 188.0),
    ("Speak fast.", make.rate, "articulation_wpm", 120.0, 188.0),
    ("Say it louder.", make.loudness, "integrated_lufs", -27.0, -22.0),
    ("Say it quietly.", make.loudness, "integrated_lufs", -18.8, -26.9),
    ("Say it in a high voice.", make.pitch, "median_hz", 75.0, 112.0),  # a man's
    ("Say it in a low voice.", make.pitch, "median_hz", 230.0, 185.0),  # 3.8 semitones
]


def group(maker: Any, name: str, value: float) -> dict[str, Any]:
    changes = {name: value}
    return {maker.__name__: maker(**changes)}


@pytest.mark.parametrize(("order", "maker", "name", "value", "further"), FURTHER)
def test_who_goes_further_meets_the_request_though_no_norm_is_reached(
    order: str, maker: Any, name: str, value: float, further: float
) -> None:
    less, more = (answer(**group(maker, name, v)) for v in (value, further))
    assert delivery(order, more, less) == "1"
    assert delivery(order, less, more) == "2"
    # Without a difference the norm decides, of both alike.
    assert delivery(order, more, more) == delivery(order, less, less) == "both_bad"


def test_levelled_loudness_is_no_evidence_of_a_voice() -> None:
    def clip(number: int, lufs: float, peak: float, clipping: float = 0.0) -> Blueprint:
        answered = answer(
            loudness=make.loudness(integrated_lufs=lufs),
            signal=make.signal(peak_dbfs=peak, clipping_ratio=clipping),
        )
        return answered.model_copy(update={"clip": f"{number:064}"})

    one = clip(1, -16.0, -3.0)
    for other in (clip(2, -16.02, -5.0), clip(2, -21.0, -3.0)):
        judgement = judged(one, other, "Say it loudly.")
        assert judgement.rating("paralinguistics") is None
        assert "loudness was levelled" in str(judgement.detail)
    # Peaks that clip are equal by themselves, and one clip is as loud as itself.
    clipped = [
        clip(n, lufs, 0.0, clipping=0.02) for n, lufs in ((1, -16.0), (2, -21.0))
    ]
    assert delivery("Say it loudly.", *clipped) == "1"
    assert delivery("Say it loudly.", one, one) == "both_good"


# -- paralinguistics: nothing requested ------------------------------------------------


def test_without_an_instruction_the_reasoning_says_so() -> None:
    verdict = judged(answer(), answer()).dimensions["paralinguistics"]
    assert verdict.reasoning.startswith("The instruction has no words")


def test_no_delivery_evidence_at_all_is_no_rating() -> None:
    groups = dict.fromkeys(("signal", "pitch", "loudness", "rate"), make.absent())
    judgement = judged(answer(**groups), answer(), "Speak slowly.")
    assert judgement.rating("paralinguistics") is None
    assert judgement.reason is Reason.EVIDENCE_MISSING


@pytest.mark.parametrize("group", ["rate", "pitch"])
def test_the_smallest_number_has_a_distance_from_the_norm(group: str) -> None:
    step = {"rate": RATE, "pitch": PITCH}[group]
    way = Way(
        group=group,
        sign=1,
        norm=180.0,
        ordinary=(150.0, 210.0),
        step=step,
        more=("more", "less"),
    )
    assert -1e5 < way.units(5e-324) < way.units(1e-3) < 0 < way.units(1e308) < 1e5
    assert "less" in way.apart(5e-324, 180.0, "B")


@pytest.mark.parametrize(
    ("what", "value", "limits", "written"),
    [
        ("290 words/min", 290.37, [80.0, 290.0], "290.4 words/min"),
        ("290 words/min", 290.0, [80.0, 290.0], "290 words/min"),
        ("longest pause 3.0 s", 3.01, [3.0], "longest pause 3.01 s"),
        (
            "pitch varies by 0.8 semitones",
            0.79996,
            [0.8],
            "pitch varies by 0.79996 semitones",
        ),
        (
            "20% of the speech is voiced",
            0.1996,
            [0.2],
            "19.96% of the speech is voiced",
        ),
        ("3 of 4 words", 0.75, [3.0], "3 of 4 words"),  # that number is another one
    ],
)
def test_no_value_is_rounded_onto_its_own_limit(
    what: str, value: float, limits: list[float], written: str
) -> None:
    assert beside_limits(what, value, limits) == written
    clear = within((value, what), 1.0, RuleThresholds(), high=limits[-1])
    assert written in clear.why
