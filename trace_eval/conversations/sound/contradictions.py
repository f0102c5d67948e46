"""Contradictions of a log and the sound of its call, in the seconds of their speech.

Where the log fits best with the channels exchanged, these are swapped. Each utterance
is then looked for on its channel: where all are late by the same, the clocks differ,
and where the delay jumps, a recorder collapsed silence or shifted a chunk. Words are
not compared. Where neither way fits, nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from trace_eval.conversations.sound.audit import Fault
from trace_eval.conversations.sound.log_fit import (
    BETTER,
    DELAY_S,
    LIKE,
    fitted_best,
    fitted_by_clock,
)
from trace_eval.conversations.spans import Spans, joined, total
from trace_eval.data.conversation import ROLES, Role

#: Names of faults.
SWAPPED, OTHER_CLOCK = "swapped channels", "a log clock that contradicts the sound"
_MOVED_CHUNKS = "chunks that moved against the log"

#: Calls that are at least as like as this did not move: an utterance is missing at an
#: end.
_MOVED = 0.75

#: Pauses within an utterance, how much longer it may be heard than logged, and how far
#: one may have moved against the one before, seconds.
_PAUSE_S, _LENGTH_S, _JUMP_S = 0.3, 0.3, 4.0

#: Fewest utterances that are heard as they are logged, and their least share.
_LEAST, _PLACED = 3, 0.6

#: Share to which a log and the sound have as much speech, and by how much the call may
#: be longer in one of them, seconds.
_LENGTHS, _LOST_S = 0.15, 1.0


def _length_s(sides: Mapping[Role, Spans]) -> float:
    """Return the seconds from the first start of either side to the last end."""
    first_start = min(spans[0][0] for spans in sides.values())
    last_end = max(spans[-1][1] for spans in sides.values())
    return last_end - first_start


def disagreements(
    log: Mapping[Role, Spans], sound: Mapping[Role, Spans]
) -> list[Fault]:
    """Find contradictions of log and sound in the seconds in which each side speaks."""
    if not all((*log.values(), *sound.values())):
        return []
    crossed_sound: dict[Role, Spans] = {"user": sound["agent"], "agent": sound["user"]}
    delay_s, likeness = fitted_best([(log[role], sound[role]) for role in ROLES])
    crossed = fitted_best([(log[role], crossed_sound[role]) for role in ROLES])
    exchanged = crossed.likeness
    if max(likeness, exchanged) <= LIKE:  # its clock may run at another rate, too
        exchanged = fitted_by_clock(log, crossed_sound).likeness
    # Calls that repeat themselves fit elsewhere, too.
    fits_at_once = abs(crossed.delay_s) <= DELAY_S < abs(delay_s)
    better_by = -BETTER / 2 if fits_at_once else BETTER
    if exchanged > max(LIKE, likeness + better_by):
        why = (
            f"the log fits the channels at {likeness:.2f} as they are and at"
            f" {exchanged:.2f} exchanged: sides are taken as the log has them"
        )
        return [Fault(name=SWAPPED, channel=None, spoils="all", spans=[], detail=why)]
    if likeness < _MOVED:
        moved = _moved_chunks(log, sound)
        if moved is not None:
            return [moved]
    delay_s = delay_s if likeness > LIKE else 0.0
    faults: list[Fault] = []
    for role in ROLES:
        faults.extend(_delays(role, log[role], sound[role], delay_s))
    if not faults and abs(delay_s) > DELAY_S:
        start = min(spans[0][0] for spans in log.values())
        why = (
            f"the log's first word is at {start:.2f} s, the sound fits it at"
            f" {start + delay_s:.2f} s"
        )
        faults.append(_other_clock(None, why))
    return faults


def _moved_chunks(
    log: Mapping[Role, Spans], sound: Mapping[Role, Spans]
) -> Fault | None:
    """Return the fault of a call with as much speech in another time than its log's."""
    log_lasts_s = _length_s(log)
    sound_lasts_s = _length_s(sound)
    logged_s = sum(map(total, log.values()))
    heard_s = sum(map(total, sound.values()))
    has_as_much = abs(logged_s - heard_s) < _LENGTHS * logged_s
    if not has_as_much or abs(log_lasts_s - sound_lasts_s) <= _LOST_S:
        return None
    why = (
        f"the log lasts {log_lasts_s:.2f} s from the first word to the last, the sound"
        f" {sound_lasts_s:.2f} s, with as much speech: silence was collapsed, or added"
    )
    return Fault(
        name=_MOVED_CHUNKS, channel=None, spoils="replies", spans=[], detail=why
    )


def _other_clock(role: Role | None, why: str) -> Fault:
    return Fault(name=OTHER_CLOCK, channel=role, spoils="replies", spans=[], detail=why)


def _delays(role: Role, log: Spans, sound: Spans, first: float) -> Iterator[Fault]:
    """Yield the faults that the delays of one side's utterances show."""
    log = joined(log, _PAUSE_S)
    sound = joined(sound, _PAUSE_S)
    placed = list(_placed(log, sound, first))
    if len(placed) < max(_LEAST, _PLACED * len(log)):
        return
    starts, delays = np.array(placed).T
    first_delay = float(np.median(delays[:_LEAST]))
    usual_delay = float(np.median(delays))
    is_away = np.abs(delays - first_delay) > DELAY_S
    jump = int(np.argmax(is_away))
    # One utterance that is like another proves nothing.
    if is_away.sum() >= _LEAST and is_away[jump:].all():
        why = (
            f"the {role} is {first_delay:+.2f} s from the log at first and"
            f" {delays[jump]:+.2f} s from it at {starts[jump]:.2f} s: silence was"
            " collapsed, or a chunk shifted"
        )
        yield Fault(
            name=_MOVED_CHUNKS,
            channel=role,
            spoils="replies",
            spans=[(starts[jump], starts[-1])],
            detail=why,
        )
    elif abs(usual_delay) > DELAY_S:
        why = (
            f"the log says that the {role} speaks from {starts[0]:.2f} s, the sound"
            f" from {starts[0] + usual_delay:.2f} s"
        )
        yield _other_clock(role, why)


def _placed(log: Spans, sound: Spans, delay: float) -> Iterator[tuple[float, float]]:
    """Yield start and delay of each logged utterance that is heard as long.

    Each is looked for near the delay of the one before.
    """
    starts, ends = np.array(sound).T
    lengths = ends - starts
    for start, end in log:
        is_as_long = np.abs(lengths - (end - start)) < _LENGTH_S
        delays = np.where(is_as_long, starts - start, np.inf)
        distances = np.abs(delays - delay)
        nearest = int(np.argmin(distances))
        if distances[nearest] <= _JUMP_S:
            delay = float(delays[nearest])
            yield start, delay
