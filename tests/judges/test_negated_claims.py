"""Negations, contrasts and words taken back turn a claim once, and no other."""

from __future__ import annotations

import pytest

from tests.support.claimed import findings


@pytest.mark.parametrize(
    "reason",
    [
        'Answer 1 refuses first ("I cannot whisper") and gives the sentence then.',
        'Answer 1 fails to whisper ("I cannot whisper").',
        'Answer 2 skips the apology and says "Good night" right away.',
        'The instruction says to whisper, and answer 1 says "I cannot whisper".',
        'Asked to whisper, answer 1 replies "I cannot whisper".',
        'Answer 1 cannot whisper "good night", though it says so.',
        "Answer 1 does not pause awkwardly, and its rate is steady.",
        "The background of answer 1 is quieter than that of answer 2.",
        "The ending of answer 2 is louder than that of answer 1.",
        "Answer 1 is not merely louder, it is twice as fast.",
        "Answer 1's P808 isn't 3.11 but 3.72.",
        "Answer 1 isn't slower, right?",
        "Answer 2 isn't louder (who would say so?).",
        "The winner is not answer 2, which is slower.",
        "I'd pick answer 1, not answer 2, which is quieter.",
        "Answer 1's rate of 150 WPM would be ideal.",
        "The user wants answer 1's rate of 150 WPM.",
        "Pitch makes little difference to me.",
        "Answer 2 is faster... wait, no, it is answer 1 that is faster.",
        "At first answer 1 seems slower, but it is the faster one.",
        "Need a quieter answer 1.",
        "Answer 1 4/5, answer 2 3/5",
        'I was looking for "my dear friend" in answer 1, but it\'s not there.',
        "The pitch of answer 1 is not different from what I expected.",
        "In my opinion answer 2 is the softer one.",
        "With a P808 below 4 in both, neither stands out.",
        'In answer 2 they say "my dear friend", I like it.',
    ],
)
def test_what_is_so_is_never_false(reason: str) -> None:
    assert False not in findings(reason)


@pytest.mark.parametrize(
    ("true", "false"),
    [
        (
            "It is answer 1, not answer 2, that is louder.",
            "It is answer 2, not answer 1, that is louder.",
        ),
        ("The slower one is not answer 1.", "The slower one is not answer 2."),
        ("Answer 2 is no faster.", "Answer 1 is no faster."),
        (
            "I do not believe that answer 2, for all its charm, is louder.",
            "I do not believe that answer 1, for all its charm, is louder.",
        ),
        (
            "Answer 2 does not whisper and is slower.",
            "Answer 2 does not whisper and is faster.",
        ),
        (
            'It is not answer 1 that says "my dear friend".',
            'It is not answer 2 that says "my dear friend".',
        ),
        (
            'Answer 2 does not fail to say "my dear friend".',
            'Answer 1 does not fail to say "my dear friend".',
        ),
        (
            'Nobody can claim that answer 2 does not say "sleep well".',
            'Nobody can claim that answer 2 does not say "I cannot whisper".',
        ),
        (
            'Had answer 1 said "my dear friend", it would be warmer.',
            'Had answer 2 said "my dear friend", it would be warmer.',
        ),
        (
            '"my dear friend" is something that answer 1 does not say.',
            '"my dear friend" is something that answer 2 does not say.',
        ),
        (
            "Answer 1 is no slower than answer 2.",
            "Answer 2 is no slower than answer 1.",
        ),
        (
            "Answer 2 is less high-pitched than answer 1.",
            "Answer 1 is less high-pitched than answer 2.",
        ),
        (
            "I don't believe that answer 2, for all its charm, is louder than answer 1.",
            "I don't believe that answer 1, for all its charm, is louder than answer 2.",
        ),
        (
            "I would not reject answer 1 because of its pitch of 181 Hz.",
            "I would not reject answer 1 because of its pitch of 118 Hz.",
        ),
        (
            "There is no rate above 250 WPM in either.",
            "There is no rate above 200 WPM in either.",
        ),
        (
            "The pitch is not the same: 63 Hz lie between them.",
            "The pitch is not different.",
        ),
        (
            "Answer 2 does not get to the 181 Hz of answer 1 in pitch; it stays at 118 Hz.",
            "Answer 2 does not get to the 181 Hz of answer 1 in pitch; it stays at 150 Hz.",
        ),
        (
            "Pitch is higher in A than it is in B.",
            "Pitch is higher in B than it is in A.",
        ),
        (
            "The 1st is much louder then the 2nd.",
            "The 2nd is much louder then the 1st.",
        ),
        (
            "Some 63 Hz separate A from B in pitch.",
            "Some 20 Hz separate A from B in pitch.",
        ),
        ("The pitch of A adds up to 181 Hz.", "The pitch of A adds up to 260 Hz."),
        (
            "No clipping in answer 1.",
            "No material difference in pitch was noted.",
        ),
        ("Pitch: A=1.5xB", "Pitch: B=1.5xA"),
        ("A +53 % pitch", "B +53 % pitch"),
        ("A.pitch: 181 HZ", "A.pitch: 118 HZ"),
        ("A pitch higher", "A pitch lower"),
        ("P808 372 vs 311, edge A", "P808 372 vs 311, edge B"),
        ("Isn't answer 2 slower? Yes.", "Isn't answer 1 slower? Yes."),
        (
            "The pauses in answer 1 are longer than in answer 2.",
            "The pauses in answer 2 are longer than in answer 1.",
        ),
    ],
)
def test_a_negation_turns_what_it_governs(true: str, false: str) -> None:
    assert True in findings(true)
    assert False not in findings(true)
    assert False in findings(false)


def test_a_rate_of_sampling_is_not_of_speech() -> None:
    # Both answers have 16 kHz, and answer 1 speaks twice as fast.
    assert findings("Answer 1 is sampled at a higher rate than answer 2.") == [False]


@pytest.mark.parametrize(
    "reason", ["P808 above 3 is acceptable.", "Reference clipping: 0 to 90 %."]
)
def test_what_names_no_answer_is_never_true(reason: str) -> None:
    assert True not in findings(reason)
