"""Whose a number is: the side right before or behind it, or of its clause."""

from __future__ import annotations

import re

from trace_eval.judges.claims.lexicon import GOOD, HEDGES
from trace_eval.judges.claims.sentences import PRONOUN, Part, Sentence, named, other
from trace_eval.judges.claims.tokens import Token
from trace_eval.judges.claims.values import Value

_SIDE_BEFORE = re.compile(
    r"(?:'s)?(?: (?:is|was|has|had|got|gets|at|of|with|only|just|merely|about|around"
    r"|the|its|a"
    r"|reaches|scores|records|registers|attains|measures|shows|even|sits|comes"
    r"|comes in|value"
    rf"|sitting|way|out|speeds up|slows(?: down)?|picks up (?:speed|pace)"
    rf"|{HEDGES})| ?[:=(\[-] ?)* ?\(?"
)
_SIDE_BEHIND = re.compile(
    r"(?: (?:for|in|by|of|from|with|on|at|the case of|case of|the))+ ?| ?[(\[]"
)


def _adjacent(sentence: Sentence, token: Token) -> str:
    """Return the side right before a number, or behind it ("for answer 1")."""
    sides = named(sentence, sentence.whole)
    for side, place in sides:
        if side.end <= token.start:
            gap = _without_measures(sentence, side.end, token.start)
            if _SIDE_BEFORE.fullmatch(gap):
                return place
    for side, place in sides:
        if _in_bracket_of_rival(sentence, token, side):
            return other(place)
    for side, place in sides:
        if side.start >= token.end:
            gap = _without_measures(sentence, token.end, side.start)
            if _SIDE_BEHIND.fullmatch(gap):
                return place
    return ""


def _in_bracket_of_rival(sentence: Sentence, token: Token, side: Token) -> bool:
    """Tell whether a side has its own value in brackets: "367 (answer 2: 303)"."""
    if sentence.words(token.end, side.start) not in (" (", " (the "):
        return False
    return bool(_OWN_VALUE.match(sentence.words(side.end, side.end + 10)))


_OWN_VALUE = re.compile(r"(?::| has| at| is)? -?\d")
_FOR_SIDE = re.compile(r" (?:for|in|of|from) (?:the )?", re.I)


def stands_at_side(sentence: Sentence, token: Token) -> bool:
    """Tell whether a number is at a side: "60 Hz for answer 2", "answer 2 at 60"."""
    for side, _ in named(sentence, sentence.whole):
        if _AT.fullmatch(sentence.words(side.end, token.start)):
            return True
        if side.start >= token.end:
            return stands_for_side(sentence, token)
    return False


def stands_for_side(sentence: Sentence, token: Token) -> bool:
    """Tell whether a side stands right behind a number: "60 Hz for answer 2"."""
    for side, _ in named(sentence, sentence.whole):
        if side.start >= token.end:
            return bool(_FOR_SIDE.fullmatch(sentence.words(token.end, side.start)))
    return False


_AT = re.compile(
    r"(?: (?:is|stays|remains|sits|comes in|runs|goes|moves|reads|speaks"
    r"|talks))?(?: only| just)? at"
    r"(?: (?:only|just|about|around|roughly|a mere))* ",
    re.I,
)


def _without_measures(sentence: Sentence, start: int, end: int) -> str:
    """Return the words between two places but for the names of measures."""
    gap = sentence.words(start, end)
    for measure in sentence.whole.of("measure"):
        if start <= measure.start and measure.end <= end:
            gap = gap.replace(measure.text, "", 1).replace("  ", " ")
    return gap


def owner(sentence: Sentence, token: Token) -> tuple[str, ...]:
    """Return the places that a lone number is of; empty: either may be meant."""
    if _is_of_same(sentence, token) or _is_of_both(sentence, token):
        return ("1", "2")
    chunk = sentence.around(token)[0]
    if sentence.goes_on_behind_where(chunk):
        return ()
    is_taken_up = not chunk.of("side") and sentence.takes_up(token)
    if is_taken_up and not _adjacent(sentence, token):
        return (sentence.subject,)
    for part in sentence.around(token):
        sides = named(sentence, part)
        if sides and sentence.takes_up(token) and not _adjacent(sentence, token):
            return (sentence.subject,)
        if any(side.value in ("both", "neither") for side in part.of("side")):
            return () if sides else ("1", "2")
        places = {place for _, place in sides}
        is_free = any(not sentence.marked(side) for side, _ in sides)
        if len(places) == 1 and is_free:
            return () if _is_of_rival(sentence, token, sides[0][0]) else tuple(places)
        near = _adjacent(sentence, token) if places else ""
        if near and not _stands_for_both(sentence, token, sides):
            return (near,)
        if len(places) == 2 and (own := _before_rival(sentence, token, sides)):
            return (own,)
        if len(places) == 2:
            return _owner_by_pronoun(sentence, token)
        # Without a place, or with "than answer 1" alone, the wider part decides.
    if sentence.subject and sentence.continues(token):
        return (sentence.subject,)
    return ()


