"""Values that a reason prints: the measure of a number, and what it states."""

from __future__ import annotations

import re
from dataclasses import dataclass

from trace_eval.data.word_lists import words_of
from trace_eval.judges.claims.lexicon import HEDGES, NAMING, OF_UNIT
from trace_eval.judges.claims.sentences import Part, Sentence
from trace_eval.judges.claims.stated import Relation, StatedClaim
from trace_eval.judges.claims.tokens import Token, measure_of


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
    if not unit and _is_out_of_reach(sentence, token):
        return ""
    parts: tuple[Part, ...] = sentence.around(token)
    if "point" in token.text and unit == "mos":  # points are counted of other things
        parts = parts[:2]
    for part in parts:
        fitting = _fitting(sentence, part, token=token, unit=unit)
        keys = {mention.value for mention in fitting}
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
    if unit == "hz" and _is_of_voice(sentence, token):
        return "pitch"
    return NAMING.get(unit, "")


#: Voices lie between these, Hz; what else does is named.
_VOICES_HZ = (60, 450)
_VOICE = re.compile(
    r"\b(?:voice|deep|tenor|soprano|alto|baritone|high-pitched|low-pitched)\b", re.I
)
#: Words between what tells of a voice and its hertz; any other tells of another sound.
_AT_HERTZ = words_of(
    "at of is sits sat lies low lower down high up round around about near nearly roughly some",
    "just only a an the in comes speaks voice pair",
)


def _is_of_voice(sentence: Sentence, token: Token) -> bool:
    """Tell whether a number of hertz is of a voice: "a deep voice, 118 Hz"."""
    low, high = _VOICES_HZ
    if not low <= token.number <= high or sentence.whole.of("measure"):
        return False
    head = sentence.words(sentence.whole.start, token.start)
    voices = list(_VOICE.finditer(head))
    if not voices:
        return False
    between = head[voices[-1].end() :]
    for side in sentence.whole.of("side"):
        between = between.replace(side.text, " ")
    return _AT_HERTZ.issuperset(re.findall(r"[a-z]+", between.lower()))


def _is_out_of_reach(sentence: Sentence, token: Token) -> bool:
    """Tell whether a bare number follows one that is not of the measure named last.

    An example is the 1.2 of "a pitch with 3.4 semitones of variation, then 1.2".
    """
    before = [each for each in sentence.whole.tokens if each.end <= token.start]
    names = [each for each in before if each.kind in ("measure", "more") and each.value]
    numbers = [each for each in before if each.kind == "number"]
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
    fitting = [each for each in mentions if fits(each.value, unit)]
    if unit != "words":
        return fitting
    beside = [each for each in part.of("measure") if each.start == token.end + 1]
    return [each for each in fitting if each.value != "doubtful" or each in beside]


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
    return "variation_hz" if key == "variation" and unit == "hz" else key


def distance(one: Token, two: Token) -> int:
    """Return the characters between two tokens."""
    return two.start - one.end if one.end <= two.start else one.start - two.end


def value_claim(
    sentence: Sentence, value: Value, relation: Relation, places: tuple[str, ...]
) -> StatedClaim:
    """Return the claim that answers have a value, or one within bounds."""
    head = sentence.words(value.token.start - 26, value.token.start)
    tail = sentence.words(value.token.end, value.token.end + 10)
    is_hedged_before = bool(_HEDGED.search(head))
    return StatedClaim(
        kind="number",
        text=sentence.claim_text(value.token),
        at=value.token.start,
        relation=relation,
        places=places,
        measure=measure_of(value.key),
        numbers=(value.token.digits,),
        unit=value.unit,
        hedged=is_hedged_before or tail.startswith((" or so", "-ish")),
        doubt=_doubt(sentence, value.token, both=len(places) == 2)
        if relation == "is" and not sentence.presupposed(value.token)
        else "",
    )


#: Why "neither clears 4.2" is not checked: it bounds a value by a verb nobody knows.
_UNBOUND = "a denied value may be a bound"

#: Why "both clear 4.2" is not, either.
_JOINT = "one value of both may be a bound"
_AT = words_of(
    "have has had are were at with a an the is was of sit sits stand stands come comes came show",
    "shows reach reaches get got in out on score scored measure measures read record value mean",
    "average same exactly only just about around roughly some for it speak also each identical",
    "equal to by close nearly almost land clock run contain say said both recordings answers"
    " achieve achieves achieved receive receives received obtain obtained feature featured near"
    " include included use used maintain maintained exhibit exhibited deliver delivered hover"
    " produce produced possess share spoken longest",
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
    for each in sentence.whole.of("measure", "number"):
        words = words.replace(each.text, " ")
    return "" if _AT.issuperset(re.findall(r"[a-z]+", words.lower())) else _JOINT


def _denied(sentence: Sentence, token: Token) -> bool:
    """Tell whether a value stands in a chunk that denies it, or names neither side."""
    chunk = sentence.around(token)[0]
    if any(side.value == "neither" for side in chunk.of("side")):
        return True
    return sentence.denied(chunk, token)


_HEDGED = re.compile(rf"(?<!\w){HEDGES}(?: \w+)? ?$", re.I)
