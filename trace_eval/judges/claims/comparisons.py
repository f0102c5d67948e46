"""Comparisons in a sentence: a measure, a direction, and who has more of it.

All three have to be there, and be the only ones that can be meant; else it is not
checkable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from trace_eval.judges.claims.lexicon import (
    BEHIND_BARE,
    EITHER_WILL_DO,
    GOOD,
    LITTLE,
    THING,
)
from trace_eval.judges.claims.seeming import (
    is_of_a_kind,
    is_of_a_thing,
    points_elsewhere,
)
from trace_eval.judges.claims.sentences import Part, Sentence, compared, named, other
from trace_eval.judges.claims.stated import StatedClaim
from trace_eval.judges.claims.tokens import Token, measure_of
from trace_eval.judges.claims.values import of_several

_HEADS = re.compile(
    rf" (?:{THING}s?|delivery|pace|tempo|rate|speed|speech|voice|speaker|one|ones|overall|here"
    r"|there|throughout|too|still|when|reading|read|side|pair|pick|value|values|score|scores|figure|number|reading"
    rf"|rating|ratio|share|figures|performance|take|tone|sound|signal|rhythm|cadence|prosody|impression|rendering"
    rf"|intonation|timbre|pronunciation|manner|style|sounding|range|half|bracket|group|by|\w+ly|{'|'.join(sorted(BEHIND_BARE))})\b",
    re.I,
)
#: "More likely", "more clearly": said of no measure.
_MANNER = re.compile(r" \w+ly\b")
#: "Who cares for loudness gets more of it with answer 1 than with answer 2".
_OF_IT = re.compile(r" of (?:it|this|that)\b")
_NEXT = re.compile(r"(?:(?: of)?(?: the| its| measured| mean| overall)*)? ?")


def comparisons(sentence: Sentence) -> Iterator[StatedClaim]:
    """Yield the comparisons of a sentence, and what compares without a measure."""
    for token in sentence.whole.tokens:
        if token.kind == "more":
            yield from _more(sentence, token)
        elif token.kind == "vague":
            yield _claim(sentence, token, "", "more")
        elif token.kind == "same" or _is_undone(sentence, token):
            yield from _same(sentence, token)
        elif token.kind == "as":
            yield from _as_much(sentence, token)
    yield from _signs(sentence)
    yield from _told(sentence)
    yield from _absences(sentence)


def measured_key(sentence: Sentence, token: Token) -> str:
    """Return the key of a comparative's measure; empty: none, or several."""
    if token.value:
        return _of_subject(sentence, token)
    behind = [t for t in sentence.whole.of("measure") if t.start >= token.end]
    if behind and _NEXT.fullmatch(sentence.words(token.end, behind[0].start)):
        chunk = sentence.around(token)[0]
        if behind[0].text.lower() == "rate" and "sampling" in _keys(chunk):
            return "sampling"  # "is sampled at a higher rate"
        return behind[0].value
    for part in sentence.around(token):
        keys = {t.value for t in part.of("measure")}
        if len(keys) == 1:
            return keys.pop()
        if keys:
            return ""
    return sentence.topic


def _keys(part: Part) -> set[str]:
    return {measure.value for measure in part.of("measure")}


#: What a comparative says of a measure that is its subject: "the pauses are longer".
_SAID_OF = {
    ("pause", "duration"): "pause",
    ("pauses", "duration"): "pause",
    ("bak", "loudness"): "bak",
}
_IS = re.compile(
    r"\A(?:[^,;:()]* )?(?:is|are|was|were|sounds?|seems?|appears?|gets?|feels?)"
    r"(?: (?:not|a|bit|much|far|even|also|little|lot|still|somewhat|rather|\w+ly))* "
)
_WHOLE = (
    rf"(?:{THING}|delivery|pace|tempo|tone|reading|talk|style|performance|whole|rest|sound"
    r"|manner|one|pitch|intonation|prosody)s?\b"
)
#: A part of an answer: "the last word of answer 1 is louder", "its ending is".
_PART_OF = re.compile(
    rf"\b(?:the|its|their) (?:\w+ )?(?!{_WHOLE})[a-z]+ (?:of|in|from) (?:the )?\Z", re.I
)
_OWN_PART = re.compile(
    rf"'s (?:\w+ )?(?!{_WHOLE})[a-z]+ (?:is|are|was|were|sounds?)\b", re.I
)


