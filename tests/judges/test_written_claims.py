"""Reasons as models write them: words of norms, courses, doubted quotations."""

from __future__ import annotations

import pytest

from tests.support import blueprints as make
from tests.support.claimed import REQUEST, fast, findings, slow
from trace_eval.judges.claims.check import check_all
from trace_eval.judges.claims.finding import ShownAnswers
from trace_eval.judges.claims.read import claims_of


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("Answer 2 is monotone.", "Answer 1 is monotone."),
        (
            "Answer 1 is livelier than answer 2, which is monotone.",
            "Answer 2 is livelier than answer 1, which is monotone.",
        ),
        (
            "Answer 2 is rated fair, in P808 at 311.",
            "Answer 2 is rated poor, in P808 at 311.",
        ),
        (
            "Answer 1 moves its pitch far more than the flatter answer 2.",
            "Answer 2 moves its pitch far more than the flatter answer 1.",
        ),
        (
            "The pitch of answer 1 moves more.",
            "The pitch of answer 2 moves more.",
        ),
        (
            "BAK, where answer 1 has the higher score, is a hint.",
            "BAK, where answer 2 has the higher score, is a hint.",
        ),
        (
            "A poor background, although answer 1's is less disturbing than answer 2's.",
            "A poor background, although answer 2's is less disturbing than answer 1's.",
        ),
        (
            "By P808 answer 1 is predicted to sound better.",
            "By P808 answer 2 is predicted to sound better.",
        ),
        (
            "1 somewhat more varied in pitch, 2 deeper.",
            "2 somewhat more varied in pitch, 1 deeper.",
        ),
    ],
)
def test_words_of_norms_and_movements_say_who(true: str, false: str) -> None:
    assert False not in findings(true)
    assert True in findings(true)
    assert False in findings(false)


@pytest.mark.parametrize(
    ("true", "false"),
    [
        (
            "Answer 1 sits at 181 Hz and answer 2 at 118.",
            "Answer 1 sits at 181 Hz and answer 2 at 158.",
        ),
        (
            "Answer 1 races along at 214 WPM, answer 2 only at 104.",
            "Answer 1 races along at 214 WPM, answer 2 only at 164.",
        ),
        (
            "372 and 311 for P808 and 410 and 320 for BAK.",
            "372 and 211 for P808 and 410 and 320 for BAK.",
        ),
        (
            "Answer 1 is at 3.72 overall, against 3.11.",
            "Answer 1 is at 3.72 overall, against 2.11.",
        ),
        (
            "The predicted quality of answer 1 is about three hundred and seventy.",
            "The predicted quality of answer 1 is about two hundred and seventy.",
        ),
        (
            "Answer 1 varies by 3.4 st, answer 2 by only 1.2 st.",
            "Answer 1 varies by 3.4 st, answer 2 by only 2.8 st.",
        ),
        (
            "Answer 1 takes 12.4 s and answer 2 is done in 6.1 s.",
            "Answer 1 takes 12.4 s and answer 2 is done in 3.1 s.",
        ),
        (
            "Answer 1 has 7.9 kHz while answer 2 stops at 3.9, and its P808 is 372 v 311.",
            "Answer 1 has 7.9 kHz while answer 2 stops at 3.9, and its P808 is 272 v 311.",
        ),
        (
            "Answer 2 is slower, but the levels are alike at -23.4 and -29.6 LUFS.",
            "Answer 2 is slower, but the levels are alike at -23.4 and -39.6 LUFS.",
        ),
    ],
)
def test_values_without_verb_or_name_are_read_by_what_stands_before(
    true: str, false: str
) -> None:
    assert set(findings(true)) == {True}
    assert False in findings(false)


@pytest.mark.parametrize(
    "reason",
    [
        "Each runs at 314 WPM.",
        "Both stop at 2 kHz.",
        "Both are calm, at -44 LUFS in each.",
        "They share a pace of 314 WPM.",
    ],
)
def test_a_number_that_neither_answer_has_is_false_of_both(reason: str) -> None:
    assert False in findings(reason)


@pytest.mark.parametrize(
    "reason",
    [
        "The pitch of answer 1 falls from 300 Hz to about 90 Hz.",
        "Answer 1 starts high at 300 Hz.",
        "This does not amount to an audible lead for answer 2.",
        "Answer 2 has a more comfortable pace.",
        "They are equally usable, though no tempo was asked for.",
        "Answer 1 gets slower towards the end.",
        "P808 is 372 where answer 2 has 311, and a BAK of 410.",
        'Neither "good night" nor "sleep well" can be trusted.',
        'I cannot rely on "good night" or "my dear friend".',
        'Nearly the same, "I cannot whisper" and "my dear friend", the second unsure.',
        'The texts match except for "but here is" in answer 1.',
        'Each ends in "sleep well", which is what was requested.',
        'The user wanted a line, and both answers say "good night".',
        'The recogniser guesses at answer 1, so "I cannot whisper" cannot count.',
        "P808 is 372 against 311, the latter merely fair.",
    ],
)
def test_what_models_say_besides_is_never_false(reason: str) -> None:
    assert False not in findings(reason)


@pytest.mark.parametrize(
    "reason",
    [
        'Answer 2\'s "we never go there" cannot be held against it.',
        'Even a piece such as "we never go there" in answer 1 is a guess.',
        'The phrase "we never go there" is clear in both recordings.',
        '"We never go there" in answer 1 can\'t be relied on.',
        'The words of answer 1 are no proof, and answer 2\'s "we never go" is unsure.',
        'Answer 1 is heard as "we never go there", which is probably misheard.',
    ],
)
def test_doubted_words_were_heard_all_the_same(reason: str) -> None:
    assert False in findings(reason)


def test_courses_are_those_of_trend_and_slope() -> None:
    places = {}
    for place, of, trend, slope in (("1", fast(), 0.7, 2.0), ("2", slow(), 1.3, -2.0)):
        rate = of.rate.model_copy(update={"trend": trend})
        pitch = of.pitch.model_copy(update={"slope_semitones_per_s": slope})
        places[place] = of.model_copy(update={"rate": rate, "pitch": pitch})
    shown = ShownAnswers(places, REQUEST)

    def held(reason: str) -> set[bool | None]:
        return {finding.holds for _, finding in check_all(claims_of(reason), shown)} - {
            None
        }

    assert held("Answer 1 slows down in its second half.") == {True}
    assert held("Answer 2 slows down in its second half.") == {False}
    assert held("Answer 2 gathers speed where answer 1 slows down.") == {True}
    assert held("Answer 1 keeps an even pace.") == {False}
    assert held("The pitch of answer 1 rises over the clip.") == {True}
    assert held("The pitch of answer 2 rises over the clip.") == {False}
    assert held("Answer 2 rises in pitch at the end.") == set()


def test_periodicity_in_steps_is_no_difference_of_background() -> None:
    reason = "Answer 1 has less noise (BAK 410 v 320, periodicity +0.5)."
    assert False not in findings(reason)


def test_quoted_hundreds_stay_as_they_were_said() -> None:
    text = "It costs four hundred and thirty, or two hundred."
    said = make.answer(text)
    shown = ShownAnswers({"1": said, "2": said}, REQUEST)
    claims = claims_of('Both say "four hundred and thirty".')
    assert {finding.holds for _, finding in check_all(claims, shown)} == {True}
