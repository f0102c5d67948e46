"""Numbers that some answer must have, whatever the sentence says of them.

"The two cannot be told apart, with the same level of -18 LUFS" denies a difference and
leaves open whose level it is. Where neither answer has -18 LUFS, and they do not differ
by it, the number is false all the same. A norm, a wish, a bound or a place of a contour
is no value of an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from trace_eval.judges.claims.differences import bound_of, is_gap
from trace_eval.judges.claims.measures import NAMED_SCORES, SCORES
from trace_eval.judges.claims.numbers import states_nothing
from trace_eval.judges.claims.seeming import is_of_a_kind
from trace_eval.judges.claims.sentences import Sentence
from trace_eval.judges.claims.stated import StatedClaim
from trace_eval.judges.claims.tokens import Token
from trace_eval.judges.claims.unnamed import OTHER_SOUND, gives
from trace_eval.judges.claims.values import is_hedged

#: Unit -> the measures of which a number of it may be; "mos": a bare one beside scores.
OF_ANY: Mapping[str, tuple[str, ...]] = {
    "wpm": ("rate", "articulation"),
    "syl": ("syllables",),
    "khz": ("bandwidth", "sampling"),
    "lufs": ("loudness",),
    "hz": ("pitch", "variation_hz", "bandwidth", "sampling"),
    "%": ("trend", "voiced", "clipping", "shared"),
    "mos": SCORES,
}

#: Bare hundredths of a score lie between these; below stands a score, not hundredths.
_LEAST_HUNDREDTHS, _MOST_HUNDREDTHS, _MOST_MOS = 100, 500, 5

#: What is said of nobody's answer stands near such words.
_OF_OTHERS = re.compile(
    r"\b(?:typical\w*|usual\w*|normal\w*|norms?|average (?:person|voice|adult)|common"
    r"|standards?|thresholds?|limits?"
    r"|recommended|ranges?|ideal\w*|targets?|conversation\w*|telephone|human|people"
    r"|speakers?|listeners?|most|expected|ordinary|between|asked|request\w*|scale|out of"
    r"|maximum|possible|would have|faster|slower|higher|lower|shorter|longer)\b",
    re.I,
)
_NEAR = 40

#: Places of a contour, which are not kept in every blueprint.
_OF_CONTOUR = re.compile(
    r"\b(?:peak|climb|fall|fell|jump|rise|rising|start|from|dip|sink|contour|swing"
    r"|sweep|drop|leap"
    r"|step|settle|outlier|spike|end|begin|down to|up to|point|(?:low|high)s? of|reach)",
    re.I,
)


#: "213 to 230 WPM" bounds a value.
_RANGES_FROM = re.compile(
    r"\d(?: ?[A-Za-z/%]{1,12}(?: [A-Za-z/%]{1,12}){0,2})? ?(?:to|-) ?\Z"
)
_RANGES_TO = re.compile(
    r"(?:/5)?(?: ?[A-Za-z%]{1,12}(?: [A-Za-z%]{1,12}){0,2})? ?(?:to|-) ?-?\d"
)

_OF_TREND = re.compile(
    r"\b(?:trends?|tempo|pace|speed\w*|slow\w*|drag\w*|accelerat\w*|second half|voiced)\b",
    re.I,
)


def somewhere(sentence: Sentence) -> Iterator[StatedClaim]:
    """Yield the numbers of a sentence that some answer must have."""
    if not _speaks_of_answers(sentence):
        return
    for token in sentence.whole.of("number"):
        unit = _unit_of(sentence, token)
        if unit in OF_ANY and not _is_of_others(sentence, token, unit):
            yield StatedClaim(
                kind="number",
                text=sentence.claim_text(token),
                at=token.start,
                relation="any",
                numbers=(token.digits,),
                unit=unit,
                hedged=is_hedged(sentence, token),
            )


def _speaks_of_answers(sentence: Sentence) -> bool:
    """Tell whether a sentence names an answer, or calls both the same."""
    sides = [side for side in sentence.whole.of("side") if side.text.lower() != "they"]
    words = sentence.words(sentence.whole.start, sentence.whole.end)
    sames = [
        each for each in sentence.whole.of("same") if not is_of_a_kind(sentence, each)
    ]
    return bool(sides or sames or _ONE_OF_EACH.search(words))


#: "Pace is given as 135 and 219 words per minute".
_ONE_OF_EACH = re.compile(r"\d (?:and|v\.?|vs\.?|versus|against) -?\d")


def _unit_of(sentence: Sentence, token: Token) -> str:
    """Return the unit of a number; bare hundredths beside scores alone are MOS."""
    if token.unit:
        return "" if token.unit == "mos" else token.unit  # points may be of anything
    named = {measure.value for measure in sentence.whole.of("measure")}
    is_whole = token.digits.isdigit()
    in_hundredths = _LEAST_HUNDREDTHS <= token.number <= _MOST_HUNDREDTHS
    if is_whole and _MOST_MOS < token.number < _LEAST_HUNDREDTHS:
        measures = sentence.whole.of("measure")
        scores = [each for each in measures if each.value in SCORES]
        in_hundredths = any(gives(sentence, each, token) for each in scores)  # "BAK 90"
    are_scores = bool(named) and named <= NAMED_SCORES
    return "mos" if are_scores and is_whole and in_hundredths else ""


def _is_of_others(sentence: Sentence, token: Token, unit: str) -> bool:
    """Tell whether a number may be of no answer: a norm, a bound, a difference."""
    if sentence.asks or sentence.unreal(token) or states_nothing(sentence, token):
        return True
    if bound_of(sentence, token) or is_gap(sentence, token):
        return True
    if _RANGES_FROM.search(sentence.words(token.start - 24, token.start)):
        return True
    if _RANGES_TO.match(sentence.words(token.end, token.end + 12)):
        return True
    around = sentence.words(token.start - _NEAR, token.end + _NEAR // 2)
    if unit == "hz" and (_OF_CONTOUR.search(around) or OTHER_SOUND.search(around)):
        return True
    if unit == "%" and not _OF_TREND.search(around):
        return True  # a share of anything: "75 % of the transcript"
    return bool(_OF_OTHERS.search(around))
