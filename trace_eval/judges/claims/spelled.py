"""Numbers in words, before a unit or with a point: "two hundred hertz"."""

from __future__ import annotations

import re

from trace_eval.data.number_words import BELOW_TWENTY, TENS
from trace_eval.judges.claims.lexicon import THING

_ONES = "|".join(word for word, number in BELOW_TWENTY.items() if number < 10)
_SMALL = rf"(?:(?:{'|'.join(TENS)})(?:[- ](?:{_ONES})\b)?|{'|'.join(BELOW_TWENTY)})\b"
_HUNDREDS = rf"(?:(?:{_SMALL}|a) )?hundred\b(?:(?: and)? {_SMALL})?"
_BELOW_THOUSAND = rf"(?:{_HUNDREDS}|{_SMALL})"
_WHOLE = rf"(?:{_BELOW_THOUSAND} thousand\b(?:,?(?: and)? {_BELOW_THOUSAND})?|{_BELOW_THOUSAND})"
_UNIT_AHEAD = (
    r"(?=[ -]?(?:words? (?:per|a)|words?\b|WPM|percent|per cent|%|seconds?|milliseconds|hertz|Hz"
    r"|kilohertz|kHz|decibels?|dB|LUFS|LU\b|semitones?|points?\b|steps?\b|syllables?"
    r"|pauses\b|times\b|MOS"
    r"|out of))"
)
#: "Answer two two hundred hertz": the first word is the answer's, the others are the
#: number.
_SPELLED = re.compile(
    rf"(?P<side>(?<!first )(?<!second )\b{THING} (?:one|two) (?:and )?)?"
    rf"\b(?P<minus>minus )?(?P<whole>{_WHOLE})"
    rf"(?:(?P<places>(?: point(?: (?:{_ONES})\b)+))|{_UNIT_AHEAD})",
    re.I,
)


#: Hundreds that count nothing: "its overall quality is about four hundred and thirty".
_BARE = re.compile(
    rf"\b(?P<minus>)(?P<side>)(?P<places>)(?P<whole>{_HUNDREDS})"
    rf"(?! and (?:{_SMALL}))(?=[,.;:)]|$| (?:for|in|each|and|against|versus|vs|to"
    rf"|while|but|overall|or so|on)\b)",
    re.I,
)
#: "3 semitones against two for the first".
_SET_AGAINST = re.compile(
    r"(?P<before>\d[^.;\n]{0,60}\b(?:against|versus|vs\.?)"
    rf" (?:(?:about|only|just|some|roughly|a mere|under|over) )?)(?P<number>{_SMALL})"
    r"(?= (?:for|in|of)\b|[,.;)])",
    re.I,
)
_QUOTED = re.compile(r"(\"[^\"\n]*\")")


def plain_numbers(text: str) -> str:
    """Return the text with numbers in words in digits, where they surely are values."""
    pieces = _QUOTED.split(_SPELLED.sub(_in_digits, text))
    for place in range(0, len(pieces), 2):  # between the quotations
        piece = _BARE.sub(_in_digits, pieces[place])
        pieces[place] = _SET_AGAINST.sub(_second_in_digits, piece)
    return "".join(pieces)


def _second_in_digits(match: re.Match[str]) -> str:
    words = re.findall(r"[a-z]+", match["number"].lower())
    number = sum(BELOW_TWENTY.get(word, TENS.get(word, 0)) for word in words)
    return f"{match['before']}{number}"


def _in_digits(match: re.Match[str]) -> str:
    """Return the digits of a number in words."""
    total = group = 0
    for word in re.findall(r"[a-z]+", match["whole"].lower()):
        if word == "hundred":
            group = max(group, 1) * 100
        elif word == "thousand":
            total, group = total + max(group, 1) * 1000, 0
        else:
            group += BELOW_TWENTY.get(word, TENS.get(word, 0))
    digits = [
        str(BELOW_TWENTY[word]) for word in (match["places"] or "").lower().split()[1:]
    ]
    number = str(total + group)
    if digits:
        number = f"{number}.{''.join(digits)}"
    if match["minus"]:
        number = f"-{number}"
    return f"{match['side'] or ''}{number}"
