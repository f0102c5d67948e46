"""Reasons about what stands beside the answers: steps, rates by syllables, pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from benchmarks.reasons.written import ORDER
from benchmarks.report import stored
from tests.support import blueprints as make
from tests.support.claimed import REQUEST, fast, findings, slow
from tests.support.cli import ROOT
from trace_eval.judges.claims.check import check_all
from trace_eval.judges.claims.finding import ShownAnswers
from trace_eval.judges.claims.read import claims_of


@pytest.mark.parametrize(
    ("true", "false"),
    [
        # The rate differs by 3.8 steps, pitch variation by 2.2, voices by 10.5.
        ("Answer 1 is faster by 3.8 steps.", "Answer 1 is faster by 3.3 steps."),
        ("Answer 1 is faster by 3.8 steps.", "Answer 2 is faster by 3.8 steps."),
        ("Answer 1 leads by 10.5 steps in all.", "Answer 1 leads by 6 steps in all."),
        ("A lead of 10.5 steps for answer 1.", "A lead of 10.5 steps for answer 2."),
        (
            "The pitch variation is 2.2 steps apart.",
            "The pitch variation is under one step.",
        ),
        ("Answer 1 wins by 10.5 steps.", "Answer 2 wins by 10.5 steps."),
        ("Rate (3.8 steps) and pitch (2.5 steps) differ.", "Rate (1.1 steps) differs."),
        ("Answer 1: +3.8 steps in rate.", "Answer 2: +3.8 steps in rate."),
    ],
)
def test_differences_in_steps_are_those_of_the_prompt(true: str, false: str) -> None:
    assert set(findings(true)) == {True}
    assert False in findings(false)


@pytest.mark.parametrize(
    "reason",
    [
        "Answer 1 lists 3 steps.",
        "In step 2 answer 1 hesitates.",
        "The rest is under one step.",
        "Loudness is not comparable.",
        "Answer 1 leads by 2.1 steps.",  # as much as the loudness, which is not named
        "P808 +2.0 for answer 1.",  # steps, as the prompt prints them
        "A difference of 1.0 steps is just audible.",
        "There are 3.5 steps in the recipe of answer 1.",
        "Answer 2 is better in pitch by 2.5 steps.",
    ],
)
def test_other_steps_are_no_differences(reason: str) -> None:
    assert False not in findings(reason)


@pytest.mark.parametrize(
    "reason",
    [
        "I prefer answer 2, by 10.5 steps.",
        "P808 differs by 2.0.",  # as many steps
        "Answer 2 is fast (214 v 104 WPM).",  # of whom 214 is, is not said
    ],
)
def test_what_is_not_said_is_never_true(reason: str) -> None:
    assert set(findings(reason)) == {None}


def test_rates_by_syllables_are_those_that_the_prompt_prints() -> None:
    doubtful = make.transcript("Good night.", "low_confidence")
    places = {}
    for place, of, syllables in (("1", fast(), 5.0), ("2", slow(), 3.0)):
        rate = of.rate.model_copy(update={"syllables_per_s": syllables})
        update = {"transcript": doubtful, "rate": rate}
        places[place] = of.model_copy(update=update)
    shown = ShownAnswers(places, REQUEST)

    def held(reason: str) -> set[bool | None]:
        return {finding.holds for _, finding in check_all(claims_of(reason), shown)}

    assert held("Answer 1 is faster, 240 v 144 words/min by syllables.") == {True}
    assert False in held("Answer 1 is faster, 240 v 190 words/min by syllables.")
    assert False in held("Answer 2 is faster by syllables.")


@pytest.mark.parametrize(
    ("true", "false"),
    [
        # Who quotes a prompt keeps its order, others begin with whom they spoke of.
        ("Answer 2 is slower (214 v 104 WPM).", "Answer 2 is slower (214 v 154 WPM)."),
        ("Answer 2 is slower (104 v 214 WPM).", "Answer 2 is slower (154 v 214 WPM)."),
        ("Answer 1 is higher (181 v 118 Hz).", "Answer 1 is higher (181 v 158 Hz)."),
        ("Loud enough both (-23 v -30 LUFS).", "Loud enough both (-23 v -39 LUFS)."),
        ("Both vary (3.4 v 1.2 st).", "Both vary (3.4 v 2.8 st)."),
        (
            "P808 372 and BAK 410 in answer 1, answer 2 has 311 and 320.",
            "P808 372 and BAK 410 in answer 1, answer 2 has 311 and 220.",
        ),
        (
            "The overall quality score of answer 1 is 372.",
            "The overall quality score of answer 1 is 272.",
        ),
        (
            "The signal quality of answer 1 is 3.72.",
            "The signal quality of answer 1 is 2.62.",
        ),
        (
            "Answer 1 goes up to 7.9 kHz, while answer 2 stops at 3.9.",
            "Answer 1 goes up to 7.9 kHz, while answer 2 stops at 6.5.",
        ),
        ("Answer 1 takes 12.4 s.", "Answer 1 takes 9.4 s."),
        (
            "Answer 1's voice averages 181 Hz, answer 2's 118 Hz.",
            "Answer 1's voice averages 181 Hz, answer 2's 158 Hz.",
        ),
    ],
)
def test_pairs_and_lists_of_values_are_read_as_they_are_written(
    true: str, false: str
) -> None:
    assert set(findings(true)) == {True}
    assert False in findings(false)


@pytest.mark.parametrize(
    ("true", "false"),
    [
        (
            "Answer 1 has the less intrusive background.",
            "Answer 2 has the less intrusive background.",
        ),
        ("Answer 1 has less background.", "Answer 2 has less background."),
        (
            "Answer 1 has the less noticeable background noise.",
            "Answer 2 has the less noticeable background noise.",
        ),
        (
            "The background of answer 1 is rated cleaner than that of answer 2.",
            "The background of answer 2 is rated cleaner than that of answer 1.",
        ),
        (
            "The wider bandwidth of answer 1 does not help it.",
            "The wider bandwidth of answer 2 does not help it.",
        ),
        (
            "Answer 1 leads. Its BAK is 410, while answer 2 is at 320.",
            "Answer 1 leads. Its BAK is 210, while answer 2 is at 320.",
        ),
    ],
)
def test_backgrounds_and_pronouns(true: str, false: str) -> None:
    assert False not in findings(true)
    assert True in findings(true)
    assert False in findings(false)


@pytest.mark.parametrize(
    "reason",
    [
        'Answer 1 seems to say "we never go there", but the recogniser is unsure of it.',
        'Answer 1 comes out as "we never go there".',
        'Answer 2 is recognised as "we never go there", which does not matter.',
        'Both read it whole, from "good night" through to "we never go there".',
        'Answer 1 is heard as "good night" and answer 2 as "we never go there".',
    ],
)
def test_words_that_the_recogniser_wrote_are_looked_up(reason: str) -> None:
    assert False in findings(reason)


@pytest.mark.parametrize(
    "reason",
    [
        'Neither breaks off before "good night".',
        'The same but for "cannot" and "dear".',
        'They differ in one word, "cannot" against "dear".',
        "Answer 1 keeps its pace more than answer 2.",
        "Answer 2 is described as quiet.",
        "Answer 1 has 8 kHz while answer 2 stops at 3.9, and it is slower.",
        "Answer 1 is loud at -23 LUFS, and the deliveries are otherwise the same.",
        "Answer 1 is not much higher than answer 2.",
    ],
)
def test_what_says_something_else_is_never_false(reason: str) -> None:
    assert False not in findings(reason)


def test_reasons_as_models_write_them_are_read_as_stored() -> None:
    result = stored("reasons_written")
    before = [name for names in ORDER[:-1] for name in names]
    planted, recalled, flagged_wrongly = counted(result["now"], before)
    assert planted == 3336
    assert recalled >= 0.965 * planted
    assert recalled >= 0.99 * (recalled + flagged_wrongly)
    assert result["first_looks"].keys() == result["now"].keys()


def test_replies_that_nobody_had_read_reach_the_promise_at_first() -> None:
    planted, recalled, flagged_wrongly = counted(
        stored("reasons_written")["first_looks"], ORDER[-1]
    )
    assert planted >= 500
    assert recalled >= 0.95 * planted
    assert recalled >= 0.95 * (recalled + flagged_wrongly)
    page = " ".join((ROOT / "docs" / "explanation" / "judging.md").read_text().split())
    shares = (recalled / planted, recalled / (recalled + flagged_wrongly))
    found, right = (f"{share:.2f}".removeprefix("0") for share in shares)
    assert f"Of {planted} faults planted in replies" in page
    assert f"{found} are found, and {right} of what it calls false is false" in page


def counted(
    looks: Mapping[str, Mapping[str, int]], names: Iterable[str]
) -> tuple[int, int, int]:
    """Return faults, those found, and true reasons that are called false."""
    of_names = [looks[name] for name in names]
    planted = sum(look["planted"] for look in of_names)
    recalled = sum(look["recalled"] for look in of_names)
    return planted, recalled, sum(look["flagged_wrongly"] for look in of_names)
