"""How periodic a sound is at one time, where a track of its pitch is not needed."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from extractors.audio import SPEECH_RATE, Samples

#: The window holds so many periods of the lowest pitch, as Praat's.
PERIODS = 3


def periodicity(
    speech: Samples, time_s: float, floor_hz: float, ceiling_hz: float
) -> float:
    """Measure how much a sound repeats itself around a time, about 0 to 1.

    It is the highest peak of the autocorrelation of a Hann window, which is divided by
    the window's own (Boersma 1993, "Accurate short-term analysis of the fundamental
    frequency"): Praat's strength of a pitch candidate, of one frame alone.

    Args:
        speech: mono at 16 kHz, no shorter than ``PERIODS`` of the floor [shape=(n,)].
        time_s: middle of the window; close to an end of the sound it is moved inwards.
        floor_hz, ceiling_hz: of pitch.
    """
    window, window_curve = _window(floor_hz)
    middle = round(time_s * SPEECH_RATE)
    first = min(max(0, middle - len(window) // 2), len(speech) - len(window))
    frame = speech[first : first + len(window)]
    curve = _autocorrelation((frame - frame.mean()) * window)
    if curve[0] <= 0:
        return 0.0
    shortest, longest = int(SPEECH_RATE / ceiling_hz), int(SPEECH_RATE / floor_hz)
    # One lag more on either side, to see what is a peak.
    lags = slice(shortest - 1, longest + 2)
    repeated = curve[lags] / curve[0] / window_curve[lags]
    inner = repeated[1:-1]
    is_peak = (inner > repeated[:-2]) & (inner >= repeated[2:])
    return float(inner[is_peak].max(initial=0))


@cache
def _window(floor_hz: float) -> tuple[Samples, NDArray[np.floating]]:
    """Return a Hann window of ``PERIODS``, and its autocorrelation, 1 at lag 0."""
    window = np.hanning(round(PERIODS * SPEECH_RATE / floor_hz)).astype(np.float32)
    curve = _autocorrelation(window)
    return window, curve / curve[0]


def _autocorrelation(frame: Samples) -> NDArray[np.floating]:
    """Return a frame's products with itself, by lag; those of one end do not wrap."""
    size = 2 * len(frame)
    power = np.square(np.abs(np.fft.rfft(frame, size)))
    return np.asarray(np.fft.irfft(power, size))
