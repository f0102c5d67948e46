"""Steps of the pitch that no voice makes: by almost an octave within 30 ms."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import soxr

from blueprints import Event
from extractors.audio import SPEECH_RATE
from extractors.contours import Floats
from extractors.defects_frames import STEP_S, Bools, Frames, joined

Indices = npt.NDArray[np.intp]

#: Periods are looked for at this rate, Hz, in frames of 40 ms, from 60 to 550 Hz.
RATE = 4000
_SIZE, _FFT = 160, 512
_LAGS = (7, 67)

#: Least and largest step, semitones; what is larger is a formant that passes for a pitch.
JUMP_SEMITONES, MOST_SEMITONES = 10.0, 20.0

#: So many frames on each side of a step are voiced and hold their pitch, within so many semitones,
#: and between them lie the frames that hear both.
SIDE, STEADY, BETWEEN = 5, 2.0, 3

#: A period repeats the wave so well that it is one; of two that do, the shortest is taken that is
#: nearly as good.
PERIODIC, NEARLY = 0.3, 0.8

#: The lower voice has not half its period, times its own.
NOT_HALF = 0.6

#: Both sides sound, dB under the level of speech.
SOUND_DB = 20.0


def jumps(frames: Frames) -> list[Event]:
    """Moments at which f0 steps inside a voiced stretch, confirmed by the waves of both sides."""
    similar, voiced = _periodicity(frames)
    if len(similar) < 2 * SIDE + BETWEEN:
        return []
    lag = _shortest(similar)
    strength = np.take_along_axis(similar, lag[:, None], axis=1)[:, 0]
    pitch = -12 * np.log2(lag + _LAGS[0])
    steady = np.lib.stride_tricks.sliding_window_view(pitch, SIDE)
    usable = np.lib.stride_tricks.sliding_window_view(voiced & (strength > PERIODIC), SIDE)
    held = usable.all(axis=1) & (np.ptp(steady, axis=1) < STEADY)
    middle = np.median(steady, axis=1)
    apart = SIDE + BETWEEN
    steps = np.abs(middle[apart:] - middle[:-apart])
    heard = np.lib.stride_tricks.sliding_window_view(voiced, apart + SIDE).all(axis=1)
    far = (steps >= JUMP_SEMITONES) & (steps <= MOST_SEMITONES)
    good = held[apart:] & held[:-apart] & heard & far
    return joined(list(_confirmed(similar, middle, np.flatnonzero(good))), gap_s=0.1)


def _confirmed(similar: Floats, middle: Floats, starts: Indices) -> Iterator[Event]:
    for start in starts.tolist():
        sides = [
            (float(middle[first]), similar[first : first + SIDE].mean(axis=0))
            for first in (start, start + SIDE + BETWEEN)
        ]
        (low, of_low), (high, of_high) = sorted(sides, key=lambda side: side[0])
        short, long = (round(2 ** (-pitch / 12)) - _LAGS[0] for pitch in (high, low))
        twice = min(2 * (short + _LAGS[0]) - _LAGS[0], similar.shape[1] - 1)
        if of_low[short] > NOT_HALF * of_low[long] or of_high[short] < of_high[twice]:
            continue
        at = (start + SIDE + (BETWEEN - 1) / 2) * STEP_S
        yield Event(kind="pitch_jump", start_s=at, end_s=at, strength=(high - low) / JUMP_SEMITONES)


def _shortest(similar: Floats) -> Indices:
    """The shortest period that is nearly as good as the best, as a column [shape=(frames,)]."""
    peaks = np.zeros(similar.shape, bool)
    peaks[:, 1:-1] = (similar[:, 1:-1] >= similar[:, :-2]) & (similar[:, 1:-1] >= similar[:, 2:])
    ranked = np.where(peaks, similar, -1)
    best = ranked.max(axis=1, keepdims=True)
    return np.asarray(np.argmax(ranked >= NEARLY * best, axis=1))


def _periodicity(frames: Frames) -> tuple[Floats, Bools]:
    """How like itself the wave is one lag later [shape=(frames, lags)], and which frames sound.

    It is the autocorrelation of the magnitudes, not of the powers: a formant on a harmonic then
    does not pass for a pitch of its own.
    """
    wave = soxr.resample(frames.wave, SPEECH_RATE, RATE, quality="LQ")
    step, half = round(STEP_S * RATE), _SIZE // 2
    padded = np.concatenate((np.zeros(half, np.float32), wave, np.zeros(_SIZE, np.float32)))
    rows = np.lib.stride_tricks.sliding_window_view(padded, _SIZE)[::step][: len(frames.level)]
    voiced: Bools = frames.level[: len(rows)] > frames.speech_db - SOUND_DB
    window = np.hanning(_SIZE + 2)[1:-1].astype(np.float32)
    similar = np.zeros((len(rows), _LAGS[1] - _LAGS[0]), np.float32)
    for places in np.array_split(np.flatnonzero(voiced), len(rows) // 2000 + 1):
        magnitude = np.abs(np.fft.rfft(rows[places] * window, _FFT))
        magnitude[:, :3] = 0  # under 20 Hz
        own = np.fft.irfft(magnitude, _FFT)
        similar[places] = (own / np.maximum(own[:, :1], 1e-12))[:, slice(*_LAGS)]
    return similar, voiced
