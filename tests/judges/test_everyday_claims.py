"""Reasons in everyday words, and numbers that no answer has, however they are said."""

from __future__ import annotations

import pytest

from tests.support import blueprints as make
from tests.support.claimed import REQUEST, fast, findings, slow
from trace_eval.judges.claims.check import check_all
from trace_eval.judges.claims.finding import ShownAnswers
from trace_eval.judges.claims.read import claims_of

#: What answer 1 has more of: it is the faster, louder, higher and cleaner one.
OF_FIRST = [
    "is swifter than the other",
    "speaks more hurriedly",
    "is pitched above its rival",
    "uses the higher register",
    "has the calmer background",
    "has less hiss",
    "keeps more of the high frequencies",
    "scores higher on overall quality",
]

OF_SECOND = [
    "is the more leisurely one",
    "has a calmer pace",
    "is bassier",
    "is fainter",
    "has the more muffled sound",
    "has more static",
]


@pytest.mark.parametrize("said", OF_FIRST)
def test_everyday_words_say_who_has_more(said: str) -> None:
    assert findings(f"Answer 1 {said}.") == [True]
    assert findings(f"Answer 2 {said}.") == [False]


@pytest.mark.parametrize("said", OF_SECOND)
def test_everyday_words_say_who_has_less(said: str) -> None:
    assert findings(f"Answer 2 {said}.") == [True]
    assert findings(f"Answer 1 {said}.") == [False]


@pytest.mark.parametrize(
    "reason",
    [
        "The two cannot be told apart, with the same level of -18 LUFS.",
        "No difference would be heard, both being at 160 WPM.",
        "Both read at 150 WPM without a hurry, and nothing is missing.",
        "P808 is 372 for answer 1 and as little as 211 for answer 2.",
        "Answer 1 has the better P808 at 372, answer 2 being at 211.",
        "Answer 2 has BAK 30.",
        "Pace is given as 135 and 219 words per minute.",
        "The same delivery twice, 128 words per minute.",
    ],
)
def test_a_number_that_no_answer_has_is_false_however_it_is_said(reason: str) -> None:
    assert False in findings(reason)


@pytest.mark.parametrize(
    "reason",
    [
        "A normal pace is 150 WPM.",
        "Answer 1 is far above the usual 150 WPM.",
        "They promised me 150 WPM and I got something else.",
        "I like to hear a mean pitch of 70 Hz.",
        "Answer 1 is between 200 and 300 WPM.",
        "Answer 1 is estimated at 200 to 230 WPM.",
        "Answer 1 does not reach 300 WPM.",
        "The contour of answer 1 peaks at 353 Hz.",
        "Total: answer 1 7 points, answer 2 5 points.",
        "Answer 1 is at 214 WPM, 110 more than answer 2.",
        "75 % of the transcript of answer 2 is unsure.",
        "Had it been 150 WPM, both would do.",
    ],
)
def test_a_number_of_no_answer_is_no_claim(reason: str) -> None:
    assert False not in findings(reason)


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("The 3.4 st of answer 1 are lively.", "The 3.4 st of answer 2 are lively."),
        ("SDs of 3.4 st in answer 1.", "SDs of 5.4 st in answer 1."),
        ("The voice of answer 1 deviates by 3.4 st.", "Answer 2 varies by 5.4 st."),
        ("Answer 1 181 Hz, answer 2 118 Hz.", "Answer 1 118 Hz, answer 2 181 Hz."),
        (
            "Answer 1 wins with P808 372 (answer 2: 311).",
            "Answer 1 wins with P808 272 (answer 2: 311).",
        ),
    ],
)
def test_values_are_of_whom_they_are_said(true: str, false: str) -> None:
    assert False not in findings(true)
    assert True in findings(true)
    assert False in findings(false)


@pytest.mark.parametrize(
    "reason",
    [
        "Answer 1's voice is higher in frequency (181 v 118 Hz).",
        "Answer 1 swings 2.8 times as widely around its mean pitch (3.4 v 1.2 st).",
        "Answer 1's lowest pitch point is 148 Hz.",
        "Answer 1 opens with 5.6 syllables per second.",
        "The longest silence is 1.2 s longer in answer 1.",
        "Answer 1's pitch varies only by 3.4 st.",
        "P808 and pitch add 0.4 steps each.",
        "Answer 1 is far better, so answer 2 loses.",
        'Neither transcript can be trusted: "good night" and "sleep well" are guesses.',
    ],
)
def test_what_only_looks_like_a_false_claim_is_none(reason: str) -> None:
    assert False not in findings(reason)


def test_slopes_are_read_as_prompts_print_them() -> None:
    first, second = (
        of.model_copy(
            update={
                "pitch": of.pitch.model_copy(update={"slope_semitones_per_s": slope})
            }
        )
        for of, slope in ((fast(), 2.84), (slow(), -0.94))
    )
    shown = ShownAnswers({"1": first, "2": second}, REQUEST)

    def held(reason: str) -> list[bool | None]:
        return [each.holds for _, each in check_all(claims_of(reason), shown)]

    assert held("Pitch slope 284 (answer 1).") == [True]
    assert held("Pitch slope 110 (answer 1).") == [False]
    assert held("Answer 2 has a pitch slope of -94.") == [True]


def test_words_in_common_are_those_of_both_answers() -> None:
    texts = ("we went home early today", "we went home late today")
    shown = ShownAnswers(dict(zip("12", map(make.answer, texts), strict=True)), REQUEST)

    def held(reason: str) -> list[bool | None]:
        return [each.holds for _, each in check_all(claims_of(reason), shown)]

    assert held("They have 80 % of the words in common.") == [True]
    assert held("They have 40 % of the words in common.") == [False]


@pytest.mark.parametrize(
    "reason",
    [
        'Both tell the user that "we never go there" would be good.',
        'Each says that the speaker has not "gone there before".',
        'Both read "we never go there", and no word is missing.',
        'Answer 2 keeps the closing idea of "going there soon".',
        'Each answer says that it would be nice to "go there soon".',
    ],
)
def test_words_that_are_told_were_said(reason: str) -> None:
    assert False in findings(reason)


@pytest.mark.parametrize(
    "reason",
    [
        'Answer 2 does not say "we never go there".',
        'The user gets the same words from both, beginning "good night".',
        'No difference: "good night" is said by both.',
        'Neither leaves out "good night".',
    ],
)
def test_words_that_are_denied_or_heard_are_not_false(reason: str) -> None:
    assert False not in findings(reason)