def _of_subject(sentence: Sentence, token: Token) -> str:
    """Return the measure of a comparative that names one, by what it is said of.

    "The background of answer 1 is quieter" is of its noise, "the ending of answer 1 is
    slower" of no measure.
    """
    chunk = sentence.around(token)[0]
    if not _IS.fullmatch(sentence.words(chunk.start, token.start)):
        return token.value
    measures = [each for each in chunk.of("measure") if each.end <= token.start]
    if measures:
        own = measures[0].value
        return (
            token.value if own == token.value else _SAID_OF.get((own, token.value), "")
        )
    sides = [each for each in chunk.of("side") if each.end <= token.start]
    if not sides:
        return token.value
    head = sentence.words(chunk.start, sides[0].start)
    behind = sentence.words(sides[0].end, token.start)
    of_part = _PART_OF.search(head) or _OWN_PART.match(behind)
    return "" if of_part else token.value


def direction(sentence: Sentence, token: Token, key: str) -> int:
    """Return the sign of a comparative; less background noise is more of its score."""
    if key == "bak" and token.value == "loudness":
        return -token.sign  # a quieter background has the better score
    if key == "bak" and not token.value:
        words = [
            t.text.lower() for t in sentence.whole.of("measure") if t.value == "bak"
        ]
        if words and all("noise" in word and "quality" not in word for word in words):
            return -token.sign
    return token.sign


def _more(sentence: Sentence, token: Token) -> Iterator[StatedClaim]:
    chunk, _, _ = sentence.around(token)
    behind = sentence.words(token.end, token.end + 24)
    follows = any(t.start == token.end + 1 for t in sentence.whole.tokens)
    plain = not re.match(r" [A-Za-z]", behind) or bool(_HEADS.match(behind)) or follows
    plain = plain and not (
        token.value and re.match(r" to [a-z]+\b", behind)
    )  # "longer to load"
    plain = plain and bool(token.value or not _MANNER.match(behind))
    plain = plain or bool(_OF_IT.match(behind))
    or_more = sentence.words(token.start - 4, token.start) == " or "
    if or_more or _bounds_number(sentence, token) or _is_of_another(sentence, token):
        return
    if points_elsewhere(sentence, token):
        return
    key = measured_key(sentence, token)
    if of_several(sentence, token):
        key = ""
    if not plain and not _leads_to_measure(sentence, token):
        if not token.value:
            yield _claim(sentence, token, "", "more")
        return
    amount = token.text.lower() in ("more", "less")
    amount = amount and not re.match(" than", behind) and not _OF_IT.match(behind)
    if amount and not _leads_to_measure(sentence, token):
        yield _claim(sentence, token, "", "more")  # "and no more"
        return
    if not key or sentence.unreal(token) or (token.valued and key not in GOOD):
        yield _claim(sentence, token, "", "more")
        return
    if re.match(r" than (?!\x00)", behind) and not _than_side(sentence, token):
        yield _claim(sentence, token, "", "more")
        return
    sign = direction(sentence, token, key)
    if any(t.value == "neither" for t in chunk.of("side")) and not named(
        sentence, chunk
    ):
        yield replace(_claim(sentence, token, key, "same"), places=("1", "2"))
        return
    places = compared(sentence, token)
    if places is None:
        yield _claim(sentence, token, "", "more")
        return
    relation = "not_more" if sentence.denied(chunk, token) else "more"
    claim = _claim(sentence, token, key, relation)
    yield replace(claim, places=places, sign=sign, doubt=sentence.doubts(chunk, token))


