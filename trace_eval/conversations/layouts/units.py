"""The unit of a table's times: seconds, or milliseconds that nobody named.

Nobody needs half an hour for six words. Where the turns of a table have words, these
say whether its numbers can be seconds; without words, the length of a turn does, less
surely.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from statistics import median
from typing import Any, NamedTuple

from blueprints import InputError, UserError, counted
from trace_eval.conversations.layouts.base import UNIX_S, number_of, text_of

#: Letters a second of a call of which seconds are believed, silence inside its turns
#: included.
_SLOWEST = 0.1

#: Letters a second of which milliseconds are believed: people say 10 to 20. Samples of
#: 8 kHz would be 2 a second, microseconds none.
_LIKE_SPEECH = (4.0, 60.0)

#: Letters a second that are no speech in seconds, of a call and of its turns in the
#: median, where there are so many letters: frames of 20 ms and hundredths of a second
#: give under .4, minutes over 500. One caller on hold is slow, and his call with him.
_LIKE_A_CALL, _SURE_LETTERS = (0.4, 150.0), 60

#: Letters a second that nobody says: of milliseconds such a turn is of another unit.
_IMPOSSIBLE = 600.0

#: Fewest letters that say how fast somebody speaks; a sign that is a syllable takes so
#: long as several of them, and such signs begin there.
_LEAST_TEXT, _SYLLABLE, _SYLLABLES = 10, 3, "\u2e80"

#: Turns without words: a median over the first may be milliseconds, over the second it
#: is.
_MAY_BE_MS, _IS_MS = 200.0, 1_000.0

#: Seconds of a millisecond.
MS = 0.001

_REMEDY = (
    "call the columns start_ms and end_ms where they are milliseconds, and write"
    " hh:mm:ss where they are seconds"
)


class Said(NamedTuple):
    """A turn as a table has it: its length, in an unknown unit, and its words."""

    length: float
    text: str | None


def in_seconds(rows: Sequence[dict[str, Any]]) -> str | None:
    """Turn the times of rows into seconds where they are milliseconds, and say so.

    Rows have times under ``start`` and ``end``, words under ``text`` or ``heard``. Unix
    times, ``hh:mm:ss`` and columns in milliseconds name their unit themselves, and
    stay.

    Raises:
        UserError: the numbers fit neither seconds nor milliseconds, or may be both.
    """
    unit, why = unit_of(_said(rows))
    if why is None:
        return None
    for row in rows:
        for name in ("start", "end"):
            number = _bare_number(row, name)
            if number is not None:
                row[name] = number * unit
    return why


def _said(rows: Iterable[Mapping[str, Any]]) -> list[Said]:
    turns = []
    for row in rows:
        start, end = (_bare_number(row, name) for name in ("start", "end"))
        if start is not None and end is not None:
            turns.append(
                Said(end - start, text_of(row.get("text")) or text_of(row.get("heard")))
            )
    return turns


def _bare_number(row: Mapping[str, Any], name: str) -> float | None:
    """Return the value of a time field that names no unit, if there is one."""
    if row.get(f"{name}_ms") not in (None, ""):
        return None
    with suppress(UserError):  # what is no number costs its conversation alone
        number = number_of(row.get(name), name)
        return None if number is None or abs(number) > UNIX_S else number
    return None


def unit_of(turns: Iterable[Said]) -> tuple[float, str | None]:
    """Return the seconds of a unit of time, 1 or 0.001, and why it is the latter.

    Raises:
        UserError: the numbers fit neither seconds nor milliseconds, or may be both.
    """
    turns = [turn for turn in turns if turn.length > 0]
    if not turns:
        return 1.0, None
    typical = median(turn.length for turn in turns)
    worded = [turn for turn in turns if turn.text and turn.text.strip()]
    letters = sum(_letters(turn.text or "") for turn in worded)
    if letters >= _LEAST_TEXT:
        return _by_words(letters, worded)
    if typical < _MAY_BE_MS:
        return 1.0, None
    if typical < _IS_MS:
        raise InputError(
            f"a turn lasts {typical:g} in the median: seconds or milliseconds?"
            f" {_REMEDY}"
        )
    return (
        MS,
        (
            f"times are read as milliseconds: a turn lasts {typical:g} of them in the"
            " median"
        ),
    )


def _letters(text: str) -> int:
    letters = 0
    for sign in text.strip():
        letters += _SYLLABLE if sign >= _SYLLABLES else 1
    return letters


def _by_words(letters: int, worded: list[Said]) -> tuple[float, str | None]:
    length = sum(turn.length for turn in worded)
    slowest_call, fastest_call = _LIKE_A_CALL
    is_too_slow = letters / length < slowest_call
    first = (max if is_too_slow else min)(
        worded, key=lambda turn: turn.length / max(1, _letters(turn.text or ""))
    )
    words = len((first.text or "").split())
    example = f"a turn of {counted(words, 'word')} lasts {first.length:g}"
    if letters / length >= _SLOWEST:
        typical = median(_letters(turn.text or "") / turn.length for turn in worded)
        is_a_call = not is_too_slow and letters / length <= fastest_call
        is_of_turns = slowest_call <= typical <= fastest_call
        if letters < _SURE_LETTERS or is_a_call or is_of_turns:
            return 1.0, None
        raise InputError(
            f"{example}, and all turns are {counted(letters, 'letter')} in {length:g}:"
            " no call has such seconds; divide frames by their rate, multiply minutes"
            f" by 60, or {_REMEDY}"
        )
    slowest, fastest = _LIKE_SPEECH
    if not slowest <= letters / (MS * length) <= fastest:
        raise InputError(
            f"{example}, and all turns are {counted(letters, 'letter')} in {length:g}:"
            f" neither seconds nor milliseconds; {_REMEDY}"
        )
    for turn in worded:
        spoken = _letters(turn.text or "")
        is_fraction = turn.length % 1 > 0  # as seconds are, and milliseconds seldom
        if (
            spoken >= _LEAST_TEXT
            and is_fraction
            and spoken / (MS * turn.length) > _IMPOSSIBLE
        ):
            raise InputError(
                f"{example}, and a turn of {counted(spoken, 'letter')} lasts"
                f" {turn.length:g}: not all are seconds, nor milliseconds; {_REMEDY}"
            )
    return MS, f"times are read as milliseconds: {example} of them"
