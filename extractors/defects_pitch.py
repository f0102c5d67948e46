"""Steps of the pitch that no voice makes: by almost an octave within 40 ms.

Pitch is told by normalised cross-correlation of the wave with itself, one lag later, as in RAPT
(D. Talkin, A robust algorithm for pitch tracking, 1995).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import soxr

from blueprints import Event
from extractors.audio import SPEECH_RATE
from extractors.contours import Floats
from extractors.defects_frames import STEP_S, Frames, decibels_of, joined

Indices = npt.NDArray[np.intp]

#: Periods are looked for at this rate, Hz, in stretches of 20 ms, from 60 to 400 Hz; shorter lags
#: are looked at as well, for what repeats itself there is a formant.
RATE = 4000
_SIZE, _STEP = 80, round(STEP_S * RATE)
_LAGS, SHORTEST = (7, 68), 10

#: Least and largest step, semitones; what is larger is a formant that passes for a pitch.
JUMP_SEMITONES, MOST_SEMITONES = 9.0, 18.0

#: So many frames on each side hold their pitch within so many semitones, and between them lie the
#: frames that hear both.
SIDE, STEADY, BETWEEN = 5, 2.0, 4

#: Of two lags that repeat the wave, the shortest is taken that is nearly as good.
NEARLY = 0.85

#: Both sides are as periodic as this, and the lower voice has not the shorter period.
LEAST_LOW, LEAST_HIGH, MOST_OTHER = 0.5, 0.6, 0.6

#: The usual pitch is the median of the frames that are as periodic as this.
USUAL = 0.8

#: A voice that creaks drops by about an octave under its usual pitch, semitones.
CREAK = (9.5, 14.5)

#: All of it sounds, dB under the level of speech, and one side is not much louder than the other.
UNDER_DB, LOUDER_DB = 20.0, 12.0

#: A jump is as clear as this: the higher voice is periodic, the frames between are not, and the
#: lower voice has nothing of the shorter period.
CLEAR, OF_BETWEEN, OF_OTHER = 0.62, 0.4, 0.2


def jumps(frames: Frames) -> list[Event]:
    """Moments at which f0 steps inside a voiced stretch, confirmed by the waves of both sides."""
    similar, level = _periodicity(frames)
    apart = SIDE + BETWEEN
    if len(similar) < 2 * apart:
        return []
    sides = _means(similar, SIDE)
    period = _shortest(sides) + _LAGS[0]
    moves = np.ptp(12 * np.log2(_windows(_shortest(_means(similar, 3)) + _LAGS[0], 3)), axis=1)
    steps = np.abs(12 * np.log2(period[apart:] / period[:-apart]))
    good = (steps >= JUMP_SEMITONES) & (steps <= MOST_SEMITONES)
    good &= (moves[apart:] < STEADY) & (moves[:-apart] < STEADY)
    good &= _windows(level, apart + SIDE).min(axis=1) > -UNDER_DB
    louder = _means(level, SIDE)
    good &= np.abs(louder[apart:] - louder[:-apart]) < LOUDER_DB
    voiced = (level > -UNDER_DB) & (similar.max(axis=1) > USUAL)
    if voiced.any():
        usual = float(np.median((_shortest(similar[voiced]) + _LAGS[0]).astype(float)))
        lower = 12 * np.log2(np.maximum(period[apart:], period[:-apart]) / usual)
        good &= (lower < CREAK[0]) | (lower > CREAK[1])
    return joined(list(_clear(similar, sides, period, np.flatnonzero(good))), gap_s=0.1)


def _clear(similar: Floats, sides: Floats, period: Indices, starts: Indices) -> Iterator[Event]:
    for start in starts.tolist():
        stop = start + SIDE + BETWEEN
        low, high = (start, stop) if period[start] > period[stop] else (stop, start)
        short, long = int(period[high]), int(period[low])
        if short < SHORTEST:
            continue
        at = short - _LAGS[0]
        of_low, of_high = float(sides[low, long - _LAGS[0]]), float(sides[high, at])
        other = float(sides[low, max(0, at - 1) : at + 2].max())
        if of_low < LEAST_LOW or of_high < LEAST_HIGH or other > MOST_OTHER:
            continue
        between = float(similar[start + SIDE : stop].max(axis=1).min())
        clear = of_high - OF_BETWEEN * between - OF_OTHER * max(0.0, other)
        if clear >= CLEAR:
            # A frame reaches 20 ms and a lag ahead.
            when = (start + SIDE + BETWEEN / 2) * STEP_S + 0.012
            yield Event(kind="pitch_jump", start_s=when, end_s=when, strength=clear / CLEAR)


def _windows(values: Floats | Indices, size: int) -> Floats:
    return np.lib.stride_tricks.sliding_window_view(values, size, axis=0)


def _means(values: Floats, size: int) -> Floats:
    return np.asarray(_windows(values, size).mean(axis=-1))


def _shortest(similar: Floats) -> Indices:
    """The shortest peak that is nearly as good as the best, as a column [shape=(frames,)]."""
    peaks = np.zeros(similar.shape, bool)
    peaks[:, 1:-1] = (similar[:, 1:-1] >= similar[:, :-2]) & (similar[:, 1:-1] >= similar[:, 2:])
    ranked = np.where(peaks, similar, -1)
    best = ranked.max(axis=1, keepdims=True)
    return np.asarray(np.argmax(ranked >= NEARLY * best, axis=1))


def _periodicity(frames: Frames) -> tuple[Floats, Floats]:
    """How like itself the wave is one lag later [shape=(frames, lags)], and its level, dB."""
    wave = soxr.resample(frames.wave, SPEECH_RATE, RATE, quality="LQ")
    count = max(0, len(wave) // _STEP - 3)
    reach = _SIZE + _LAGS[1]
    padded = np.pad(wave, (0, reach))
    rows = np.lib.stride_tricks.sliding_window_view(padded, reach)[::_STEP][:count]
    similar = np.zeros((count, _LAGS[1] - _LAGS[0]), np.float32)
    sums = np.concatenate(([0.0], np.cumsum(np.square(padded, dtype=np.float64))))
    starts = _STEP * np.arange(count)
    energy = sums[starts + _SIZE] - sums[starts]
    later = starts[:, None] + np.arange(*_LAGS)
    both = np.sqrt(np.maximum(energy[:, None] * (sums[later + _SIZE] - sums[later]), 1e-10))
    for places in np.array_split(np.arange(count), count // 2000 + 1):
        lagged = np.lib.stride_tricks.sliding_window_view(rows[places], _SIZE, axis=1)
        similar[places] = np.einsum(
            "fln,fn->fl", lagged[:, slice(*_LAGS)], rows[places][:, :_SIZE], optimize=False
        )
    level = decibels_of(energy / _SIZE)
    if count:
        level = level - np.percentile(level[level > level.max() - 50], 90)
    return np.asarray(similar / both), level
