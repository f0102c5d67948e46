"""Values that a reason prints: the measure of a number, and what it states."""

from __future__ import annotations

import re
from dataclasses import dataclass

from trace_eval.data.word_lists import words_of
from trace_eval.judges.claims.lexicon import HEDGES, OF_UNIT
from trace_eval.judges.claims.sentences import Part, Sentence
from trace_eval.judges.claims.stated import Relation, StatedClaim
from trace_eval.judges.claims.tokens import Token, measure_of
from trace_eval.judges.claims.unnamed import (
    gives,
    key_in_list,
    key_of_sound,
    key_of_unit,
)

#: More words between a measure and a number may bring in another measure.
MOST_BETWEEN = 2


#: No recording of speech ends below.
LEAST_BANDWIDTH_HZ = 500


@dataclass(frozen=True)
class Value:
    """A number that is a value of a measure, and the side at which it stands.

    No side: it stands at none.
    """

    token: Token
    key: str
    unit: str
    place: str = ""


def key_of(sentence: Sentence, token: Token, unit: str) -> str:
    """Return the key of the measure that a number is of; empty: none, or several."""
    key = _key_by_place(sentence, token, unit)
    if key == "bandwidth" and unit == "hz" and token.number < LEAST_BANDWIDTH_HZ:
        return "pitch"  # "the voice is higher in frequency (181 v 118 Hz)"
    if key == "variation" and _is_of_loudness(sentence, token):
        return "loudness_sd"
    if key == "shared" and unit != "%":
        return ""  # "20 shared words"
    if key == "trend" and not unit:
        trend = [each for each in sentence.whole.of("measure") if each.value == key]
        is_given = any(gives(sentence, each, token) for each in trend)
        return key if is_given else ""
    return key


def _is_of_loudness(sentence: Sentence, token: Token) -> bool:
    """Tell whether an SD is of the loudness: "loudness varies more (SD 14 v 4)"."""
    before = [
        m for m in sentence.around(token)[1].of("measure") if m.end <= token.start
    ]
    if len(before) < 2 or not _SD.fullmatch(before[-1].text):
        return False
    return before[-2].value in ("loudness", "level")


_SD = re.compile(r"SDs?", re.I)


def _key_by_place(sentence: Sentence, token: Token, unit: str) -> str:
    if not unit and (key := key_in_list(sentence, token)) is not None:
        return key
    if not unit and _is_out_of_reach(sentence, token):
        return ""
    parts: tuple[Part, ...] = sentence.around(token)
    if "point" in token.text and unit == "mos":  # points are counted of other things
        parts = parts[:2]
    if key := key_of_sound(sentence, token, unit):
        return key
    for part in parts:
        fitting = _fitting(sentence, part, token=token, unit=unit)
        keys = {mention.value for mention in fitting}
        if not unit and _all_behind(sentence, fitting, token):
            keys = _keys_of_number_before(sentence, token) or keys
        if len(keys) == 1:
            return _by_unit(keys.pop(), unit)
        if keys:
            nearest = min(fitting, key=lambda mention: distance(mention, token))
            is_before = nearest.end <= token.start
            if is_before and not _between(part.tokens, nearest, token):
                return _by_unit(nearest.value, unit)
            return ""
    if sentence.topic and fits(sentence.topic, unit):
        return _by_unit(sentence.topic, unit)
    key, unit_before = sentence.echo
    kinds = sorted(each.kind for each in sentence.whole.tokens)
    if key and unit == unit_before and kinds == ["number", "side"]:
        return _by_unit(key, unit)
    return key_of_unit(sentence, token, unit)


def _is_out_of_reach(sentence: Sentence, token: Token) -> bool:
    """Tell whether a bare number follows one that is not of the measure named last.

    An example is the 1.2 of "a pitch with 3.4 semitones of variation, then 1.2".
    """
    before = [each for each in sentence.whole.tokens if each.end <= token.start]
    names = [each for each in before if each.kind in ("measure", "more") and each.value]
    numbers: list[Token] = []
    for each in before:
        if each.kind == "number" and each.unit not in ("steps", "x"):
            numbers.append(each)
    if not names or not numbers or numbers[-1].start < names[-1].end:
        return False
    behind: list[Token] = []
    for each in sentence.around(token)[0].of("measure"):
        if each.start >= token.end:
            behind.append(each)
    return not behind and not fits(names[-1].value, numbers[-1].unit)


