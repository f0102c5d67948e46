"""Who has more of a comparative, and than whom."""

from __future__ import annotations

import re

from trace_eval.judges.claims.lexicon import TRANSITIVE
from trace_eval.judges.claims.sentences import PRONOUN, Sentence, named, other
from trace_eval.judges.claims.tokens import Token

_TRANSITIVE = re.compile(TRANSITIVE, re.I)


def compared(sentence: Sentence, token: Token) -> tuple[str, str] | None:
    """Return who has more of a comparative, and than whom; None: ambiguous."""
    behind = ""
    chunk = sentence.around(token)[0]
    own = _bracketed(sentence, token) or _owner(sentence, token)
    if own := own or _described(sentence, token) or _before_brackets(sentence, token):
        return own, other(own)
    for part in sentence.around(token):
        sides = named(sentence, part)
        if part is not chunk and sides and sentence.takes_up(token):
            return sentence.subject, other(sentence.subject)
        if part is not chunk and sentence.may_mean_either(chunk, token):
            return None
        if part is not chunk and sentence.goes_on_behind_where(chunk):
            return None
        if _TRANSITIVE.fullmatch(token.text):
            before = [place for side, place in sides if side.end <= token.start]
            after = [place for side, place in sides if side.start >= token.end]
            if before and after and before[-1] != after[0]:
                return before[-1], after[0]
            if after and not before:
                # "answer 1 (4.2) outperforms answer 2": the other stands further off
                continue
        free = {place for side, place in sides if not sentence.marked(side)}
        if len(free) == 1:
            (place,) = free
            return place, other(place)
        if len(free) == 2:
            return None
        if sides and not behind:
            behind = sides[0][1]
        if part.of("side") and not sides:
            return None  # both, or neither
    if behind:
        return other(behind), behind
    goes_on = PRONOUN.search(sentence.words(sentence.whole.start, token.start))
    if sentence.subject and (goes_on or sentence.answers):
        return sentence.subject, other(sentence.subject)
    return None


def _described(sentence: Sentence, token: Token) -> str:
    """Return the side right behind a comparative: "more than the flatter answer 2"."""
    if not token.value or not _THE.search(
        sentence.words(token.start - 24, token.start)
    ):
        return ""
    for side, place in named(sentence, sentence.whole):
        if _DESCRIBES.fullmatch(sentence.words(token.end, side.start)):
            return place
    return ""


#: "The flatter, faster answer 1".
_DESCRIBES = re.compile(r"(?:,? (?:and )?\w+er)? ")
_THE = re.compile(r"\bthe (?:(?:much|slightly|somewhat|far|clearly|even) )*\Z")


def _before_brackets(sentence: Sentence, token: Token) -> str:
    """Return the subject of a verb behind brackets: "answer 1 (4.1; 2: 1.9) leads"."""
    chunk = sentence.around(token)[0]
    closed = sentence.words(chunk.start - 1, chunk.start) == ")"
    begins = sentence.words(chunk.start, token.start).strip(" ,") == ""
    opened = sentence.text.rfind("(", sentence.whole.start, max(chunk.start - 1, 0))
    if not (closed and begins) or opened < 0:
        return ""
    before: list[str] = []
    for side, place in named(sentence, sentence.whole):
        if side.end <= opened and not sentence.marked(side):
            before.append(place)
    return before[-1] if len(set(before)) == 1 else ""


def _bracketed(sentence: Sentence, token: Token) -> str:
    """Return the side of a comparative in brackets: "answer 1 (faster) beats 2"."""
    if sentence.words(token.end, token.end + 1) not in (")", "]"):
        return ""
    for side, place in named(sentence, sentence.whole):
        if sentence.words(side.end, token.start) in (" (", " ["):
            return place
    return ""


#: "Answer 1's lower and flatter reading".
_OWNS = re.compile(r"'s (?:\w+er(?:,| and) )?")


def _owner(sentence: Sentence, token: Token) -> str:
    """Return the side that owns a comparative: "answer 1's narrower intonation"."""
    for side, place in named(sentence, sentence.whole):
        if _OWNS.fullmatch(sentence.words(side.end, token.start)):
            return place
    return ""
