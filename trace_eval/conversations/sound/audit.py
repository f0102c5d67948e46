"""Whether a recording of two channels can be timed: faults that recorders make.

Each fault says where it is and what it spoils. Those of samples (lost and repeated
packets, clipping) are read off 5 ms at a time while a channel is decoded, the others
off levels. Silence that a recorder collapsed and chunks that it shifted leave a trace
where it fills the hole that is left with digital silence, and where a log says who
spoke when (:mod:`.logged`); without either they cannot be known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from trace_eval.conversations.sound.echo import find_echo
from trace_eval.conversations.sound.lanes import HOP_S, SILENT_DB, Lane, inside
from trace_eval.conversations.spans import Spans, gaps, joined, runs
from trace_eval.data.conversation import ROLES, Role

#: The figures that a fault spoils: none, those that need both channels, or all.
Spoils = Literal["nothing", "replies", "all"]

#: Two channels are one where their levels differ by a constant up to this, dB.
_SAME_DB = 0.5

#: A channel that is digital silence for so long at its end, and nowhere before, broke
#: off.
_BROKE_S = 5.0

#: Speech of a telephone has so much less above 4.2 kHz than below, dB.
_NARROW_DB = 50.0

#: Repeated packets count inside speech, this near to the channel's level, dB; lost ones
#: where what is before and behind them is nearer, as a noise gate closes and opens at
#: soft moments.
_LOUD_DB, _LOST_DB = 30.0, 20.0

#: Files of this rate or less are telephone recordings.
TELEPHONE_HZ = 8_000

#: A side with room tone is filled in where digital silence lasts so long, seconds; a
#: noise gate or a synthesised voice has it in this share of its pauses, and in more
#: than one or two, or is shorter more than once or twice. Peaks up to the last are
#: digital silence.
_FILLED_S, _GATED, _HOLES, _ZERO = 0.15, 0.25, 2, 1e-6

#: Room tone farther from speech than a gate holds on, and how much of it is needed,
#: seconds.
_FAR_S, _TONE_S = 0.25, 0.3

#: Replies within so many seconds of the end of what they reply to, their share, and how
#: many there are at least. Of human talkers' replies one in eight is.
_AT_ONCE_S, _AT_ONCE, _REPLIES = 0.08, 0.33, 3

#: Where pauses were cut out, both sides are never silent for so long, seconds.
_NO_PAUSE_S = 0.5

#: A packet is at most so many stretches of 5 ms.
_LONGEST = 16

#: So many stretches of 5 ms that clip are a fault.
_CLIPPED = 10

#: Delay of an echo before its voice, and drift, beyond which channels do not share a
#: clock.
_BEFORE_S, _DRIFT_PPM = 0.03, 200.0


@dataclass(frozen=True)
class Fault:
    """Something that a recorder did to a recording."""

    name: str
    channel: Role | None  # of whom; None: of both
    spoils: Spoils
    spans: Spans  # where, seconds of the conversation; empty: everywhere
    detail: str = ""  # the contradiction with both values; empty: the name says it

    def record(self) -> dict[str, Any]:
        """Return it as JSON values."""
        spans = [[float(start), float(end)] for start, end in self.spans]
        return {**vars(self), "spans": spans}


def audit(lanes: Mapping[Role, Lane], speech: Mapping[Role, Spans]) -> list[Fault]:
    """List the faults of a recording."""
    faults = list(_together(lanes, speech))
    for role in ROLES:
        faults.extend(_alone(role, lanes[role], speech[role]))
    return faults


def verdict(faults: list[Fault]) -> str:
    """Say whether a recording can be timed, in one line."""
    names = ", ".join(dict.fromkeys(fault.name for fault in faults))
    spoiled = {fault.spoils for fault in faults}
    if "all" in spoiled:
        return f"not usable: {names}"
    if "replies" in spoiled:
        return f"usable for how much each side speaks only: {names}"
    return f"usable ({names})" if faults else "usable"


def _together(
    lanes: Mapping[Role, Lane], speech: Mapping[Role, Spans]
) -> Iterator[Fault]:
    if max(lane.rate for lane in lanes.values()) <= TELEPHONE_HZ:
        yield Fault(
            name="a recording of 8 kHz", channel=None, spoils="nothing", spans=[]
        )
    if not any(speech.values()):
        yield Fault(
            name="no speech on either channel", channel=None, spoils="all", spans=[]
        )
        return
    if _is_one_sound(lanes, speech):
        yield Fault(
            name="one sound on both channels", channel=None, spoils="all", spans=[]
        )
        return
    if _cut_out(speech):
        yield Fault(
            name="pauses that are cut out", channel=None, spoils="replies", spans=[]
        )
    for one, other in permutations(ROLES):
        echo = find_echo(lanes[one], speech[one], lanes[other])
        if not echo or not echo.sure:
            continue
        if echo.drift_ppm is not None and abs(echo.drift_ppm) > _DRIFT_PPM:
            yield Fault(name="two clocks", channel=other, spoils="replies", spans=[])
        elif echo.lag_s <= -_BEFORE_S:
            yield Fault(
                name="an echo before its voice",
                channel=other,
                spoils="replies",
                spans=[],
            )


def _is_one_sound(lanes: Mapping[Role, Lane], speech: Mapping[Role, Spans]) -> bool:
    """Tell whether both channels' levels differ by a constant where one speaks."""
    end_s = min(lane.end_s for lane in lanes.values())
    times = np.arange(0.0, end_s, HOP_S)
    user = lanes["user"].levels_at(times)
    agent = lanes["agent"].levels_at(times)
    is_spoken = inside(_of_either(speech), times)
    has_sound = (user > SILENT_DB + 1) & (agent > SILENT_DB + 1)
    is_compared = is_spoken & has_sound
    if is_compared.sum() * HOP_S < 1.0:
        return False
    apart = (user - agent)[is_compared]
    off_constant = np.abs(apart - np.median(apart))
    return bool(np.quantile(off_constant, 0.95) < _SAME_DB)


