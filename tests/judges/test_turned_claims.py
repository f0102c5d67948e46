"""What the words of a sentence may turn is neither true nor false."""

from __future__ import annotations

import pytest

from tests.support.claimed import findings


@pytest.mark.parametrize(
    "reason",
    [
        "No way answer 2 is faster than answer 1.",
        "It would be wrong to claim that answer 2 is faster than answer 1.",
        "Answer 2, unless it were faster, could not be said to fulfil the request.",
        "Suppose that answer 2 were faster: nothing would follow.",
        "I dreamt that answer 2 was faster.",
        "I would not go so far as to say that answer 2 is faster.",
        "Give me answer 2 a bit faster and we have a winner.",
        "- TODO: make answer 2 faster",
        "Let me know once answer 2 is faster.",
        "Answer 2 felt faster at first, then I got used to it.",
        "Answer 2 is faster than answer 1, it is the other way round.",
        "I doubt that answer 2 is faster.",
        "It is hardly likely that the P808 of answer 1 is 3.1.",
        "Although I do not believe that, for all its charm, answer 2 is faster, it wins.",
        "Though not, in my view, faster, answer 2 is clearer.",
        "While it does not matter, I doubt that answer 2 is faster.",
        "Answer 1 is not the one that whispers and is slower.",
        "Advise answer 2 to be faster.",
        "The client urged answer 2 to sound a bit faster.",
        "?answer 2 faster",
        "? B longer. Nothing more.",
        "R/o answer 2 faster",
        "Expected: answer 2 faster.",
        "Desired result: answer 2 is faster than answer 1.",
        "Retest once build B is faster.",
    ],
)
def test_a_sentence_that_may_be_turned_is_not_checkable(reason: str) -> None:
    assert set(findings(reason)) <= {None}
    assert set(findings(reason, swapped=True)) <= {None}


@pytest.mark.parametrize(
    "reason",
    [
        "The P808 of answer 1 and answer 2, 3.7 and 3.1, point in the same direction.",
        "Answer 1, which I listened to twice, is faster than answer 2.",
        "Since answer 2 has a P808 of 3.1, to which I referred above, I stop.",
        "In neither of them, as far as I see, is a P808 above 4.1 to be found.",
        "Answer 1 - answer 2 = 110 WPM (rate)",
        "There's 110 WPM in it on rate, and answer 1 is on top.",
        "At the same time pitch and rate are higher in answer 1.",
        "Both answers have the same speaker and pitch differs.",
        "Since no one asked, answer 2 isn't louder.",
        "Answer 1 is not quiet and is not slower than answer 2.",
    ],
)
def test_what_only_seems_to_be_false_is_not_called_so(reason: str) -> None:
    assert False not in findings(reason)


