"""Answers that are said to be the same in a measure, or as fast as each other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from trace_eval.judges.claims.compared import compared
from trace_eval.judges.claims.lexicon import EITHER_WILL_DO, LITTLE
from trace_eval.judges.claims.seeming import is_of_a_kind, is_of_a_thing
from trace_eval.judges.claims.sentences import Sentence, named
from trace_eval.judges.claims.stated import StatedClaim
from trace_eval.judges.claims.subjects import (
    IN_RESPECT,
    NEXT,
    comparison,
    measured_key,
    of_movement,
)
from trace_eval.judges.claims.tokens import Token


def is_undone(sentence: Sentence, token: Token) -> bool:
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


def sames(sentence: Sentence, token: Token) -> Iterator[StatedClaim]:
    """Yield "the same pitch", "no difference in rate", or that they are not."""
    if sentence.unreal(token) or re.match(
        r"(?: to)? (?:\w+ )?[-\d.]", sentence.words(token.end, token.end + 20)
    ):
        return
    if is_of_a_kind(sentence, token) or is_of_a_thing(sentence, token):
        return
    if _EQUALLY.match(sentence.words(token.start, token.end + 24)):
        return
    if _OTHERWISE.search(sentence.words(token.start - 30, token.start)):
        return
    chunk, clause, _ = sentence.around(token)
    key = token.value
    if not token.sign:
        behind = [t for t in chunk.of("measure") if t.start >= token.end]
        if behind and NEXT.fullmatch(sentence.words(token.end, behind[0].start)):
            key = behind[0].value
        else:
            sounds = _SOUNDS_SO.search(sentence.words(token.start - 24, token.start))
            parts = (chunk,) if sounds else (chunk, clause)
            every = [t for part in parts for t in part.of("measure")]
            mentions = [t for t in every if not _is_told_next(sentence, token, t)]
            keys = {t.value for t in mentions if not _is_despite(sentence, t)}
            keys = keys or {sentence.topic}
            key = keys.pop() if len(keys) == 1 else ""
    if _IN_SYLLABLES.search(sentence.words(chunk.start, token.start)):
        key = "syllables"
    key = of_movement(sentence, token, key)
    if _CHANGE.search(sentence.words(token.start - 24, token.start)):
        return  # "both slow down equally"
    if not key or key in ("words", "doubtful", "trend"):
        return
    if (
        token.text.lower() in ("matched", "tied", "matches")
        and len(named(sentence, chunk)) == 1
    ):
        return
    if _EITHER_WILL_DO.fullmatch(token.text) and not _asked_for(sentence, token):
        return
    claim = comparison(sentence, token, key, "same")
    denied = token.kind == "same" and sentence.denied(chunk, token)
    yield replace(claim, places=("1", "2"), negated=denied)


_IN_SYLLABLES = re.compile(r"\b(?:in|by) syllables\b", re.I)
_CHANGE = re.compile(
    r"\b(?:slow|speed|fade|fall|rise|drop|climb)s?(?: (?:down|up|off))?(?: \w+ly)? \Z"
)
#: "They sound about equal" is of the whole.
_SOUNDS_SO = re.compile(r"\bsounds?(?: (?:about|nearly|almost|much|\w+ly))* \Z")


def _is_told_next(sentence: Sentence, token: Token, measure: Token) -> bool:
    """Tell whether a measure is of what is told next: "equal, and a background ..."."""
    return ", and " in sentence.words(token.end, measure.start)


_DESPITE = re.compile(
    r"\b(?:despite|in spite of|notwithstanding|apart from|aside from|except(?: for)?"
    r"|other than"
    r"|regardless of|whatever|beside|even with|even though|although)\b[^,;:]*\Z",
    re.I,
)


def _is_despite(sentence: Sentence, measure: Token) -> bool:
    """Tell whether a measure is set aside: "no difference despite the BAK values"."""
    return bool(_DESPITE.search(sentence.words(sentence.whole.start, measure.start)))


#: "They are equally usable" names no measure.
_EQUALLY = re.compile(
    r"(?:equally|similarly|identically) (?:good|bad|poor|fair|usable|acceptable|fine"
    r"|natural|clear"
    r"|suitable|plausible|pleasant|well|weak|adequate|valid|fitting|appropriate"
    r"|complete)\b",
    re.I,
)
#: "And the deliveries are otherwise the same" is of all that is not named.
_OTHERWISE = re.compile(
    r"\b(?:otherwise|apart from (?:that|this)|else(?: \w+)?)"
    r"(?: (?:about|nearly|almost|much|\w+ly))* \Z",
    re.I,
)
_EITHER_WILL_DO = re.compile(EITHER_WILL_DO, re.I)


def _asked_for(sentence: Sentence, token: Token) -> bool:
    """Tell whether the chunk of a token begins with its measure: "for pitch it ..."."""
    chunk = sentence.around(token)[0]
    measures = chunk.of("measure")
    if not measures:
        return False
    return bool(IN_RESPECT.match(sentence.words(chunk.start, measures[0].start)))


def as_much(sentence: Sentence, token: Token) -> Iterator[StatedClaim]:
    """Yield "not as fast as answer 2", "as fast as answer 2"; ratios are numbers."""
    head = sentence.words(token.start - 16, token.start)
    if _has_factor(sentence, token) or _CALLED.search(head):
        return
    chunk, _, _ = sentence.around(token)
    key = token.value or measured_key(sentence, token)
    if not token.value:
        key = of_movement(sentence, token, key)
    places = compared(sentence, token)
    if not key or places is None or sentence.unreal(token):
        return
    if sentence.denied(chunk, token):
        claim = comparison(sentence, token, key, "more")
        yield replace(claim, places=places, sign=-(token.sign or 1))
    else:
        yield replace(comparison(sentence, token, key, "same"), places=("1", "2"))


#: "Is described as quiet" compares nothing.
_CALLED = re.compile(
    r"\b(?:described|marked|labell?ed|rated|called|flagged|judged|seen|heard|given|listed"
    r"|classed|regarded|read|counts?|reads?|comes? across|(?:de)?scribes? it) \Z",
    re.I,
)


def _has_factor(sentence: Sentence, token: Token) -> bool:
    """Tell whether a factor stands right before "as": "twice as fast"."""
    before = [each for each in sentence.whole.tokens if each.end <= token.start]
    if not before:
        return False
    nearest = before[-1]
    if nearest.kind != "factor" and nearest.unit not in ("x", "%"):
        return False
    return not sentence.words(nearest.end, token.start).strip()
