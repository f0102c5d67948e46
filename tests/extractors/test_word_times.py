"""Word times after repair, on times that recognisers gave."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

from blueprints import Word
from extractors.recognised import words_of
from extractors.word_times import MIN_WORD_S, repaired


def words(*times: tuple[str, float | None, float | None]) -> list[Word]:
    return [Word(text=text, start_s=start, end_s=end, confidence=0.5) for text, start, end in times]


def times_of(found: list[Word]) -> list[tuple[float | None, float | None]]:
    return [(word.start_s, word.end_s) for word in found]


def test_good_times_stay() -> None:
    good = words(("so", 0.1, 0.3), ("it", 0.3, 0.34), ("goes", 0.9, 1.2))
    assert repaired(good, 2.0) == good


@pytest.mark.parametrize(
    ("given", "seconds", "times"),
    [
        # A word without length shares the next one's time: 0.32 s for 4 + 4 letters, 0.04 s each,
        # and of the 0.24 s left half each.
        ([("then", 5.37, 5.37), ("what", 5.37, 5.69)], 6.0, [(5.37, 5.53), (5.53, 5.69)]),
        # The last word shares the time before it: 0.04 s each, the other 0.32 s as 6 : 2 letters.
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
        # No word is drawn across a pause: 0.4 s for two words, 0.04 each, of the 0.32 left 5 and 3
        # eighths by letters.
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
    found = repaired(given, 10.0)
    assert [word.text for word in found] == [word.text for word in given]
    known = [(w.start_s, w.end_s) for w in found if w.start_s is not None and w.end_s is not None]
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
