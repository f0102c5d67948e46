"""Ambiguous reasons are not checkable; what is plain in any style is checked."""

from __future__ import annotations

import pytest

from tests.support.claimed import findings
from tests.support.imports import ROOT
from trace_eval.judges.claims.grids import without_objects

BY_HAND = ROOT / "benchmarks" / "reasons" / "by_hand.txt"


@pytest.mark.parametrize(
    "reason",
    [
        "Is answer 2 faster than answer 1? Let me see.",
        "It does not matter whether answer 2 is faster than answer 1.",
        "Not enough evidence that answer 2 is faster.",
        "Answer 2 was expected to be faster.",
        "People tend to speak at a rate of 160 WPM or thereabouts.",
        "Answer 1 is clear. Typical rate: 150 WPM",
        "- Recommended pitch for this request: 150 Hz",
        "Hmm, 150 Hz is where pitch starts to be odd.",
        'Answer 1 does not, as far as the transcript shows, say "purple bicycles".',
        'I looked for "purple bicycles" in answer 1 and did not find it.',
        'Does answer 1 say "purple bicycles"? No.',
        "- P808: tie? Perhaps",
        "Answer 1 receives 2/5: its BAK is 4.1.",
        "Pitch: A = B + 63 Hz",
        "P808: 3.7:3.1 (A:B)",
        "Maybe answer 2 is faster, hard to say.",
        "I'd have liked answer 1 a bit slower.",
        "It was proposed that answer 2 be faster.",
        "Others would find answer 1 slower.",
        'It is answer 2 that says "my dear friend", not its counterpart.',
        'I am unable to find "purple bicycles" in answer 1.',
        "Rate: 214 WPM for A. P(B) = 0.7",
        '{"A": 4, "B": 3}',
        "Usual clipping ratio: 0.0 %",
        "Answer 1 is served hot: 214 WPM against the gentle simmer of 104 in answer 2.",
        "The pitch of answer 1 has 3.4 semitones of variation, answer 2 gets by on 1.2.",
        "I'd pair answer 1 with something slower.",
        "Answer 1 is up 0.6 points of P808.",
        "Answer 2 has a P808 of 3.11, a premium of 0.6 to no one.",
        "Diff 1 vs 2: p808 -0.6, bak -0.9.",
        "Acceptance criterion: rate <= 120 WPM for both answers.",
        "Answer 1 has two pauses, the longer of which lasts 1.2 s.",
        "Answer 2's rate is down 51 % versus answer 1 at 104 WPM.",
        "Both answers stay south of 4 in P808.",
        "Both clear 3 in P808.",
        "Answer 2 is at 118 Hz of pitch, answer 1 level at 181.",
        "Had the foundation of answer 2 been 7.9 kHz, I would have signed.",
        "A similar piece in Vienna has a pitch of 150 Hz.",
        "Policies lapse where the rate exceeds 250 WPM for either answer.",
        "Answer 2 is anything but faster beside answer 1.",
        "In clipping, answer 1 beats answer 2 by a factor of 1.5.",
        "With answer 1 it gets louder towards the end.",
        "The pitch is no matter, so it doesn't matter which one I pick.",
        "Answer 1's voice has a boost at 200 Hz.",
        "The voice of answer 2 has harmonics at 236 Hz.",
        "The voice of answer 1 has a spread of 100 Hz.",
        "Answer 1 does not make a pause sound natural.",
        "Answer 1 does not have a pause at the comma.",
        "The difference in pitch is nothing short of 63 Hz.",
        "Difference: none of answer 1's samples are clipped.",
        "Picking answer 1 over answer 2 costs you 6.3 s in duration.",
        "Choosing answer 2 over answer 1 costs us 3.1 % of clipping.",
    ],
)
def test_what_states_nothing_of_an_answer_is_never_false(reason: str) -> None:
    assert False not in findings(reason)


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("The pitch of answer two is one hundred and eighteen hertz.",) * 2,
        ("BAK of answer one: four point one.", "BAK of answer one: three point three."),
        (
            "| | A | B |\n|---|---|---|\n| rate | 214 WPM | 104 WPM |",
            "| | A | B |\n|---|---|---|\n| rate | 104 WPM | 214 WPM |",
        ),
        (
            "**Pitch**\n- Answer 1: 181 Hz\n- Answer 2: 118 Hz",
            "**Pitch**\n- Answer 1: 118 Hz\n- Answer 2: 181 Hz",
        ),
        ("`rate` of answer 1: `214 WPM`", "`rate` of answer 1: `150 WPM`"),
        (
            "The pitch in answer 1 is put at 174 to 188 Hz.",
            "The pitch in answer 1 is put at 124 to 138 Hz.",
        ),
        ("Difference in pitch: 63 Hz (answer 1 higher)",) * 2,
        (
            (
                "I see 118 Hz of pitch for answer 2 and 181 Hz for answer 1; the latter"
                " is higher."
            ),
            (
                "I see 118 Hz of pitch for answer 2 and 181 Hz for answer 1; the former"
                " is higher."
            ),
        ),
        (
            "Answer 1 (faster) beats answer 2 (slower).",
            "Answer 2 (faster) beats answer 1.",
        ),
        (
            "I'd lose 4 kHz of bandwidth if I picked answer 2 over answer 1.",
            "I'd lose 4 kHz of bandwidth if I picked answer 1 over answer 2.",
        ),
        (
            "Going from answer 2 to answer 1 adds 63 Hz of pitch.",
            "Going from answer 1 to answer 2 adds 63 Hz of pitch.",
        ),
        (
            "An increase of 106 % in rate from answer 2 to answer 1.",
            "An increase of 106 % in rate from answer 1 to answer 2.",
        ),
        (
            "The rate halves from answer 1 to answer 2.",
            "The rate halves from answer 2 to answer 1.",
        ),
        (
            "With answer 2 on the line it all gets slower.",
            "With answer 1 on the line it all gets slower.",
        ),
        (
            "It can't be denied that answer 1 has the wider bandwidth.",
            "It can't be denied that answer 2 has the wider bandwidth.",
        ),
        (
            "The hare (answer 1) ran at a rate of 214 WPM.",
            "The hare (answer 2) ran at a rate of 214 WPM.",
        ),
        (
            "Answer 2 leaves marks all over the wave: 3.1 % of its samples are clipped.",
            "Answer 1 leaves marks all over the wave: 3.1 % of its samples are clipped.",
        ),
        ("assert pitch(A) > pitch(B)", "assert pitch(B) > pitch(A)"),
        ("A's pitch > B's pitch", "B's pitch > A's pitch"),
        ("A clipping < B clipping", "A clipping > B clipping"),
        ("Both have a P808 above 3.", "Both have a similar P808."),
        (
            "Neither has a bandwidth below 3 kHz.",
            "Both have a similar audio bandwidth.",
        ),
        ("Both receive a P808 above 3.", "Both receive a P808 of 3.72."),
        ("Both maintain at least 100 WPM.", "Both maintain a rate of 214 WPM."),
        (
            "I'd choose answer 1 for its P808 of 3.72.",
            "I'd choose answer 2 for its P808 of 3.72.",
        ),
        (
            "It should be noted that answer 1 is faster.",
            "Should be noted: answer 2 clips less than answer 1.",
        ),
        (
            "Where response A exceeds response B is in pitch.",
            "Where response B exceeds response A is in pitch.",
        ),
        (
            "The loudness of answer 2 does not equal that of answer 1.",
            "Both have the same loudness.",
        ),
        (
            "Answer 1's bandwidth goes up to 7.9 kHz.",
            "Answer 1's bandwidth goes up to 5 kHz.",
        ),
        ("Answer 1 outranks answer 2 in P808.", "Answer 2 outranks answer 1 in P808."),
        (
            "Answer 2 doesn't make a single pause.",
            "Answer 1 doesn't make a single pause.",
        ),
        (
            "Answer 2 has a deep voice at 118 Hz.",
            "Answer 1 has a deep voice at 118 Hz.",
        ),
        (
            '{"source": "A", "missing": ["my dear friend"]}',
            '{"source": "B", "missing": ["my dear friend"]}',
        ),
        (
            "| Answer | Transcript |\n|---|---|\n| B | my dear friend |",
            "| Answer | Transcript |\n|---|---|\n| A | my dear friend |",
        ),
        ("The gap in pitch … 63 Hz.", "The gap in pitch … 20 Hz."),
        ("response_a has a rate of 214 WPM.", "response_b has a rate of 214 WPM."),
        (
            "No clipping anywhere in answer 1.",
            "For pitch it doesn't matter which one I pick.",
        ),
        (
            "Mean pitch? 118 Hz, if we talk about answer 2.",
            "Mean pitch? 118 Hz, if we talk about answer 1.",
        ),
        ("> Answer 2 is the slower one.", "> Answer 1 is the slower one."),
        ("Answer 1? Clearly faster.", "Answer 2? Clearly faster."),
        (
            "Which one is faster? Looks like answer 1.",
            "Which one is faster? Looks like answer 2.",
        ),
        (
            'Does answer 2 say "my dear friend"? Yes.',
            'Does answer 2 say "my dear friend"? No.',
        ),
        ("Pitch: A = B + 63 Hz", "Pitch: A = B + 30 Hz"),
        ("Rate 214 WPM/104 WPM (A/B)", "Rate 104 WPM/214 WPM (A/B)"),
        ("pitch ↑ A", "pitch ↑ B"),
        ('"my dear friend" ∉ A', '"my dear friend" ∉ B'),
        ("Answer 1 is louder as answer 2.", "Answer 2 is louder as answer 1."),
        (
            "The left answer has a pitch of 181 Hz.",
            "The right answer has 181 Hz pitch.",
        ),
        (
            '{"measure": "pitch", "answer": "A", "value": "181 Hz"}',
            '{"measure": "pitch", "answer": "B", "value": "181 Hz"}',
        ),
        ("Neither exceeded 250 WPM.", "Neither exceeded 190 WPM."),
        (
            "Answer 1 has the advantage in pitch, and the distance to answer 2 is 63 Hz.",
            "Answer 1 has the advantage in pitch, and the distance to answer 2 is 20 Hz.",
        ),
        ('"sleep well" was requested by the user.', 'Requirement: "purple bicycles".'),
        (
            "If you ask me which is faster, I say answer 1.",
            "If you ask me which is faster, I say answer 2.",
        ),
    ],
)
def test_one_measure_reads_alike_in_every_style(true: str, false: str) -> None:
    assert True in findings(true)
    assert False not in findings(true)
    if false != true:
        assert False in findings(false)


@pytest.mark.parametrize(
    "about", ["A rate of 214 WPM", "Clipping of 3.1 %", "A pitch of 118 Hz"]
)
def test_what_would_have_been_better_is_never_true(about: str) -> None:
    assert True not in findings(f"{about} or so would have been more fitting here.")


def test_a_table_that_breaks_off_or_is_wide_is_read_in_linear_time() -> None:
    wide = "|" + " a |" * 2_000
    assert findings(f"{wide}\n|---|\n{wide}\n" * 3) == []


def test_reasons_by_hand_are_never_wrongly_false_and_most_faults_are_found() -> None:
    missed, of_faults = [], 0
    for line in BY_HAND.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        _, kind, reason = line.split("|", 2)
        is_found = False in findings(reason)
        assert kind == "F" or not is_found, reason
        of_faults += kind == "F"
        missed += [reason] if kind == "F" and not is_found else []
    assert of_faults == 90
    assert len(missed) <= 23, missed


def test_a_quality_that_is_missing_is_no_quotation() -> None:
    assert "does not say" not in without_objects(
        '{"answer": "answer 1", "missing": ["emotional warmth"]}'
    )
