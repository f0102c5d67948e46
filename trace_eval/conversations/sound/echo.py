"""Echoes: how one speaker's voice arrives on the other's channel, and whether clocks agree.

Where a channel carries the other's voice softly, its level follows the other's: how
late and by how much softer separates crosstalk from speech, and a delay that is too
long or grows shows a wrong offset, swapped channels or clocks that drift. Nothing is
corrected.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from trace_eval.conversations.sound.lanes import (
    HOP_S,
    SILENT_DB,
    IsSpeech,
    Lane,
    Levels,
    inside,
)
from trace_eval.conversations.spans import Spans

#: Length of a window of comparison, and the longest delay that is tried, seconds.
_WINDOW_S, FARTHEST_S = 30.0, 0.5

#: Least correlation of levels of an echo. On rendered calls without one it stays under
#: 0.2; with crosstalk of -30 dB, human or added, it is 0.5 to 0.97.
_LIKE = 0.5

#: Delays of windows agree within this, seconds; where they do not, levels are so much
#: alike.
_AGREE_S, _SURE = 0.02, 0.8

#: A moment may carry an echo where the voice is this near to its loud moments and the
#: other channel is this much softer, dB; so many of them are needed, of which so many
#: stand out.
_LOUD_DB, _SOFTER_DB, _LEAST, _LEAST_OUT = 25.0, 10.0, 100, 20

#: The same of a call whose clock is checked, where every delay is looked for: calls are
#: short.
_FEWEST = 60, 12

#: How far an echo stands out of the noise, dB.
_OUT_DB = 3.0

#: Least speech of a window that counts, seconds.
_SPEECH_S = 0.6

#: Delay, seconds, and drift, parts per million, that are doubtful.
OFFSET_S, DRIFT_PPM = 0.05, 100.0

#: Drift needs windows that lie so far apart, seconds: levels have steps of 10 ms.
_APART_S = 300.0


@dataclass(frozen=True)
class EchoPath:
    """How levels of one channel follow the other's."""

    lag: int  # delay in hops of 10 ms; negative: the echo comes before the voice
    gain_db: float  # level of the echo minus that of the voice
    like: float = 1.0  # correlation of their levels at that delay

    def expected(self, voice: Levels) -> Levels:
        """Return the echo's level at each moment, dB: the loudest within a hop, as it rings on."""
        near = [_later(voice, self.lag + step) for step in range(-1, 4)]
        return np.asarray(np.max(near, axis=0) + self.gain_db)


def echo_path(
    voice: Levels,
    other: Levels,
    speaks: IsSpeech,
    back: int = 0,
    least: tuple[int, int] = (_LEAST, _LEAST_OUT),
) -> EchoPath | None:
    """Describe how a voice arrives on the other channel; None: its level does not follow.

    Levels of the channel of who speaks, and of the other one, are dB at the same
    moments [shape=(hops,)]; ``speaks`` is where the voice is heard on its own. The echo
    is also looked for so many hops ``back``. At ``least`` so many moments may carry it,
    and so many stand out.
    """
    if not speaks.any():
        return None
    loud = speaks & (voice > np.quantile(voice[speaks], 0.9) - _LOUD_DB)
    there = other[other > SILENT_DB + 1]
    floor = float(np.quantile(there, 0.1)) if len(there) else SILENT_DB
    best = EchoPath(0, 0.0, _LIKE)
    for lag in range(-back, round(FARTHEST_S / HOP_S) + 1):
        source = _later(voice, lag)
        may = _later(loud.astype(float), lag, 0.0) > 0
        may &= (other < source - _SOFTER_DB) & (other > SILENT_DB + 1)
        out = may & (other > floor + _OUT_DB)
        if may.sum() < least[0] or out.sum() < least[1]:
            continue
        one, two = source[may], np.maximum(other[may], floor)
        if np.ptp(one) and np.ptp(two) and (like := _like(one, two)) > best.like:
            best = EchoPath(lag, float(np.median((other - source)[out])), like)
    return best if best.like > _LIKE else None


def _like(one: Levels, two: Levels) -> float:
    """Correlate two rows that both vary: a fifth of the time of ``corrcoef``."""
    one, two = one - one.mean(), two - two.mean()
    return float(one @ two / np.sqrt((one @ one) * (two @ two)))


def _later(values: Levels, hops: int, fill: float = SILENT_DB) -> Levels:
    """Move values by hops to later moments."""
    moved = np.full(len(values), fill)
    if hops >= 0:
        moved[hops:] = values[: max(0, len(values) - hops)]
    else:
        moved[:hops] = values[-hops:]
    return moved


@dataclass(frozen=True)
class Echo:
    """How one speaker's voice arrives on the other's channel, over a whole call.

    It is ``sure`` where its windows agree, or their levels are so alike that it is no
    chance, as the levels of a noise gate make it.
    """

    lag_s: float  # median delay; negative: the echo comes before the voice
    drift_ppm: (
        float | None
    )  # how the delay grows; None: the windows lie too near to each other
    windows: int  # in how many stretches of 30 s it was found
    sure: bool = True

    def sentence(self, speaker: str, other: str) -> str:
        """Describe the delay, with its doubts."""
        drift = "" if self.drift_ppm is None else f", drift {self.drift_ppm:+.0f} ppm"
        text = (
            f"clock: the {speaker}'s echo is on the {other}'s channel after"
            f" {1000 * self.lag_s:+.0f} ms in {self.windows} windows{drift}"
        )
        if self.lag_s < 0:
            return (
                f"{text}: before the voice itself; swapped channels, or a wrong offset"
            )
        if self.lag_s > OFFSET_S:
            return f"{text}: a wrong offset?"
        if self.drift_ppm is not None and abs(self.drift_ppm) > DRIFT_PPM:
            return f"{text}: two clocks; give agent_drift_ppm"
        return text


def find_echo(voice: Lane, speech: Spans, other: Lane) -> Echo | None:
    """Find the echo of one lane's voice on another; None if there is none."""
    results = [*_lags(voice, speech, other)]
    if not results:
        return None
    at, lags, likes = np.array(results).T
    drift, expected = None, np.median(lags)
    if at[-1] - at[0] >= _APART_S:
        line = np.polyfit(at, lags, 1)
        drift, expected = 1e6 * float(line[0]), np.polyval(line, at)
    agree = len(results) > 1 and float(np.median(np.abs(lags - expected))) <= _AGREE_S
    sure = agree or float(np.median(likes)) >= _SURE
    return Echo(float(np.median(lags)), drift, len(results), sure)


def _lags(
    voice: Lane, speech: Spans, other: Lane
) -> Iterator[tuple[float, float, float]]:
    """Return middles of windows and delays of the best correlation, seconds, and correlations."""
    back = round(FARTHEST_S / HOP_S)
    for first in np.arange(0.0, min(voice.end_s, other.end_s), _WINDOW_S):
        times = first + HOP_S * np.arange(round(_WINDOW_S / HOP_S))
        speaks = inside(speech, times)
        if speaks.sum() * HOP_S < _SPEECH_S:
            continue
        levels = voice.levels_at(times), other.levels_at(times)
        path = echo_path(*levels, speaks, back, _FEWEST)
        if path is not None:
            yield float(first + _WINDOW_S / 2), path.lag * HOP_S, path.like
