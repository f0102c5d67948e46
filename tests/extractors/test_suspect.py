from __future__ import annotations

import pytest

from blueprints import Span, Word
from extractors.suspect import (
    Loop,
    longest_repetition,
    low_confidence,
    repetition_loop,
    suspicions,
    text_over_silence,
    tokens,
)


def word(start: float | None, end: float | None, confidence: float | None = None) -> Word:
    return Word(text="w", start_s=start, end_s=end, confidence=confidence)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no no no no no no no no no", Loop(("no",), 9, 0)),
        ("well thank you. Thank you! thank you, thank you", Loop(("thank", "you"), 4, 1)),
        ("谢谢谢谢谢谢谢谢", Loop(("谢",), 8, 0)),
        # Meant: a word said three times, a sentence said twice, laughter, counting.
        ("no no no that is not it", None),
        ("the future is here the future is here", None),
        ("ha ha ha ha", None),
        ("one two three four five six seven eight nine ten", None),
        ("", None),
        ("word", None),
    ],
)
def test_repetition_loops(text: str, expected: Loop | None) -> None:
    assert repetition_loop(tokens(text)) == expected


def test_the_longest_row_wins_and_an_unfinished_last_phrase_does_not_count() -> None:
    words = ["a", "a", "b", "c", "d", "b", "c", "d", "b", "c", "d", "b", "c"]
    assert longest_repetition(words) == Loop(("b", "c", "d"), 3, 2)
    inside = repetition_loop(["so", *["the", "end"] * 5, "of", "it"])
    assert inside == Loop(("the", "end"), 5, 1)
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
