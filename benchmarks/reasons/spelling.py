"""Numbers in words, and units in full or as they come."""

from __future__ import annotations

import re

_TEENS = (
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
_ONES = [
    *["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"],
    *_TEENS.split(),
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]

_UNITS = (
    (r" ?WPM| wpm| words/min", " words per minute"),
    (r" kHz", " kilohertz"),
    (r" Hz", " hertz"),
    (r" dB", " decibels"),
    (r" st\b", " semitones"),
    (r" s\b", " seconds"),
    (r" ?%", " percent"),
    (r"/5| out of 5", " out of five"),
)
#: How people write units who look nothing up, one table a hand.
HANDS = (
    (
        *((r" ?WPM| wpm| words/min| words per minute", "wpm"), (r" kHz", "khz")),
        *((r" Hz", "hz"), (r" dB", "db"), (r" st\b| semitones", "st")),
        *((r" s\b| seconds", "sec"), (r" ?%| percent", "%")),
    ),
    (
        *((r" ?WPM| wpm| words/min| words per minute", " words a minute"),),
        *((r" kHz", " KHz"), (r" Hz", " Hertz"), (r" dB", " db")),
        *((r" st\b| semitones", " semi-tones"), (r" s\b| seconds", " sec")),
        *((r" ?%| percent", " pct"),),
    ),
    (
        *((r" ?WPM| wpm| words/min| words per minute", " words per min"),),
        *((r" kHz", " Khz"), (r" Hz", " HZ"), (r" dB", " DB")),
        *((r" st\b| semitones", " ST"), (r" s\b| seconds", " secs")),
        *((r" ?%| percent", " per cent"),),
    ),
)

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def spelled(value: str) -> str:
    """Return a value such as ``-23.5 dB`` as it is read aloud."""
    for unit, words in _UNITS:
        value = re.sub(unit, words, value)
    return _NUMBER.sub(lambda match: _read(match[0]), value)


def loosened(value: str, hand: int) -> str:
    """Return a value such as ``7.9 kHz`` as one of ``HANDS`` writes it."""
    for unit, written in HANDS[hand]:
        value = re.sub(unit, written, value)
    return value


def _read(number: str) -> str:
    """Return the words of a number; places behind the point are read one by one."""
    sign = "minus " if number.startswith("-") else ""
    whole, _, places = number.lstrip("-").partition(".")
    words = sign + _whole(int(whole))
    if not places:
        return words
    return f"{words} point {' '.join(_ONES[int(digit)] for digit in places)}"


def _whole(number: int) -> str:
    """Return the words of a whole number below a million."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")
    size, name = (1000, "thousand") if number >= 1000 else (100, "hundred")
    high, rest = divmod(number, size)
    words = f"{_whole(high)} {name}"
    if not rest:
        return words
    return f"{words} {_whole(rest)}" if rest >= 100 else f"{words} and {_whole(rest)}"
