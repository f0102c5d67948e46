"""Differences told as a way from one answer to the other.

"Going from answer 2 to answer 1 adds 4 kHz", "I'd lose 4 kHz if I picked answer 2 over
answer 1".
"""

from __future__ import annotations

import re

from trace_eval.judges.claims.sentences import Sentence, named
from trace_eval.judges.claims.tokens import Token

_GAIN = (
    r"(?:gains?|gained|gaining|adds?|added|adding|rises?|rose|climbs?|climbed|increases?"
    r"|increased|grows?|grew|jumps?|jumped|goes up|a gain|rise)"
)
_LOSS = (
    r"(?:loses?|lost|losing|drops?|dropped|falls?|fell|decreases?|decreased|shrinks?|declines?"
    r"|declined|(?P<cost>costs?)|sheds?|goes down|loss|gives? up|giving up)"
)
#: A verb of gain or loss, right before its amount.
_VERB = re.compile(
    rf"\b(?:(?P<gain>{_GAIN})|{_LOSS})(?: in [a-z\d .]{{1,30}}? of\b)?"
    r"(?: (?:me|us|you|one|of|by|about|roughly|some|another|a good))* ?\+?$",
    re.I,
)

#: What is paid, and not lost: "picking answer 1 over answer 2 costs 6 seconds".
_PAID = frozenset({"s", "ms", "min", "%"})

#: What stands before the side where a way begins or ends, and between both sides:
#: whether it begins at the first, and the words.
_ROUTES = (
    (
        True,
        re.compile(r"\bfrom (?:the )?$", re.I),
        re.compile(r" (?:\w+ )?to (?:the )?"),
    ),
    (
        False,
        re.compile(
            r"\b(?:pick|choos|chose|tak|took|prefer|select|us)(?:n|e|en|s|es|ed|ing|red|ring)?"
            r" (?:the )?$",
            re.I,
        ),
        re.compile(r" (?:over|instead of|rather than|in place of) (?:the )?"),
    ),
    (
        True,
        re.compile(
            r"\b(?:swap|trad|exchang|replac)(?:p?ed|p?ing|e|es|s)? (?:the )?$", re.I
        ),
        re.compile(r" (?:for|with|by) (?:the )?"),
    ),
)


def told_as_route(
    sentence: Sentence, token: Token
) -> tuple[tuple[str, str], int] | None:
    """Return where a way ends and begins, and whether a number is gained or lost."""
    verb = _VERB.search(sentence.words(token.start - 40, token.start))
    route = route_of(sentence) if verb else None
    if verb is None or route is None or (verb["cost"] and token.unit in _PAID):
        return None
    return route, 1 if verb["gain"] else -1


def route_of(sentence: Sentence) -> tuple[str, str] | None:
    """Return the answer where a way ends, and where it begins; None: none is told."""
    sides = named(sentence, sentence.whole)
    if len(sides) != 2:
        return None
    (one, first), (two, second) = sides
    if first == second:
        return None
    head = sentence.words(max(sentence.whole.start, one.start - 24), one.start)
    between = sentence.words(one.end, two.start)
    for begins_first, before, gap in _ROUTES:
        if before.search(head) and gap.fullmatch(between):
            return (second, first) if begins_first else (first, second)
    return None