def _fitting(sentence: Sentence, part: Part, token: Token, unit: str) -> list[Token]:
    """Return the mentions of measures that can have the unit of a number."""
    mentions = [each for each in part.of("measure", "more") if each.value]
    mentions = [each for each in mentions if not of_several(sentence, each)]
    mentions = [
        each
        for each in mentions
        if not _has_own_number(sentence, part, mention=each, token=token)
    ]
    fitting = [each for each in mentions if fits(each.value, unit)]
    if not unit and any(each.value == "bak" for each in part.of("measure")):
        # "the background is much quieter with 3.84 against 2.37"
        fitting = [m for m in fitting if (m.kind, m.value) != ("more", "loudness")]
    if unit == "hz":
        fitting = [each for each in fitting if _is_in_hertz(part, each)]
    if unit != "words":
        return fitting
    beside = [each for each in part.of("measure") if each.start == token.end + 1]
    if _ARE_DOUBTFUL.match(sentence.words(token.start, part.end)):
        return [each for each in fitting if each.value == "doubtful"]
    return [each for each in fitting if each.value != "doubtful" or each in beside]


#: "3 words of answer 1 and two of answer 2 are doubtful".
_ARE_DOUBTFUL = re.compile(
    r"(?<!\d)\d{1,4} words? (?:(?:of|in) (?:[^;\",]|, _+,){1,60}\b)?"
    r"(?:are|is|were|was) (?:heard with doubt|in doubt|doubtful|uncertain|unsure)\b",
    re.I,
)
_DEVIATION = re.compile(r"SD|std|devia|varia|spread", re.I)


def _is_in_hertz(part: Part, mention: Token) -> bool:
    """Tell whether hertz may be of a mention: of a deviation that has no semitones."""
    if mention.value != "variation":
        return True
    has_semitones = any(number.unit == "st" for number in part.of("number"))
    return bool(_DEVIATION.search(mention.text)) and not has_semitones


def _has_own_number(
    sentence: Sentence, part: Part, mention: Token, token: Token
) -> bool:
    """Tell whether another number stands right behind a measure: "90 Hz, SD 1.8 st"."""
    if mention.start < token.end:
        return False
    return any(gives(sentence, mention, number) for number in part.of("number"))


#: A measure right behind its number: "3.1 in BAK", "a 3.1 P808".
_RIGHT_BEHIND = re.compile(r"(?: points?)?(?: (?:in|for|of|on|as))?(?: (?:the|its))? ?")


def _all_behind(sentence: Sentence, mentions: list[Token], token: Token) -> bool:
    """Tell whether there are mentions, and all of them some words behind a token."""
    if not mentions or any(each.start < token.end for each in mentions):
        return False
    between = sentence.words(token.end, mentions[0].start)
    return not _RIGHT_BEHIND.fullmatch(between)


def _keys_of_number_before(sentence: Sentence, token: Token) -> set[str]:
    """Return the measures of the bare numbers before, of which another is told.

    "P808 is 367 while answer 1 is poor with 230, and its background ..."
    """
    numbers = [n for n in sentence.whole.of("number") if n.end <= token.start]
    if not numbers or numbers[-1].unit:
        return set()
    measures: set[str] = set()
    for measure in sentence.around(numbers[-1])[1].of("measure"):
        if any(measure.end < number.start for number in numbers):
            measures.add(measure.value)
    return measures


_SEVERAL = re.compile(r" (?:one )?of which\b")


def of_several(sentence: Sentence, mention: Token) -> bool:
    """Tell whether a comparative picks one of several, as "the longer of which" does.

    What it names is none of an answer's own measures.
    """
    behind = sentence.words(mention.end, mention.end + 24)
    return mention.kind == "more" and bool(_SEVERAL.match(behind))


def _between(tokens: tuple[Token, ...], one: Token, two: Token) -> bool:
    return any(one.end <= t.start < two.start and t.kind == "number" for t in tokens)


def fits(key: str, unit: str) -> bool:
    """Tell whether a measure can have this unit."""
    measure = measure_of(key)
    if measure is None:
        return False
    if not unit:
        return True
    if key in ("variation", "pitch_range") and unit == "hz":
        return key == "variation"
    return measure.unit in OF_UNIT.get(unit, (unit,))


def _by_unit(key: str, unit: str) -> str:
    if key == "variation" and unit == "hz":
        return "variation_hz"
    if key == "level" and unit == "lufs":
        return "loudness"
    return key


def distance(one: Token, two: Token) -> int:
    """Return the characters between two tokens."""
    return two.start - one.end if one.end <= two.start else one.start - two.end


def value_claim(
    sentence: Sentence, value: Value, relation: Relation, places: tuple[str, ...]
) -> StatedClaim:
    """Return the claim that answers have a value, or one within bounds."""
    return StatedClaim(
        kind="number",
        text=sentence.claim_text(value.token),
        at=value.token.start,
        relation=relation,
        places=places,
        measure=measure_of(value.key),
        numbers=(value.token.digits,),
        unit=value.unit,
        beside=_is_named_beside(sentence, value),
        hedged=is_hedged(sentence, value.token),
        doubt=_doubt(sentence, value.token, both=len(places) == 2)
        if relation == "is" and not sentence.presupposed(value.token)
        else "",
    )


