"""Echoes: how a speaker's voice arrives on the other's channel, and if clocks agree.

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
    """The dependence of one channel's levels on the other's."""

    lag: int  # delay in hops of 10 ms; negative: the echo comes before the voice
    gain_db: float  # level of the echo minus that of the voice
    like: float = 1.0  # correlation of their levels at that delay

    def expected(self, voice: Levels) -> Levels:
        """Return the echo's level at each moment, dB.

        It is the loudest of the hops around, as an echo rings on.
        """
        near = [_later(voice, self.lag + step) for step in range(-1, 4)]
        loudest = np.max(near, axis=0)
        return np.asarray(loudest + self.gain_db)


def echo_path(
    voice: Levels,
    other: Levels,
    speaks: IsSpeech,
    back: int = 0,
    least: tuple[int, int] = (_LEAST, _LEAST_OUT),
) -> EchoPath | None:
    """Describe how a voice arrives on the other channel.

    Levels of the channel of who speaks, and of the other one, are dB at the same
    moments [shape=(hops,)]; ``speaks`` is where the voice is heard on its own. The echo
    is also looked for so many hops ``back``. At ``least`` so many moments may carry it,
    and so many stand out.

    Returns:
        The path; None where the other channel's level does not follow the voice.
    """
    if not speaks.any():
        return None
    least_carrying, least_standing_out = least
    is_loud = speaks & (voice > np.quantile(voice[speaks], 0.9) - _LOUD_DB)
    has_sound = other > SILENT_DB + 1
    floor = SILENT_DB
    if has_sound.any():
        floor = float(np.quantile(other[has_sound], 0.1))
    best = EchoPath(0, 0.0, _LIKE)
    for lag in range(-back, round(FARTHEST_S / HOP_S) + 1):
        source = _later(voice, lag)
        may_carry = _later(is_loud.astype(float), lag, 0.0) > 0
        may_carry &= (other < source - _SOFTER_DB) & has_sound
        stands_out = may_carry & (other > floor + _OUT_DB)
        if may_carry.sum() < least_carrying or stands_out.sum() < least_standing_out:
            continue
        sent = source[may_carry]
        received = np.maximum(other[may_carry], floor)
        if not np.ptp(sent) or not np.ptp(received):
            continue
        like = _like(sent, received)
        if like > best.like:
            gain_db = float(np.median((other - source)[stands_out]))
            best = EchoPath(lag, gain_db, like)
    return best if best.like > _LIKE else None


def _like(one: Levels, other: Levels) -> float:
    """Correlate two rows that both vary, in a fifth of the time of ``corrcoef``."""
    one = one - one.mean()
    other = other - other.mean()
    norm = np.sqrt((one @ one) * (other @ other))
    return float(one @ other / norm)


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
    """The echo of one speaker's voice on the other's channel, over a whole call.

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
    windows = list(_lags(voice, speech, other))
    if not windows:
        return None
    middles, lags, likes = np.array(windows).T
    lag_s = float(np.median(lags))
    drift_ppm = None
    off_s = np.abs(lags - lag_s)
    if middles[-1] - middles[0] >= _APART_S:
        line = np.polyfit(middles, lags, 1)
        drift_ppm = 1e6 * float(line[0])
        off_s = np.abs(lags - np.polyval(line, middles))
    windows_agree = len(windows) > 1 and float(np.median(off_s)) <= _AGREE_S
    are_alike = float(np.median(likes)) >= _SURE
    return Echo(
        lag_s=lag_s,
        drift_ppm=drift_ppm,
        windows=len(windows),
        sure=windows_agree or are_alike,
    )


def _lags(
    voice: Lane, speech: Spans, other: Lane
) -> Iterator[tuple[float, float, float]]:
    """Yield the middle of each window with an echo, its delay, and the correlation.

    Both times are seconds.
    """
    back = round(FARTHEST_S / HOP_S)
    in_window = HOP_S * np.arange(round(_WINDOW_S / HOP_S))
    for first in np.arange(0.0, min(voice.end_s, other.end_s), _WINDOW_S):
        times = first + in_window
        speaks = inside(speech, times)
        if speaks.sum() * HOP_S < _SPEECH_S:
            continue
        path = echo_path(
            voice.levels_at(times),
            other.levels_at(times),
            speaks,
            back=back,
            least=_FEWEST,
        )
        if path is not None:
            yield float(first + _WINDOW_S / 2), path.lag * HOP_S, path.like
