"""How far a log is from the sound of its call, edge by edge.

The log as a whole is moved by a constant to where it fits the sound best, unless that
is under half a second, which is an error of the log like another. Stretches of both
that overlap belong together; what stands alone is named.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from blueprints import counted
from trace_eval.conversations.sound.fit import FARTHEST_S, STEP_S, fit
from trace_eval.conversations.sound.lanes import inside
from trace_eval.conversations.sound.log_clock import LogClock
from trace_eval.conversations.spans import Spans, joined, overlaps, total
from trace_eval.data.conversation import ROLES, Conversation, Role, SourceEvent

#: How the caveat on a call begins whose times nobody heard.
OF_LOG = "times are those of the log"

#: What ``meta`` says of a log's ``zero`` where nobody stated it.
NO_ZERO = "not stated"
_OF_SOUND = "times are those of the sound"

#: A delay of the whole log over this is another clock's, and a span that is off by more
#: is named.
FAR_S = 0.5

#: Silence behind a log's last word that is longer makes a recording longer than its
#: log, seconds.
_ENDS_S = 20.0

#: Likeness (correlation) under which a log is not of this sound. Of four live calls
#: whose logs hold sessions, the own log fits at .46 to .65 and another call's mostly
#: under .4.
OTHER_CALL = 0.42

#: Likeness from which a log whose clock is off or begins at no stated time, so that it
#: is moved to where it fits best, is of this sound: somewhere within ten seconds half of
#: the logs of other calls with nine turns fit at .42, and few at this.
_MOVED_CLOCK = 0.6

#: Pauses that are within a stretch, seconds.
PAUSE_S = 1.0

#: Share of a logged stretch that is heard at least.
_HEARD = 0.05

#: Spans that are named in a sentence.
_NAMED = 3


class FarStretch(NamedTuple):
    """A stretch of one side in a log, by the sound's clock, and as it is heard."""

    role: Role
    log: tuple[float, float]
    sound: tuple[float, float]

    @property
    def worst_s(self) -> float:
        """The larger of the distances of its two edges."""
        log_start, log_end = self.log
        sound_start, sound_end = self.sound
        return max(abs(log_start - sound_start), abs(log_end - sound_end))

    def sentence(self) -> str:
        """Write both values in words."""
        return (
            f"{self.role} {self.log[0]:.2f} to {self.log[1]:.2f} s in the log,"
            f" {self.sound[0]:.2f} to {self.sound[1]:.2f} s heard"
        )