def _of_either(speech: Mapping[Role, Spans]) -> Spans:
    """Return the stretches in which anybody speaks."""
    return joined(speech["user"] + speech["agent"])


def _alone(role: Role, lane: Lane, speech: Spans) -> Iterator[Fault]:
    if not speech:
        return
    broken_from = _broken_from(lane)
    # A voice alone, without room tone, may just have ended.
    if broken_from is not None and _tone_s(lane, speech) >= _TONE_S:
        spans = [(lane.at(broken_from * HOP_S), lane.end_s)]
        yield Fault(
            name="a channel that breaks off",
            channel=role,
            spoils="replies",
            spans=spans,
        )
    else:
        spans = _filled(lane, speech)
        if spans:
            yield Fault(
                name="silence that is filled in",
                channel=role,
                spoils="replies",
                spans=spans,
            )
    is_speech = inside(speech, lane.times(len(lane.levels), HOP_S))
    level = 0.0
    if is_speech.any():
        level = float(np.quantile(lane.levels[is_speech], 0.9))
        if lane.rate > TELEPHONE_HZ and _has_no_top(lane, is_speech):
            yield Fault(
                name="no sound above 4 kHz", channel=role, spoils="nothing", spans=[]
            )
    is_lost, is_repeated, is_clipped = lane.flaws
    spans = _inside_speech(lane, is_lost, level - _LOST_DB)
    if spans:
        yield Fault(name="lost packets", channel=role, spoils="nothing", spans=spans)
    spans = _inside_speech(lane, is_repeated, level - _LOUD_DB)
    if spans:
        yield Fault(
            name="repeated packets", channel=role, spoils="nothing", spans=spans
        )
    if is_clipped.sum() > _CLIPPED:
        spans = [_seconds(lane, run) for run in runs(is_clipped)]
        yield Fault(
            name="clipping", channel=role, spoils="nothing", spans=joined(spans, 1.0)
        )


