"""Codes, dates, amounts, times, names and seats in one spelling, however said.

Rules for English: both sides go through the same steps, and spelled-out and digit forms
end alike. A text in brackets is a reading of its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

from trace_eval.data import strict_toml
from trace_eval.data.number_words import BELOW_TWENTY, TENS

_WORDS: dict[str, str] = strict_toml.loads(
    Path(__file__).with_name("words.toml").read_bytes()
)

#: Number words -> value, as digits are spoken.
NUMBERS = BELOW_TWENTY | TENS | {"oh": 0}

#: Ordinals -> value; they end a number.
ORDINALS = {word: n for n, word in enumerate(_WORDS["ordinals"].split(), start=1)}
ORDINALS |= {f"{word[:-1]}ieth": NUMBERS[word] for word in TENS}

MONTHS = _WORDS["months"].split()
_SHORT_MONTHS = {month[:3]: month for month in MONTHS} | {"sept": "september"}

#: The spelling alphabet; ``november`` stays a month before a number.
ALPHABET = {word: word[0] for word in _WORDS["alphabet"].split()}

#: Words that say what something is, or nothing.
FUNCTION_WORDS = frozenset(_WORDS["function"].split())

_BRACKETS = re.compile(r"\(([^()]*)\)")
_AS_IN = re.compile(r"\bas in \w+")
_HALF_DAY = re.compile(r"(?<![a-z])([ap])(?:\.\s?|\s)?m\b\.?")
_CLOCK = re.compile(r"\b(\d{1,2}):(\d{2})\b")
_DOTTED_CLOCK = re.compile(r"\b(\d{1,2})\.(\d{2})(?=\s*[ap]m\b)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_ORDINAL_DIGITS = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b")
_WHOLE_HOUR = re.compile(r"(?<=\A\d)00\Z|(?<=\A\d\d)00\Z")
_TOKEN = re.compile(r"[a-z]+|\d+")

TokenTexts = list[str]


def readings(text: str) -> list[str]:
    """List the ways a text may be meant: without its brackets, and each of these.

    >>> readings("C twelve (C12)")
    ['C twelve ', 'C12']
    """
    outside = _BRACKETS.sub("", text)
    inside = [match.strip() for match in _BRACKETS.findall(text)]
    with_words = [one for one in (outside, *inside) if one.strip()]
    return with_words or [text]


def canonical(text: str) -> str:
    """Write one reading in letters and digits without spaces, half days at the end.

    >>> canonical("at eight fifty five a m"), canonical("8:55 AM")
    ('855am', '855am')
    >>> canonical("March twenty fifth"), canonical("the 25th of Mar.")
    ('march25', '25march')
    """
    tokens = _spoken(_plain(text))
    half = next((token for token in tokens if token in ("am", "pm")), "")
    content = [token for token in _without_labels(tokens) if token not in ("am", "pm")]
    if half or "oclock" in tokens:
        content = [_WHOLE_HOUR.sub("", token) for token in content]  # 400 is 4
    return "".join(content) + half


def _plain(text: str) -> TokenTexts:
    """Step 1: one case, one way to write times, numbers and mail addresses."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    text = text.replace("o'clock", " oclock ").replace("'s", "").replace("'", "")
    text = _AS_IN.sub(" ", text)
    text = _HALF_DAY.sub(r" \1m ", text).replace(".m.", " ")
    text = _CLOCK.sub(lambda clock: clock[1] + clock[2].replace("00", ""), text)
    text = _DOTTED_CLOCK.sub(r"\1\2", text)
    text = _THOUSANDS.sub("", text)
    text = _ORDINAL_DIGITS.sub(r"\1", text)
    text = text.replace("@", " at ").replace("x-ray", "xray")
    text = re.sub(r"(?<=\w)\.(?=[a-z]{2})", " dot ", text)
    return _TOKEN.findall(text)


def _spoken(tokens: Sequence[str]) -> TokenTexts:
    """Step 2: number words in groups as spoken, ordinals, months, spelled letters."""
    written: TokenTexts = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        value, used = _number(tokens, position)
        if used:
            written.append(value)
            position += used
            continue
        following = tokens[position + 1] if position + 1 < len(tokens) else ""
        is_number_word = following in NUMBERS or following in ORDINALS
        before_number = following.isdigit() or is_number_word
        behind_number = bool(written) and written[-1].isdigit()
        if token in ("to", "too") and behind_number and before_number:
            written.append("2")  # "to zero two seven" is how 2027 is often written
        elif token in ALPHABET and not (token in MONTHS and before_number):
            written.append(ALPHABET[token])
        else:
            written.append(_SHORT_MONTHS.get(token, token))
        position += 1
    return written


def _number(tokens: Sequence[str], position: int) -> tuple[str, int]:
    """Read the number that begins here: its digits, and how many tokens it takes.

    ("", 0): none begins here.
    """
    used = 0
    value = 0
    while position + used < len(tokens):
        small, took = _below_hundred(tokens, position + used)
        if not took:
            break
        used += took
        after = tokens[position + used] if position + used < len(tokens) else ""
        if after not in ("hundred", "thousand"):
            # "four one two" is three numbers; only what follows a hundred is added to
            # it.
            return str(value + small), used
        value += small * (100 if after == "hundred" else 1000)
        used += 1
        if position + used < len(tokens) - 1 and tokens[position + used] == "and":
            used += bool(_below_hundred(tokens, position + used + 1)[1])
    return (str(value), used) if used else ("", 0)


def _below_hundred(tokens: Sequence[str], position: int) -> tuple[int, int]:
    if position >= len(tokens):
        return 0, 0
    token = tokens[position]
    if token in ORDINALS:
        return ORDINALS[token], 1
    if token not in NUMBERS:
        return 0, 0
    value = NUMBERS[token]
    after = tokens[position + 1] if position + 1 < len(tokens) else ""
    unit = ORDINALS.get(after, NUMBERS.get(after, 0))
    if value >= 20 and 1 <= unit <= 9:
        return value + unit, 2
    return value, 1


def _without_labels(tokens: Sequence[str]) -> Iterator[str]:
    """Step 3: drop function words; keep a lone letter beside letters or digits."""
    is_mail = "dot" in tokens
    for position, token in enumerate(tokens):
        near = [tokens[n] for n in (position - 1, position + 1) if 0 <= n < len(tokens)]
        beside = any(one.isdigit() or len(one) == 1 for one in near)
        if len(token) == 1 and token.isalpha() and beside:
            yield token
        elif token in FUNCTION_WORDS or (is_mail and token == "dot"):
            continue
        else:
            yield token


def pairs_of(one: str, other: str) -> Iterator[tuple[str, str]]:
    """Pair every reading of one text with every reading of another, in one spelling."""
    for left in readings(one):
        for right in readings(other):
            yield canonical(left), canonical(right)
