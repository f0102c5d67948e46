"""The clock of a log beside that of the sound: how fast it runs, and where it begins.

Most logs begin elsewhere, and are moved as a whole. A few run faster or slower than the
sound (samples that were counted at another rate, ticks that were none): nothing but a
straight line through the edges of both puts those on the sound. The line is believed
only where most of the log's edges lie on it, and its utterances are longer by the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trace_eval.conversations.sound.fit import FARTHEST_S, fit
from trace_eval.conversations.sound.lanes import inside
from trace_eval.conversations.spans import Spans, joined
from trace_eval.data.conversation import Role

#: Clocks that run faster or slower than these are looked for by nobody.
_SLOWEST, _FASTEST = 0.75, 1.34

#: Rates are tried this far apart, on so much of the log at first, seconds; on twice as
#: much with half the distance, and so on.
_RATE_STEP, _FIRST_S = 0.015, 60.0

#: Step of who speaks when, seconds.
_STEP_S = 0.1

#: Pauses within an utterance, and how near to the line an edge lies, seconds.
_PAUSE_S, _NEAR_S = 0.3, 0.3

#: Edges that lie on the line at least, their share of the log's, and by how much this
#: share is more than that of a clock that runs as the sound's does.
_LEAST, _SHARE, _BETTER = 8, 0.6, 0.25

#: By how much the lengths of utterances may be off the rate, beyond what their own
#: spread allows.
_LENGTHS = 0.01

#: Over the whole log, a clock that comes apart by less is none of its own, seconds.
_APART_S = 0.5


@dataclass(frozen=True)
class LogClock:
    """The map from a log's times to those of the sound.

    Attributes:
        shift_s: what is added to a time of the log, after it was divided by the rate.
        rate: seconds that the log's clock counts in one of the sound.
    """

    shift_s: float = 0.0
    rate: float = 1.0

    def in_sound(self, log_s: float) -> float:
        """Return the time in the sound of a time of the log, seconds."""
        return log_s / self.rate + self.shift_s

    def moved(self, spans: Sequence[tuple[float, float]]) -> Spans:
        """Return where stretches of the log lie in the sound."""
        return [(self.in_sound(start), self.in_sound(end)) for start, end in spans]

    def in_log(self, sound_s: float) -> float:
        """Return the time in the log of a time in the sound, seconds."""
        return (sound_s - self.shift_s) * self.rate

    @property
    def words(self) -> str:
        """Say how the log was moved; empty where it was not."""
        if self.rate != 1.0:
            return f"whose clock runs {self.rate:.3f} times the sound's"
        return f"moved by {self.shift_s:+.2f} s" if self.shift_s else ""


def running_clock(
    log: Mapping[Role, Spans],
    sound: Mapping[Role, Spans],
) -> LogClock | None:
    """Return the clock of a log that surely runs faster or slower than the sound.

    Args:
        log: the stretches in which each side speaks, by the log's clock.
        sound: those that are heard.
    """
    roles = [role for role in log if log[role] and sound[role]]
    logged = {role: joined(log[role], _PAUSE_S) for role in roles}
    heard = {role: joined(sound[role], _PAUSE_S) for role in roles}
    edges = 2 * sum(map(len, logged.values()))
    if edges < _LEAST:
        return None
    shifted, _ = _fitted(logged, heard, 1.0)
    by_shift = len(_on_line(logged, heard, shifted))
    if by_shift > (1 - _BETTER) * edges:
        return None
    clock = _straightened(logged, heard, _nearest_rate(logged, heard))
    if clock is None or not _SLOWEST <= clock.rate <= _FASTEST:
        return None
    log_lasts_s = _last(logged) - _first(logged)
    sound_lasts_s = log_lasts_s / clock.rate
    if abs(sound_lasts_s - log_lasts_s) <= _APART_S:
        return None
    by_clock = len(_on_line(logged, heard, clock))
    if by_clock < max(_LEAST, _SHARE * edges):
        return None
    if by_clock - by_shift < _BETTER * edges:
        return None
    return clock if _as_long(logged, heard, clock) else None


def _nearest_rate(log: Mapping[Role, Spans], sound: Mapping[Role, Spans]) -> float:
    """Return the rate at which the log is most like the sound.

    Its beginning is compared first, then more of it, then all.
    """
    start_s = _first(log)
    lasts_s = _last(log) - start_s
    count = round(np.log(_FASTEST / _SLOWEST) / _RATE_STEP)
    rates = np.geomspace(_SLOWEST, _FASTEST, count + 1).tolist()
    step = _RATE_STEP
    seconds = _FIRST_S
    while True:
        end_s = start_s + seconds
        begun = {role: _begun_before(end_s, spans) for role, spans in log.items()}
        likeness = [_fitted(begun, sound, rate)[1] for rate in rates]
        best = rates[int(np.argmax(likeness))]
        if seconds >= lasts_s:
            return float(best)
        step = step / 2
        seconds = 2 * seconds
        rates = [best * (1 + step * number) for number in range(-2, 3)]


def _begun_before(end_s: float, spans: Spans) -> Spans:
    """Return the spans that begin before a time."""
    return [span for span in spans if span[0] < end_s]


def _fitted(
    log: Mapping[Role, Spans], sound: Mapping[Role, Spans], rate: float
) -> tuple[LogClock, float]:
    """Return the clock of a rate that fits best, and how like both are by it."""
    roles = [role for role in log if log[role]]
    heard_from_s = min(sound[role][0][0] for role in roles)
    begins_s = heard_from_s - _first(log) / rate
    clock = LogClock(begins_s, rate)
    moved = {role: clock.moved(log[role]) for role in roles}
    # What is heard behind the part of the log says nothing of it.
    end_s = _last(moved) + FARTHEST_S
    start_s = min(0.0, _first(moved))
    times = np.arange(start_s, end_s + _STEP_S, _STEP_S)
    rows = []
    for role in roles:
        is_logged = inside(moved[role], times)
        is_heard = inside(sound[role], times)
        rows.append((is_logged, is_heard))
    shift_s, likeness = fit(rows, _STEP_S)
    return LogClock(begins_s + shift_s, rate), likeness


def _straightened(
    log: Mapping[Role, Spans], sound: Mapping[Role, Spans], rate: float
) -> LogClock | None:
    """Return the clock of the straight line through the edges.

    A few wrong edges do not move it.
    """
    from scipy.stats import theilslopes

    clock, _ = _fitted(log, sound, rate)
    for near_s in (4 * _NEAR_S, 2 * _NEAR_S, _NEAR_S):
        edges = _on_line(log, sound, clock, near_s)
        if len(edges) < _LEAST:
            return None
        logged, heard = np.array(edges).T
        slope, start_s, _, _ = theilslopes(heard, logged)
        if slope <= 0:
            return None
        clock = LogClock(float(start_s), float(1 / slope))
    return clock


def _on_line(
    log: Mapping[Role, Spans],
    sound: Mapping[Role, Spans],
    clock: LogClock,
    near_s: float = _NEAR_S,
) -> list[tuple[float, float]]:
    """Return the edges of the log with an edge of the sound near, and that edge."""
    pairs: list[tuple[float, float]] = []
    for role, spans in log.items():
        for edge in (0, 1):
            heard = np.array([span[edge] for span in sound[role]])
            for span in spans:
                distances = np.abs(heard - clock.in_sound(span[edge]))
                nearest = int(np.argmin(distances))
                if distances[nearest] <= near_s:
                    pairs.append((span[edge], float(heard[nearest])))
    return pairs


def _as_long(
    log: Mapping[Role, Spans], sound: Mapping[Role, Spans], clock: LogClock
) -> bool:
    """Tell whether utterances of the log may be longer by the rate.

    Collapsed silence makes none of them longer.
    """
    from scipy.stats import theilslopes

    lengths: list[tuple[float, float]] = []
    for role in log:
        lengths.extend(_lengths(log[role], sound[role], clock))
    if len(lengths) < _LEAST / 2:
        return False
    logged, heard = np.array(lengths).T
    _, _, least, most = theilslopes(logged, heard)
    return bool(least - _LENGTHS <= clock.rate <= most + _LENGTHS)


def _lengths(
    log: Spans, sound: Spans, clock: LogClock
) -> Iterator[tuple[float, float]]:
    """Yield the lengths of utterances in the log and in the sound."""
    for start, end in log:
        for begins, ends in sound:
            early = abs(begins - clock.in_sound(start)) <= _NEAR_S
            late = abs(ends - clock.in_sound(end)) <= _NEAR_S
            if early and late:
                yield end - start, ends - begins


def _first(spans: Mapping[Role, Spans]) -> float:
    return min(one[0][0] for one in spans.values() if one)


def _last(spans: Mapping[Role, Spans]) -> float:
    return max(one[-1][1] for one in spans.values() if one)
