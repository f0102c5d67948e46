"""Numbers that are not values: bounds and differences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from trace_eval.judges.claims.compared import compared
from trace_eval.judges.claims.lexicon import GOOD, HEDGES, OVER, UNDER
from trace_eval.judges.claims.ratios import times
from trace_eval.judges.claims.routes import told_as_route
from trace_eval.judges.claims.sentences import Part, Sentence, named, other
from trace_eval.judges.claims.stated import StatedClaim
from trace_eval.judges.claims.subjects import direction, measured_key, only_measure
from trace_eval.judges.claims.tokens import Token, measure_of
from trace_eval.judges.claims.unnamed import gives
from trace_eval.judges.claims.values import Value, distance, fits, key_of, value_claim

_BOUNDS = {"over": re.compile(OVER, re.I), "under": re.compile(UNDER, re.I)}
_NO = re.compile(r"\b(?:not|never|neither|no|nor|none)\b|n't\b", re.I)
_REACHED = re.compile(
    r"\b(?:reach|attain|hit|get to|come up to|adds? up to|amounts? to|touch)(?:e?s|ed)?\b"
    r"[\w. ]{0,36}$",
    re.I,
)
_JUST = re.compile(
    r"\b(?:just|slightly|a little|a bit) (?:over|under|above|below|more|less)\b"
)
#: "Its bandwidth goes up to 11.8 kHz" gives the value.
_UP_TO = re.compile(
    r"\b(?:goes|go|reach(?:es|ing)?|extends?|extending|carries|runs?|stretch(?:es)?"
    r"|sounds?|band,"
    r"|continues?|speech)(?: all the way)? up to (?:about |around |roughly |nearly )?\Z"
)


def bound_of(sentence: Sentence, token: Token) -> str:
    """Return whether a number bounds the value, and how: over, under, or not at all."""
    chunk, clause, _ = sentence.around(token)
    start = max(clause.start, token.start - 50)
    for fence in clause.of("number", "side", "quote"):
        if fence.end <= token.start:
            start = max(start, fence.end)
    head = _COLON_APART.sub(
        "", re.split(r"[,(]", sentence.words(start, token.start))[-1]
    )
    if _JUST.search(head) or _UP_TO.search(head) or _is_of_side(sentence, token):
        return ""
    if _SET_AGAINST.fullmatch(head) and _follows_number(clause, token):
        return ""  # "3.1 < 3.7" compares
    is_denied = bool(_NO.search(sentence.words(chunk.start, start) + head))
    if is_denied and _REACHED.search(head):
        return "under"
    bounds = list(_bounds_in(head))
    tail = sentence.words(token.end, token.end + 12)
    if re.match(r" or (?:more|above|higher)\b", tail):
        bounds.append((0, "over", "at least"))
    if not bounds:
        return ""
    _, way, words = max(bounds)
    if any(
        side.value == "neither" and (side.start < token.start or side in chunk.tokens)
        for side in clause.of("side")
    ) and not any(side.value == "both" for side in chunk.of("side")):
        is_denied = True
    if is_denied and words.lower() not in ("no less than", "no more than", "not even"):
        return "under" if way == "over" else "over"
    return way


_SET_AGAINST = re.compile(r" ?[<>] ?")


def _follows_number(clause: Part, token: Token) -> bool:
    """Tell whether the token before a number is one, too."""
    before = [each for each in clause.tokens if each.end <= token.start]
    return bool(before) and before[-1].kind == "number"


#: Words with a colon behind them do not bound: "all over the place: 3 %"; but "under: 3".
_COLON_APART = re.compile(
    r"\A.*(?<!\b(?:over|most))(?<!\b(?:under|below|above|least|limit))(?<!beneath): "
)


def _bounds_in(head: str) -> Iterator[tuple[int, str, str]]:
    """Yield the words before a number that bound it: place, way and words."""
    for way, pattern in _BOUNDS.items():
        for match in _words(pattern, head):
            # "passes the criterion with 3.2" bounds nothing.
            if not re.search(r"\b(?:with|it at|it with|at)\b", head[match.end() :]):
                yield match.start(), way, match[0]


def _is_of_side(sentence: Sentence, token: Token) -> bool:
    """Tell whether a number is said to be a side's own: "above the 2.1 of answer 2"."""
    head = sentence.words(token.start - 24, token.start)
    behind = [side for side in sentence.whole.of("side") if side.start >= token.end]
    if not behind or not _THE_VALUE.search(head):
        return False
    return sentence.words(token.end, behind[0].start) in (" of ", " for ", " in ")