_SAME_AT = re.compile(
    r"(?: in both| too| to the \w+)?(?:, | \(|, at | at |: )(?:about |around "
    r"|roughly |nearly )?"
)


#: "The same tempo", "the same flat melody".
_ONE_WORD = re.compile(r" (?:[a-z]+ )?")
_OF = re.compile(r" (?:of|at) (?:about |around |roughly |nearly )?")
_LISTS = re.compile(r": |, (?:with|at) ")


def _is_of_both(sentence: Sentence, token: Token) -> bool:
    """Tell whether a list is of both: "the delivery is the same: 188 WPM, 192 Hz"."""
    if sentence.whole.of("side"):
        return False
    same = [each for each in sentence.whole.of("same") if each.end <= token.start]
    if not same:
        return False
    return bool(_LISTS.search(sentence.words(same[0].end, token.start)))


def _is_of_same(sentence: Sentence, token: Token) -> bool:
    """Tell whether a value is the same of both: "the level is the same, about -22"."""
    before = [each for each in sentence.whole.tokens if each.end <= token.start]
    if [each.kind for each in before[-2:]] == ["same", "measure"]:
        same, measure = before[-2:]  # "the same tempo of about 170 WPM"
        is_told = _OF.fullmatch(sentence.words(measure.end, token.start))
        follows = _ONE_WORD.fullmatch(sentence.words(same.end, measure.start))
        return bool(is_told and follows) and not named(sentence, sentence.whole)
    if not before or before[-1].kind != "same":
        return False
    return bool(_SAME_AT.fullmatch(sentence.words(before[-1].end, token.start)))


def _is_of_rival(sentence: Sentence, token: Token, side: Token) -> bool:
    """Tell whether a side has a number that a first number is set against.

    An example is "214 WPM against the calm of 104 in answer 2".
    """
    between: list[Token] = []
    for each in sentence.whole.of("number"):
        if token.end <= each.start < each.end <= side.start:
            between.append(each)
    return bool(between) and paired_sides(sentence, token, between[-1])


def _stands_for_both(
    sentence: Sentence, token: Token, sides: list[tuple[Token, str]]
) -> bool:
    """Tell whether a number ends a comparison: "2 is down on 1 at 104"."""
    if len({place for _, place in sides}) < 2:
        return False
    last, _ = sides[-1]
    return last.end <= token.start and sentence.marked(last)


def _before_rival(
    sentence: Sentence, token: Token, sides: list[tuple[Token, str]]
) -> str:
    """Return the subject of "answer 1 has 9 st, more varied than answer 2"."""
    before = {place for side, place in sides if side.end <= token.start}
    behind = [side for side, _ in sides if side.start >= token.end]
    is_rival = bool(behind) and all(sentence.marked(side) for side in behind)
    are_free = not any(sentence.marked(s) for s, _ in sides if s.end <= token.start)
    return before.pop() if is_rival and are_free and len(before) == 1 else ""


_ITS_OWN = re.compile(r" of its\b", re.I)


def _owner_by_pronoun(sentence: Sentence, token: Token) -> tuple[str, ...]:
    """Return the last side before "3 % of its samples"; empty: there is no pronoun."""
    if not _ITS_OWN.match(sentence.words(token.end, token.end + 8)):
        return ()
    sides = named(sentence, sentence.whole)
    before = {place for side, place in sides if side.end <= token.start}
    return tuple(before) if len(before) == 1 else ()


def _places_in(sentence: Sentence, part: Part) -> set[str]:
    return {place for _, place in named(sentence, part)}