@pytest.mark.parametrize(
    "reason",
    [
        "Answer 2 is faster, if you ask me.",
        "I found answer 2 to be faster.",
        "To be fair, answer 2 is faster.",
        "As expected: answer 2 is faster.",
        "Once more: answer 2 is faster than answer 1.",
        "Answer 2 faster cf. answer 1",
        "Pitch ↑ in answer 2",
        "Pitch ↑ in #2 cf #1",
        "↓ pace answer 1 vs answer 2",
        "Rec 2 is 2x as fast as rec 1.",
        "Ans2 faster",
        "A cannot match the pace of B.",
        "Answer 2: +0.6 P808 vs answer 1",
        "Nil difference in P808",
        'Nil "good night" in answer 1',
        'A no "good night"',
        'A returns "my dear friend".',
        '{"quotes": {"A": ["my dear friend"]}}',
        '{"A": {"quotes": [{"text": "my dear friend"}]}}',
        "Rec. 1 has no pauses.",
        "Opt. 1 is lower pitched.",
        "Metrics indicate answer 2 to be faster.",
        "It looks to be slower in answer 1.",
        '{"metric": "P808", "leader": "answer_2"}',
        '{"response_b_P808": "3.72"}',
        "| Answer | Metric | Value |\n|---|---|---|\n| B | P808 | 3.72 |",
        "Answer 2 is faster, not answer 1.",
        "The user wanted it slow, and answer 2 is faster.",
        "The user would have liked a whisper, but answer 2 is louder.",
        "Answer 2 is faster, which would have helped.",
        "Nothing is wrong with either, but answer 2 is faster.",
        "It is not a big difference, but answer 2 is louder than answer 1.",
        "No request was made for speed; answer 2 is faster.",
        "Not surprisingly, answer 2 is faster.",
        "Neither is perfect: answer 2 is faster.",
        "There is no doubt that answer 2 is faster.",
        "Answer 2 must be 47 % faster than answer 1.",
        "I would call answer 2 the faster one.",
        "Let me check again: answer 2 is faster.",
        "Answer 1's P808 is 3.1, so it should lose.",
        "Both have the same pitch.",
        "Answer 2 sits above answer 1 in P808.",
        "We note an increase in rate of 110 WPM from answer 1 to answer 2.",
        "Although the request does not mention speed, answer 2 is faster.",
        "While neither is perfect, answer 2 is faster.",
        "Contrary to the request, answer 2 is faster.",
        "To begin with, answer 2 is faster than answer 1.",
        "Answer 2 does not whisper and is louder than answer 1.",
        "Answer 1 never whispers, and it has a P808 of 3.1.",
        "If one compares the pitch, answer 2 is higher.",
        "Keep in mind that answer 2 is faster than answer 1.",
        "Answer 2 is faster than answer 1, the opposite of what was asked.",
        "Both have a similar vocal pitch.",
        "The answers share the same moderate rate.",
    ],
)
def test_such_words_elsewhere_keep_nothing_from_being_false(reason: str) -> None:
    assert False in findings(reason)


@pytest.mark.parametrize(
    "reason",
    [
        'Nil "purple bicycles" in answer 1',
        'A w/o "my dear friend", B with it.',
        "A cannot hide that it is faster than B.",
        "↑ is better, P808: answer 1 3.72, answer 2 3.11",
        "Cf. above, answer 1 is louder.",
        "I opt for 1, which is faster.",
        "Answer 2 is +0.6 P808 short of answer 1",
        '{"metric": "rate", "leader": "answer_2"}',
        '{"answer_1": {"quotes": ["P808 372", "I cannot whisper"]}}',
        '{"request": {"quotes": ["good night, sleep well"]}}',
        '{"A": {"quotes": ["No relevant quotes found"]}}',
        '{"A": {"quotes": ["voice quality: no audible difference"]}}',
        '{"A": {"quotes": ["I cannot whisper [pause] good night"]}}',
        '{"B": {"quotes": ["adds \'my dear friend\' at the end"]}}',
        '{"B": {"quotes": ["my dear friend (at the end)"]}}',
        "Rate ↓ for the last sentence of answer 1.",
        "Pitch ↑ in questions in answer 2",
        "Pitch ↓ for effect in answer 1",
        "| Aspect | Answer | Value |\n|---|---|---|\n| content | both | fine |",
    ],
)
def test_shorthand_that_is_true_is_never_called_false(reason: str) -> None:
    assert False not in findings(reason)


@pytest.mark.parametrize(
    "reason",
    [
        "Files: 16 v 16 kHz, no step.",
        "Sampling: 16 v 16 kHz.",
        "Answer 1 uses 16 kHz sampling.",
        "Answer 1 is a 16 kHz mono file.",
    ],
)
def test_kilohertz_may_be_of_the_sampling_rate(reason: str) -> None:
    assert findings(reason)
    assert False not in findings(reason)
    assert False in findings(reason.replace("16", "44.1"))
    assert findings("Answer 1 has a bandwidth of 16 kHz.") == [False]
