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
        words_at = match.start("words") - match.start()
        return match[0][:words_at].rstrip("'\"") + QUOTED

    text = _QUOTATION.sub(mask, text)
    text = _UNCLOSED.sub(mask, text)
    text = _AFTER_COLON.sub(mask, text)
    body = re.sub(r"\s+", " ", text).strip().lower()
    return RuleReading(body=body, literal=tuple(literal), notes=notes)


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
    wanted = set(stems)
    if not wanted:
        raise ValueError("coverage: no stems; ask only where there are some")
    others = set(recognised)
    covered = len(wanted & others)
    for word in wanted - others:
        covered += any(alike(word, other) for other in others)
    return covered / len(wanted)


def alike(one: str, other: str) -> bool:
    """Say whether words are equal, or one may be a misspelling (``seashore(s)``)."""
    if one == other:
        return True
    shorter = min(len(one), len(other))
    if shorter < 5:
        return False
    highest_ratio = 2 * shorter / (len(one) + len(other))
    if highest_ratio < MISHEARD:
        return False
    first, second = sorted((one, other))  # the ratio depends on the order of its inputs
    matcher = SequenceMatcher(None, first, second)
    return matcher.quick_ratio() >= MISHEARD and matcher.ratio() >= MISHEARD


def similarity(one: Sequence[str], other: Sequence[str], enough: float = 0.0) -> float:
    """Return the share of words that two sequences have in common in order, 0-1.

    It is the same of both orders.

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
    wanted = words(literal)[:MAX_LITERAL_WORDS]
    spoken = words(answer)[:MAX_COUNTED_WORDS]
    size = len(wanted)
    if not wanted:
        return 0
    if size == 1:
        wanted_stem = stem(wanted[0])
        return sum(alike(wanted_stem, stem(word)) for word in spoken)

    def best_start(first: int) -> int:
        """Return where the copy begins; words before it may look like its own."""
        best, highest = first, 0.0
        for start in range(first, min(first + size, len(spoken))):
            likeness = similarity(wanted, spoken[start : start + size])
            if likeness > highest:
                best, highest = start, likeness
            if likeness == 1.0:
                break
        return best

    count = at = 0
    while at < len(spoken):
        if similarity(wanted, spoken[at : at + size], enough) < enough:
            at += 1
            continue
        count += 1
        at = best_start(at) + size
    return count


def equal_parts(answer: str, parts: int) -> float:
    """Return how alike the consecutive ``parts`` of an answer are, 0-1."""
    answer_words = words(answer)
    size = len(answer_words) // parts
    if parts < 2 or size == 0:
        return 0.0
    starts = range(0, parts * size, size)
    stretches = [answer_words[start : start + size] for start in starts]
    return min(similarity(one, following) for one, following in pairwise(stretches))