def places_of(sentence: Sentence, values: list[Value]) -> list[str]:
    """Return the place of each of several values of a measure; empty: not said."""
    places = _places_of_chunks(sentence, values)
    if places and (len(values) != 2 or places[0] != places[1]):
        return places
    near = [_adjacent(sentence, value.token) for value in values]
    if len(values) != 2:
        return near
    first, second = values[0].token, values[1].token
    sides = _sides_around(sentence, first, second)
    order = list(dict.fromkeys(place for _, place in sides))
    if _another_is_told(sentence, second, sides):
        return []
    if len(order) == 2:
        if near[0] and near[1] and near[0] != near[1]:
            return near
        is_other = _goes_on(sentence, first, second) or (
            stands_for_side(sentence, second) and paired_sides(sentence, first, second)
        )
        if bool(near[0]) != bool(near[1]) and is_other:
            # "answer 2 does not get to the 181 Hz of answer 1; it stays at 118 Hz"
            one = near[0] or other(near[1])
            return [one, other(one)]
        are_before = all(side.end <= first.start for side, _ in sides)
        if are_before and sentence.marked(sides[0][0]):
            # "compared with answer 2, answer 1 has more, 3.7 against 3.1"
            order.reverse()
        elif are_before and _is_of_last(sentence, sides, first, second):
            order = [sides[-1][1], other(sides[-1][1])]
        return order
    if len(order) != 1:
        return []
    side, place = sides[0]
    behind = sentence.words(second.end, side.start)
    if values[0].key in GOOD and _WITH_THE_EDGE.fullmatch(behind):
        # "298 vs 200, edge answer 2": more is better
        is_first = first.number > second.number
        return [place, other(place)] if is_first else [other(place), place]
    if near[1] and not near[0] and _is_its(sentence, first):
        return [other(near[1]), near[1]]  # "its P808 is 223 against 268 for answer 1"
    if side.start >= second.end and not near[0]:
        return []  # "3.7 v 3.1 for answer 1" may mean either
    is_before = side.end <= first.start
    if near[0] and near[0] == near[1]:
        owner = place if is_before else ""
    elif near[0]:
        owner = place
    elif near[1]:
        owner = other(place)
    else:
        owner = place if is_before and not sentence.marked(side) else ""
    if owner and paired_sides(sentence, first, second):
        return [owner, other(owner)]
    return []


def _another_is_told(
    sentence: Sentence, second: Token, sides: list[tuple[Token, str]]
) -> bool:
    """Tell whether another measure is named before any side behind two values.

    "BAK is equally bad, 185 and 183, which leaves P808: answer 2 has 288".
    """
    if not sides or any(side.start < second.end for side, _ in sides):
        return False
    first_side = sides[0][0]
    measures = sentence.whole.of("measure")
    return any(second.end <= each.start < first_side.start for each in measures)


def _is_of_last(
    sentence: Sentence, sides: list[tuple[Token, str]], first: Token, second: Token
) -> bool:
    """Tell whether values explain a comparative of the last side before them.

    "Answer 2 moves more, and answer 1 speaks faster, at 294 against 207".
    """
    last, _ = sides[-1]
    if sentence.marked(last) or not paired_sides(sentence, first, second):
        return False
    chunk, clause, _ = sentence.around(first)
    own = {place for side, place in named(sentence, chunk) if not sentence.marked(side)}
    if own == {sides[-1][1]}:
        return True
    return any(last.end <= more.start < first.start for more in clause.of("more"))


_VERSUS = re.compile(r"(?: [a-z]{3,10}){0,2} ?(?:vs\.?|v\.?|versus|against|to|/) ?")


def beside_each_other(sentence: Sentence, one: Value, two: Value) -> bool:
    """Tell whether two values stand beside each other, behind what they explain.

    "Answer 2 is faster (142 v 184 WPM)": who quotes a prompt keeps its order, answer 1
    first, whatever he spoke of before; others begin with the faster one.
    """
    first, second = one.token, two.token
    sides = [side for side, _ in named(sentence, sentence.whole)]
    opened = sentence.text.rfind("(", sentence.whole.start, first.start)
    closed = sentence.text.rfind(")", sentence.whole.start, first.start)
    between = sentence.words(first.end, second.start)
    is_in_brackets = opened > closed and between == " and "
    if not is_in_brackets and not _VERSUS.fullmatch(between):
        return False
    if opened > closed:
        end = sentence.text.find(")", second.end, sentence.whole.end)
        inside = [side for side in sides if opened < side.start < end]
        in_clause = named(sentence, sentence.around(first)[1])
        names_owner = len({place for _, place in in_clause}) < 2 and any(
            sentence.words(side.end, opened).strip(" '") in ("", "s")
            for side in sides
            if side.end <= opened and not _is_compared(sentence, side)
        )
        return not (inside or names_owner)
    clause = sentence.around(first)[1]
    before: list[Token] = []
    for side in sides:
        is_remark = ")" in sentence.words(side.end, first.start)
        if clause.start <= side.start < first.start and not is_remark:
            before.append(side)
    behind = [side for side in sides if second.end <= side.start < clause.end]
    if not before:
        return not behind
    if _adjacent(sentence, second):
        return False  # "answer 2 is higher, 98 Hz against 125 for answer 1"
    start = before[-1].end
    comparatives = clause.of("more")
    return any(start <= each.start < first.start for each in comparatives)


