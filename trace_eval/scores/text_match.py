"""Comparison of an answer with a reference by its words: exact match and token F1.

Words are runs of letters, digits and underscores in lower case, without the articles a, an
and the (the normalisation of SQuAD, Rajpurkar et al. 2016, but punctuation parts words).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_WORD = re.compile(r"\w+")
_ARTICLES = frozenset({"a", "an", "the"})


def words(text: str) -> list[str]:
    """Normalised words; a text of articles only keeps them, since "A" may be the answer.

    >>> words("The cat's hat (a red one)!"), words("A.")
    (['cat', 's', 'hat', 'red', 'one'], ['a'])
    """
    every = _WORD.findall(text.lower())
    return [word for word in every if word not in _ARTICLES] or every


def exact_match(candidate: Sequence[str], reference: Sequence[str]) -> float:
    """1.0 where the words are the same in the same order, else 0.0."""
    return float(candidate == reference)


def shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Words in common, each as often as in both."""
    return (Counter(one) & Counter(other)).total()


def token_f1(candidate: Sequence[str], reference: Sequence[str]) -> float:
    """Harmonic mean of precision and recall of words, 0 to 1; two empty texts are equal.

    >>> token_f1(words("a red hat"), words("the hat"))
    0.6666666666666666
    """
    if not candidate and not reference:
        return 1.0
    return 2 * shared(candidate, reference) / (len(candidate) + len(reference))
