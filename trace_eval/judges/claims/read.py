"""A reason in words -> the claims in it: numbers, comparisons and quotations.

A claim names places (``1``: the answer that was shown first), never the pair's own sides. What
stands in a clause belongs together; subject and measure are taken over from the clause before
where a clause names none ("answer 1 has 214 WPM, answer 2 only 165").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from trace_eval.judges.claims.measures import MEASURES, Measure, labelled
from trace_eval.judges.claims.words import Token, plain, tokens

#: How a number or a comparison relates the values of the sides that it names.
Relation = Literal[
    "is", "over", "under", "between", "more", "not_more", "same", "apart", "times", "says", "course"
]

#: Characters of a claim that are kept.
_SHOWN = 160


@dataclass(frozen=True)
class StatedClaim:
    """One claim of a reason, before it is checked.

    Attributes:
        kind: number, comparison or quotation.
        text: the words of the clause.
        relation: of the values, e.g. ``more``: the first place has more than the second.
        places: ``1`` or ``2``, in the order of the relation; one for an absolute value, empty
            where the reason does not say which.
        measure: that it is about; None: it names none.
        numbers: as printed; two for ``between``.
        unit: of the numbers.
        sign: 1 for more, -1 for less, 0 where no way is said.
        hedged: the number is said to be about so much.
        negated: the quotation is said to be missing.
        of_user: the quotation is of the request.
        spoken: the quotation is said to be words of the answer.
    """

    kind: Literal["number", "comparison", "quotation"]
    text: str
    relation: Relation
    places: tuple[str, ...] = ()
    measure: Measure | None = None
    numbers: tuple[str, ...] = ()
    unit: str = ""
    sign: int = 0
    hedged: bool = False
    negated: bool = False
    of_user: bool = False
    spoken: bool = False


@dataclass
class _State:
    """What the next clause takes over: of the sentence the measure, of all before the subject."""

    subject: tuple[str, ...] = ()
    measure: str = ""


@dataclass
class _Clause:
    """A clause: its words, its tokens, its place in the whole text.

    ``opens``: it is the first of its sentence; ``ahead``: the measure that a later clause of the
    sentence names first.
    """

    text: str
    tokens: list[Token]
    start: int
    opens: bool = True
    ahead: str = ""


_CUT = re.compile(
    r"(?<=[^\d\W]|[%\")\d\x01])[.!?](?=\s|$)(?<!vs\.)(?<!approx\.)(?<!ca\.)|;"
    r"|,? (?:while|whereas|although|though|but|yet|however|so|because|since|which means)\b"
    r"|,(?= (?:and |with )?\x01)| and (?=\x01)|, and (?!\d)|: (?=\x01)"
)


def claims_of(reason: str, labels: Iterable[str] = ()) -> list[StatedClaim]:
    """The claims of one reason, in their order.

    Args:
        labels: of the emotions and accents that the blueprints score.
    """
    text = plain(reason)
    state = _State()
    claims: list[StatedClaim] = []
    for clause in _looking_ahead(_clauses(text, tokens(text, labels))):
        if clause.opens:
            state.measure = ""
        claims += _read(clause, state)
    return claims


def _looking_ahead(clauses: Iterable[_Clause]) -> list[_Clause]:
    """Clauses that know which measure their sentence names next."""
    every = list(clauses)
    for one, other in zip(reversed(every[:-1]), reversed(every[1:]), strict=True):
        if not other.opens:
            named = [t.value for t in other.tokens if t.kind == "measure"]
            one.ahead = named[0] if named else other.ahead
    return every


# --- clauses --------------------------------------------------------------------------------


def _clauses(text: str, every: list[Token]) -> Iterator[_Clause]:
    """The clauses of a text; a comma or "and" cuts where a new side follows."""
    marked = list(text)
    for number, token in enumerate(every):
        if token.kind == "quote":
            marked[token.start : token.end] = "_" * (token.end - token.start)
            behind = text[token.end :].lstrip()[:1]
            if token.value[-1:] in (".", "!", "?") and (not behind or behind.isupper()):
                marked[token.end - 1] = "."  # the quotation ends its sentence
        elif token.kind == "side" and token.value in ("1", "2", "other"):
            # Of a side that opens a clause; those in "than answer 1" and "A and B" do not.
            before = every[number - 1].kind if number else ""
            follows = text[token.end : token.end + 2]
            if before not in ("than", "for", "compared", "against", "as") or not follows:
                marked[token.start] = "\x01"
    at = 0
    line = "".join(marked)
    starts: list[tuple[int, int, bool]] = []
    opens = True
    for cut in _CUT.finditer(line):
        if _joins(line, cut, every, at):
            continue
        starts.append((at, cut.start(), opens))
        at, opens = cut.end(), cut[0] in ".!?"
    starts.append((at, len(text), opens))
    opens = False
    for start, end, first in starts:
        opens = opens or first  # a clause without tokens may be the first
        inside = [t for t in every if start <= t.start < end]
        if inside:
            words = text[start:end]
            lead = len(words) - len(words.lstrip(" ,;."))
            yield _Clause(words.strip(" ,;."), inside, start + lead, opens)
            opens = False


_LEADING = re.compile(
    r"(?<![\s,.;])[\s,.;]*(?:(?:and|but|so) )?(?:with|given|having|at|thanks to"
    r"|due to|despite|in|on|for|by|because of|regarding|as for|in terms of|measured by)\b[^,]*$",
    re.I,
)


def _joins(line: str, cut: re.Match[str], every: list[Token], at: int) -> bool:
    """Whether a comma or "and" joins two sides or numbers, and cuts nothing."""
    if cut[0].startswith(",") and "\x01" in line[cut.end() : cut.end() + 2]:
        inside = [t for t in every if at <= t.start < cut.start()]
        if _LEADING.match(line[at : cut.start()]) and not any(t.kind == "side" for t in inside):
            return True  # "with the higher BAK, answer 2 comes out ahead"
    if "and" not in cut[0] and not cut[0].startswith(","):
        return False
    before = [t for t in every if t.end <= cut.start()]
    after = [t for t in every if t.start >= cut.end()]
    if not before or not after or cut.start() - before[-1].end > 1:
        return False
    if before[-1].kind == "side" and after[0].kind == "side":
        return True  # "answer 1 and answer 2 have ..."
    # "between answer 1 and answer 2", "3.7 for answer 1 and 3.1 for answer 2"
    return before[-1].kind == "range"


# --- claims of one clause -------------------------------------------------------------------

_NEAR = 40  # characters between a comparative and its measure


def _read(clause: _Clause, state: _State) -> list[StatedClaim]:
    subject = _subject(clause, state)
    claims: list[StatedClaim] = []
    used: set[int] = set()
    claims += _comparisons(clause, subject, state, used)
    sign = next((c.sign for c in claims if c.relation in ("more", "not_more")), 0)
    leader = next((c.places for c in claims if c.relation == "more" and c.measure), ())
    claims += _numbers(clause, subject, state, used, (leader, sign))
    claims += _absences(clause, subject, state)
    claims += _quotations(clause, subject)
    state.subject = subject or state.subject
    named = [t.value for t in clause.tokens if t.kind == "measure"]
    state.measure = state.measure or (named[-1] if named else "")
    return claims


def _named(clause: _Clause) -> list[Token]:
    return [t for t in clause.tokens if t.kind == "side"]


def _other(place: str) -> str:
    return {"1": "2", "2": "1"}.get(place, "")


def _resolve(token: Token, subject: tuple[str, ...]) -> tuple[str, ...]:
    """The places that a side token names."""
    if token.value in ("both", "neither"):
        return ("1", "2")
    if token.value == "other":
        return (_other(subject[0]),) if len(subject) == 1 else ()
    return (token.value,)


def _objects(clause: _Clause) -> set[int]:
    """Starts of the sides that something is compared with: behind "than", "unlike", "vs"."""
    return {
        token.start
        for previous, token in pairwise(clause.tokens)
        if token.kind == "side" and _is_object(clause, previous, token)
    }


def _is_object(clause: _Clause, previous: Token, side: Token) -> bool:
    gap = clause_text(clause, previous.end, side.start)
    if previous.kind == "more":  # "beats answer 2", "ahead of answer 2"
        return gap.strip() in ("", "than", "the")
    if len(gap) > 25 or "," in gap:
        return False
    if previous.kind in ("against", "over", "under") and previous.text.lower() != "to":
        return gap.strip() in ("", "the", "that of")
    if previous.kind == "for":
        return _behind_than(clause, side)
    return previous.kind in ("than", "compared", "as")


def _behind_than(clause: _Clause, side: Token) -> bool:
    """Whether a side stands in "than that of answer 2"."""
    head = clause_text(clause, clause.start, side.start)
    return bool(re.search(r"\b(?:than|as|to|with) (?:that|those|the \w+|it is) (?:of|in) $", head))


def clause_text(clause: _Clause, start: int, end: int) -> str:
    """The words of a clause between two places of the whole text."""
    return clause.text[max(0, start - clause.start) : max(0, end - clause.start)]


def _subject(clause: _Clause, state: _State) -> tuple[str, ...]:
    """The places that the clause is about; those of the clause before where it names none."""
    objects = _objects(clause)
    sides = _named(clause)
    for token in sides:
        if token.start not in objects:
            return _resolve(token, state.subject)
    if sides:  # only "than answer 1": the other one is meant, unless a subject stands
        place = sides[0].value
        return (_other(place),) if _other(place) else state.subject
    return state.subject


def _shown(clause: _Clause) -> str:
    text = clause.text
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _around(clause: _Clause, at: Token, kinds: tuple[str, ...]) -> list[Token]:
    """Tokens of these kinds in a clause, the nearest first; of equals the one that follows."""
    mine = [t for t in clause.tokens if t.kind in kinds and t is not at]

    def distance(token: Token) -> tuple[int, int]:
        if token.start >= at.end:
            return token.start - at.end, 0
        return at.start - token.end, 1

    return sorted(mine, key=distance)


def _measure(key: str) -> Measure | None:
    if key.startswith("="):
        return labelled(key[1:])
    return MEASURES.get(key)


# --- comparisons ----------------------------------------------------------------------------


def _comparisons(
    clause: _Clause,
    subject: tuple[str, ...],
    state: _State,
    used: set[int],
) -> Iterator[StatedClaim]:
    objects = _objects(clause)
    for token in clause.tokens:
        if token.kind == "more":
            yield from _more(clause, token, subject, state, objects, used)
        elif token.kind in ("over", "under") and _above(clause, token):
            sign = 1 if token.kind == "over" else -1
            yield from _more(clause, replace(token, sign=sign), subject, state, objects, used)
        elif token.kind == "equal":
            yield from _same(clause, token, state)
        elif token.kind == "as":
            yield from _as_much(clause, token, subject, state, objects)


def _above(clause: _Clause, token: Token) -> bool:
    """Whether "above" or "below" stands before a side: "its rate is above that of answer 2"."""
    after = [t for t in clause.tokens if t.start >= token.end and t.kind != "for"]
    return (
        bool(after)
        and after[0].kind == "side"
        and token.text.lower() in ("above", "below", "over", "under", "beyond")
        and any(t.kind == "measure" and t.end <= token.start for t in clause.tokens)
        and clause_text(clause, token.end, after[0].start).strip() in ("", "the", "that of")
    )


def _more(
    clause: _Clause,
    token: Token,
    subject: tuple[str, ...],
    state: _State,
    objects: set[int],
    used: set[int],
) -> Iterator[StatedClaim]:
    """A comparative: which answer has more of what."""
    after = [t for t in clause.tokens if t.start >= token.end]
    if _bounds_number(clause, token, after):
        return  # "higher than 3.5" is a bound, and read with the number
    key = token.value
    if not key or key == "duration":
        key = _measure_of(clause, token, state) or key
    if token.value == "" and key == "" and not _has_side(clause, subject):
        return
    places = _compared(clause, token, subject, objects)
    if places is None:
        return
    if token.text.lower() in ("more", "less", "better", "worse") and key == "":
        key = "?"
    sign = token.sign
    if key == "bak" and token.value == "" and _of_noise(clause, token):
        sign = -sign  # "more background noise"
    negated = _negated(clause, token)
    base = StatedClaim(
        kind="comparison",
        text=_shown(clause),
        relation="more",
        places=places,
        measure=_measure(key),
        sign=sign,
    )
    state.measure = key if _measure(key) else state.measure
    neither = any(t.value == "neither" for t in _named(clause))
    if neither or (len(subject) == 2 and not negated and len(places) == 2 and _both(clause)):
        if neither:
            yield replace(base, relation="same", sign=0, places=("1", "2"))
        return
    yield replace(base, relation="not_more" if negated else "more")


def _both(clause: _Clause) -> bool:
    return any(t.value == "both" for t in _named(clause)) and not any(
        t.value in ("1", "2") for t in _named(clause)
    )


def _has_side(clause: _Clause, subject: tuple[str, ...]) -> bool:
    return bool(_named(clause) or subject)


def _of_noise(clause: _Clause, token: Token) -> bool:
    head = clause_text(clause, token.start, token.end + 30)
    return bool(re.search(r"\bnoise\b(?! (?:score|quality|rating))", head, re.I))


def _bounds_number(clause: _Clause, token: Token, after: list[Token]) -> bool:
    """Whether a comparative is compared with a number: "faster than 200 WPM"."""
    if token.text.lower() in ("exceeds", "exceed", "exceeding", "below"):
        following = [t for t in after if t.kind not in ("hedge",)]
        return bool(following) and following[0].kind == "number"
    if not after or after[0].kind != "than":
        return False
    following = [t for t in after[1:] if t.kind not in ("hedge", "measure", "for")]
    return bool(following) and following[0].kind == "number"


def _measure_of(clause: _Clause, token: Token, state: _State) -> str:
    """The measure that a comparative without one of its own is about."""
    if token.value == "duration":  # "longer": of a pause where one stands right behind
        head = clause_text(clause, token.end, token.end + 24)
        if re.match(r" (?:and \w+ )?(?:\w+ )?(?:pauses?|silences?|gaps?)\b", head, re.I):
            return "pause"
        return "duration"
    for near in _around(clause, token, ("measure",)):
        between = clause_text(clause, min(token.end, near.end), max(token.start, near.start))
        if len(between) <= _NEAR * 2:
            return near.value
    unit = next((t.unit for t in clause.tokens if t.kind == "number" and t.unit), "")
    if state.measure and _fits(state.measure, unit):
        vague = token.text.lower() in ("more", "less", "better", "worse")
        if not vague or any(t.kind == "number" for t in clause.tokens):
            return state.measure
    if by_unit := _BY_UNIT.get(unit, ""):
        return by_unit
    if any(t.kind == "number" for t in clause.tokens):
        return clause.ahead
    return ""


def _compared(
    clause: _Clause, token: Token, subject: tuple[str, ...], objects: set[int]
) -> tuple[str, ...] | None:
    """(who has more, than whom); None: it is compared with something else."""
    sides = _named(clause)
    than = [t for t in clause.tokens if t.kind == "than" and t.start >= token.end]
    if than and not any(t.start in objects and t.start > than[0].start for t in sides):
        behind = clause_text(clause, than[0].end, than[0].end + 40)
        third = re.match(
            r" (?:the (?!former|latter|first|second|other)|a |an |normal|usual|average|expected"
            r"|needed|necessary|ideal|typical|request|before|what|would|is |any)",
            behind,
            re.I,
        )
        if third and not re.match(
            r" (?:the (?:one|rate|pitch|level|score)|that) (?:of|in)", behind
        ):
            return None
    before = [t for t in sides if t.end <= token.start and t.start not in objects]
    after = [t for t in sides if t.start >= token.end and t.start not in objects]
    first: tuple[str, ...] = ()
    if before:
        first = _resolve(before[-1], subject)
    elif after and _placed(clause, token, after[0]):
        first = _resolve(after[0], subject)
    else:
        first = subject
    if len(first) == 2:
        return ("1", "2")
    second = [t for t in sides if t.start in objects]
    if second and first and second[0].value == first[0]:
        return ()
    return (*first, _other(first[0])) if first else ()


def _placed(clause: _Clause, token: Token, side: Token) -> bool:
    """Whether a side behind a comparative is who has more: "is higher in answer 2"."""
    between = clause_text(clause, token.end, side.start)
    return "than" not in between


def _negated(clause: _Clause, token: Token) -> bool:
    head = clause_text(clause, clause.start, token.start)
    return bool(
        re.search(
            r"\b(?:not|isn't|aren't|wasn't|doesn't|no|never|hardly|nowhere|cannot|can't)"
            r"(?: \w+){0,2} ?$",
            head,
            re.I,
        )
        and not re.search(r"\bnot only(?: \w+){0,2} ?$", head, re.I)
    )


def _same(clause: _Clause, token: Token, state: _State) -> Iterator[StatedClaim]:
    """ "Both are equally fast", "P808 is nearly the same"."""
    key = token.value
    after = [
        t for t in clause.tokens if t.start >= token.end and t.kind not in ("hedge", "against")
    ]
    if after and after[0].kind == "number":
        return  # "a rate equal to 200 WPM"
    if not key:
        near = _around(clause, token, ("measure",))
        key = near[0].value if near else ""
    if not key and re.search(r"\b(?:words|text|sentence|content|transcripts?)\b", clause.text):
        return
    negated = _negated(clause, token) and not token.text.lower().startswith("no ")
    state.measure = key if _measure(key) else state.measure
    yield StatedClaim(
        kind="comparison",
        text=_shown(clause),
        relation="same",
        places=("1", "2"),
        measure=_measure(key),
        negated=negated,
    )


def _as_much(
    clause: _Clause,
    token: Token,
    subject: tuple[str, ...],
    state: _State,
    objects: set[int],
) -> Iterator[StatedClaim]:
    """ "Not as fast as answer 2", "as loud as answer 1"; "twice as fast" is read as a ratio."""
    if not token.value and not token.sign:
        return
    key = token.value or _measure_of(clause, token, state)
    state.measure = key if _measure(key) else state.measure
    if any(t.kind == "factor" or t.unit == "x" for t in clause.tokens):
        return
    places = _compared(clause, token, subject, objects)
    if places is None:
        return
    base = StatedClaim(
        kind="comparison",
        text=_shown(clause),
        relation="same",
        places=places,
        measure=_measure(key),
    )
    head = clause_text(clause, clause.start, token.start)
    if re.search(r"\b(?:not|isn't|nowhere near|less than|n't)(?: \w+)? ?$", head, re.I):
        yield replace(base, relation="more", sign=-token.sign)
    else:
        yield base


# --- numbers --------------------------------------------------------------------------------

_BY_UNIT = {
    "wpm": "rate",
    "syl": "syllables",
    "hz": "pitch",
    "khz": "bandwidth",
    "lufs": "loudness",
    "lu": "loudness",
    "db": "loudness",
    "dbfs": "level",
    "mos": "mos",
    "st": "variation",
    "words": "words",
    "pauses": "pauses",
    "s": "duration",
    "ms": "pause",
    "min": "duration",
}

#: Unit -> measures that are counted in it.
_FITS = {
    "wpm": {"rate", "articulation"},
    "syl": {"syllables"},
    "hz": {"pitch", "bandwidth", "variation", "sampling"},
    "khz": {"bandwidth", "sampling"},
    "lufs": {"loudness"},
    "lu": {"loudness", "loudness_range", "loudness_sd"},
    "db": {"loudness", "loudness_range", "loudness_sd", "level", "peak"},
    "dbfs": {"level", "peak"},
    "mos": {"mos", "p808", "bak", "sig", "ovrl", "distillmos"},
    "st": {"pitch", "variation", "pitch_range"},
    "words": {"words", "doubtful"},
    "pauses": {"pauses"},
    "s": {"duration", "speech", "pause", "pause_sum"},
    "ms": {"duration", "speech", "pause", "pause_sum"},
    "min": {"duration", "speech", "pause_sum"},
    "%": {"clipping", "voiced", "trend"},
}

#: Measures that a number without a unit may be of.
_BARE = {
    *("p808", "bak", "sig", "ovrl", "mos", "distillmos", "rate", "articulation", "syllables"),
    *("pitch", "variation", "pitch_range", "loudness", "level", "peak", "bandwidth", "pause"),
    *("duration", "words", "pauses", "trend", "voiced", "clipping", "doubtful", "pause_sum"),
    *("loudness_range", "loudness_sd", "sampling", "speech"),
}


def _fits(key: str, unit: str) -> bool:
    if key.startswith("="):
        return unit in ("", "%", "mos")
    if not unit:
        return key in _BARE
    return key in _FITS.get(unit, set())


def _numbers(
    clause: _Clause,
    subject: tuple[str, ...],
    state: _State,
    used: set[int],
    lead: tuple[tuple[str, ...], int],
) -> Iterator[StatedClaim]:
    numbers = [t for t in clause.tokens if t.kind == "number"]
    skip: set[int] = set()
    for index, token in enumerate(numbers):
        if index in skip:
            continue
        following = numbers[index + 1] if index + 1 < len(numbers) else None
        joint = _joint(clause, token, following)
        if joint == "range" and following:
            skip.add(index + 1)
            unit = token.unit or following.unit
            yield from _spread(clause, token, following, unit, subject, state)
            continue
        if joint == "course" and following:
            skip.add(index + 1)
            yield _claim(clause, token, None, "course", ())
            continue
        if joint == "pair" and following:
            skip.add(index + 1)
            yield from _pair(clause, token, following, subject, state, lead)
            continue
        yield from _one(clause, token, subject, state, lead)
    for token in clause.tokens:
        if token.kind == "factor":
            yield from _ratio(clause, token, float(token.value), subject, state, lead, "2.0")


def _joint(clause: _Clause, one: Token, other: Token | None) -> str:
    """How two numbers that follow each other belong together: range, course, pair, or not."""
    if other is None:
        return ""
    between = clause_text(clause, one.end, other.start)
    head = clause_text(clause, clause.start, one.start).lower()
    inner = [t for t in clause.tokens if one.end <= t.start and t.end <= other.start]
    if any(t.kind in ("side", "measure") for t in inner):
        return ""
    words = between.strip(" (").lower()
    sides = {t.value for t in _named(clause)}
    if words in ("to", "-", "and", "and about", "and roughly") and re.search(
        r"\b(?:between|from|rang\w+|range of)(?: (?:about|roughly|around))? ?$", head
    ):
        return "course" if _COURSE.search(head) and words == "to" else "range"
    if words == "-":
        return "range"
    if words == "to" and _COURSE.search(head):
        return "course"
    if words == "to" and len(sides & {"1", "2", "both"}) < 2 and not _comparative(clause):
        return "range" if float(one.digits) < float(other.digits) else "pair"
    joins = r"(?:,|/|>|<|->|and|vs\.?|versus|against|compared (?:to|with)|to|over|rather than|or|as"
    joins += r" opposed to|, compared (?:to|with))"
    hedge = r"(?: (?:about|only|just|roughly|around|a mere|some|~|-|nearly|almost))?"
    if re.fullmatch(rf"{joins}{hedge}", words):
        return "pair"
    return ""


_COURSE = re.compile(r"\b(?:ris|climb|drop|fall|grow|increas|decreas|accelerat|slow|start|goes)\w*")


def _comparative(clause: _Clause) -> bool:
    return any(t.kind == "more" for t in clause.tokens)


_BEHIND = re.compile(r" ?(?:\(|of |for |in |on )?(?:the |its )?(?:\w{1,30} )?")


def _key_of(clause: _Clause, token: Token, unit: str, state: _State) -> str:
    """The measure that a number is of; empty: none is named."""
    near = _around(clause, token, ("measure",))
    before = [t for t in near if t.end <= token.start]
    after = [t for t in near if t.start >= token.end]
    gap = clause_text(clause, token.end, after[0].start) if after else ""
    if after and _fits(after[0].value, unit) and _BEHIND.fullmatch(gap):
        # "3.7 MOS", "0.3 s of silence", "3.7 on P808"
        cut_off = not before or "," in _between(clause, before[0], token)
        if cut_off or gap.strip() in ("", "of", "on", "for", "in"):
            return _with_unit(after[0].value, unit)
    for measure in (*before, *after):
        if _fits(measure.value, unit):
            return _with_unit(measure.value, unit)
    if unit == "hz" and float(token.digits) >= 1000:
        return "bandwidth"
    if unit == "%":
        if re.search(r"\bclip", clause.text, re.I):
            return "clipping"
        return state.measure if state.measure and _fits(state.measure, unit) else ""
    if unit in _BY_UNIT:
        own = clause.ahead if _fits(clause.ahead, unit) else _BY_UNIT[unit]
        comparatives = [t.value for t in clause.tokens if t.kind == "more" and _fits(t.value, unit)]
        if comparatives:
            return comparatives[0]
        if state.measure and _fits(state.measure, unit):
            return state.measure
        return own
    comparatives = [t.value for t in clause.tokens if t.kind == "more" and _measure(t.value)]
    if comparatives and comparatives[0] in _BARE:
        return comparatives[0]
    if not before and not after and _bare_number(clause, token):
        return state.measure or clause.ahead
    return ""


def _between(clause: _Clause, one: Token, other: Token) -> str:
    return clause_text(clause, one.end, other.start)


def _bare_number(clause: _Clause, token: Token) -> bool:
    """Whether a number stands alone, and counts nothing: "answer 2 only 165", not "3 steps"."""
    behind = clause_text(clause, token.end, token.end + 20)
    return not re.match(
        r" (?!for|in|of|on|vs|versus|against|and|to|while|with|compared)[a-z]", behind
    )


def _with_unit(key: str, unit: str) -> str:
    return "variation_hz" if key == "variation" and unit == "hz" else key


def _claim(
    clause: _Clause,
    token: Token,
    measure: Measure | None,
    relation: Relation,
    places: tuple[str, ...],
    unit: str = "",
) -> StatedClaim:
    return StatedClaim(
        kind="number",
        text=_shown(clause),
        relation=relation,
        places=places,
        measure=measure,
        numbers=(token.digits,),
        unit=unit or token.unit,
        hedged=_hedged(clause, token),
    )


def _hedged(clause: _Clause, token: Token) -> bool:
    head = clause_text(clause, clause.start, token.start)[-24:]
    tail = clause_text(clause, token.end, token.end + 8)
    words = (
        r"\b(?:about|around|approximately|roughly|nearly|almost|circa|some|close to|near"
        r"|just (?:under|over|about|below|above)|slightly (?:under|over|above|below"
        r"|more than|less than)|a little (?:over|under)|in the region of)(?: an?| the)?"
        r" ?[(-]?$|(?:approx\.?|ca\.|~) ?-?$"
    )
    return bool(re.search(words, head, re.I) or re.match(r" or so\b", tail))


#: Between a number and whose it is: "3.7 for answer 1", "3.7 P808 in answer 1".
_OF_SIDE = re.compile(
    r" ?\(?(?:(?:(?!(?:than|against|vs|versus|and|to|while|but|over)\b)[A-Za-z][\w.-]{0,30} ){0,3}"
    r"(?:for|in|of|from|on|by) (?:the )?)?\(?"
)


def _owner(clause: _Clause, token: Token, subject: tuple[str, ...]) -> tuple[str, ...]:
    """The places whose value a number is."""
    sides = _named(clause)
    after = next((t for t in sides if t.start >= token.end), None)
    if after is not None:
        gap = clause_text(clause, token.end, after.start)
        if gap.strip() and _OF_SIDE.fullmatch(gap):
            return _resolve(after, subject)
    before = [t for t in sides if t.end <= token.start]
    if before:
        last = before[-1]
        prior = tuple(p for t in before[:-1] for p in _resolve(t, subject)) or subject
        if last.value == "other":
            return _resolve(last, prior[-1:])
        return _resolve(last, subject)
    if after is not None and not subject:
        return _resolve(after, subject)
    return subject


_THAN_OVER = r"(?:more|greater|higher|faster|louder|longer|better|quicker|wider) than"
_THAN_UNDER = r"(?:less|fewer|lower|slower|quieter|shorter|worse|narrower) than"
_OVER = re.compile(
    rf"\b(?:over|above|at least|exceed(?:s|ing)?|beyond|upwards of|in excess of|no less than|past"
    rf"|passes|reach(?:es)?|{_THAN_OVER})\b|>=?|≥"
)
_UNDER = re.compile(
    rf"\b(?:under|below|at most|up to|no more than|not even|stays within|{_THAN_UNDER})\b|<=?|≤"
)
_NO = re.compile(r"\b(?:not|never|neither|no|nor|none)\b|n't\b")
_JUST = re.compile(
    r"\b(?:just|slightly|a little|a bit) (?:over|under|above|below|more than|less than)\b"
)


def _bound(clause: _Clause, token: Token) -> str:
    """Whether a number bounds the value, and how: over, under, or not at all."""
    fences = ("side", "number", "quote")
    last = max(
        (t.end for t in clause.tokens if t.kind in fences and t.end <= token.start), default=0
    )
    head = clause_text(clause, max(clause.start, last, token.start - 50), token.start).lower()
    head = head.rsplit(",", 1)[-1]
    if _JUST.search(head):
        return ""  # it is about so much
    whole = clause_text(clause, clause.start, token.start).lower()
    words = {"over": [*_OVER.finditer(head)], "under": [*_UNDER.finditer(head)]}
    nearest = {way: found[-1].start() for way, found in words.items() if found}
    if not nearest:
        return ""
    way = max(nearest, key=lambda name: nearest[name])
    word = words[way][-1][0]
    denied = _NO.search(whole[: len(whole) - len(head) + nearest[way]])
    if word.startswith("reach"):
        return "under" if denied else ""
    if denied and word not in ("no less than", "no more than", "not even"):
        return "under" if way == "over" else "over"
    return way


def _is_gap(clause: _Clause, token: Token) -> bool:
    """Whether a number is a difference: "by 6 dB", "6 dB quieter", "a gap of 0.4"."""
    head = clause_text(clause, clause.start, token.start).lower()
    tail = clause_text(clause, token.end, token.end + 40).lower()
    hedge = r"(?: (?:about|roughly|around|nearly|almost|only|some|just|a full|another|over|~))*"
    if re.search(rf"\bby{hedge} ?\(?\+?$", head):
        return True
    if re.search(
        r"\b(?:gap|margin|lead|advantage|deficit|distance|edge|difference) of"
        rf"{hedge} ?$",
        head,
    ):
        return True
    if re.search(
        r"\b(?:differ\w*|gap|margin|separat\w+|distance)\b"
        rf"(?: (?:in|between|is|of|by|the|only|[\w.]+)){{0,6}}{hedge} ?$",
        head,
    ) and not re.search(r"\b(?:for|has|have)\b", re.split("differ|gap|margin", head)[-1]):
        return True
    behind = [t for t in clause.tokens if t.start >= token.end and t.kind != "measure"]
    between = clause_text(clause, token.end, behind[0].start) if behind else ""
    if behind and behind[0].kind == "more" and _SMALL_WORDS.fullmatch(between):
        return behind[0].value != "?" and not _VERB.match(behind[0].text)
    if len(behind) > 1 and behind[0].kind in ("over", "under") and not between.strip():
        return behind[1].kind == "side"  # "sits 3 dB above answer 2"
    return bool(re.match(r" (?:apart|of (?:difference|advantage)|difference)\b", tail))


_VERB = re.compile(
    r"exceed|lead|beat|outscor|surpass|outperform|tops|outdo|edge|trail|lag|fall|outpac|outrun"
    r"|pauses|clips|lasts",
    re.I,
)
_SMALL_WORDS = re.compile(r"(?: (?:MOS|points?|on|in|of|the|P\.?808|BAK|SIG|OVRL))* ?")


def _one(
    clause: _Clause,
    token: Token,
    subject: tuple[str, ...],
    state: _State,
    lead: tuple[tuple[str, ...], int],
) -> Iterator[StatedClaim]:
    unit = token.unit
    if unit == "x":
        yield from _ratio(clause, token, token.number, subject, state, lead, token.digits)
        return
    key = _key_of(clause, token, unit, state)
    gap = _is_gap(clause, token)
    if unit == "%" and gap and key not in ("clipping", "voiced", "trend"):
        yield from _percent(clause, token, subject, state, lead)
        return
    if gap and unit == "st":
        varied = [t.value for t in clause.tokens if t.value in ("variation", "pitch_range")]
        key = varied[0] if varied else "pitch"
    measure = _measure(key)
    if not measure and not unit and not _bare_number(clause, token):
        return  # it counts things of the content
    state.measure = key if measure else state.measure
    if gap:
        places = _gap_places(clause, token, subject, lead)
        made = _claim(clause, token, measure, "apart", places)
        yield replace(made, sign=_gap_sign(clause, token, lead))
        return
    relation = _bound(clause, token)
    places = _owner(clause, token, subject)
    if any(t.value == "neither" for t in _named(clause)) and not relation:
        places = ()
    if not relation and measure is None and not unit:
        yield _claim(clause, token, None, "is", places)
        return
    kind: Relation = "over" if relation == "over" else "under" if relation == "under" else "is"
    yield _claim(clause, token, measure, kind, places)


def _gap_places(
    clause: _Clause,
    token: Token,
    subject: tuple[str, ...],
    lead: tuple[tuple[str, ...], int],
) -> tuple[str, ...]:
    places = lead[0] or _compared(clause, token, subject, _objects(clause)) or ()
    return places if len(places) == 2 else ()


def _gap_sign(clause: _Clause, token: Token, lead: tuple[tuple[str, ...], int]) -> int:
    near = _around(clause, token, ("more",))
    if near:
        sign = near[0].sign
        if near[0].value == "" and _of_noise(clause, near[0]):
            sign = -sign
        return sign
    return lead[1]


def _ratio(
    clause: _Clause,
    token: Token,
    factor: float,
    subject: tuple[str, ...],
    state: _State,
    lead: tuple[tuple[str, ...], int],
    digits: str,
) -> Iterator[StatedClaim]:
    """ "Twice as fast", "1.5 times the rate", "half as long"."""
    near = [t for t in _around(clause, token, ("as", "more", "measure")) if t.value or t.sign]
    key, sign = "", 1
    for other in near:
        if other.kind in ("as", "more"):
            key = other.value if _measure(other.value) else key
            sign = other.sign or 1
        elif not key:
            key = other.value
        if key:
            break
    key = key or (state.measure if state.measure else "")
    places = _compared(clause, token, subject, _objects(clause)) or ()
    measure = _measure(key)
    if sign < 0:
        factor = 1 / factor if factor else 0.0
    if not measure and not near:
        return
    state.measure = key if measure else state.measure
    yield StatedClaim(
        kind="number",
        text=_shown(clause),
        relation="times",
        places=places if len(places) == 2 else (),
        measure=measure,
        numbers=(f"{factor:g}", digits),
        unit="x",
        sign=1,
        hedged=True,
    )


def _percent(
    clause: _Clause,
    token: Token,
    subject: tuple[str, ...],
    state: _State,
    lead: tuple[tuple[str, ...], int],
) -> Iterator[StatedClaim]:
    """ "20 % faster", "lower by 30 %"."""
    sign = _gap_sign(clause, token, lead)
    near = _around(clause, token, ("more",))
    key = near[0].value if near and _measure(near[0].value) else ""
    if not key:
        measures = _around(clause, token, ("measure",))
        key = measures[0].value if measures else state.measure
    places = _gap_places(clause, token, subject, lead)
    factor = 1 + sign * token.number / 100
    if not sign or factor <= 0:
        return
    yield StatedClaim(
        kind="number",
        text=_shown(clause),
        relation="times",
        places=places,
        measure=_measure(key),
        numbers=(f"{factor:g}", token.digits),
        unit="%",
        sign=1,
        hedged=_hedged(clause, token),
    )


def _pair(
    clause: _Clause,
    one: Token,
    other: Token,
    subject: tuple[str, ...],
    state: _State,
    lead: tuple[tuple[str, ...], int],
) -> Iterator[StatedClaim]:
    """Two values beside each other: "214 vs 165 WPM"."""
    unit = one.unit or other.unit
    key = _key_of(clause, one, unit, state) or _key_of(clause, other, unit, state)
    measure = _measure(key)
    if measure is None and not unit and not _bare_number(clause, other):
        return
    state.measure = key if measure else state.measure
    places = _pair_places(clause, one, other, subject, lead)
    first = _claim(clause, one, measure, "is", places[:1], unit)
    second = _claim(clause, other, measure, "is", places[1:], unit)
    yield first
    yield second


def _pair_places(
    clause: _Clause,
    one: Token,
    other: Token,
    subject: tuple[str, ...],
    lead: tuple[tuple[str, ...], int],
) -> tuple[str, ...]:
    """Whose the numbers of a pair are, in their order."""
    leader, sign = lead
    mentioned = list(dict.fromkeys(t.value for t in _named(clause) if t.value in ("1", "2")))
    if any(t.kind == "respectively" for t in clause.tokens) and len(mentioned) == 2:
        return (mentioned[0], mentioned[1])
    if len(leader) == 2 and sign:
        # The larger number belongs to whom the words give more.
        larger = leader if sign > 0 else leader[::-1]
        return larger if one.number >= other.number else larger[::-1]
    if len(mentioned) == 2:
        return (mentioned[0], mentioned[1])
    if len(subject) == 1:
        return (subject[0], _other(subject[0]))
    return ("1", "2")


def _spread(
    clause: _Clause,
    one: Token,
    other: Token,
    unit: str,
    subject: tuple[str, ...],
    state: _State,
) -> Iterator[StatedClaim]:
    """ "Between 180 and 220 WPM"."""
    key = _key_of(clause, one, unit, state)
    made = _claim(clause, one, _measure(key), "between", _owner(clause, one, subject), unit)
    yield replace(made, numbers=(one.digits, other.digits))


_NONE = re.compile(
    r"\b(?:no|without(?: any)?|free of|zero|never|not|n't|lacks?(?: any)?)"
    r" (?:audible |any |measurable |real |long |noticeable |mid-\w+ )*"
    r"(?P<what>clip(?:ping|s|ped)?|paus(?:es?|ing))\b(?! (?:longer|over|above|of|after|before))",
    re.I,
)


_CLIPS = re.compile(
    r"\b(?:clips?|shows? (?:any )?clipping|has (?:any )?clipping|pauses)\b"
    r"(?! (?:longer|over|for))"
)


def _absences(clause: _Clause, subject: tuple[str, ...], state: _State) -> Iterator[StatedClaim]:
    """ "No clipping", "without pauses", "neither clips"."""
    match = _NONE.search(clause.text)
    neither = any(t.value == "neither" for t in _named(clause))
    what = match["what"] if match else None
    if not what and neither:
        bare = _CLIPS.search(clause.text)
        what = bare[0] if bare else None
    if not what or any(t.kind == "number" for t in clause.tokens):
        return
    if re.search(r"\b(?:no|fewer|not) (?:more|less)\b", clause.text):
        return
    if match and re.search(r"\bas\b", clause.text[match.end() : match.end() + 4]):
        return
    key = "clipping" if "clip" in what else "pauses"
    yield StatedClaim(
        kind="comparison",
        text=_shown(clause),
        relation="is",
        places=("1", "2") if neither else subject,
        measure=_measure(key),
        numbers=("0",),
        unit="%" if key == "clipping" else "pauses",
    )


# --- quotations -----------------------------------------------------------------------------

_LABELS = re.compile(
    r"(?:[12]|both[ _]?(?:good|bad)|ties?|true|false|content|voice[ _]?quality|paralinguistics"
    r"|acceptable|unacceptable|better|worse|good|bad)",
    re.I,
)
_MISSING = re.compile(
    r"(?:\b(?:not|never|without|omits?|omitting|lacks?|lacking|leaves? out|missing|misses"
    r"|fails to|forgets to|at no (?:point|time)|avoids|skips|drops|no mention of|nowhere"
    r"|neither)|n't)\b[^,;]*$",
    re.I,
)
_WISHED = re.compile(
    r"\b(?:should(?:n't)?(?: have)?|ought to|would(?: have)?|instead of|rather than|correct"
    r"(?: \w+){0,3}|expected|i\.e\.|e\.g\.|such as|a phrase like|something like|like|means"
    r"|meaning|synonym|whether|supposed to|could have|misheard (?:as|for)|mistaken for"
    r"|probably|likely|presumably|meant)\b[^,;\"]{0,30}$",
    re.I,
)
_SAYING = re.compile(
    r"\b(?:say|says|said|saying|state[sd]?|stating|repl(?:y|ies|ied)|answers|answered|responds"
    r"|read|reads|begins?|opens?|starts?|ends?|closes?|repeats?|mentions?|uses|using|contains?"
    r"|includes?|transcribed|transcript|words|phrase|heard|quotes?|offers?|gives?|adds?|calls?"
    r"|claims?|tells?|refus\w+|utters?|speaks?|with|line|as|declines)\b[^\"]{0,40}$",
    re.I,
)
_USER = re.compile(
    r"\b(?:user(?:'s)?|request(?:ed|s)?|instruction|prompt|ask(?:s|ed)|question|task)\b[^,;]*$",
    re.I,
)


def _quotations(clause: _Clause, subject: tuple[str, ...]) -> Iterator[StatedClaim]:
    objects = _objects(clause)
    for token in clause.tokens:
        if token.kind != "quote" or _LABELS.fullmatch(token.value.strip(" .,")):
            continue
        head = clause_text(clause, clause.start, token.start)
        head = head.rsplit('"', 1)[-1]
        tail = clause_text(clause, token.end, token.end + 60)
        before = [t for t in _named(clause) if t.end <= token.start and t.start not in objects]
        after = [t for t in _named(clause) if t.start >= token.end]
        sides = _resolve(before[-1], subject) if before else subject
        placed = re.match(
            r" ?(?:,? ?(?:as|is|are|was)?(?: (?:what|only|heard|said|spoken|found|missing|not"
            r"|absent|nowhere|never)){0,4} (?:in|from|by|of) |\()",
            tail,
        )
        if after and placed and after[0].start - token.end <= placed.end() + 2:
            sides = _resolve(after[0], subject)
        # "Answer 1 tells the user ..." is about answer 1; what it says may be of the request.
        user = bool(_USER.search(head)) and not before
        spoken = bool(_SAYING.search(head)) and not user
        missing = bool(_MISSING.search(head)) or bool(
            re.match(r" (?:is|are|was) (?:missing|absent|not|never|nowhere)", tail)
        )
        neither = any(t.value == "neither" for t in _named(clause))
        wished = bool(_WISHED.search(head))
        yield StatedClaim(
            kind="quotation",
            text=_shown(clause),
            relation="course" if wished else "says",
            places=sides,
            numbers=(token.value,),
            negated=missing or (neither and not user),
            of_user=user,
            spoken=spoken,
        )
