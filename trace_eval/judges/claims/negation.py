"""Negations that deny nothing, blanked before anybody counts negations.

"Answer 1 is not only louder", "it can't be denied that ...", "it does not fail to say"
and "answer 1, not answer 2, is louder" leave what they are about as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from trace_eval.judges.claims.tokens import Token

_CANNOT = r"(?:can't|cannot|can not|couldn't|could not|can hardly)"
_FAIL = r"(?:fail|forget|neglect|omit|hesitate|refuse|decline|miss)"
_CLAIM = r"(?:claim|say|argue|pretend|maintain|complain|object)"

#: Denials of a denial, and phrases that hold the word of one.
_IDLE = re.compile(
    rf"\b{_CANNOT} be (?:denied|disputed|doubted|argued|contested|overlooked|missed)"
    r"(?: that| but)?\b"
    r"|\b(?:there is|there's) no (?:denying|doubting|disputing|question|doubt)"
    r"(?: that| but)?\b"
    r"|\b(?:no|without(?: an?y?)?|have no|has no) doubt\b(?: that| but)?"
    rf"|\b(?:nobody|no one|(?:one|I|you|we) {_CANNOT})(?: can| could| would)?"
    r" (?:deny|overlook|miss|ignore)(?: that)?\b"
    rf"|\b(?:nobody|no one)(?: can| could| would)? {_CLAIM} that\b[^,;.]{{1,40}}?"
    r"(?:\b(?:not|never)\b|n't\b)"
    rf"|(?:\b(?:not|never)|n't) {_FAIL}(?:s|ed)? to\b"
    r"|(?:\bnot|n't) (?:only|just|merely|simply|solely)\b"
    r"|(?:\bnot|n't) (?=(?:a little|a bit|slightly) but\b)"
    r"|(?:\bnot|n't) (?:an? )?(?:\w+ )?(?:problem|issue|exaggeration|surprise|secret"
    r"|coincidence|concern|drawback|obstacle|flaw|surprising|unusual|bad|wrong)(?: that)?\b"
    r"|\bno (?:grounds?|reason|basis|cause) (?:for|to)\b"
    r"|(?:\bnot|n't) (?:read|make|put|hold) (?:anything|much|it|this|that|any weight"
    r"|weight)"
    r" (?:into|of|on|against)\b"
    r"|\bwithout (?:any |an? )?(?:omissions?|gaps?|errors?|mistakes?|slips?|breaks?"
    r"|hesitations?"
    r"|interruptions?|changes?|additions?|differences?|doubts?"
    r"|(?:doubtful|uncertain) (?:words?|ones)|being cut(?: off| short)?|breaking off"
    r"|(?:leaving|dropping|missing|skipping) (?:anything|a word|any words?"
    r"|a thing)(?: out)?)\b"
    r"|\b(?:about|of|on) not \w+ing\b|\bthat (?:will|would|can|could|did|does) not\b(?= _)"
    r"|(?:(?<=\bis )|(?<=\bare )|(?<=\bwas ))not (?:enough|sufficient)(?= to\b|[,.;]|$)"
    r"|(?:\bnot|n't) (?:an? )?(?:reliable|trustworthy|usable|solid|strong|certain)\b"
    r"|(?:\bnot|n't) (?:sure|certain|confident) (?:about|of)\b"
    r"|\bno exaggeration(?: that| to \w+(?: that)?)?\b"
    r"|\bno (?:less|more|fewer) than(?= (?:\w+ )?\d)"
    r"|(?<![\w-])(?:no|nope),(?= )"
    # "Isn't answer 1 louder?" holds it out, "answer 1 isn't slower, right?" does not.
    r"|(?:(?<=\A(?:is|do))|(?<=\A(?:are|was|has|did))|(?<=\Adoes)"
    r"|(?<=[,;:(] (?:is|do))|(?<=[,;:(] (?:are|was|has|did))|(?<=[,;:(] does))"
    r"n't(?=[^.?!]*\?)"
    r"|\bnot (?:surprisingly|unexpectedly|to mention|least)\b"
    r"|\bno (?:comment|question|drama|more and no less|wonder|match for)\b"
    r"|\bnothing (?:special|unusual|new|else|is wrong|wrong|more|to \w+(?: of| about)?)\b",
    re.I,
)

#: One of these is in whatever is blanked.
_NEGATIVE = re.compile(r"no|n't|never|without", re.I)

#: Before a side that another is set against: "answer 1, not answer 2, is louder".
_CONTRAST = re.compile(r"(?:\bnot|, not (?:with|in|for|of|by|from)) (?:the )?\Z", re.I)


#: Behind a side of which more is said: "not answer 2, which is slower".
_SAID_MORE = re.compile(
    r",? (?:which|whose|who|it|its|because|since|as|although|though|whereas)\b", re.I
)


def contrasted(text: str, side: Token) -> bool:
    """Tell whether a side is the one that is not meant: "not answer 1"."""
    if _SAID_MORE.match(text, side.end):
        return False
    return bool(_CONTRAST.search(text[max(side.start - 16, 0) : side.start]))


def sense_of(text: str, start: int, end: int, sides: Iterable[Token]) -> str:
    """Return a text with the idle negations of a sentence blanked, places kept."""
    if not _NEGATIVE.search(text, start, end):
        return text
    whole = _IDLE.sub(_blank, text[start : end + 1])[: end - start]
    for side in sides:
        if contrasted(text, side):
            head = whole[: side.start - start]
            whole = _CONTRAST.sub(_blank, head) + whole[side.start - start :]
    return text[:start] + whole + text[end:]


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])
