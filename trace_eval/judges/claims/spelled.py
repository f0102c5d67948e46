"""Numbers in words, before a unit: "two hundred words a minute"."""

from __future__ import annotations

import re

from trace_eval.data.number_words import BELOW_TWENTY, TENS

_NUMBER_WORD = "|".join([*BELOW_TWENTY, *TENS, "hundred", "thousand", "point"])
_UNIT_AHEAD = (
    r"(?=[ -]?(?:words? (?:per|a)|words?\b|WPM|percent|per cent|%|seconds?|milliseconds|hertz|Hz"
    r"|kilohertz|kHz|decibels?|dB|LUFS|LU\b|semitones?|points?\b|syllables?|pauses\b|times\b))"
)
_SPELLED = re.compile(
    rf"\b(?:{_NUMBER_WORD})(?:(?:[ -]| and )(?:{_NUMBER_WORD}))*\b{_UNIT_AHEAD}", re.I
)


def plain_numbers(text: str) -> str:
    """Return the text with spelled-out numbers before a unit in digits."""
    return _SPELLED.sub(lambda match: _digits(match[0]), text)


def _digits(words: str) -> str:
    whole, _, fraction = words.lower().partition(" point ")
    total = group = 0
    for word in re.findall(r"[a-z]+", whole):
        if word == "hundred":
            group = max(group, 1) * 100
        elif word == "thousand":
            total, group = total + max(group, 1) * 1000, 0
        else:
            group += BELOW_TWENTY.get(word, TENS.get(word, 0))
    text = str(total + group)
    if fraction:
        decimals = re.findall(r"[a-z]+", fraction)
        text += "." + "".join(str(BELOW_TWENTY.get(word, 0)) for word in decimals)
    return text