@dataclass(frozen=True)
class Apart:
    """A log beside the sound; times are seconds of the sound."""

    clock: LogClock  # where times of the log lie
    likeness: float | None  # correlation of who speaks when; None: nothing to compare
    # stretches that belong together, whatever their distance
    pairs: tuple[FarStretch, ...] = ()
    log_alone: tuple[tuple[Role, float, float], ...] = ()
    sound_alone: tuple[tuple[Role, float, float], ...] = ()
    logged: Mapping[Role, Spans] | None = None  # moved
    unheard: tuple[Role, ...] = ()  # sides without a recording
    sound_end_s: float = 0.0
    least_likeness: float = OTHER_CALL  # from which the log is of this call

    @property
    def fits(self) -> bool:
        """Whether the log is of this call, as far as one can tell."""
        return self.likeness is None or self.likeness >= self.least_likeness

    @property
    def far(self) -> list[FarStretch]:
        """Stretches whose edges are over half a second apart, the worst first."""
        pairs = [pair for pair in self.pairs if pair.worst_s > FAR_S]
        return sorted(pairs, key=lambda pair: -pair.worst_s)

    def errors(self) -> dict[str, list[float]]:
        """Return log minus sound of each edge, seconds, by kind of edge."""
        errors: dict[str, list[float]] = {}
        for role in ROLES:
            errors[f"{role} start"] = []
            errors[f"{role} end"] = []
        for pair in self.pairs:
            log_start, log_end = pair.log
            sound_start, sound_end = pair.sound
            errors[f"{pair.role} start"].append(log_start - sound_start)
            errors[f"{pair.role} end"].append(log_end - sound_end)
        return errors

    def alone_events(self) -> list[SourceEvent]:
        """Return what the log alone says, as events."""
        if not self.fits:
            return []
        events: list[SourceEvent] = []
        for role, start, end in self.log_alone:
            events.append(
                SourceEvent(
                    kind="log_alone", at_s=start, end_s=end, data={"channel": role}
                )
            )
        return events

    @property
    def _log_end_s(self) -> float | None:
        """The end of the log's speech in the sound, seconds; None: it has none."""
        sides = (self.logged or {}).values()
        return max((spans[-1][1] for spans in sides if spans), default=None)

    def sentence(self, by_log: bool = False) -> str:
        """Say how far the log is from the sound.

        Args:
            by_log: the call has the log's times, not those of the sound.
        """
        its = f"{OF_LOG}, not of the sound; the" if by_log else f"{_OF_SOUND}; its"
        log_end_s = self._log_end_s or 0.0
        if self.likeness is None and log_end_s and by_log:
            return (
                f"{OF_LOG}, which has speech until {log_end_s:.2f} s; nothing of it is"
                f" heard in the sound, which lasts {self.sound_end_s:.2f} s"
            )
        if self.likeness is None and log_end_s:
            return (
                f"{_OF_SOUND}, which lasts {self.sound_end_s:.2f} s; nothing of its log"
                f" is heard, which has speech until {log_end_s:.2f} s"
            )
        if self.likeness is None:
            return f"{its} log has none to compare"
        if not self.fits:
            unused = "" if by_log else " its words are not used"
            return (
                f"the log fits its sound at {self.likeness:.2f} only, with speech until"
                f" {self.clock.in_log(log_end_s):.2f} s in a recording of"
                f" {self.sound_end_s:.2f} s: a log of another call?{unused}"
            )
        moved = self._moved()
        errors = list(chain.from_iterable(self.errors().values()))
        if not errors:
            return f"{its} log{moved} has no stretch that is heard"
        off_s = np.abs(errors)
        text = self._lengths() + (
            f"{its} log{moved} is {np.median(off_s):.2f} s"
            f" from it in the median, {np.quantile(off_s, 0.95):.2f} s at p95"
            f" ({counted(len(errors), 'edge')})"
        )
        disagreements = self._disagreements()
        if disagreements:
            named = ", ".join(disagreements[:_NAMED])
            text += f"; they disagree on {named}"
        if len(disagreements) > _NAMED:
            text += f" and {len(disagreements) - _NAMED} more"
        return text

    def _moved(self) -> str:
        """Say how the log was moved, with its first word by both clocks."""
        starts = [spans[0][0] for spans in (self.logged or {}).values() if spans]
        if not self.clock.words or not starts:
            return ""
        first_s = min(starts)
        return (
            f", {self.clock.words} (its first word from"
            f" {self.clock.in_log(first_s):.2f} s to {first_s:.2f} s),"
        )

    def _disagreements(self) -> list[str]:
        """Name the stretches on which log and sound disagree."""
        named = [pair.sentence() for pair in self.far]
        for role, start, end in self.log_alone:
            named.append(f"{role} {start:.2f} to {end:.2f} s in the log alone")
        for role, start, end in self.sound_alone:
            named.append(f"{role} {start:.2f} to {end:.2f} s heard alone")
        return named

    def _lengths(self) -> str:
        """Say that the recording ends long before or after the log, where it does."""
        log_end_s = self._log_end_s
        if log_end_s is None or -_ENDS_S < log_end_s - self.sound_end_s < FAR_S:
            return ""
        which = "shorter" if log_end_s > self.sound_end_s else "longer"
        return (
            f"the recording is {which} than its log: it lasts {self.sound_end_s:.2f} s,"
            f" the log's speech ends at {log_end_s:.2f} s of it; "
        )

    def record(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "shift_s": self.clock.shift_s,
            "rate": self.clock.rate,
            "likeness": self.likeness,
            "fits": self.fits,
            "errors_s": self.errors(),
            "disagree": [
                {"role": pair.role, "log": list(pair.log), "sound": list(pair.sound)}
                for pair in self.far
            ],
            "log_alone": [list(stretch) for stretch in self.log_alone],
            "sound_alone": [list(stretch) for stretch in self.sound_alone],
            "logged": {
                role: list(map(list, spans))
                for role, spans in (self.logged or {}).items()
            },
        }


def has_zero(conversation: Conversation) -> bool:
    """Tell whether a log says when the recording began.

    Unix times do not by themselves: their call begins with the second of the first word.
    """
    return conversation.meta.get("zero") != NO_ZERO


def has_times_of_log(conversation: Conversation) -> bool:
    """Tell whether a call was held against its sound and kept the times of its log."""
    return "log" in conversation.meta and conversation.clock.kind != "recording"


def is_timed_by_sessions(conversation: Conversation) -> bool:
    """Tell whether a call's times are sessions of a log, which are not speech."""
    return bool(conversation.meta.get("sessions")) and (
        conversation.clock.kind != "recording"
    )


