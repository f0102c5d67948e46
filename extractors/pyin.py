"""Fundamental frequency with probabilistic YIN (Mauch & Dixon 2014), through librosa.

The alternative to Praat for those who cannot use GPL software (``pitch=pyin``): about seven
times slower, and more generous about what is voiced, but the figures mean the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from blueprints import Absent, Blueprint, Present
from extractors.audio import SPEECH_RATE, Clip
from extractors.base import Extractor
from extractors.contours import Floats, pitch_group, run_lengths
from extractors.pitch import (
    MIN_RUN_FRAMES,
    STEP_S,
    WIDE_CEILING_HZ,
    WIDE_FLOOR_HZ,
    check_factors,
    no_voice,
    too_short_or_silent,
    voice_range,
)

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
class PyinPitchExtractor(Extractor):
    """f0 by pYIN in two passes, on the 16 kHz mono mix; options as for Praat's extractor."""

    name: ClassVar[str] = "pyin"
    group: ClassVar[str] = "pitch"
    version: ClassVar[str] = "1"
    packages: ClassVar[dict[str, str]] = {"librosa": "librosa"}

    floor_factor: float = 0.75
    ceiling_factor: float = 2.5

    def __post_init__(self) -> None:
        check_factors(self.name, self.floor_factor, self.ceiling_factor)

    def extract(self, clip: Clip, known: Blueprint) -> Present | Absent:
        """Measure the f0 track; ``no_speech`` where nothing is voiced."""
        absent = too_short_or_silent(clip)
        if absent:
            return absent
        hz = _track(clip, WIDE_FLOOR_HZ, WIDE_CEILING_HZ, _COARSE)
        if np.isnan(hz).all():
            return no_voice(f"none between {WIDE_FLOOR_HZ:g} and {WIDE_CEILING_HZ:g} Hz")
        floor, ceiling = voice_range(
            hz, self.floor_factor, self.ceiling_factor, ceiling_limit=SPEECH_RATE / 2
        )
        hz = _track(clip, floor, ceiling, _FINE)
        if run_lengths(~np.isnan(hz)).max(initial=0) < MIN_RUN_FRAMES:
            return no_voice(f"none in a row between {floor:.0f} and {ceiling:.0f} Hz")
        return pitch_group(hz, 0.0, STEP_S, floor, ceiling)


def _track(clip: Clip, floor: float, ceiling: float, grid: _Grid) -> Floats:
    """F0 per frame, Hz, NaN where unvoiced; frame i is centred at i times the grid's step."""
    import librosa  # late: its first use compiles for seconds

    hz, _, _ = librosa.pyin(
        clip.speech,
        fmin=floor,
        fmax=ceiling,
        sr=SPEECH_RATE,
        frame_length=FRAME_SAMPLES,
        hop_length=round(grid.step_s * SPEECH_RATE),
        resolution=grid.semitones,
    )
    return np.asarray(hz)