def _is_compared(sentence: Sentence, side: Token) -> bool:
    """Tell whether an answer ends a comparison: "as much as 2", "worse in answer 2"."""
    if _AS_MUCH.search(sentence.words(side.start - 12, side.start)):
        return True
    for more in sentence.whole.of("more"):
        if sentence.words(more.end, side.start) in (" in ", " for ", " on ", " with "):
            return True
    return False


_AS_MUCH = re.compile(r"\bas \w+ as \Z", re.I)


def subject_first(sentence: Sentence, value: Value) -> tuple[str, ...]:
    """Return the order of who speaks of one answer first; empty: nobody does."""
    sides = named(sentence, sentence.whole)
    before = [place for side, place in sides if side.end <= value.token.start]
    place = before[-1] if before else ""
    return (place, other(place)) if place else ()


def _is_its(sentence: Sentence, number: Token) -> bool:
    """Tell whether the chunk of a number begins with "its"."""
    chunk = sentence.around(number)[0]
    head = sentence.words(chunk.start, number.start)
    return bool(re.search(r"\b(?:its|their|with an?)\b", head, re.I))


_WITH_THE_EDGE = re.compile(
    r"[,;:]? (?:and )?(?:so )?(?:in )?(?:the )?(?:adv\.?|advantage|edge|better|best"
    r"|win|winner"
    r"|favou?r(?:s|ing)?|leans?|speaks?|points?|argues?|supports?)"
    r"(?: is| to(?:wards)?| for| of| goes to)?:? (?:the )?",
    re.I,
)


def _goes_on(sentence: Sentence, first: Token, second: Token) -> bool:
    """Tell whether a pronoun stands between two numbers for a side before them."""
    return bool(PRONOUN.search(sentence.words(first.end, second.start)))


def _places_of_chunks(sentence: Sentence, values: list[Value]) -> list[str]:
    """Return the one place that the chunk of each value names; empty: not so."""
    chunks = [sentence.around(value.token)[0] for value in values]
    if len({chunk.start for chunk in chunks}) < len(chunks):
        return []
    places: list[str] = []
    for chunk in chunks:
        in_chunk = _places_in(sentence, chunk)
        if not chunk.of("side"):  # "answer 2 slows, with a trend of 62 %, though 1 ..."
            in_chunk = _places_in(sentence, sentence.clause_at(chunk.start))
        if len(in_chunk) != 1:
            return []
        places += in_chunk
    return places


def _sides_around(
    sentence: Sentence, first: Token, second: Token
) -> list[tuple[Token, str]]:
    """Return the sides around two numbers: behind them, in their clause or sentence."""
    chunk, clause, _ = sentence.around(first)
    behind = named(sentence, chunk)
    are_behind = all(side.start >= second.end for side, _ in behind)
    if behind and are_behind and not _adjacent(sentence, second):
        return behind
    are_before = all(side.end <= first.start for side, _ in behind)
    if behind and are_before and second.start < chunk.end:
        return behind
    sides = named(sentence, clause)
    if sides and second.start < clause.end:
        return sides
    return named(sentence, sentence.whole)


_AGAINST = re.compile(
    r"\b(?:vs\.?|v|versus|against|compared|opposed|rather|instead|other|and its|but"
    r"|beats|tops"
    r"|exceeds)\b|[<>/]"
)


def paired_sides(sentence: Sentence, one: Token, two: Token) -> bool:
    """Tell whether the second of two numbers is set against the first."""
    return bool(_AGAINST.search(sentence.words(one.end, two.start)))