_ANOTHER = re.compile(r"\b(?:some|any|no)(?:thing|body|one|where)(?: \w+ly)? $", re.I)


def _is_of_another(sentence: Sentence, token: Token) -> bool:
    """Tell whether a comparative is of no answer: "something slower than both"."""
    return bool(_ANOTHER.search(sentence.words(token.start - 24, token.start)))


def _bounds_number(sentence: Sentence, token: Token) -> bool:
    """Tell whether a comparative bounds a value: "exceeds (a rate of) 200 WPM"."""
    behind = [each for each in sentence.whole.tokens if each.start >= token.end][:2]
    kinds = [each.kind for each in behind]
    if kinds == ["measure", "number"] and _BOUNDS.fullmatch(token.text):
        measure, number = behind
        article = sentence.words(token.end, measure.start).strip()
        between = sentence.words(measure.end, number.start)
        return article in ("", "a", "an", "the") and bool(_OF.fullmatch(between))
    if kinds[:1] != ["number"]:
        return False
    gap = sentence.words(token.end, behind[0].start)
    return bool(_ABOUT.fullmatch(gap))


#: Comparatives that bound a value of a measure that stands between: "exceeds a rate of
#: 200".
_BOUNDS = re.compile(r"exceed(?:s|ed|ing)?|surpass(?:es|ed)?|above|below|beneath", re.I)
_OF = re.compile(
    r" (?:score |value |level )?of (?:about |roughly |some |around )?", re.I
)
_ABOUT = re.compile(r"(?: (?:than|a|an|about|roughly|some|even|just))* ?")


def _leads_to_measure(sentence: Sentence, token: Token) -> bool:
    """Tell whether at most two words stand between a comparative and a measure."""
    behind = [each for each in sentence.whole.of("measure") if each.start >= token.end]
    if not behind:
        return False
    gap = sentence.words(token.end, behind[0].start)
    return bool(re.fullmatch(r"(?: [\w-]+){0,2} ?", gap))


def _than_side(sentence: Sentence, token: Token) -> bool:
    """Tell whether what stands behind "than" is a side, or a number."""
    after = [t for t in sentence.whole.tokens if t.start >= token.end]
    if not after:
        return False
    gap = sentence.words(token.end, after[0].start)
    near = re.fullmatch(
        r" than(?: what(?: \w+){0,4})?"
        r"(?: (?:we|you|one|i|see|hear|find|get|that|those|the one|the \w+|it is|for|in"
        r"|of|is|with|by|about|reported|just|only))* ?",
        gap,
    )
    if not near:
        # "than the pace of answer 1"
        first_kinds = [token.kind for token in after[:2]]
        return first_kinds == ["measure", "side"]
    return after[0].kind in ("side", "number", "measure")


def _claim(sentence: Sentence, token: Token, key: str, relation: str) -> StatedClaim:
    return StatedClaim(
        kind="comparison",
        text=sentence.claim_text(token),
        at=token.start,
        relation=relation,  # type: ignore[arg-type]
        measure=measure_of(key),
    )


# --- equal ----------------------------------------------------------------------------


def _is_undone(sentence: Sentence, token: Token) -> bool:
    """Tell whether what tells apart is denied: "no difference", "differs little"."""
    if token.kind != "differ":
        return False
    clause = sentence.around(token)[1]
    if {side.value for side in clause.of("side")} in ({"1"}, {"2"}):
        return False  # "answer 1 is no different from what I heard"
    head = sentence.sense[clause.start : token.start]
    if _NOT_HEARD.search(head):
        return False
    for each in clause.of("measure", "side"):  # "I can't tell that pitch differs"
        if each.end <= token.start:
            head = head.replace(each.text, " ", 1)
    behind = sentence.words(token.end, token.end + 10)
    few = _LITTLE.search(re.sub(r" +", " ", head)) or _LITTLE_BEHIND.match(behind)
    return bool(few)


