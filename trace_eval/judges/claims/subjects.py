"""What a comparative is of: its measure, and the way in which that counts."""

from __future__ import annotations

import re

from trace_eval.judges.claims.lexicon import NAMING, THING
from trace_eval.judges.claims.sentences import Part, Sentence, named
from trace_eval.judges.claims.stated import Relation, StatedClaim
from trace_eval.judges.claims.tokens import Token, measure_of

NEXT = re.compile(r"(?:(?: of)?(?: the| its| measured| mean| overall)*)? ?")

IN_RESPECT = re.compile(
    r"\A\s*(?:and |but )?(?:for|in|on|by|as to|regarding) (?:the )?$", re.I
)


def comparison(
    sentence: Sentence, token: Token, key: str, relation: Relation
) -> StatedClaim:
    """Return a comparison of a measure, whose places are still unknown."""
    return StatedClaim(
        kind="comparison",
        text=sentence.claim_text(token),
        at=token.start,
        relation=relation,
        measure=measure_of(key),
    )


def lies_between(
    sentence: Sentence,
    at: int,
    *,
    places: tuple[str, ...],
    key: str,
    bounds: tuple[str, str],
) -> StatedClaim:
    """Return the claim of a word at a place: a value of answers lies within bounds."""
    clause = sentence.clause_at(at)
    measure = measure_of(key)
    return StatedClaim(
        kind="comparison",
        text=sentence.shown[clause.start : clause.end].strip(" ,;.:\n"),
        at=at,
        relation="between",
        places=places,
        measure=measure,
        numbers=bounds,
        unit="%" if measure and measure.unit == "%" else "",
    )


def measured_key(sentence: Sentence, token: Token) -> str:
    """Return the key of a comparative's measure; empty: none, or several."""
    if token.value == "rate" and _OF_SLOPE.search(
        sentence.words(token.start - 40, token.start)
    ):
        return ""  # "its energy sinks faster"
    if token.value:
        return _of_subject(sentence, token)
    behind = [t for t in sentence.whole.of("measure") if t.start >= token.end]
    if behind and NEXT.fullmatch(sentence.words(token.end, behind[0].start)):
        chunk = sentence.around(token)[0]
        if behind[0].text.lower() == "rate" and "sampling" in _keys(chunk):
            return "sampling"  # "is sampled at a higher rate"
        return behind[0].value
    if key := _before_where(sentence, token) or _moves_more(sentence, token):
        return key
    if _is_told_in_hertz(sentence, token):
        return "pitch"
    if key := _told_by_unit(sentence, token):
        return key
    if _HIGH_AND.match(sentence.words(token.start, token.end + 20)):
        return ""  # "answer 1 is higher and faster" is of pitch, or of a measure before
    if _is_of_voice(sentence, token):
        return "pitch"
    chunk, clause, whole = sentence.around(token)
    # "At the same loudness, answer 2 being a bit higher" is of no loudness.
    is_apart = bool(chunk.of("side") and clause.of("same") and not chunk.of("same"))
    for part in (chunk,) if is_apart else (chunk, clause, whole):
        keys = {t.value for t in part.of("measure")}
        if part is not chunk and _HIGH.fullmatch(token.text):
            keys.discard("variation")  # which is wider, and no voice higher
        if part is whole and _is_conceded(sentence, clause):
            keys = set()
        elif part is clause and part is not chunk:
            own = {t.value for t in part.of("measure") if t.end <= token.start}
            keys = own or (keys if not chunk.of("side") else set())
        elif part is whole:  # what follows in another clause is said of something else
            keys = {t.value for t in part.of("measure") if t.end <= token.start}
        if len(keys) == 1:
            return keys.pop()
        if keys:
            return ""
    return sentence.topic


_OF_SLOPE = re.compile(
    r"\b(?:falls?|fades?|sinks?|drops?|declines?|decays?|rises?|climbs?)(?: \w+)? \Z",
    re.I,
)


def _told_by_unit(sentence: Sentence, token: Token) -> str:
    """Return the measure of the unit right behind: "is stronger at -16 LUFS"."""
    for number in sentence.whole.of("number"):
        if number.start >= token.end:
            between = sentence.words(token.end, number.start)
            return NAMING.get(number.unit, "") if between == " at " else ""
    return ""


def _before_where(sentence: Sentence, token: Token) -> str:
    """Return the measure right before "BAK, where answer 1 has the higher score"."""
    chunk, clause, _ = sentence.around(token)
    if chunk.of("measure"):
        return ""
    for measure in sentence.whole.of("measure"):
        if _WHERE.fullmatch(sentence.words(measure.end, clause.start)):
            return measure.value
    return ""


def _moves_more(sentence: Sentence, token: Token) -> str:
    """Return what "the loudness of 2 varies more" is of; empty: of no movement."""
    chunk = sentence.around(token)[0]
    keys = [each.value for each in chunk.of("measure") if each.end <= token.start]
    if token.text.lower() not in ("more", "less") or len(keys) != 1:
        return ""
    moved = of_movement(sentence, token, keys[0])
    return moved if moved != keys[0] else ""


_WHERE = re.compile(r",? where ?", re.I)
_CONCESSION = re.compile(r"(?:although|though|despite)\W*\Z", re.I)


def _is_conceded(sentence: Sentence, clause: Part) -> bool:
    """Tell whether a clause with its own side concedes: "..., though 1 is higher"."""
    head = sentence.words(clause.start - 12, clause.start)
    own = any(not sentence.marked(side) for side, _ in named(sentence, clause))
    return bool(_CONCESSION.search(head)) and own


