"""Whether two answers say the same words: a description, never a step of quality."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from blueprints import Absent, Blueprint
from extractors import tokens

#: Words from the start of an answer that are compared: half an hour of speech has
#: 5,000.
MOST_WORDS = 2000

#: Share of words in common from which on two transcripts are of one text. Recognisers
#: write 0.92 and more of a clean text alike; of one sentence in bad codecs down to 0.6.
SAME, NEARLY = 0.95, 0.6


class SharedWords(NamedTuple):
    """The numbers of words of two answers, and of the words that they share."""

    a: int | None  # words; None: there is no transcript
    b: int | None
    share: float | None  # words in common in order, 0 to 1; None: not known
    why: str = ""  # what is not known

    @property
    def alike(self) -> str:
        """``the same words``, ``nearly the same words`` or ``different words``."""
        if self.share is None:
            return "not comparable"
        if self.share >= SAME:
            return "the same words"
        return "nearly the same words" if self.share >= NEARLY else "different words"


def shared_words(a: Blueprint, b: Blueprint) -> SharedWords:
    """Compare the words of two answers; empty transcripts have none in common."""
    first, second = _words(a), _words(b)
    if first is None or second is None:
        name = "1" if first is None else "2"
        of_first = None if first is None else len(first)
        of_second = None if second is None else len(second)
        return SharedWords(of_first, of_second, None, name)
    share = similarity(first, second)
    return SharedWords(len(first), len(second), share)


def _words(blueprint: Blueprint) -> Sequence[str] | None:
    transcript = blueprint.transcript
    return None if isinstance(transcript, Absent) else _tokens(transcript.text)


@lru_cache(maxsize=8)  # a pair is described in both orders
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(tokens(text))


def similarity(a: Sequence[str], b: Sequence[str]) -> float:
    """Return the share of words common to two sequences in order; symmetric."""
    if tuple(a) == tuple(b):
        return 1.0
    # The ratio depends on the order.
    first, second = sorted((tuple(a[:MOST_WORDS]), tuple(b[:MOST_WORDS])))
    return _ratio(first, second)


@lru_cache(maxsize=8)  # a pair is described in both orders, one after the other
def _ratio(first: tuple[str, ...], second: tuple[str, ...]) -> float:
    return SequenceMatcher(None, first, second, autojunk=False).ratio()
