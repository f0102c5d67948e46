"""Words that seem to compare the answers, and compare something else, or nothing."""

from __future__ import annotations

import re

from trace_eval.judges.claims.lexicon import BEHIND_BARE
from trace_eval.judges.claims.sentences import Sentence
from trace_eval.judges.claims.tokens import Token

_SAID_OF_VALUES = (
    "value",
    "score",
    "figure",
    "level",
    "amount",
    "degree",
    "rating",
    "result",
    "number",
    "average",
    "mean",
    "median",
    "overall",
    "measured",
    "pace",
    "tempo",
    "rate",
    "speed",
    "pitch",
    "loudness",
    "volume",
    "duration",
    "length",
    "bandwidth",
    "clipping",
    "pause",
    "quality",
    "speaking",
    "speech",
    "articulation",
    "background",
    "intonation",
    "word",
    "in",
    "to",
    "for",
    "on",
    "at",
    "with",
    "by",
    "across",
    "between",
    "and",
    "or",
    "here",
)

#: A place of the text: "to which I return below".
_PLACE = re.compile(
    r"above|below|beneath|behind|up|ahead|(?:falls? |is |comes? |fell )?short(?: of)?",
    re.I,
)
_OBJECT_FOLLOWS = re.compile(
    r" (?!and\b|but\b|or\b|while\b|which\b|so\b|little\b)[\w\x00#(]"
)
_STANDS = re.compile(
    r"\b(?:is|are|was|were|be|being|'s|sits?|stands?|lies?|lands?|ranks?|comes?"
    r"|falls?|stays?"
    r"|remains?|ends?|places?|runs?|goes|keeps?|clearly|far|well|just|slightly|way"
    r"|one|1|2|[AB])"
    r"(?: out| in| up| \w+ly| somewhat| a bit| a little| a touch| still| even| just"
    r"| far| well)? $",
    re.I,
)


#: "Stays below the threshold", "cleaner behind the voice".
_OTHER_OBJECT = re.compile(
    r" (?:one\b(?! of)|(?:the |its |an? |what |being )?(?:[a-z]+ )?(?:threshold|limit"
    r"|line|step|hearing"
    r"|notice|words?"
    r"|(?:voices?|speech|speaker)(?! ?[#12AB]\b)|audib\w+|most|people|listeners)\b)",
    re.I,
)


def points_elsewhere(sentence: Sentence, token: Token) -> bool:
    """Tell whether a preposition points to a place of the text: "as noted above"."""
    if not _PLACE.fullmatch(token.text):
        return False
    if _OTHER_OBJECT.match(sentence.words(token.end, token.end + 30)):
        return True
    if _OBJECT_FOLLOWS.match(sentence.words(token.end, token.end + 10)):
        return False
    return not _STANDS.search(sentence.words(token.start - 30, token.start))


#: "A similar piece has a pitch of 150 Hz" is no claim that both answers are alike.
_OF_A_KIND = re.compile(
    r"\b(?:an?|another|some|any) (?:similar|comparable|identical|equal)"
    rf" (?!\w+ly\b|(?:{'|'.join(_SAID_OF_VALUES)})s?\b)[a-z]+(?! (?:pitch|rate|loudness))",
    re.I,
)


def is_of_a_kind(sentence: Sentence, token: Token) -> bool:
    """Tell whether something else is alike, unlike in "a similar noise level"."""
    if not _OF_A_KIND.search(sentence.words(token.start - 10, token.end + 24)):
        return False
    for named_thing in sentence.whole.of("measure", "more"):
        if named_thing.start >= token.end:
            between = sentence.words(token.end, named_thing.start)
            return len(between.split()) > 1
    return True


_THE_SAME = re.compile(r"(?:the same|same|identical|similar|equal|comparable)", re.I)
_MAY_FOLLOW = re.compile(
    rf" (?:\w+ly|{'|'.join(_SAID_OF_VALUES)}|{'|'.join(sorted(BEHIND_BARE))}|answers?"
    rf"|both|neither"
    r"|too|here|there|throughout|between|among|across|all|again|today|tie"
    r"|thing(?= (?:for|on|in|with))"
    r"|story|picture|enough|either|no|we|you|noise|audio|sound|talking|amounts?|sort"
    r"|kind|overall)s?\b",
    re.I,
)
#: "The background tells the same story", "both point the same way".
_TELLS = re.compile(
    r"\b(?:tells?|points?|paints?|goes|pulls?)(?: (?:in|to|much|us))* \Z", re.I
)
#: "A similar vocal pitch" is of pitch; "at the same time pitch and rate ..." is not.
_BEFORE_MEASURE = re.compile(r" (?!time|moment)[a-z]+ ", re.I)


def is_of_a_thing(sentence: Sentence, token: Token) -> bool:
    """Tell whether something else is the same: "point in the same direction"."""
    if not _THE_SAME.fullmatch(token.text):
        return False
    words = sentence.words(token.end, token.end + 24)
    head = sentence.words(token.start - 24, token.start)
    if _TELLS.search(head):
        return True
    if not re.match(r" [a-z]", words, re.I) or _MAY_FOLLOW.match(words):
        return False
    for each in sentence.whole.tokens:
        if each.start == token.end + 1:
            return False
        between = sentence.words(token.end, each.start)
        if each.kind == "measure" and _BEFORE_MEASURE.fullmatch(between):
            return False
    return True