def _has_no_top(lane: Lane, is_speech: NDArray[np.bool_]) -> bool:
    """Tell whether speech ends at 4 kHz."""
    voice, _, _, top = lane.bands
    loud_voice = np.quantile(voice[is_speech], 0.99)
    loud_top = np.quantile(top[is_speech], 0.99)
    return bool(loud_top < loud_voice - _NARROW_DB)


def _broken_from(lane: Lane) -> int | None:
    """Return the hop from which a channel is silent to its end, but hardly before."""
    is_silent = lane.levels <= SILENT_DB + 1
    last = 0
    if not is_silent.all():
        last = len(is_silent) - int(np.argmin(is_silent[::-1]))
    silent_s = (len(is_silent) - last) * HOP_S
    if silent_s >= _BROKE_S and is_silent[:last].mean() < 0.01:
        return last
    return None


def _seconds(lane: Lane, run: tuple[int, int]) -> tuple[float, float]:
    """Return the seconds of a run of stretches of 5 ms."""
    first, last = run
    return lane.at(first * HOP_S / 2), lane.at(last * HOP_S / 2)


def _cut_out(speech: Mapping[Role, Spans]) -> bool:
    """Tell whether replies begin the moment the other one ends, and none pauses."""
    pauses = gaps(_of_either(speech))
    if any(end - start >= _NO_PAUSE_S for start, end in pauses):
        return False
    after = []
    for one, other in permutations(ROLES):
        starts = np.array([start for start, _ in speech[other]])
        for _, end in joined(speech[one], 0.1):
            distances = np.abs(starts - end)
            near = distances[distances < 3.0]
            if len(near):
                after.append(float(near.min()))
    at_once = sum(one <= _AT_ONCE_S for one in after)
    return at_once >= _REPLIES and at_once >= _AT_ONCE * len(after)


def _filled(lane: Lane, speech: Spans) -> Spans:
    """Find digital silence in a side that else has room tone.

    There something was moved or lost.
    """
    is_zero = lane.peaks <= _ZERO  # coded or dithered silence is not quite zero
    last = len(is_zero) - 1
    inner = [(a, b) for a, b in runs(is_zero) if a > 0 and b < last]
    long = [(a, b) for a, b in inner if (b - a) * HOP_S / 2 >= _FILLED_S]
    if not long or _tone_s(lane, speech) < _TONE_S:
        return []
    is_pause = ~inside(speech, lane.times(len(lane.peaks), HOP_S / 2))
    inner_in_pauses = sum(bool(is_pause[first]) for first, _ in inner)
    long_in_pauses = sum(bool(is_pause[first]) for first, _ in long)
    if inner_in_pauses - long_in_pauses > _HOLES:
        return []
    if len(long) > _HOLES and is_zero[is_pause].mean() > _GATED:
        return []
    return [_seconds(lane, run) for run in long]


def _tone_s(lane: Lane, speech: Spans) -> float:
    """Return seconds of room tone, which is sound far from all speech."""
    near = joined([(start - _FAR_S, end + _FAR_S) for start, end in speech])
    is_far = ~inside(near, lane.times(len(lane.peaks), HOP_S / 2))
    is_tone = is_far & (lane.peaks > _ZERO)
    return float(is_tone.sum() * HOP_S / 2)


def _inside_speech(lane: Lane, flags: NDArray[np.bool_], loud: float) -> Spans:
    """Find runs of up to 80 ms that begin and end abruptly in something loud."""
    line = 10 ** (loud / 20)
    spans = []
    for first, last in runs(flags):
        before = lane.peaks[max(0, first - 2) : first].max(initial=0)
        after = lane.peaks[last : last + 2].max(initial=0)
        is_abrupt = min(before, after) > line
        if last - first <= _LONGEST and is_abrupt:
            spans.append(_seconds(lane, (first, last)))
    return spans