_HIGH = re.compile(r"higher|lower", re.I)
_HIGH_AND = re.compile(
    rf"(?:higher|lower) and (?:also |(?:the )?{THING} \w+ )?(?:faster|slower|louder"
    rf"|quieter|livelier)\b",
    re.I,
)
_BEFORE_HERTZ = re.compile(
    r"(?: by)?(?: [\d.]+ (?:audible )?(?:steps?|semitones|st))?,?(?: at)?(?: about)? ?"
    r"\(?(?:pitch )?"
    r"| than (?:the )?\w+ \w+ \("
)


_SPEAKS = re.compile(
    r"\b(?:speaks?|speaking|talks?|voice(?: (?!scor|rat|qualit)\w+){0,3}|pitched"
    r"|spoken)"
    r"(?: (?:is|at|about|around|a|an|at least|nearly|half|one|full|roughly|\d[\d.]*"
    r"|steps?"
    r"|semitones?|st|bit|little|touch|much|far|somewhat|slightly|clearly|noticeably"
    r"|markedly"
    r"|audibly|well))* \Z",
    re.I,
)


def _is_of_voice(sentence: Sentence, token: Token) -> bool:
    """Tell whether a voice is higher: "speaks about a step higher"."""
    if not _HIGH.fullmatch(token.text):
        return False
    chunk = sentence.around(token)[0]
    head = sentence.words(chunk.start, token.start)
    behind = [t for t in chunk.of("measure") if t.start >= token.end]
    if behind and behind[0].start <= token.end + 1:
        return False
    return bool(_SPEAKS.search(head)) and not chunk.of("measure")


def _is_told_in_hertz(sentence: Sentence, token: Token) -> bool:
    """Tell whether hertz say what is higher: "answer 1 is higher (194 v 127 Hz)"."""
    if not _HIGH.fullmatch(token.text):
        return False
    behind = [n for n in sentence.whole.of("number") if n.start >= token.end]
    values = [each for each in behind if each.unit not in ("steps", "st")][:2]
    if not any(each.unit == "hz" for each in values):
        return False
    between = sentence.words(token.end, values[0].start)
    return bool(_BEFORE_HERTZ.fullmatch(between))


def _keys(part: Part) -> set[str]:
    return {measure.value for measure in part.of("measure")}


#: What a comparative says of a measure that is its subject: "the pauses are longer".
_SAID_OF = {
    ("pause", "duration"): "pause",
    ("pauses", "duration"): "pause",
    ("bak", "loudness"): "bak",
    ("pitch", "variation"): "variation",
    ("loudness", "variation"): "loudness_sd",
    ("level", "variation"): "loudness_sd",
    ("syllables", "rate"): "syllables",
    ("articulation", "rate"): "articulation",
}
_IS = re.compile(
    r"\A(?:[^,;:()]* )?(?:is|are|was|were|sounds?|seems?|appears?|gets?|feels?)"
    r"(?: (?:not|a|the|bit|much|far|even|also|little|lot|still|somewhat|rather|\w+ly))* "
    r"(?:[\d.]{1,5} ?[A-Za-z]{1,7} )?"
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
    if _IN_FREQUENCY.search(token.text) and _OF_VOICE.search(
        sentence.words(chunk.start, token.start)
    ):
        return "pitch"
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


_IN_FREQUENCY = re.compile(r"\bin frequency\Z", re.I)
_OF_VOICE = re.compile(r"\b(?:voice|pitch|speaker|speaks)\b", re.I)

#: Names the score of noise, and not noise.
_SCORE = re.compile(r"\b(?:quality|scores?|ratings?|mos|values?)\b")
_NO_SCORE = r"(?! (?:noise )?(?:quality|scores?|ratings?|MOS|values?)\b)"
_BEFORE_NOISE = re.compile(rf"(?: \w+)? (?:background )?noise\b{_NO_SCORE}", re.I)
#: Of noise: "a stronger background".
_AMOUNTS = ("more", "less", "stronger", "weaker", "greater", "smaller")
_BEFORE_BACKGROUND = re.compile(rf" background\b{_NO_SCORE}", re.I)


def direction(sentence: Sentence, token: Token, key: str) -> int:
    """Return the sign of a comparative; less background noise is more of its score."""
    if key == "bak" and token.value == "loudness":
        return -token.sign  # a quieter background has the better score
    if key == "bak" and not token.value and not token.valued:
        behind = sentence.words(token.end, token.end + 40)
        if _BEFORE_NOISE.match(behind):
            return -token.sign
        if token.text.lower() in _AMOUNTS and _BEFORE_BACKGROUND.match(behind):
            return -token.sign
        words = [
            t.text.lower() for t in sentence.whole.of("measure") if t.value == "bak"
        ]
        are_of_noise = ["noise" in word and not _SCORE.search(word) for word in words]
        if words and all(are_of_noise):
            return -token.sign
    return token.sign


def of_movement(sentence: Sentence, token: Token, key: str) -> str:
    """Return what is said of a movement: "its pitch varies about as much as that of 2".

    ``key``: of the measure that moves.
    """
    chunk = sentence.around(token)[0]
    if not _MOVES.search(sentence.words(chunk.start, token.start)):
        return key
    return _MOVEMENT_OF.get(key, key)


_MOVEMENT_OF = {"pitch": "variation", "loudness": "loudness_sd", "level": "loudness_sd"}
_MOVES = re.compile(
    r"\b(?:var(?:y|ies|ied)|moves?|swings?|fluctuates?|changes?|wanders?)\b[^,;]{0,24}\Z",
    re.I,
)


def only_measure(sentence: Sentence) -> str:
    """Return the one measure that a sentence names; empty: none, or several."""
    keys = {mention.value for mention in sentence.whole.of("measure")}
    return keys.pop() if len(keys) == 1 else ""
