"""Numbers that are no values: bounds, differences and ratios."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from trace_eval.judges.claims.comparisons import direction, measured_key
from trace_eval.judges.claims.lexicon import GOOD, HEDGES, OVER, UNDER
from trace_eval.judges.claims.sentences import Sentence, compared, named, other
from trace_eval.judges.claims.stated import StatedClaim
from trace_eval.judges.claims.tokens import Token, measure_of
from trace_eval.judges.claims.values import Value, distance, fits, key_of, value_claim

_BOUNDS = (("over", re.compile(OVER, re.I)), ("under", re.compile(UNDER, re.I)))
_NO = re.compile(r"\b(?:not|never|neither|no|nor|none)\b|n't\b", re.I)
_REACHED = re.compile(
    r"\b(?:reach|attain|hit|get to|come up to|touch)(?:e?s|ed)?\b[\w. ]{0,36}$", re.I
)
_JUST = re.compile(
    r"\b(?:just|slightly|a little|a bit) (?:over|under|above|below|more|less)\b"
)


def bound_of(sentence: Sentence, token: Token) -> str:
    """Return whether a number bounds the value, and how: over, under, or not at all."""
    chunk, clause, _ = sentence.around(token)
    fences = [t.end for t in clause.tokens if t.kind in ("number", "side", "quote")]
    start = max(
        [clause.start, token.start - 50, *(e for e in fences if e <= token.start)]
    )
    head = re.split(r"[,(]", sentence.words(start, token.start))[-1]
    if _JUST.search(head) or _is_of_side(sentence, token):
        return ""
    if _REACHED.search(head) and _NO.search(sentence.words(chunk.start, start) + head):
        return "under"
    found = [
        (match.start(), way, match[0])
        for way, pattern in _BOUNDS
        for match in _words(pattern, head)
        if not re.search(
            r"\bwith\b", head[match.end() :]
        )  # "passes the criterion with 3.2"
    ]
    tail = sentence.words(token.end, token.end + 12)
    if re.match(r" or (?:more|above|higher)\b", tail):
        found.append((0, "over", "at least"))
    if not found:
        return ""
    _, way, word = max(found)
    denied = bool(_NO.search(sentence.words(chunk.start, start) + head))
    denied = denied or any(t.value == "neither" for t in chunk.of("side"))
    if denied and word.lower() not in ("no less than", "no more than", "not even"):
        return "under" if way == "over" else "over"
    return way


def _is_of_side(sentence: Sentence, token: Token) -> bool:
    """Whether a number is said to be a side's own: "above the 2.1 of answer 2"."""
    behind = [t for t in sentence.whole.of("side") if t.start >= token.end][:1]
    the = sentence.words(token.start - 5, token.start) == " the "
    return the and bool(behind) and sentence.words(token.end, behind[0].start) == " of "


