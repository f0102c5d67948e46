"""Syllable nuclei from intensity and voicing, without a transcript.

Method: de Jong, N. H., & Wempe, T. (2009). Praat script to detect syllable nuclei and
measure speech rate automatically. Behavior Research Methods, 41(2), 385-390. The silence
threshold is that of the authors' revision of 2010: 25 dB below the 99 % quantile.

Two deviations. The quantile is taken over the detected speech, so that a bang elsewhere does
not hide the syllables. And where two peaks lie apart by a dip too shallow to separate them,
exactly the higher one stays, whichever comes first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from blueprints import Span
from extractors.audio import SPEECH_RATE, Samples

#: How far a nucleus must stand out from the dips on both sides, dB.
MIN_DIP_DB = 2.0

#: Peaks further below the loudest are not nuclei, dB; the loudest is this quantile.
SILENCE_DB, LOUDEST = 25.0, 0.99

#: Lowest pitch that the intensity window must smooth over, Hz; its length is 3.2 periods.
INTENSITY_FLOOR_HZ = 50.0

#: Voicing: 100 ms windows (3 periods of the floor) every 20 ms, as in the paper.
PITCH_FLOOR_HZ, PITCH_CEILING_HZ, PITCH_STEP_S = 30.0, 450.0, 0.02

#: Praat cannot analyse less than two intensity windows, seconds.
MIN_SECONDS = 6.4 / INTENSITY_FLOOR_HZ


def nuclei(speech: Samples, spans: Sequence[Span]) -> list[float]:
    """Times of the syllable nuclei within ``spans``, seconds, in order.

    Args:
        speech: mono at 16 kHz, float32 [shape=(n,)].
        spans: where somebody speaks.
    """
    if len(speech) <= MIN_SECONDS * SPEECH_RATE or not spans:
        return []
    import parselmouth

    sound = parselmouth.Sound(speech.astype(np.float64), float(SPEECH_RATE))
    intensity = sound.to_intensity(minimum_pitch=INTENSITY_FLOOR_HZ)
    times, level = intensity.xs(), intensity.values[0]
    spoken = inside(times, spans)
    if not spoken.any():
        return []
    threshold = np.quantile(level[spoken], LOUDEST) - SILENCE_DB
    pitch = sound.to_pitch_ac(
        time_step=PITCH_STEP_S,
        pitch_floor=PITCH_FLOOR_HZ,
        max_number_of_candidates=4,
        silence_threshold=0.03,
        voicing_threshold=0.25,
        pitch_ceiling=PITCH_CEILING_HZ,
    )
    hertz, pitch_times = pitch.selected_array["frequency"], pitch.xs()
    results = []
    for index in prominent_peaks(level, MIN_DIP_DB):
        nearest = int(np.argmin(np.abs(pitch_times - times[index])))
        if spoken[index] and level[index] > threshold and hertz[nearest] > 0:
            results.append(float(times[index]))
    return results


def inside(times: npt.NDArray[np.float64], spans: Sequence[Span]) -> npt.NDArray[np.bool_]:
    """Which of ``times`` [shape=(n,)] lie within a span."""
    within = np.zeros(len(times), dtype=bool)
    for span in spans:
        within |= (times >= span.start_s) & (times <= span.end_s)
    return within


def prominent_peaks(level: npt.NDArray[np.float64], dip: float) -> list[int]:
    """Indices of maxima that rise and fall by at least ``dip`` on both sides.

    The beginning and the end of ``level`` count as dips.

    >>> prominent_peaks(np.array([0.0, 5.0, 4.0, 6.0, 1.0, 3.0]), 2.0)
    [3, 5]
    """
    peaks: list[int] = []
    lowest = -np.inf
    candidate: int | None = None
    for index, value in enumerate(level):
        if candidate is None:
            lowest = min(lowest, value)
            if value >= lowest + dip:
                candidate = index
        elif value > level[candidate]:
            candidate = index
        elif value <= level[candidate] - dip:
            peaks.append(candidate)
            candidate, lowest = None, value
    if candidate is not None:
        peaks.append(candidate)
    return peaks
