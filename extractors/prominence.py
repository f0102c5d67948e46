"""Measure how clearly a voice is periodic: smoothed cepstral peak prominence, dB.

Hillenbrand, Cleveland & Erickson 1994, "Acoustic correlates of breathy vocal quality",
JSHR 37: the height of the cepstrum's peak, among the periods of voices, over a straight
line through the cepstrum. Rough, buzzing and washed-out voices, as low-rate codecs make
them, have less of it. It depends on the speaker and on the words, so that only one
voice saying one text may be compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from extractors.audio import SPEECH_RATE, Samples
from extractors.contours import Floats

#: Frames and their steps, seconds, and the transform of a frame, samples.
FRAME_S, STEP_S = 0.04, 0.02
TRANSFORM = 1024

#: The spectrum is seen up to here, Hz; a voice has most of its harmonics below.
HIGHEST_HZ = 5000

#: Periods of voices, and where the line is laid, seconds.
PERIODS_S = (1 / 330, 1 / 60)
LINE_S = (0.001, 1 / 60)

#: Frames that are this far under the loudest say nothing of a voice, dB.
RANGE_DB = 25.0


def prominences(speech: Samples, lengths_s: Sequence[float]) -> list[float | None]:
    """Return the mean prominence of the first seconds of speech, by length.

    Args:
        speech: 16 kHz mono.
        lengths_s: lengths of stretches that all begin with the speech; None where a
            stretch is shorter than a frame.
    """
    frame = round(FRAME_S * SPEECH_RATE)
    step = round(STEP_S * SPEECH_RATE)
    if len(speech) < frame:
        return [None] * len(lengths_s)
    frames = np.lib.stride_tricks.sliding_window_view(speech, frame)[::step]
    window = np.hanning(frame).astype(np.float32)
    prominence, level = _by_frame(frames * window)
    means: list[float | None] = []
    for seconds in lengths_s:
        samples = round(seconds * SPEECH_RATE)
        count = max(0, (samples - frame) // step + 1)
        loudest = level[:count].max(initial=-np.inf)
        is_loud = level[:count] > loudest - RANGE_DB
        of_voice = prominence[:count][is_loud]
        if len(of_voice):
            means.append(float(of_voice.mean()))
        else:
            means.append(None)
    return means


def _by_frame(frames: Floats) -> tuple[Floats, Floats]:
    """Return prominence and level of windowed frames, dB [shape=(frames,) each]."""
    quefrency, height = _cepstrum(frames)
    shortest_s, longest_s = PERIODS_S
    of_voices = (quefrency >= shortest_s) & (quefrency <= longest_s)
    peak = height[:, of_voices].argmax(axis=1)
    peak_height = height[:, of_voices].max(axis=1)
    first_s, last_s = LINE_S
    under_line = (quefrency >= first_s) & (quefrency <= last_s)
    slope, offset = np.polyfit(quefrency[under_line], height[:, under_line].T, 1)
    line_at_peak = slope * quefrency[of_voices][peak] + offset
    energy = np.einsum("ij,ij->i", frames, frames)
    level = 10 * np.log10(energy + 1e-12)
    return peak_height - line_at_peak, level


def _cepstrum(frames: Floats) -> tuple[Floats, Floats]:
    """Return the smoothed cepstrum of windowed frames, up to the longest period.

    Returns:
        Quefrencies, seconds [shape=(quefrencies,)], and heights, dB [shape=(frames,
        quefrencies)], each the mean over three frames and three quefrencies.
    """
    bins = HIGHEST_HZ * TRANSFORM // SPEECH_RATE + 1
    spectrum = np.fft.rfft(frames, TRANSFORM, axis=1)[:, :bins]
    power = np.abs(spectrum) ** 2
    power_db = 10 * np.log10(power + 1e-10)
    quefrency = np.arange(bins - 1) / (2 * HIGHEST_HZ)
    used = int(np.searchsorted(quefrency, LINE_S[1])) + 2
    cepstrum = np.fft.irfft(power_db, axis=1)[:, :used] ** 2
    over_time = _mean_of_three(cepstrum, axis=0)
    smooth = _mean_of_three(over_time, axis=1)
    height = 10 * np.log10(smooth + 1e-12)
    return quefrency[:used], height


def _mean_of_three(values: Floats, axis: int) -> Floats:
    """Return the mean of each value and its neighbours along an axis."""
    width = [(0, 0), (0, 0)]
    width[axis] = (1, 1)
    padded = np.pad(values, width, mode="edge")
    size = values.shape[axis]
    before = np.take(padded, np.arange(size), axis)
    after = np.take(padded, np.arange(2, size + 2), axis)
    return np.asarray((before + values + after) / 3)