#: "Pitch makes little difference to me"; "no 20 dB difference" denies the size.
_NOT_HEARD = re.compile(r"\b(?:make|makes|made) (?:\w+ ){0,2}\Z|\d[\w %.-]*\Z", re.I)
_LITTLE = re.compile(LITTLE, re.I)
_LITTLE_BEHIND = re.compile(r" (?:hardly|barely|little|by nothing)\b", re.I)


def _same(sentence: Sentence, token: Token) -> Iterator[StatedClaim]:
    if sentence.unreal(token) or re.match(
        r"(?: to)? (?:\w+ )?[-\d.]", sentence.words(token.end, token.end + 20)
    ):
        return
    if is_of_a_kind(sentence, token) or is_of_a_thing(sentence, token):
        return
    chunk, clause, _ = sentence.around(token)
    key = token.value
    if not token.sign:
        behind = [t for t in chunk.of("measure") if t.start >= token.end]
        if behind and _NEXT.fullmatch(sentence.words(token.end, behind[0].start)):
            key = behind[0].value
        else:
            keys = {t.value for part in (chunk, clause) for t in part.of("measure")}
            keys = keys or {sentence.topic}
            key = keys.pop() if len(keys) == 1 else ""
    if not key or key in ("words", "doubtful", "trend"):
        return
    if (
        token.text.lower() in ("matched", "tied", "matches")
        and len(named(sentence, chunk)) == 1
    ):
        return
    if _EITHER_WILL_DO.fullmatch(token.text) and not _asked_for(sentence, token):
        return
    claim = _claim(sentence, token, key, "same")
    denied = token.kind == "same" and sentence.denied(chunk, token)
    yield replace(claim, places=("1", "2"), negated=denied)


_EITHER_WILL_DO = re.compile(EITHER_WILL_DO, re.I)
_IN_RESPECT = re.compile(
    r"\A\s*(?:and |but )?(?:for|in|on|by|as to|regarding) (?:the )?$", re.I
)


def _asked_for(sentence: Sentence, token: Token) -> bool:
    """Tell whether the chunk of a token begins with its measure: "for pitch it ..."."""
    chunk = sentence.around(token)[0]
    measures = chunk.of("measure")
    if not measures:
        return False
    return bool(_IN_RESPECT.match(sentence.words(chunk.start, measures[0].start)))


def _as_much(sentence: Sentence, token: Token) -> Iterator[StatedClaim]:
    """Yield "not as fast as answer 2", "as fast as answer 2"; ratios are numbers."""
    if _has_factor(sentence, token):
        return
    chunk, _, _ = sentence.around(token)
    key = token.value or measured_key(sentence, token)
    places = compared(sentence, token)
    if not key or places is None or sentence.unreal(token):
        return
    if sentence.denied(chunk, token):
        claim = _claim(sentence, token, key, "more")
        yield replace(claim, places=places, sign=-(token.sign or 1))
    else:
        yield replace(_claim(sentence, token, key, "same"), places=("1", "2"))


def _has_factor(sentence: Sentence, token: Token) -> bool:
    """Tell whether a factor stands right before "as": "twice as fast"."""
    before = [each for each in sentence.whole.tokens if each.end <= token.start]
    if not before:
        return False
    nearest = before[-1]
    if nearest.kind != "factor" and nearest.unit not in ("x", "%"):
        return False
    return not sentence.words(nearest.end, token.start).strip()


def _told(sentence: Sentence) -> Iterator[StatedClaim]:
    """Yield the answer to a question: "Which one is faster? Answer 2."."""
    if sentence.question is None or sentence.asks or sentence.whole.of("more", "as"):
        return
    key, sign = sentence.question.value, sentence.question.sign
    free = [
        (side, place)
        for side, place in named(sentence, sentence.whole)
        if not sentence.marked(side)
    ]
    if not key or len({place for _, place in free}) != 1:
        return
    side, place = free[0]
    if sentence.unreal(side) or sentence.denied(sentence.whole, side):
        return
    claim = _claim(sentence, side, key, "more")
    yield replace(claim, places=(place, other(place)), sign=sign)


