"""What recognisers give: words that are no speech, and times that are repaired."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

from blueprints import Span, Word
from extractors.recognised import words_of
from extractors.suspect import (
    RepeatedPhrase,
    longest_repetition,
    low_confidence,
    repetition_loop,
    suspicions,
    text_over_silence,
    tokens,
)
from extractors.word_times import MIN_WORD_S, repaired


def word(
    start: float | None, end: float | None, confidence: float | None = None
) -> Word:
    return Word(text="w", start_s=start, end_s=end, confidence=confidence)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no no no no no no no no no", RepeatedPhrase(("no",), 9, 0)),
        (
            "well thank you. Thank you! thank you, thank you",
            RepeatedPhrase(("thank", "you"), 4, 1),
        ),
        ("谢谢谢谢谢谢谢谢", RepeatedPhrase(("谢",), 8, 0)),
        # Meant: a word said three times, a sentence said twice, laughter, counting.
        ("no no no that is not it", None),
        ("the future is here the future is here", None),
        ("ha ha ha ha", None),
        ("one two three four five six seven eight nine ten", None),
        ("", None),
        ("word", None),
    ],
)
def test_repetition_loops(text: str, expected: RepeatedPhrase | None) -> None:
    assert repetition_loop(tokens(text)) == expected


def test_the_longest_row_wins_and_an_unfinished_last_phrase_does_not_count() -> None:
    words = ["a", "a", "b", "c", "d", "b", "c", "d", "b", "c", "d", "b", "c"]
    assert longest_repetition(words) == RepeatedPhrase(("b", "c", "d"), 3, 2)
    inside = repetition_loop(["so", *["the", "end"] * 5, "of", "it"])
    assert inside == RepeatedPhrase(("the", "end"), 5, 1)
    assert inside.words == 10


def test_text_over_silence() -> None:
    speech = [Span(start_s=1.0, end_s=2.0)]
    inside, near, far = word(1.2, 1.5), word(2.0, 2.4), word(4.0, 4.4)
    assert not text_over_silence([inside, near], speech)
    assert text_over_silence([inside, far], speech)
    assert not text_over_silence([inside] * 9 + [far], speech)  # exactly one in ten
    assert not text_over_silence([word(None, None)], speech)
    assert text_over_silence([inside], [])


def test_low_confidence_is_about_known_confidences() -> None:
    assert low_confidence([word(0, 1, 0.4), word(1, 2, 0.5)], 0.5)
    assert not low_confidence([word(0, 1, 0.5)], 0.5)
    assert not low_confidence([word(0, 1, None)], 0.5)
    assert not low_confidence([], 0.5)
    # a few certain small words hide that most are not
    mostly = [word(0, 1, p) for p in (0.7, 0.7, 1.0, 0.7, 1.0)]
    assert not low_confidence(mostly, 0.75)
    assert low_confidence(mostly, 0.75, 0.79)


def test_all_flags_at_once_are_sorted() -> None:
    words = [word(5, None, 0.1), word(6, 7, 0.1)]
    assert suspicions("go " * 8, words, [Span(start_s=0, end_s=1)], 0.5) == [
        "low_confidence",
        "repetition_loop",
        "text_over_silence",
        "word_end_missing",
    ]


def words(*times: tuple[str, float | None, float | None]) -> list[Word]:
    return [
        Word(text=text, start_s=start, end_s=end, confidence=0.5)
        for text, start, end in times
    ]


def times_of(found: list[Word]) -> list[tuple[float | None, float | None]]:
    return [(word.start_s, word.end_s) for word in found]


def test_good_times_stay() -> None:
    good = words(("so", 0.1, 0.3), ("it", 0.3, 0.34), ("goes", 0.9, 1.2))
    assert repaired(good, 2.0) == good


@pytest.mark.parametrize(
    ("given", "seconds", "times"),
    [
        # A word without length shares the next one's time: 0.32 s for 4 + 4 letters,
        # 0.04 s each, and of the 0.24 s left half each.
        (
            [("then", 5.37, 5.37), ("what", 5.37, 5.69)],
            6.0,
            [(5.37, 5.53), (5.53, 5.69)],
        ),
        # The last word shares the time before it: 0.04 s each, the other 0.32 s as 6 :
        # 2 letters.
        ([("tomato", 1.0, 1.4), ("is", 1.4, 1.4)], 1.4, [(1.0, 1.28), (1.28, 1.4)]),
        # Overlaps and backward words are put in order.
        (
            [("one", 1.0, 1.6), ("two", 1.2, 1.1), ("three", 2.0, 2.2)],
            *(3.0, [(1.0, 1.3), (1.3, 1.6), (2.0, 2.2)]),
        ),
        # Where there is no room there are no times.
        ([("a", 0.5, 0.5), ("b", 0.5, 0.51)], 0.51, [(None, None), (None, None)]),
        # A missing time stays missing.
        (
            [("one", None, None), ("two", 0.2, None), ("three", 0.4, 0.8)],
            *(1.0, [(None, None), (0.2, None), (0.4, 0.8)]),
        ),
        # No word is drawn across a pause: 0.4 s for two words, 0.04 each, of the 0.32
        # left 5 and 3 eighths by letters.
        (
            [("today", 0.88, 0.9), ("hello", 7.8, 7.8), ("you", 7.9, 8.2)],
            *(12.0, [(0.88, 0.92), (7.8, 8.04), (8.04, 8.2)]),
        ),
    ],
)
def test_times_are_repaired(given: Any, seconds: float, times: Any) -> None:
    assert times_of(repaired(words(*given), seconds)) == times


@pytest.mark.parametrize("seed", range(20))
def test_whatever_the_times_order_and_length_hold(seed: int) -> None:
    chance = random.Random(seed)
    given = words(
        *(
            ("word", chance.uniform(0, 10), chance.uniform(0, 10))
            for _ in range(chance.randint(1, 30))
        )
    )
    mended = repaired(given, 10.0)
    assert [word.text for word in mended] == [word.text for word in given]
    known = [
        (w.start_s, w.end_s)
        for w in mended
        if w.start_s is not None and w.end_s is not None
    ]
    assert known
    # Rounding to milliseconds may take one from a word.
    assert all(end - start >= MIN_WORD_S - 0.0011 for start, end in known)
    assert all(end <= start for (_, end), (start, _) in pairwise(known))
    assert all(0 <= start < end <= 10 for start, end in known)


def test_recognised_words_are_repaired() -> None:
    heard = [{"word": " then", "start": 5.37, "end": 5.37, "probability": 0.9}]
    heard += [{"word": " what", "start": 5.37, "end": 5.69, "probability": 0.9}]
    segment = {"text": " then what", "words": heard}
    assert times_of(words_of([segment], 6.0)) == [(5.37, 5.53), (5.53, 5.69)]
