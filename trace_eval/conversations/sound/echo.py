"""Whether two channels share a clock: how late each voice's echo is on the other channel.

Where a channel carries the other's voice softly, the delay between both tells of a wrong offset or
swapped channels, and a delay that grows of clocks that drift. Nothing is corrected.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trace_eval.conversations.sound.lanes import HOP_S, SILENT_DB, Lane
from trace_eval.conversations.spans import Spans

Times = NDArray[np.float64]

#: What is compared at once, and the farthest delay that is looked for, seconds.
_WINDOW_S, _FARTHEST_S = 30.0, 0.5

#: Correlation of levels from which one channel holds the other's echo. Our cut: other speech
#: and noise stay under 0.4 on rendered calls.
_ECHO = 0.7

#: Least speech of a window that counts, seconds.
_SPEECH_S = 2.0

#: Delay, seconds, and drift, parts per million, that are doubtful.
OFFSET_S, DRIFT_PPM = 0.05, 100.0

#: Drift needs windows that lie so far apart, seconds: levels have steps of 10 ms.
_APART_S = 300.0


@dataclass(frozen=True)
class Echo:
    """How one speaker's voice arrives on the other's channel.

    Attributes:
        lag_s: median delay; negative: the echo comes before the voice.
        drift_ppm: how the delay grows; None: the windows lie too near to each other.
        windows: in how many stretches of 30 s it was found.
    """

    lag_s: float
    drift_ppm: float | None
    windows: int

    def told(self, speaker: str, other: str) -> str:
        """The delay in words, and what to doubt."""
        drift = "" if self.drift_ppm is None else f", drift {self.drift_ppm:+.0f} ppm"
        text = (
            f"clock: the {speaker}'s echo is on the {other}'s channel after"
            f" {1000 * self.lag_s:+.0f} ms in {self.windows} windows{drift}"
        )
        if self.lag_s < 0:
            return f"{text}: before the voice itself; swapped channels, or a wrong offset"
        if self.lag_s > OFFSET_S:
            return f"{text}: a wrong offset?"
        if self.drift_ppm is not None and abs(self.drift_ppm) > DRIFT_PPM:
            return f"{text}: two clocks; give agent_drift_ppm"
        return text


def find_echo(voice: Lane, said: Spans, other: Lane, theirs: Spans) -> Echo | None:
    """The echo of one lane's voice on another; None: there is none.

    Args:
        voice, other: lanes.
        said, theirs: what is spoken on each, without what is the other's voice.
    """
    found = [*_lags(voice, said, other, theirs)]
    if not found:
        return None
    at, lags = np.array(found).T
    drift = None
    if at[-1] - at[0] >= _APART_S:
        drift = 1e6 * float(np.polyfit(at, lags, 1)[0])
    return Echo(float(np.median(lags)), drift, len(found))


def _lags(voice: Lane, said: Spans, other: Lane, theirs: Spans) -> Iterator[tuple[float, float]]:
    """(middle of a window, delay of the best correlation), seconds."""
    reach = round(_FARTHEST_S / HOP_S)
    size = round(_WINDOW_S / HOP_S)
    end_s = min(voice.end_s, other.end_s)
    for first in np.arange(0.0, end_s - _FARTHEST_S, _WINDOW_S):
        times = first + HOP_S * np.arange(-reach, min(size, round((end_s - first) / HOP_S)) + reach)
        source, target = voice.levels_at(times), other.levels_at(times)
        speaks, quiet = _inside(said, times), ~_inside(theirs, times, reach)
        quiet[:reach] = quiet[-reach:] = False
        quiet &= target > SILENT_DB + 1
        near = np.convolve(speaks, np.ones(2 * reach + 1), "same") > 0
        there = np.flatnonzero(quiet & near)
        if speaks.sum() * HOP_S < _SPEECH_S or len(there) * HOP_S < _SPEECH_S:
            continue
        heard = target[there]
        scores = [
            np.corrcoef(source[there - lag], heard)[0, 1] if np.ptp(heard) else 0.0
            for lag in range(-reach, reach + 1)
        ]
        best = int(np.nanargmax(scores))
        if scores[best] >= _ECHO:
            yield float(first + _WINDOW_S / 2), (best - reach) * HOP_S


def _inside(spans: Spans, times: Times, margin: int = 0) -> NDArray[np.bool_]:
    """Which moments lie in stretches, or within ``margin`` steps of one."""
    mask = np.zeros(len(times), bool)
    wider = margin * HOP_S
    for start, end in spans:
        mask |= (times >= start - wider) & (times < end + wider)
    return mask
