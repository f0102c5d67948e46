"""How the compact rendering writes single values: harmless, and in few tokens."""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache
from math import floor, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import JsonValue

#: Steps of a contour: of the paper's 20, as few as still show where in a clip something
#: happens.
COMPACT_POINTS = 12

_PLAIN_LABEL = re.compile(r"[\w.'-]+(?: [\w.'-]+)*")

#: Format characters that some scripts need inside words; they cannot move or hide text.
_JOINERS = "\u200c\u200d"

#: Controls, the direction overrides that show text in another order than it has, line
#: and paragraph separators, lone surrogates.
_HIDDEN = ("Cc", "Cf", "Zl", "Zp", "Cs")


def percent(ratio: float) -> str:
    """Write a share in percent; a share that is not 0 never reads 0."""
    share = 100 * ratio
    if 0 < share < 0.5:
        return "<1%" if share >= 0.05 else "<0.1%"
    return f"{number(share, 0)}%"


def number(value: float, digits: int) -> str:
    """Write a number in fixed decimals, without trailing zeros and without ``-0``."""
    text = f"{value:.{digits}f}"
    if digits:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def seconds(value: float) -> str:
    """Write seconds in tenths, and in whole ones from 10 s on.

    A decimal costs two more tokens.
    """
    return number(value, 0 if value >= 10 else 1)


def hundredths(scores: dict[str, float], most: int | None = None) -> str:
    """Write the ``most`` highest scores in hundredths, each behind its label.

    Labels whose scores round to 0 share one 0 at the end.
    """
    ranked = sorted(scores.items(), key=lambda item: -item[1])[:most]
    parts: list[str] = []
    zeros: list[str] = []
    for name, score in ranked:
        if round(100 * score):
            parts.append(f"{label(name)} {round(100 * score)}")
        else:
            zeros.append(label(name))
    if zeros:
        parts.append(f"{' '.join(zeros)} 0")
    return " ".join(parts)


@lru_cache(maxsize=512)  # names of groups, emotions and accents: the same in every clip
def label(text: str) -> str:
    """Write a plain label as it is, and quote any other."""
    return text if _PLAIN_LABEL.fullmatch(text) else quoted(text)


#: Significant digits of a measured value; whole numbers keep all of theirs.
_DIGITS = 5


def shortened(value: JsonValue) -> JsonValue:
    """Round the floats in JSON to five significant digits, never before the point.

    >>> shortened({"peak": 0.30000000000000004, "at": [123456.78, 3]})
    {'peak': 0.3, 'at': [123457.0, 3]}
    """
    if isinstance(value, dict):
        return {name: shortened(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [shortened(inner) for inner in value]
    if isinstance(value, float) and value:
        exponent = floor(log10(abs(value)))
        return round(value, max(0, _DIGITS - 1 - exponent))
    return value


def quoted(value: object) -> str:
    """Write JSON on one line, without characters that could be read as line breaks."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    if text.isprintable():  # then nothing in it is hidden; as good as always
        return text
    return "".join(map(_escaped_if_hidden, text))


def _escaped_if_hidden(char: str) -> str:
    is_hidden = unicodedata.category(char) in _HIDDEN and char not in _JOINERS
    if is_hidden:
        return json.dumps(char)[1:-1]
    return char


def cut_short(text: str, most: int) -> str:
    """Cut a text to at most ``most`` characters, of which the last is an ellipsis.

    >>> cut_short("a long reason", 13), cut_short("a long reason", 7)
    ('a long reason', 'a long…')
    """
    if len(text) <= most:
        return text
    return text[: most - 1] + "…"


def counted(number: int, one: str, many: str | None = None) -> str:
    """Write a number with its noun.

    Args:
        number: how many.
        one: the noun of one, with its verb where the sentence has one.
        many: the same of several; None: ``one`` with an ``s``.

    >>> counted(1, "pair"), counted(1200, "pair")
    ('1 pair', '1,200 pairs')
    >>> counted(1, "reply was", "replies were"), counted(0, "reply was", "replies were")
    ('1 reply was', '0 replies were')
    """
    noun = one if number == 1 else many or f"{one}s"
    return f"{number:,} {noun}"