_SIGN = re.compile(r"(?:'s|\))?(?: \w+)? {0,8}(?P<sign>[<>~]) {0,8}\(?")


def _signs(sentence: Sentence) -> Iterator[StatedClaim]:
    """Yield "pitch: answer 1 > answer 2"."""
    sides = named(sentence, sentence.whole)
    for (one, first), (two, second) in pairwise(sides):
        gap = sentence.words(one.end, two.start)
        for measure in sentence.whole.of("measure"):
            if one.end <= measure.start and measure.end <= two.start:
                gap = gap.replace(measure.text, "", 1)
        match = _SIGN.fullmatch(gap)
        if match is None or first == second:
            continue
        keys = {t.value for t in sentence.around(one)[1].of("measure")}
        if len(keys) == 1 and match["sign"] == "~":
            claim = _claim(sentence, one, keys.pop(), "same")
            yield replace(claim, places=("1", "2"))
        elif len(keys) == 1:
            claim = _claim(sentence, one, keys.pop(), "more")
            sign = 1 if match["sign"] == ">" else -1
            yield replace(claim, places=(first, second), sign=sign)


# --- none at all ----------------------------------------------------------------------

_NONE = re.compile(
    r"\b(?:no|without(?: any)?|free of|zero|never|not(?! paus)|lacks?(?: any)?"
    r"|(?P<far>not(?: an?| one| a single)|(?:does|did|do|is|are)(?: not|n't)(?= paus)"
    r"|(?:does|did)(?: not|n't) (?:take|make|have|contain|leave) (?:any|an?|one|a single)))"
    r" (?:audible |any |measurable |real |long |noticeable |mid-\w+ )*"
    r"(?P<what>clip(?:ping|s|ped)?|paus(?:es?|ing))\b"
    r"(?! (?:longer|over|above|of|after|before|as|like))"
    r"(?(far)(?=\s*(?:[.,;!?)]|$|and\b|at all\b|whatsoever\b|in (?:it|its|all)\b)))",
    re.I,
)
_NEITHER = re.compile(
    r"(?P<what>clips|shows? (?:any )?clipping|has (?:any )?clipping|pauses)\b"
)


def _absences(sentence: Sentence) -> Iterator[StatedClaim]:
    for part in sentence.clauses:
        words = sentence.words(part.start, part.end)
        match = _NONE.search(words)
        sides = part.of("side")
        neither = next((t for t in sides if t.value == "neither"), None)
        if match is None and neither is not None:
            match = _NEITHER.search(words)
        if match is None or not part.tokens:
            continue
        at = part.start + match.start("what")
        inside = [c for c in sentence.chunks if c.start <= at < c.end]
        places = _absent_from(sentence, part, inside[0] if inside else part)
        if places is None or any(
            t.kind == "number" for t in (inside or [part])[0].tokens
        ):
            continue
        key = "clipping" if "clip" in match["what"].lower() else "pauses"
        yield replace(
            _claim(sentence, part.tokens[0], key, "is"),
            places=places,
            numbers=("0",),
            unit="%" if key == "clipping" else "pauses",
        )


def _absent_from(
    sentence: Sentence, clause: Part, chunk: Part
) -> tuple[str, ...] | None:
    """Return the places from which something is said to be absent; None: not clear."""
    for part in (chunk, clause):
        if any(side.value in ("both", "neither") for side in part.of("side")):
            return ("1", "2")
        sides = named(sentence, part)
        places = {place for side, place in sides if not sentence.marked(side)}
        if len(places) == 1:
            return (places.pop(),)
        if places:
            return None
    if sentence.whole.of("side") or sentence.subject:
        return None
    return ("1", "2")
