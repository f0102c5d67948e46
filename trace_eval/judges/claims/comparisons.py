"""Comparisons in a sentence: a measure, a direction, and who has more of it.

All three have to be there, and be the only ones that can be meant; else it is not
checkable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from trace_eval.judges.claims.absences import absences
from trace_eval.judges.claims.compared import compared
from trace_eval.judges.claims.equalities import as_much, is_undone, sames
from trace_eval.judges.claims.lexicon import BEHIND_BARE, GOOD, OF_BACKGROUND, THING
from trace_eval.judges.claims.seeming import points_elsewhere
from trace_eval.judges.claims.sentences import Sentence, named, other
from trace_eval.judges.claims.stated import Relation, StatedClaim
from trace_eval.judges.claims.subjects import (
    IN_RESPECT,
    comparison,
    direction,
    measured_key,
)
from trace_eval.judges.claims.tokens import Token
from trace_eval.judges.claims.values import of_several

_HEADS = re.compile(
    rf" (?:{THING}s?|reader|talker|delivery|pace|tempo|rate|speed|speech|voice"
    rf"|speaker|one|ones|overall|here"
    r"|there|throughout|within|across|during|through|too|still|when|reading|read"
    r"|side|pair|pick|value|values|score|scores|figure|number|reading"
    rf"|rating|ratio|share|figures|performance|take|tone|sound|signal|rhythm|cadence"
    rf"|prosody|impression|rendering"
    rf"|intonation|timbre|pronunciation|manner|style|sounding|range|half|bracket"
    rf"|group|by|towards?|according|thanks|due|through|\w+ly"
    rf"|{'|'.join(sorted(BEHIND_BARE))})\b",
    re.I,
)
_STEEPLY = re.compile(r" (?:steeply|sharply|strongly|gradually)\b")
#: "More likely", "more clearly": said of no measure.
_MANNER = re.compile(r" \w+ly\b")
#: "Who cares for loudness gets more of it with answer 1 than with answer 2".
_OF_IT = re.compile(r" of (?:it|this|that)\b")


def comparisons(sentence: Sentence) -> Iterator[StatedClaim]:
    """Yield the comparisons of a sentence, and what compares without a measure."""
    for token in sentence.whole.tokens:
        if token.kind == "more":
            yield from _more(sentence, token)
        elif token.kind == "vague":
            yield _vague(sentence, token)
        elif token.kind == "same" or is_undone(sentence, token):
            yield from sames(sentence, token)
        elif token.kind == "as":
            yield from as_much(sentence, token)
    yield from _signs(sentence)
    yield from _told(sentence)
    yield from absences(sentence)


def _vague(sentence: Sentence, token: Token) -> StatedClaim:
    """Return a comparison of no measure, or of the background that is cleaner."""
    chunk, _, _ = sentence.around(token)
    before = [each for each in chunk.of("measure") if each.end <= token.start]
    of_head = sentence.whole.of("measure")[:1]
    if (
        not before
        and of_head
        and IN_RESPECT.match(sentence.words(sentence.whole.start, of_head[0].start))
    ):
        before = of_head
    its_is = _ITS_IS.search(sentence.words(chunk.start, token.start))
    earlier = [m for m in sentence.whole.of("measure") if m.end <= chunk.start]
    if not before and its_is:  # "a poor background, although that of 2 is cleaner"
        before = earlier[-1:]
    places = compared(sentence, token)
    sign = 0
    for words, each in OF_BACKGROUND.items():
        if re.fullmatch(words, token.text, re.I):
            sign = each
    if not sign or not before or before[-1].value != "bak" or places is None:
        return comparison(sentence, token, "", "more")
    between = sentence.words(before[-1].end, token.start)
    is_said = (
        before[-1].start < chunk.start or bool(its_is) or _IS_SAID.fullmatch(between)
    )
    if sentence.unreal(token) or not is_said:
        return comparison(sentence, token, "", "more")
    relation: Relation = "not_more" if sentence.denied(chunk, token) else "more"
    claim = comparison(sentence, token, "bak", relation)
    return replace(claim, places=places, sign=sign)


#: Between a background and what it is: " of answer 1 is also rated ".
_IS_SAID = re.compile(
    r"[^,;:()]{0,80} (?:is|was|sounds?|seems?|appears?|comes? out|gets?)"
    r"(?: (?:not|also|a|the|lot|bit|little|much|far|even|slightly|somewhat|clearly|as"
    r"|rated|judged"
    r"|scored|measured|considered|audibly|noticeably|markedly|rather|quite|actually"
    r"|really|still|clearly|touch))* "
)
_ITS_IS = re.compile(r"'s is (?:\w+ )*\Z")


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
    if points_elsewhere(sentence, token) or _is_of_verdict(sentence, token):
        return
    if _TOTAL_PUTS.search(sentence.words(token.start - 48, token.start)):
        yield comparison(sentence, token, "", "more")
        return
    if token.text.lower() in ("more", "less") and _STEEPLY.match(behind):
        return  # of a slope
    if _CAN_HAVE.match(sentence.words(token.end, token.end + 40)):
        return  # "more words than answer 1 can have spoken"
    if not token.value and _is_told_in_steps(sentence, token):
        return
    if _is_any_lead(sentence, token):
        yield comparison(sentence, token, "", "more")
        return
    key = measured_key(sentence, token)
    if _SUITED.match(sentence.words(token.start, token.end + 16)):
        key = ""
    if of_several(sentence, token) or _is_general(sentence, token):
        key = ""
    if not plain and not _leads_to_measure(sentence, token):
        if not token.value:
            yield comparison(sentence, token, "", "more")
        return
    amount = token.text.lower() in ("more", "less")
    amount = amount and not re.match(" than", behind) and not _OF_IT.match(behind)
    if amount and not _leads_to_measure(sentence, token):
        yield comparison(sentence, token, "", "more")  # "and no more"
        return
    if _is_adverb(sentence, token):
        yield comparison(sentence, token, "", "more")
        return
    if not key or sentence.unreal(token) or (token.valued and key not in GOOD):
        yield comparison(sentence, token, "", "more")
        return
    if re.match(r" than (?!\x00)", behind) and not _than_side(sentence, token):
        yield comparison(sentence, token, "", "more")
        return
    sign = direction(sentence, token, key)
    neither = [t for t in chunk.of("side") if t.value == "neither"]
    if neither and neither[0].start > token.start:
        yield comparison(sentence, token, "", "more")
        return
    if neither and not named(sentence, chunk):
        yield replace(comparison(sentence, token, key, "same"), places=("1", "2"))
        return
    places = compared(sentence, token)
    if places is None:
        yield comparison(sentence, token, "", "more")
        return
    relation: Relation = "not_more" if sentence.denied(chunk, token) else "more"
    if relation == "not_more" and _NOT_MUCH.search(
        sentence.words(chunk.start, token.start)
    ):
        yield comparison(sentence, token, "", "more")
        return
    claim = comparison(sentence, token, key, relation)
    yield replace(claim, places=places, sign=sign, doubt=sentence.doubts(chunk, token))


_CAN_HAVE = re.compile(
    r" than (?:the )?\w+ \w+ (?:can|could|should|would|might) have\b", re.I
)
#: "No ground to rate it lower" says what is done with an answer.
_RATED = re.compile(
    r"\b(?:rat(?:e|ed|ing)|rank(?:ed|ing)?|plac(?:e|ed|ing)|judg(?:e|ed|ing)"
    r"|mark(?:ed|ing)?"
    r"|put|scor(?:e|ed|ing))(?: (?:it|them|either|this|that|one))? \Z",
    re.I,
)


def _is_of_verdict(sentence: Sentence, token: Token) -> bool:
    """Tell whether the judge puts an answer lower: "no ground to rate it lower"."""
    if token.value or token.valued:
        return False
    is_put = _RATED.search(sentence.words(token.start - 24, token.start))
    return bool(is_put) and not sentence.around(token)[0].of("measure")


#: "The total still puts answer 1 ahead" is of all that counts.
_TOTAL_PUTS = re.compile(
    r"\b(?:total|sum|steps|lead|balance|whole)(?: still| then)?"
    r" (?:puts?|leaves?|keeps?|has|have|places?)\b[^,;]*\Z"
)


def _is_any_lead(sentence: Sentence, token: Token) -> bool:
    """Tell whether a lead is of all that counts: "this is no audible lead"."""
    head = sentence.words(token.start - 40, token.start)
    if token.text.lower() == "leads":
        return bool(_SMALL_ONES.search(head))  # "with small leads in P808"
    if token.text.lower() not in ("lead", "advantage"):
        return False
    behind = [each for each in sentence.whole.of("measure") if each.start >= token.end]
    if behind and _OF_MEASURE.fullmatch(sentence.words(token.end, behind[0].start)):
        return False
    behind_it = sentence.words(token.end, token.end + 4)
    return bool(_ANY_LEAD.search(head)) or (
        head.endswith("the ") and behind_it == " is "
    )


#: "A more comfortable pace" is no faster one.
_SUITED = re.compile(
    r"(?:more|less) (?:comfortable|natural|suitable|pleasant|measured|moderate"
    r"|normal|appropriate"
    r"|fitting|acceptable|relaxed|even|steady|stable|consistent|balanced"
    r"|usual|typical"
    r"|convincing|agreeable|sensible|reasonable)\b",
    re.I,
)
_SMALL_ONES = re.compile(
    r"\b(?:small|slight|clear|big|minor|narrow|its|these|of) \Z", re.I
)
_ANY_LEAD = re.compile(
    r"\b(?:audible|noticeable|perceptible|established|decisive|enough for an?(?: \w+)?"
    r"|amounts? to an?(?: \w+)?|and the) \Z",
    re.I,
)
_OF_MEASURE = re.compile(r" (?:in|of|on|for) (?:the |its )?")
#: "Is not much better" leaves open whether it is.
_NOT_MUCH = re.compile(
    r"(?:\bnot|n't) (?:really |all that |so )?(?:much|far|a lot|significantly|substantially"
    r"|noticeably|clearly|audibly|markedly) \Z",
    re.I,
)
_SOUNDS = re.compile(
    r"\b(?:sounds?|seems?|feels?|is|are) (?:\w+ly |much |a bit |the )*\Z"
    r"|\A,? ?(?:so|hence|thus|therefore)\b[^,;]*\Z",
    re.I,
)


def _is_general(sentence: Sentence, token: Token) -> bool:
    """Tell whether an answer as a whole is better, as in "but it sounds better"."""
    if not token.value and _OVERALL.match(sentence.words(token.end, token.end + 16)):
        return True
    before = sentence.words(sentence.around(token)[0].start, token.start)
    if not token.value and _OVERALL_BEFORE.search(before):
        return True
    if not token.valued:
        return False
    chunk = sentence.around(token)[0]
    head = sentence.words(chunk.start, token.start)
    if _BY_MEASURE.match(sentence.words(sentence.whole.start, token.start)):
        return not sentence.whole.of("measure")  # "going by P808, 1 sounds better"
    return bool(_SOUNDS.search(head)) and not chunk.of("measure")


_BY_MEASURE = re.compile(r"\s{0,8}(?:going by|judging by|judged by|by|to go by) ", re.I)


_OVERALL = re.compile(
    r" (?:overall(?! (?:score|rating|MOS|quality|sound)\b)|in all|in total|altogether"
    r"|on the whole)\b"
)
_OVERALL_BEFORE = re.compile(
    r"\b(?:overall|(?:all )?in all|in total|altogether|on the whole|as a whole),?"
    r" (?:\x01+|it(?:'s)?(?: the| a)?|(?:answer|response|clip) \S+)?(?: ?(?:is|still"
    r"|stays|comes out"
    r"|remains|sounds))* \Z",
    re.I,
)


_HAS_MORE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|gets|at|by|shows|scores|measures|reads)"
    r"(?: (?:much|far|even|a|bit|little|slightly|somewhat))*\W*\Z"
)


def _is_adverb(sentence: Sentence, token: Token) -> bool:
    """Tell whether "more" is of a verb: "it keeps its pace more than answer 2"."""
    if token.text.lower() not in ("more", "less"):
        return False
    if not re.match(r" (?:than|in)\b", sentence.words(token.end, token.end + 6)):
        return False
    if measured_key(sentence, token) in ("variation", "loudness_sd"):
        return False  # "its loudness varies more than that of answer 1"
    head = sentence.words(sentence.whole.start, token.start)
    return not _HAS_MORE.search(head)


_BY = re.compile(
    r"(?: only| just)? (?:by|is|of|comes to|amounts to)"
    r" (?:about |around |roughly |only |just |some )?"
)


def _is_told_in_steps(sentence: Sentence, token: Token) -> bool:
    """Tell whether steps say by how much, and so of what: "leads by 1.7 steps"."""
    behind = [each for each in sentence.whole.tokens if each.start >= token.end]
    if not behind or behind[0].unit != "steps":
        return False
    return bool(_BY.fullmatch(sentence.words(token.end, behind[0].start)))


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
    claim = comparison(sentence, side, key, "more")
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
            claim = comparison(sentence, one, keys.pop(), "same")
            yield replace(claim, places=("1", "2"))
        elif len(keys) == 1:
            claim = comparison(sentence, one, keys.pop(), "more")
            sign = 1 if match["sign"] == ">" else -1
            yield replace(claim, places=(first, second), sign=sign)
