"""Words that prompts print beside values: "rated poor", "somewhat intrusive", "lively".

A word says where a value lies on the scale of its norm. Said of an answer whose value
lies elsewhere it is false; near a border either word will do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from blueprints.norms import NOISE, OPINION, PITCH_VARIATION, Norm
from trace_eval.judges.claims.sentences import Part, Sentence, named
from trace_eval.judges.claims.stated import StatedClaim
from trace_eval.judges.claims.subjects import lies_between

_VERY = (
    r"(?:(?:only|just|rather|quite|fairly|merely|still|clearly|barely|a|the|in|at) )*"
)


@dataclass(frozen=True)
class _Label:
    """A word of a norm, and how reasons use it.

    Attributes:
        key: of the measure that it is said of.
        pattern: how it is said of an answer; ``word`` names the word.
        slack: how far beyond the borders of the word a value may lie, in units of the
            norm: people take some words less exactly than the norm does.
        most: what no value is above.
    """

    key: str
    norm: Norm
    pattern: re.Pattern[str]
    slack: float
    most: float


_LABELS = (
    _Label(
        key="p808",
        norm=OPINION,
        pattern=re.compile(
            r"\b(?:(?:rated|judged|predicted|scored|labell?ed|classed)(?: as)?|as"
            r"|into|reach(?:es)?|within"
            rf"|in|is|stays|remains) {_VERY}"
            r"(?P<word>poor|fair|(?:bad|good|excellent)(?= (?:band|range|category"
            r"|bracket)))"
            r"(?= (?:band|range|category|class|level|region|bracket|territory"
            r"|quality|at|with|by|and"
            r"|but|while|in|on)\b|[.,;:)]|$)",
            re.I,
        ),
        slack=0.05,
        most=5.0,
    ),
    _Label(
        key="bak",
        norm=NOISE,
        pattern=re.compile(r"\b(?P<word>somewhat intrusive|very intrusive)\b", re.I),
        slack=0.05,
        most=5.0,
    ),
    _Label(
        key="variation",
        norm=PITCH_VARIATION,
        pattern=re.compile(
            r"\b(?:is|sounds|are|stays|remains|voice|delivery|rather|quite|very"
            r"|counts? as|shows?"
            r"|labell?ed(?: as)?)"
            rf" {_VERY}(?P<word>monotone|lively)\b(?! (?:pace|tempo|rhythm))",
            re.I,
        ),
        slack=1.0,
        most=99.0,
    ),
)


def labels(sentence: Sentence) -> Iterator[StatedClaim]:
    """Yield where the values of answers lie, by the words of their norms."""
    for chunk in sentence.chunks:
        for label in _LABELS:
            words = sentence.words(chunk.start, chunk.end)
            for match in label.pattern.finditer(words):
                at = chunk.start + match.start("word")
                places = _said_of(sentence, chunk, at)
                if places:
                    word = match["word"].lower()
                    yield _claim(sentence, label, word=word, at=at, places=places)


def _claim(
    sentence: Sentence, label: _Label, *, word: str, at: int, places: tuple[str, ...]
) -> StatedClaim:
    place = label.norm.words.index(word)
    borders = (0.0, *label.norm.cuts, label.most)
    low = max(borders[place] - label.slack, 0.0)
    high = borders[place + 1] + label.slack
    bounds = (f"{low:.2f}", f"{high:.2f}")
    return lies_between(sentence, at, places=places, key=label.key, bounds=bounds)


def _said_of(sentence: Sentence, chunk: Part, at: int) -> tuple[str, ...]:
    """Return whose value a word is; empty: it does not say, or is denied."""
    clause = sentence.clause_at(at)
    if _TURNED.search(sentence.sense[chunk.start : at]):
        return ()
    if _AGAINST.search(sentence.words(clause.start, at)):
        return ()  # "BAK 322 vs 173 (somewhat intrusive)"
    before = [each for each in named(sentence, sentence.whole) if each[0].end <= at]
    opened = sentence.text.rfind("(", sentence.whole.start, at)
    if opened > sentence.text.rfind(")", sentence.whole.start, at):
        for side, place in before:  # "answer 2 (BAK 206, somewhat intrusive)"
            if side.end == opened - 1:
                return (place,)
    if before and _WHICH.match(sentence.words(before[-1][0].end, at)):
        return (before[-1][1],)  # "livelier than answer 1, which is monotone"
    for part in (chunk, clause):
        sides = part.of("side")
        if any(side.value == "neither" for side in sides):
            return ()
        if any(side.value == "both" for side in sides):
            return ("1", "2") if part is chunk else ()
        free = {p for side, p in named(sentence, part) if not sentence.marked(side)}
        if len(free) == 1:
            return (free.pop(),)
        if free:
            return ()
    return ()


_WHICH = re.compile(r"(?:'s)?(?: [\d.]{1,5})?,? (?:which|who) ", re.I)
_AGAINST = re.compile(
    r"\b(?:vs\.?|v\.?|versus|against|compared|the latter|the former|over)(?!\w)", re.I
)
_TURNED = re.compile(
    r"\b(?:not|never|no|hardly|less|more|far from|neither|nor|without|than|if|would"
    r"|could|should"
    r"|might|may|almost|nearly|near|close to|between|from)\b|n't\b",
    re.I,
)
