"""Stretches of speech that a log has apart from their words, as the turns of a call."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from trace_eval.data.conversation import Role

#: Words may be logged before the detector is sure that their stretch has begun, seconds.
_EARLY_S = 1.0


class LoggedSpeech(NamedTuple):
    """When somebody spoke, seconds; without an end where the log has none."""

    role: Role
    start: float
    end: float | None


class Words(NamedTuple):
    """What somebody said, and when the log had it, seconds; None: without a time."""

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
    rows: list[dict[str, Any]] = []
    placed: list[tuple[float, dict[str, Any]]] = []
    for stretch in sorted(stretches, key=lambda one: one.start):
        row = {"role": stretch.role, "start": stretch.start, "end": stretch.end}
        rows.append(row)
        placed.append((stretch.start, row))
    for one in words:
        spoken = _row_of(rows, one)
        if spoken is None:
            at = math.inf if one.at is None else one.at
            placed.append((at, {"role": one.role, "text": one.text}))
        else:
            texts = (spoken.get("text"), one.text)
            spoken["text"] = " ".join(text for text in texts if text)
    placed.sort(key=lambda one: one[0])
    return [row for _, row in placed if row.get("text") or row.get("end") is not None]


def _row_of(rows: Sequence[dict[str, Any]], words: Words) -> dict[str, Any] | None:
    at = words.at
    timed = [row for row in rows if row["role"] == words.role and "start" in row]
    if at is None or not timed:
        return None
    if words.role == "agent":
        nearest = min(timed, key=lambda row: abs(row["start"] - at))
        holds = [row for row in timed if row["start"] <= at <= (row["end"] or at)]
        if holds and abs(nearest["start"] - at) > _EARLY_S:
            return holds[-1]  # a later sentence of a long answer
        return nearest
    ended = [row for row in timed if row["start"] <= at]
    if ended and not ended[-1].get("text"):
        return ended[-1]
    begun = [row for row in timed if row["start"] <= at + _EARLY_S]
    return begun[-1] if begun else timed[0]