_THE_VALUE = re.compile(
    r" the \Z|\b(?:an?|the|only|just) (?:bad|poor|fair|good|mere|modest|low|high) \Z",
    re.I,
)


def _words(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches that neither begin nor end inside a word."""
    for match in pattern.finditer(text):
        start, end = match.span()
        begins_inside = text[start - 1 : start].isalpha()
        ends_inside = text[end : end + 1].isalpha()
        if not begins_inside and not ends_inside:
            yield match


_GAP_HEAD = re.compile(
    r"\b(?:by|(?:gains?|gained|costs?|cost) (?:me|us|you)|(?:I|we|you|one)(?:'d"
    r"| would) lose"
    r"|(?:gap|margin|lead|advantage|deficit|distance|edge|difference|differences"
    r"|premium|surplus"
    r"|shortfall|excess|improvement|plus|bonus|discount|handicap) (?:of|is"
    r"|(?:in|of) [\w .]{1,30} is|in [\w .]{1,30} of|to [\w ]{1,24} is"
    r"|(?:in [\w .]{1,30} )?(?:amounts|comes|adds up) to)"
    r"|differ(?:s|ences?)?(?: in [\w .]{1,30})? by"
    r"|amounting to|difference|gap|difference of|separated by|falls|remains|sits)"
    rf"(?: (?:{HEDGES}|only|a full|a whopping|another|over|the|perhaps|maybe|possibly"
    rf"|an estimated))*"
    r" ?\(?\+?$"
    r"|(?:\b(?:difference|diff\b\.?|gap|margin)|\u0394|\bdelta)"
    r"(?: (?:in|of|on|for))? ?[\w. ()-]{0,30}[:=] ?$"
    r"|\b(?:difference|gap|margin|diff|delta) $",
    re.I,
)
#: "Varies by 4.7 st" is the answer's own.
_VARIES = re.compile(
    rf"\b(?:var(?:y|ies|ied|ying)|mov(?:es?|ed|ing)|swing(?:s|ing)?|modulat\w+|fluctuat\w+"
    rf"|deviat\w+)(?: (?:its|the|his|her|their|in) \w+)?(?: up and down)?(?: only"
    rf"| just)? by"
    rf" (?:(?:{HEDGES}|only|just|merely|a mere|over|under|more than|less than"
    rf"|up to) )?\Z",
    re.I,
)
#: "The difference comes from bandwidth: 12 kHz in answer 1 ..." gives values.
_COMES_FROM = re.compile(
    r"\b(?:difference|gap|lead|advantage)s? (?:comes?|stems?|results?"
    r"|arises?) from [^:]*: \Z",
    re.I,
)
#: "Answer 1 varies by 4.7 st, answer 2 by 2.9 st".
_SO_DOES = re.compile(
    r"\b(?:var(?:y|ies|ied)|moves?|swings?|fluctuates?|modulates?|changes?)"
    r" (?=[^,;\n]*\d)(?:[^.;\n]|\.\d)*(?:,| and) [^.;,\n]{1,24} by"
    r" (?:(?:only|just|about|merely) )?\Z",
    re.I,
)
_GAP_TAIL = re.compile(
    r"(?:[)]| (?:MOS|points?|LU))* (?:apart|difference|gap|advantage|of difference"
    r"|separates?|divides?|lies? between)\b"
)


#: Comparatives that are verbs; what stands before them is what has more.
_VERBAL = re.compile(
    r"leads?\b|exceed|outscore|surpass|tops|edges|trails|lags|falls|drops|beats|out"
    r"|wins|loses|dwarfs",
    re.I,
)


#: "The difference of 215 vs 261 WPM" gives values.
_SET_BESIDE = re.compile(r" (?:[A-Za-z/]+ )?(?:vs\.?|v\.?|versus|against) -?\d")
#: "With little difference: 210 and 211 Hz" gives values.
_LITTLE_HEAD = re.compile(
    r"\b(?:no|little|hardly any|without|barely any|scarcely any)(?: \w+)?"
    r" (?:difference|gap|margin)[^:=]*[:=] ?\(?\Z"
    r"|\bdifferences? (?:are|is|stays?|remains?) (?:all )?(?:under|below"
    r"|less than) [^:]*: \Z",
    re.I,
)


def is_gap(sentence: Sentence, token: Token) -> bool:
    """Tell whether a number is a difference: "by 6 dB", "a gap of 6"."""
    if token.digits.startswith("+") or _lies_between(sentence, token):
        return True
    if _is_negative_gap(sentence, token) or _is_result(sentence, token):
        return True
    clause = sentence.around(token)[1]
    head = sentence.words(max(clause.start, token.start - 60), token.start)
    match = _GAP_HEAD.search(head)
    varies = _VARIES.search(head) or _SO_DOES.search(
        sentence.words(sentence.whole.start, token.start)
    )
    tail = sentence.words(token.end, token.end + 30)
    is_set_against = bool(_SET_BESIDE.match(tail))
    gives_values = (
        is_set_against or _LITTLE_HEAD.search(head) or _COMES_FROM.search(head)
    )
    if match and not (varies or gives_values):
        first_word = match[0].split()[0].lower()
        if first_word not in ("falls", "remains", "sits"):
            return True
    if _stands_before_more(sentence, token) or told_as_route(sentence, token):
        return True
    return bool(_GAP_TAIL.match(tail)) or _off_a_side(sentence, token) is not None


#: "-261 v -109" are two values below zero.
_BESIDE_NEGATIVE = re.compile(r" (?:v|vs\.?|versus|against|and) -\d")
_BEHIND_NEGATIVE = re.compile(r"-\d[\d.]* (?:v|vs\.?|versus|against|and) \Z")
#: Units of what is never below zero.
_POSITIVE = frozenset({"hz", "khz", "wpm", "syl", "s", "ms", "min", "st", "mos", "%"})


def _is_negative_gap(sentence: Sentence, token: Token) -> bool:
    """Tell whether a number is below zero where no value is: "rate of A: -20 WPM"."""
    for before in sentence.whole.of("number"):
        is_level = before.unit in ("lufs", "db", "dbfs") and before.number < 0
        if is_level and before.end <= token.start:
            return False  # "answer 1 is at -23 LUFS and answer 2 at -19"
    stands_alone = sentence.words(token.start - 1, token.start) in (" ", "(")
    if _BESIDE_NEGATIVE.match(sentence.words(token.end, token.end + 12)):
        return False
    if _BEHIND_NEGATIVE.search(sentence.words(token.start - 16, token.start)):
        return False
    if not token.digits.startswith("-") or not stands_alone:
        return False
    if token.unit == "%":
        return True
    measure = measure_of(key_of(sentence, token, token.unit))
    unit = token.unit or (measure.unit if measure else "")
    return measure is not None and unit in _POSITIVE


_MINUEND = re.compile(r" ?- ?-?\d[\d.]*[^=\d]{0,24}= ?[-+]?\d")
_RESULT = re.compile(r"\d[^=\d]{0,24}- ?-?\d[\d.]*[^=\d]{0,24}= ?$")
_SUBTRAHEND = re.compile(r" ?= ?[-+]?\d")
_SIDES = re.compile(r" ?- ?[12]\)?:")


def _is_result(sentence: Sentence, token: Token) -> bool:
    """Tell whether a number is the result of a subtraction: "210 - 130 = 80 Hz"."""
    return bool(_RESULT.search(sentence.words(token.start - 80, token.start)))


def is_operand(sentence: Sentence, token: Token) -> bool:
    """Tell whether a number is a term of a subtraction, whose result is the claim."""
    tail = sentence.words(token.end, token.end + 60)
    if _MINUEND.match(tail):
        return True
    if token.digits in ("1", "2") and not token.unit and _SIDES.match(tail):
        return True  # "Rate (1 - 2): ..." names the answers
    head = sentence.words(token.start - 40, token.start)
    return bool(_SUBTRAHEND.match(tail) and re.search(r"\d[^=\d]{0,24}- ?$", head))


def _stands_before_more(sentence: Sentence, token: Token) -> bool:
    """Tell whether a comparative stands right behind a number: "6 dB quieter"."""
    behind = [each for each in sentence.whole.tokens if each.start >= token.end]
    if not behind:
        return False
    following = behind[0]
    if sentence.words(token.end, following.start) not in (" ", " points "):
        return False
    return following.kind == "more" and not _VERBAL.match(following.text)


_OFF = re.compile(
    r" (?:points? )?(?:(?P<more>over|above|ahead of)|(?P<lead>on)|under|below|behind"
    r"|beneath"
    r"|short of) ",
    re.I,
)


def _off_a_side(sentence: Sentence, token: Token) -> tuple[tuple[str, str], int] | None:
    """Return who lies off whom, and which way: "answer 1 is 4 kHz under answer 2"."""
    sides = named(sentence, sentence.whole)
    before = [place for side, place in sides if side.end <= token.start]
    behind = [(side, place) for side, place in sides if side.start >= token.end]
    if not before or not behind:
        return None
    first = before[-1]
    second_side, second = behind[0]
    match = _OFF.fullmatch(sentence.words(token.end, second_side.start))
    if match is None or first == second:
        return None
    head = sentence.words(token.start - 24, token.start)
    if match["lead"] and not _HOLDS.search(head):
        return None  # "140 WPM on answer 1 and 120 on answer 2"
    return (first, second), 1 if match["more"] or match["lead"] else -1


_HOLDS = re.compile(
    r"\b(?:has|have|had|holds|got|gains?|gained) (?:about |some |a )?$", re.I
)


_NO_GAP = re.compile(
    r"\bno (?:\w+ ){0,3}(?:difference|gap|distinction)s?\b|\bnothing (?:to \w+ )?between\b",
    re.I,
)
_BETWEEN = re.compile(
    r"\bbetween (?:them|the two|it(?:self)?|both|\x01)\b|\bbetween \x01", re.I
)


def _lies_between(sentence: Sentence, token: Token) -> bool:
    """Tell whether the clause of a number speaks of what lies between the sides."""
    clause = sentence.around(token)[1]
    if len(clause.of("number")) != 1:
        return False
    if _NO_GAP.search(sentence.words(clause.start, clause.end)):
        return False
    letters = list(sentence.words(clause.start, clause.end))
    for side in clause.of("side"):
        letters[side.start - clause.start] = "\x01"
    return bool(_BETWEEN.search("".join(letters)))


def nearest_more(token: Token, parts: Iterable[Part]) -> Token | None:
    """Return the nearest comparative of the first part that has any."""
    for part in parts:
        comparatives = [each for each in part.of("more") if not each.valued]
        if comparatives:
            return min(comparatives, key=lambda each: distance(each, token))
    return None


def gap_claims(sentence: Sentence, token: Token) -> Iterator[StatedClaim]:
    """Yield "6 dB quieter", "30 % faster", "a difference of 0.4"."""
    more = nearest_more(token, sentence.around(token))
    if token.digits.startswith("+") and any(
        gives(sentence, measure, token) for measure in sentence.whole.of("measure")
    ):
        more = None  # "less noise (P808 337 v 309, periodicity +0.5)"
    told_before = _key_of_values(sentence, token)
    if told_before and more and more.start >= sentence.around(token)[0].end:
        more = None  # of what is told next
    key = measured_key(sentence, more) if more is not None else ""
    if token.unit != "%" and not fits(key, token.unit):
        key = key_of(sentence, token, token.unit)
    key = key or told_before
    if token.unit == "st" and key == "pitch":
        return
    places: tuple[str, str] | None = None
    sign = 0
    if more is not None:
        places = compared(sentence, more)
        sign = direction(sentence, more, key) if places else 0
        if sentence.denied(sentence.around(more)[0], more):
            return
    if told := _off_a_side(sentence, token) or told_as_route(sentence, token):
        places, sign = told
        key = key or only_measure(sentence)
    signed = token.digits[:1] in "+-" and more is None and not told
    if signed and (ahead := _signed(sentence, token)):
        places, sign = (ahead, other(ahead)), 1 if token.digits[0] == "+" else -1
        key = key or only_measure(sentence)
    if token.unit == "%" and key not in ("clipping", "voiced", "trend"):
        factor = 1 + sign * abs(token.number) / 100
        if sign and factor > 0 and places and key:
            yield times(sentence, token, key=key, factor=factor, places=places)
        return
    if more is None and not sign:
        ahead = ahead_by(sentence, token, key)
        if ahead:
            places, sign = (ahead, other(ahead)), 1
    claim = value_claim(sentence, Value(token, key, token.unit), "apart", places or ())
    yield replace(claim, sign=sign, numbers=(token.digits.lstrip("+"),))


def _key_of_values(sentence: Sentence, token: Token) -> str:
    """Return the measure of the values right before a difference of them.

    "P808 is 314 against 262, a difference of 52 points, and its background ..."
    """
    before = [each for each in sentence.whole.of("measure") if each.end <= token.start]
    if not before or not fits(before[-1].value, token.unit):
        return ""
    values: list[Token] = []
    for number in sentence.whole.of("number"):
        if before[-1].end <= number.start < token.start:
            values.append(number)
    return before[-1].value if len(values) == 2 else ""


def _signed(sentence: Sentence, token: Token) -> str:
    """Return whose a signed difference is: "answer 1: +0.6 P808"; empty: not said."""
    places = {place for _, place in named(sentence, sentence.whole)}
    return places.pop() if len(places) == 1 else _set_against(sentence, token)


def ahead_by(sentence: Sentence, token: Token, key: str) -> str:
    """Return who is ahead by a difference without a comparative; empty: not said."""
    credited = _behind(sentence, token, _CREDITED)
    if credited or key not in GOOD:
        return credited
    return favoured(sentence, token)


def favoured(sentence: Sentence, token: Token) -> str:
    """Return the side that a difference is said to favour; empty: none."""
    return _behind(sentence, token, _FAVOUR)


def _set_against(sentence: Sentence, token: Token) -> str:
    """Return the side of "answer 1: +0.6 P808 vs answer 2"; empty: it is none."""
    sides = named(sentence, sentence.whole)
    free = [(side, place) for side, place in sides if not sentence.marked(side)]
    if len(sides) != 2 or len(free) != 1:
        return ""
    side, place = free[0]
    stands_before = sentence.words(side.end, token.start) in (" ", ": ", ":")
    return place if stands_before else ""


_FAVOUR = re.compile(
    r"[\w ]{0,24}\b(?:in favou?r of|to the advantage of|favou?r(?:s|ing)|benefits?"
    r"|goes to|belongs? to|speaks? for|more for) (?:the )?"
)
#: "Margin in P808: 1.0, for answer 1", "Δ pitch = 20 Hz (answer 1)".
_CREDITED = re.compile(r",? (?:for|in favou?r of) (?:the )?|, to (?:the )?| ?[(\[]")


def _behind(sentence: Sentence, token: Token, between: re.Pattern[str]) -> str:
    """Return the side that stands behind a number and these words; empty: none does."""
    for side, place in named(sentence, sentence.whole):
        if side.start >= token.end:
            gap = sentence.words(token.end, side.start)
            opened = gap.strip() in ("(", "[")
            closed = sentence.words(side.end, side.end + 1) in (")", "]")
            if between.fullmatch(gap) and opened <= closed:
                return place
    return ""