def compared_with_sound(
    log: Mapping[Role, Spans],
    sound: Mapping[Role, Spans],
    sound_end_s: float,
    channels: Collection[Role],
    clock: LogClock | None = None,
    has_zero: bool = True,
    has_sessions: bool = False,
) -> Apart:
    """Compare the stretches of a log with those that are heard on its channels.

    Args:
        log: the stretches in which each side speaks, by the log's clock.
        sound: those that are heard.
        sound_end_s: when the recording ends.
        channels: the sides that have a recording.
        clock: the log's, where it runs at another rate; else the log is moved as a
            whole.
        has_zero: whether the log says when the recording began; else it is moved by
            any distance, also under half a second.
        has_sessions: whether its stretches are sessions, which fit no sound well.
    """
    both = [role for role in ROLES if role in channels and log[role] and sound[role]]
    of_both = {role: log[role] for role in both}
    if clock is None:
        shift_s, likeness = _shift(of_both, sound, least_s=FAR_S if has_zero else 0.0)
        clock = LogClock(shift_s)
    else:
        moved_of_both = {role: clock.moved(log[role]) for role in both}
        _, likeness = _fit(moved_of_both, sound)
    is_off = abs(clock.shift_s) > FAR_S or not has_zero
    is_moved = is_off and clock.rate == 1.0 and not has_sessions
    moved: dict[Role, Spans] = {role: clock.moved(log[role]) for role in ROLES}
    pairs: list[FarStretch] = []
    log_alone: list[tuple[Role, float, float]] = []
    sound_alone: list[tuple[Role, float, float]] = []
    for role in ROLES:
        logged = joined(moved[role], PAUSE_S)
        if role not in channels:
            log_alone += [(role, start, end) for start, end in logged]
            continue
        heard = joined(sound[role], PAUSE_S)
        for in_log, in_sound in _together(logged, heard):
            if in_log and in_sound:
                pairs.append(
                    FarStretch(role=role, log=_whole(in_log), sound=_whole(in_sound))
                )
                continue
            log_alone += [(role, start, end) for start, end in in_log]
            sound_alone += [(role, start, end) for start, end in in_sound]
    return Apart(
        clock=clock,
        likeness=likeness,
        pairs=tuple(pairs),
        log_alone=tuple(log_alone),
        sound_alone=tuple(sound_alone) if any(log.values()) else (),
        logged=moved,
        unheard=tuple(role for role in ROLES if role not in channels),
        sound_end_s=sound_end_s,
        least_likeness=_MOVED_CLOCK if is_moved else OTHER_CALL,
    )


def _shift(
    log: Mapping[Role, Spans], sound: Mapping[Role, Spans], least_s: float
) -> tuple[float, float | None]:
    """Return the seconds to add to the log, and its likeness to the sound there.

    A delay under the least is none.
    """
    if not log:
        return 0.0, None
    shift_s, likeness = _fit(log, sound)
    first_sound_s = min(sound[role][0][0] for role in log)
    first_log_s = min(spans[0][0] for spans in log.values())
    far_s = first_sound_s - first_log_s
    if likeness < _MOVED_CLOCK and abs(far_s) > FARTHEST_S:
        moved = {role: _moved(spans, far_s) for role, spans in log.items()}
        more_s, likeness_far = _fit(moved, sound)
        if likeness_far >= _MOVED_CLOCK:
            shift_s, likeness = far_s + more_s, likeness_far
    return (shift_s if abs(shift_s) > least_s else 0.0), likeness


def _fit(log: Mapping[Role, Spans], sound: Mapping[Role, Spans]) -> tuple[float, float]:
    """Return the delay of up to ten seconds at which log and sound are most alike."""
    log_end_s = max(log[role][-1][1] for role in log)
    sound_end_s = max(sound[role][-1][1] for role in log)
    end_s = max(log_end_s, sound_end_s)
    times = np.arange(0.0, end_s + STEP_S, STEP_S)
    rows = []
    for role in log:
        is_logged = inside(log[role], times)
        is_heard = inside(sound[role], times)
        rows.append((is_logged, is_heard))
    return fit(rows)


def _whole(spans: Spans) -> tuple[float, float]:
    """Return the stretch from the first start to the last end."""
    first_start, _ = spans[0]
    _, last_end = spans[-1]
    return first_start, last_end


def _moved(spans: Spans, by_s: float) -> list[tuple[float, float]]:
    """Return spans that begin and end so much later."""
    return [(start + by_s, end + by_s) for start, end in spans]


def _together(log: Spans, sound: Spans) -> list[tuple[Spans, Spans]]:
    """Group stretches of both that overlap each other."""
    shared = overlaps(log, sound)
    groups: list[tuple[Spans, Spans]] = []
    for stretch in joined(log + sound):
        logged = _within(stretch, log)
        heard = _within(stretch, sound)
        heard_as_logged_s = total(_within(stretch, shared))
        if logged and heard and heard_as_logged_s < _HEARD * total(logged):
            groups.append((logged, []))
            groups.append(([], heard))
        else:
            groups.append((logged, heard))
    return groups


def _within(stretch: tuple[float, float], spans: Spans) -> Spans:
    """Return the spans that lie in a stretch as a whole."""
    first, last = stretch
    return [(start, end) for start, end in spans if first <= start and end <= last]