def is_hedged(sentence: Sentence, token: Token) -> bool:
    """Tell whether a number is said to be about so much: "about 180", "180 or so"."""
    tail = sentence.words(token.end, token.end + 10)
    if tail.startswith((" or so", "-ish")):
        return True
    return bool(_HEDGED.search(sentence.words(token.start - 26, token.start)))


def _is_named_beside(sentence: Sentence, value: Value) -> bool:
    """Tell whether a number stands at the name of its measure: "BAK of 1 is 248"."""
    for measure in sentence.whole.of("measure"):
        if measure.value != value.key:
            continue
        start, end = measure.end, value.token.start
        if measure.start >= value.token.end:
            start, end = value.token.end, measure.start
        if any(start <= each.start < end for each in sentence.whole.of("measure")):
            continue
        between = sentence.words(start, end)
        if any(start <= each.start < end for each in sentence.clauses):
            continue  # "an intrusive background, whereas answer 2 reaches 331"
        for side in sentence.whole.of("side"):
            between = between.replace(side.text, "")
        if len(re.findall(r"\w+", between)) <= MOST_BETWEEN:
            return True
    return False


#: Why "neither clears 4.2" is not checked: it bounds a value by a verb nobody knows.
_UNBOUND = "a denied value may be a bound"

#: Why "both clear 4.2" is not, either, and why "both, dearly, 4.2" may not be.
_BOUND = "one value of both may be a bound"
JOINT = "one value of both may be none"
_AT = words_of(
    "have has had are were at with a an the is was of sit sits stand stands come comes came show",
    "shows reach reaches get got in out on score scored measure measures read record value mean",
    "average same exactly only just about around roughly some for it speak also each identical",
    "equal to by close nearly almost land clock run contain say said both recordings answers"
    " achieve achieves achieved receive receives received obtain obtained feature featured near"
    " include included use used maintain maintained exhibit exhibited deliver delivered hover"
    " flat monotone lively quiet loud slow fast high low deep natural even steady identically"
    " clearly equally similarly fairly rather quite very"
    " take takes go end ends extend extends stop stops limited cut off"
    " produce produced possess share spoken longest",
)


#: A value stands right behind.
_IS_AT = re.compile(
    rf"\b(?:of|at|with|around|is|are|was|averag\w+|reach\w*|up to)"
    rf"(?: {HEDGES}| a little over| just| only| an? [a-z]{{1,12}})* \Z",
    re.I,
)
#: "Both stop at 8 kHz", "both keep to 140 WPM".
_COMES_TO = re.compile(
    r" are clear\b| keep the same | share "
    r"| (?:keep|stop|drop|fall|sink|come)s? (?:down |on )?(?:to|at) ",
    re.I,
)
#: Verbs that make a value a bound that both keep.
_BOUNDING = words_of(
    "clear clears pass passes miss misses fail fails hit hits top tops beat beats break breaks",
    "cross crosses meet meets satisfy satisfies approach need needs require requires lack lacks",
    "promised promise expected wanted asked fall rise sink keep kept dodge avoid escape stop",
)


def _doubt(sentence: Sentence, token: Token, both: bool) -> str:
    """Return why the value of one answer, or of both, may be none; empty: it is one."""
    if _denied(sentence, token):
        return _UNBOUND
    sides = [s for s in sentence.whole.of("side") if s.value == "both"]
    before = [side for side in sides if side.end <= token.start]
    if not both or not before:
        return ""
    words = sentence.words(before[-1].end, token.start)
    if any(
        words.endswith(f"{measure.text} (") for measure in sentence.whole.of("measure")
    ):
        return ""  # "both are limited in bandwidth (3.4 kHz)"
    words = _COMES_TO.sub(" are at ", words)
    verbs = set(re.findall(r"[a-z]+", words.lower()))
    if verbs & _BOUNDING:
        return _BOUND
    if _IS_AT.search(words):
        return ""  # "both recordings offer a bandwidth of about 16 kHz"
    words = words.rpartition(" and ")[2]
    for each in sentence.whole.of("measure", "number"):
        words = words.replace(each.text, " ")
    return "" if _AT.issuperset(re.findall(r"[a-z]+", words.lower())) else JOINT


def _denied(sentence: Sentence, token: Token) -> bool:
    """Tell whether a value stands in a chunk that denies it, or names neither side."""
    chunk = sentence.around(token)[0]
    if any(side.value == "neither" for side in chunk.of("side")):
        return True
    return sentence.denied(chunk, token)


_HEDGED = re.compile(rf"(?<!\w){HEDGES}(?: \w+)? ?$", re.I)
