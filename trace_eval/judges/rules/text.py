"""Reading instructions and answers as words: notes, quotations, stems, word matches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from trace_eval.judges.rules.vocabulary import WORD_SETS

#: Stands in the place of a quotation, so that its words are no request.
QUOTED = "«q»"

_PLAIN = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
        "，": ",",
        "–": "-",
        "\u00a0": " ",
        "…": ".",
    }
)
_QUOTATION = re.compile(
    r"""(?<!\w)(?P<mark>['"])(?=\S)(?P<words>.*?\S)(?P=mark)(?!\w)""", re.S
)
_UNCLOSED = re.compile(r"""(?<!\w)['"](?=\w)(?P<words>.{12,})$""", re.S)
_AFTER_COLON = re.compile(
    r"\b(?:sentence|phrase|following|tongue twister|line|text|this)\b[^:.?!«]*:"
    r"\s*(?P<words>[^«]+)$",
    re.I | re.S,
)
_NOTE = re.compile(r"\[([^\[\]]*)\]|\(([^()]*)\)")
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")


#: Characters of an instruction that are read; requests stand at its ends, and a text
#: that is to be read aloud is recognised by much less.
MAX_INSTRUCTION = 4000

#: Words of a literal text by which its copies are counted.
MAX_LITERAL_WORDS = 25

#: Words of an answer in which copies are counted; half an hour of speech has 5,000.
MAX_COUNTED_WORDS = 5000

#: Similarity of spellings, 0-1, from which on one may be the other misheard. Our cut:
#: one letter of five, as in "shell" and "shells".
MISHEARD = 0.8

_SUFFIXES = ("ingly", "edly", "ations", "ation", "ings", "ing", "ies", "ied", "ed")


@dataclass(frozen=True)
class RuleReading:
    """An instruction taken apart."""

    body: str  # the words that address the speaker, lower case, quotations masked
    literal: tuple[str, ...]  # texts that are to be spoken as they are
    #: Remarks in brackets, e.g. ``emotion: sad``; they describe the recording.
    notes: tuple[str, ...]


def read(instruction: str) -> RuleReading:
    """Take an instruction apart into request, quotations and notes."""
    text = instruction[:MAX_INSTRUCTION].translate(_PLAIN)
    notes = tuple(a or b for a, b in _NOTE.findall(text))
    text = _NOTE.sub(" ", text)
    literal: list[str] = []

    def mask(match: re.Match[str]) -> str:
        literal.append(match["words"].strip())
        return match[0][: match.start("words") - match.start()].rstrip("'\"") + QUOTED

    text = _QUOTATION.sub(mask, text)
    text = _UNCLOSED.sub(mask, text)
    text = _AFTER_COLON.sub(mask, text)
    return RuleReading(re.sub(r"\s+", " ", text).strip().lower(), tuple(literal), notes)


def words(text: str) -> list[str]:
    """Split into lower-case words and numbers; punctuation is dropped."""
    return _WORD.findall(text.translate(_PLAIN).lower())


def stem(word: str) -> str:
    """Remove the common English endings of a word; at least three letters stay."""
    word = word.removesuffix("'s")
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)]
    if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        return word[:-1]
    return word


def topic(text: str) -> frozenset[str]:
    """Return the stems of the words that say what a text is about."""
    return frozenset(
        stem(word) for word in words(text) if word not in WORD_SETS["stop_words"]
    )


def coverage(stems: Iterable[str], recognised: Iterable[str]) -> float:
    """Return the share of stems heard or misheard, 0-1; ValueError without any."""
    wanted_stems, recognised_stems = sorted(set(stems)), set(recognised)
    if not wanted_stems:
        raise ValueError("coverage: no stems; ask only where there are some")

    def is_covered(word: str) -> bool:
        return word in recognised_stems or any(
            alike(word, other) for other in recognised_stems
        )

    covered = sum(map(is_covered, wanted_stems))
    return covered / len(wanted_stems)


def alike(one: str, other: str) -> bool:
    """Say whether words are equal, or one may be a misspelling (``seashore(s)``)."""
    if one == other:
        return True
    if min(len(one), len(other)) < 5:
        return False
    if 2 * min(len(one), len(other)) < MISHEARD * (len(one) + len(other)):
        return False  # no ratio can reach it
    first, second = sorted((one, other))  # the ratio depends on the order of its inputs
    matcher = SequenceMatcher(None, first, second)
    return matcher.quick_ratio() >= MISHEARD and matcher.ratio() >= MISHEARD


def similarity(one: Sequence[str], other: Sequence[str], enough: float = 0.0) -> float:
    """Share of words that two sequences have in common in order, 0-1; symmetric.

    Args:
        enough: where the share cannot reach it, it is not counted and is 0.
    """
    first, second = sorted((list(one), list(other)))
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= enough else 0.0


def count_literal(literal: str, answer: str, enough: float) -> int:
    """Count how often a text is spoken, without overlaps; a rough copy counts.

    Args:
        enough: word similarity, 0-1, from which on it is the same text.
    """
    wanted, recognised = (
        words(literal)[:MAX_LITERAL_WORDS],
        words(answer)[:MAX_COUNTED_WORDS],
    )
    if not wanted:
        return 0
    if len(wanted) == 1:
        return sum(alike(stem(wanted[0]), stem(word)) for word in recognised)
    count = at = 0
    while at < len(recognised):
        window = recognised[at : at + len(wanted)]
        if similarity(wanted, window, enough) < enough:
            at += 1
            continue
        # The next start may match better: the first word was the tail of something
        # else.
        best = max(
            range(at, min(at + len(wanted), len(recognised))),
            key=lambda i: (similarity(wanted, recognised[i : i + len(wanted)]), -i),
        )
        count += 1
        at = best + len(wanted)
    return count


def equal_parts(answer: str, parts: int) -> float:
    """Return how alike the consecutive ``parts`` of an answer are, 0-1."""
    answer_words = words(answer)
    size = len(answer_words) // parts
    if parts < 2 or size == 0:
        return 0.0
    cut = [answer_words[i * size : (i + 1) * size] for i in range(parts)]
    return min(similarity(x, y) for x, y in pairwise(cut))
