"""Stretches of speech that a log has apart from their words, as the turns of a call."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from trace_eval.data.conversation import Role

#: Words may be logged before the detector is sure that their stretch has begun, seconds.
_EARLY_S = 1.0


class LoggedSpeech(NamedTuple):
    """A stretch of somebody's speech, seconds; its end may be missing in the log."""

    role: Role
    start: float
    end: float | None


class Words(NamedTuple):
    """A piece of what somebody said, with its time in the log, if there is one."""

    role: Role
    text: str
    at: float | None


def worded_turns(
    stretches: Sequence[LoggedSpeech], words: Iterable[Words]
) -> list[dict[str, Any]]:
    """Return rows ``role``, ``start``, ``end`` and ``text`` of stretches in order.

    An answer is written about when it begins to be heard: its words go to the stretch
    that begins nearest, and those of its later sentences to the one that holds them. A
    question is written once it is recognised: its words go to the last stretch that had
    begun. Words of a side without a stretch are a row without times, where the log had
    them; those without a time stand last. A stretch with neither end nor words is none.
    """
    rows: dict[Role, list[dict[str, Any]]] = defaultdict(list)
    placed: list[tuple[float, dict[str, Any]]] = []
    for stretch in sorted(stretches, key=lambda one: one.start):
        row = {"role": stretch.role, "start": stretch.start, "end": stretch.end}
        rows[stretch.role].append(row)
        placed.append((stretch.start, row))
    for one in words:
        spoken = _row_of(rows[one.role], one)
        if spoken is None:
            at = math.inf if one.at is None else one.at
            placed.append((at, {"role": one.role, "text": one.text}))
        else:
            texts = (spoken.get("text"), one.text)
            spoken["text"] = " ".join(text for text in texts if text)
    placed.sort(key=lambda one: one[0])
    return [row for _, row in placed if row.get("text") or row.get("end") is not None]


def _row_of(timed: Sequence[dict[str, Any]], words: Words) -> dict[str, Any] | None:
    """Return the row of a side, in order of its starts, that words belong to."""
    at = words.at
    if at is None or not timed:
        return None
    if words.role == "agent":
        number = bisect_left(timed, at, key=_start)
        around = timed[number : number + 1]
        if number:
            before = bisect_left(timed, timed[number - 1]["start"], key=_start)
            around = [timed[before], *around]
        nearest = min(around, key=lambda row: abs(row["start"] - at))
        if abs(nearest["start"] - at) > _EARLY_S:
            begun = bisect_right(timed, at, key=_start)
            for earlier in range(begun - 1, -1, -1):
                if at <= (timed[earlier]["end"] or at):
                    return timed[earlier]  # a later sentence of a long answer
        return nearest
    ended = bisect_right(timed, at, key=_start)
    if ended and not timed[ended - 1].get("text"):
        return timed[ended - 1]
    begun = bisect_right(timed, at + _EARLY_S, key=_start)
    return timed[begun - 1] if begun else timed[0]


def _start(row: dict[str, Any]) -> float:
    return float(row["start"])
