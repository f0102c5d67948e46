"""Kaldi's log mel filter bank, as speaker and event networks were trained on it."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from extractors.audio import SPEECH_RATE, Samples

Features = npt.NDArray[np.float32]

#: A frame and the step to the next one, samples: 25 and 10 ms.
FRAME, STEP = 400, 160

BANDS = 80

#: Energy under which a band counts as empty; Kaldi's own floor.
FLOOR = 1.1920929e-07

_FFT = 512
_LOW_HZ, _HIGH_HZ = 20.0, 8000.0
_PREEMPHASIS = 0.97

#: Frames that are worked on at once: an hour of sound has 360,000.
_AT_ONCE = 6000


def frame_count(sound: Samples) -> int:
    """Return how many frames a sound has; at least one."""
    return 1 + max(0, len(sound) - FRAME) // STEP


def filter_bank(sound: Samples, floor: float = FLOOR) -> Features:
    """Return log mel energies [shape=(frames, 80)], without dither.

    Kaldi's ``compute-fbank-feats`` with its defaults: mean removed from each frame,
    pre-emphasis, Povey's window, power spectrum. Sound under 25 ms is filled up with
    zeros.

    Args:
        sound: mono at 16 kHz [shape=(samples,)].
        floor: the least energy of a band.
    """
    if len(sound) < FRAME:
        sound = np.pad(sound, (0, FRAME - len(sound)))
    frames = np.lib.stride_tricks.sliding_window_view(sound, FRAME)[::STEP]
    blocks = []
    for start in range(0, len(frames), _AT_ONCE):
        block = frames[start : start + _AT_ONCE]
        blocks.append(_energies(block))
    energies = np.concatenate(blocks)
    return np.log(np.maximum(energies, np.float32(floor)))


def _energies(frames: Samples) -> Features:
    from scipy.fft import rfft

    centred = frames - frames.mean(axis=1, keepdims=True, dtype=np.float32)
    before = np.concatenate([centred[:, :1], centred[:, :-1]], axis=1)
    windowed = (centred - np.float32(_PREEMPHASIS) * before) * _window()
    spectrum = rfft(windowed, _FFT)[:, : _FFT // 2]  # of 32 bits, as Kaldi's is
    power = np.square(spectrum.real) + np.square(spectrum.imag)
    return np.asarray(power @ _mel_filters(), np.float32)


@cache
def _window() -> Features:
    """Return Povey's window [shape=(400,)]: a Hann window to the power of 0.85."""
    return np.asarray(np.hanning(FRAME) ** 0.85, np.float32)


@cache
def _mel_filters() -> Features:
    """Return triangles that are even on the mel scale [shape=(256, 80)]."""
    low = _mel(_LOW_HZ)
    high = _mel(_HIGH_HZ)
    step = (high - low) / (BANDS + 1)
    left = low + np.arange(BANDS) * step
    right = left + 2 * step
    hertz = SPEECH_RATE / _FFT * np.arange(_FFT // 2)
    bins = _mel(hertz)[:, np.newaxis]
    rising = (bins - left) / step
    falling = (right - bins) / step
    triangles = np.maximum(0, np.minimum(rising, falling))
    return np.asarray(triangles, np.float32)


def _mel(hertz: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return frequencies on the mel scale of HTK and Kaldi: 1127 ln(1 + f / 700)."""
    ratio = np.asarray(hertz, np.float64) / 700
    return np.asarray(1127 * np.log1p(ratio))
