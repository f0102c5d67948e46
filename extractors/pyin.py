"""Fundamental frequency with probabilistic YIN (Mauch & Dixon 2014), through librosa.

The alternative to Praat for those who cannot use GPL software (``pitch=pyin``): about seven
times slower, and more generous about what is voiced, but the figures mean the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from extractors.audio import SPEECH_RATE, Clip
from extractors.pitch import MIN_RUN_FRAMES, STEP_S, Track, TwoPassPitchExtractor

#: 64 ms, two periods of 31 Hz: enough for the lowest floor that the first pass can give.
FRAME_SAMPLES = 1024


class _Grid(NamedTuple):
    """How finely time and pitch are searched."""

    step_s: float
    semitones: float


#: The first pass only has to find quartiles: 3 times coarser in time, half-semitone bins.
_COARSE = _Grid(step_s=3 * STEP_S, semitones=0.5)
_FINE = _Grid(step_s=STEP_S, semitones=0.1)


@dataclass(frozen=True)
class PyinPitchExtractor(TwoPassPitchExtractor):
    """Fundamental frequency (Hz), spread and contour, by pYIN; options as for Praat's."""

    name: ClassVar[str] = "pyin"
    version: ClassVar[str] = "1"
    limits: ClassVar[str] = "steadier than autocorrelation and slower; a whisper has no pitch."
    packages: ClassVar[dict[str, str]] = {"librosa": "librosa"}
    min_runs: ClassVar[tuple[int, int]] = (1, MIN_RUN_FRAMES)

    def track(self, clip: Clip, floor: float, ceiling: float, coarse: bool) -> Track:
        """One pass; frame i is centred at i times the grid's step."""
        import librosa  # late: its first use compiles for seconds

        grid = _COARSE if coarse else _FINE
        hz, _, _ = librosa.pyin(
            clip.speech,
            fmin=floor,
            fmax=ceiling,
            sr=SPEECH_RATE,
            frame_length=FRAME_SAMPLES,
            hop_length=round(grid.step_s * SPEECH_RATE),
            resolution=grid.semitones,
        )
        return Track(np.asarray(hz), None, 0.0)