def _words(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    for match in pattern.finditer(text):
        inside = text[match.start() - 1 : match.start()].isalpha()
        if not inside and not text[match.end() : match.end() + 1].isalpha():
            yield match


_GAP_HEAD = re.compile(
    r"\b(?:by|(?:gap|margin|lead|advantage|deficit|distance|edge|difference|differences) (?:of|is"
    r"|(?:in|of) [\w .]{1,30} is|in [\w .]{1,30} of"
    r"|(?:in [\w .]{1,30} )?(?:amounts|comes|adds up) to)"
    r"|differ(?:s|ences?)?(?: in [\w .]{1,30})? by"
    r"|amounting to|difference|gap|difference of|separated by|falls|remains|sits)"
    rf"(?: (?:{HEDGES}|only|a full|another|over|the|perhaps|maybe|possibly|an estimated))*"
    r" ?\(?\+?$"
    r"|(?:\b(?:difference|gap|margin)|\u0394|\bdelta)(?: (?:in|of|on|for))? ?[\w. -]{0,30}[:=] ?$"
    r"|\b(?:difference|gap|margin) $",
    re.I,
)
_GAP_TAIL = re.compile(
    r"(?:[)]| (?:MOS|points?|LU))* (?:apart|difference|gap|advantage|of difference)\b"
)


#: Comparatives that are verbs; what stands before them is what has more.
_VERBAL = re.compile(
    r"leads?\b|exceed|outscore|surpass|tops|edges|trails|lags|falls|drops|beats|out|wins|loses",
    re.I,
)


def is_gap(sentence: Sentence, token: Token) -> bool:
    """Whether a number is a difference: "by 6 dB", "6 dB quieter", "a gap of 0.4"."""
    clause = sentence.around(token)[1]
    head = sentence.words(max(clause.start, token.start - 60), token.start)
    tail = sentence.words(token.end, token.end + 30)
    if token.digits.startswith("+"):
        return True
    behind = [t for t in sentence.whole.tokens if t.start >= token.end][:1]
    near = bool(behind) and sentence.words(token.end, behind[0].start) in (
        " ",
        " points ",
    )
    before_more = (
        near and behind[0].kind == "more" and not _VERBAL.match(behind[0].text)
    )
    if _lies_between(sentence, token):
        return True
    match = _GAP_HEAD.search(head)
    if match and match[0].split()[0].lower() not in ("falls", "remains", "sits"):
        return True
    return (
        before_more
        or bool(_GAP_TAIL.match(tail))
        or _off_a_side(sentence, token) is not None
    )


_OFF = re.compile(
    r" (?:points? )?(?:(?P<more>over|above|ahead of)|under|below|behind|beneath|short of) ",
    re.I,
)


def _off_a_side(sentence: Sentence, token: Token) -> tuple[tuple[str, str], int] | None:
    """Return who lies off whom, and which way: "answer 1 lies 4 kHz under answer 2"."""
    sides = named(sentence, sentence.whole)
    before = [place for side, place in sides if side.end <= token.start]
    behind = [(side, place) for side, place in sides if side.start >= token.end]
    if not before or not behind or before[-1] == behind[0][1]:
        return None
    match = _OFF.fullmatch(sentence.words(token.end, behind[0][0].start))
    return ((before[-1], behind[0][1]), 1 if match["more"] else -1) if match else None


_BETWEEN = re.compile(
    r"\bbetween (?:them|the two|it(?:self)?|both|\x01)\b|\bbetween \x01", re.I
)


def _lies_between(sentence: Sentence, token: Token) -> bool:
    """Whether the clause of a number speaks of what lies between the sides."""
    clause = sentence.around(token)[1]
    words = list(sentence.words(clause.start, clause.end))
    for side in clause.of("side"):
        words[side.start - clause.start] = "\x01"
    return bool(_BETWEEN.search("".join(words))) and len(clause.of("number")) == 1


def _nearest_more(sentence: Sentence, token: Token) -> Token | None:
    for part in sentence.around(token):
        found = [t for t in part.of("more") if not t.valued]
        if found:
            return min(found, key=lambda t: distance(t, token))
    return None


def gap_claims(sentence: Sentence, token: Token) -> Iterator[StatedClaim]:
    """Yield "6 dB quieter", "30 % faster", "a difference of 0.4"."""
    more = _nearest_more(sentence, token)
    key = measured_key(sentence, more) if more is not None else ""
    if token.unit != "%" and not fits(key, token.unit):
        key = key_of(sentence, token, token.unit)
    if token.unit == "st" and key == "pitch":
        return
    places = compared(sentence, more) if more is not None else None
    sign = direction(sentence, more, key) if more is not None and places else 0
    if more is not None and sentence.denied(sentence.around(more)[0], more):
        return
    if off := _off_a_side(sentence, token):
        places, sign = off
    if token.unit == "%" and key not in ("clipping", "voiced", "trend"):
        factor = 1 + sign * token.number / 100
        if sign and factor > 0 and places and key:
            yield _times(sentence, token, key=key, factor=factor, places=places)
        return
    if token.digits.startswith("+") and more is None:
        free = {place for side, place in named(sentence, sentence.whole)}
        if len(free) == 1:
            (place,) = free
            places, sign = (place, other(place)), 1
    if (
        more is None
        and not places
        and key in GOOD
        and (place := _favoured(sentence, token))
    ):
        places, sign = (place, other(place)), 1
    claim = value_claim(sentence, Value(token, key, token.unit), "apart", places or ())
    yield replace(claim, sign=sign, numbers=(token.digits.lstrip("+"),))


_FAVOUR = re.compile(
    r"[\w ]{0,12}\b(?:in favou?r of|to the advantage of|favou?ring) (?:the )?"
)


def _favoured(sentence: Sentence, token: Token) -> str:
    """Return the side that stands behind "in favour of"; empty: none does."""
    for side, place in named(sentence, sentence.whole):
        if side.start >= token.end and _FAVOUR.fullmatch(
            sentence.words(token.end, side.start)
        ):
            return place
    return ""


def ratio_claims(
    sentence: Sentence, token: Token, factor: float
) -> Iterator[StatedClaim]:
    """Yield "twice as fast", "1.5 times the rate", "half as long"."""
    if sentence.unreal(token):
        return
    behind = [t for t in sentence.whole.tokens if t.start >= token.end]
    near = next((t for t in behind[:3] if t.kind in ("as", "more", "measure")), None)
    if near is None:
        near = _measure_before(sentence, token)
    if near is None or factor <= 0:
        return
    key = near.value or measured_key(sentence, near)
    places = compared(sentence, near)
    if near.kind == "measure":
        places = _around_ratio(sentence, token)
    if not key or places is None or sentence.denied(sentence.around(token)[0], token):
        return
    if near.kind in ("as", "more") and near.sign < 0:
        factor = 1 / factor
    yield _times(sentence, token, key=key, factor=factor, places=places)


def _measure_before(sentence: Sentence, token: Token) -> Token | None:
    """Return the measure of "in rate, answer 1 is twice what answer 2 is"."""
    before = [
        t for t in sentence.around(token)[1].of("measure") if t.end <= token.start
    ]
    what = re.match(
        r" (?:what|that of|as much as)\b", sentence.words(token.end, token.end + 12)
    )
    return before[0] if what and len(before) == 1 else None


def _around_ratio(sentence: Sentence, token: Token) -> tuple[str, str] | None:
    """Return who has so many times whose measure: "answer 1 has twice answer 2's rate"."""
    sides = named(sentence, sentence.whole)
    before = [place for side, place in sides if side.end <= token.start]
    after = [place for side, place in sides if side.start >= token.end]
    if before and (not after or after[0] != before[-1]):
        return before[-1], other(before[-1])
    if not before and len(after) == 2 and after[0] != after[1]:
        return after[1], after[0]  # "at twice the rate of answer 1, answer 2 ..."
    return None


def _times(
    sentence: Sentence, token: Token, key: str, factor: float, places: tuple[str, str]
) -> StatedClaim:
    return StatedClaim(
        kind="number",
        text=sentence.claim_text(token),
        relation="times",
        places=places,
        measure=measure_of(key),
        numbers=(f"{factor:g}", token.digits or token.value),
        unit="%" if token.unit == "%" else "x",
        sign=1,
        hedged=token.unit != "%",
    )
