"""Fundamental frequency in two passes: with Praat through parselmouth, or with pYIN.

Praat: Boersma 1993. Probabilistic YIN: Mauch & Dixon 2014, through librosa.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
import soxr

from blueprints import Absent, Blueprint, Present, Status, UserError
from blueprints.decimals import written_apart
from extractors.audio import SPEECH_RATE, Clip
from extractors.base import Extractor, silent
from extractors.contours import Floats, pitch_group, true_runs
from extractors.kept import alone
from extractors.models import cache_folder

#: Praat has no wheel for Linux on ARM; this compiles it, which takes a C++ compiler and
#: minutes.
INSTALL_PRAAT = "pip install praat-parselmouth"

#: Time between two f0 frames of the second pass, seconds.
STEP_S = 0.01

#: The first pass searches from a low creaky man to a singing soprano, Hz.
WIDE_FLOOR_HZ = 50.0
WIDE_CEILING_HZ = 1000.0

#: Praat looks at three periods of the floor at once and refuses shorter sounds.
PERIODS = 3

#: Praat's first pass gives quartiles and not a track, so this rate, Hz, and time between
#: frames, seconds, will do. It takes a quarter of the time, and there is less noise
#: under 2 kHz: of 47 clips with white noise as loud as the voice 45 keep a pitch, and 29
#: at 16 kHz.
COARSE_RATE = 4_000
COARSE_STEP_S = 0.02

#: A run of voiced frames is chance when its first and last lie closer together than
#: this, seconds: brown noise often gives single frames, or two that are 0.01 s apart.
MIN_RUN_S = 0.02

#: The shortest clip in which the first pass sees such a run, 0.08 s.
MIN_SECONDS = PERIODS / WIDE_FLOOR_HZ + MIN_RUN_S

#: Vowels of a whisper pass for voiced now and then. Where half of the voiced frames lie
#: in stretches under ``FIRM_RUN_S`` and the median periodicity is under
#: ``FIRM_STRENGTH``, none is believed. Measured, 10th to 90th percentile: noise-excited
#: copies of 47 real clips, 0.04 to 0.10 s and 0.57 to 0.68; the clips themselves, 0.18
#: to 0.44 s and 0.84 to 0.96; in white noise at 5 dB SNR, 0.15 to 0.43 s and 0.78 to
#: 0.91.
FIRM_RUN_S = 0.15
FIRM_STRENGTH = 0.7

#: Frame of pYIN: 64 ms, two periods of 31 Hz, enough for the lowest floor that the
#: first pass can give.
PYIN_FRAME_SAMPLES = 1024


def no_voice(reason: str) -> Absent:
    """Say that there is no pitch, because nothing is voiced (noise, or a whisper)."""
    return Absent(status=Status.NO_SPEECH, reason=f"no voiced frames: {reason}")


class Track(NamedTuple):
    """The f0 track of one pass."""

    hz: Floats  # per frame, NaN where unvoiced [shape=(frames,)]
    strength: (
        Floats | None
    )  # periodicity per frame, 0 to 1; None where the method has none
    start_s: float  # time of the first frame
    step_s: float  # time between two frames


@dataclass(frozen=True)
class TwoPassPitchExtractor(Extractor):
    """f0 in two passes on the 16 kHz mono mix: the first gives the range of the second.

    The range follows De Looze & Hirst (2008), "Detecting changes in key and range for
    the automatic modelling and coding of intonation", Speech Prosody: floor 0.75 Q1;
    ceiling 1.5 Q3 for calm and 2.5 Q3 for expressive speech (Hirst 2011). No speech is
    required: tones and music have a pitch too. Subclasses say how one pass is done
    (:meth:`track`).
    """

    group: ClassVar[str] = "pitch"
    #: Voiced frames in a row that the first and the second pass must have; fewer are
    #: chance.
    min_runs: ClassVar[tuple[int, int]]

    # floor of the second pass over the first quartile of the first
    floor_factor: float = 0.75
    #: Its ceiling over the third quartile. The default is the one for expressive
    #: speech: with 1.5, peaks of lively answers are halved by an octave (in 7 real
    #: answers 10 jumps of more than 8 semitones, against 2).
    ceiling_factor: float = 2.5

    def __post_init__(self) -> None:
        if not 0 < self.floor_factor <= 1 <= self.ceiling_factor:
            raise UserError(
                f"{self.name}: floor_factor {self.floor_factor:g} and ceiling_factor"
                f" {self.ceiling_factor:g} exclude the voice itself; use 0 <"
                " floor_factor <= 1 <= ceiling_factor, e.g. 0.75 and 2.5"
            )

    def extract(self, clip: Clip, blueprint: Blueprint) -> Present | Absent:
        """Measure the f0 track; ``no_speech`` where nothing is voiced."""
        if len(clip.speech) < MIN_SECONDS * SPEECH_RATE:
            reason = (
                f"{written_apart(clip.seconds, [MIN_SECONDS], digits=3)} s, at least"
                f" {MIN_SECONDS:g} s are needed for pitch"
            )
            return Absent(status=Status.TOO_SHORT, reason=reason)
        if absent := silent(clip.speech):
            return absent
        wide = self.track(clip, WIDE_FLOOR_HZ, WIDE_CEILING_HZ, coarse=True)
        if absent := _chance_voicing(wide, self.min_runs[0]):
            return absent
        first, third = (float(hz) for hz in np.nanpercentile(wide.hz, [25, 75]))
        # A low floor needs a longer window than a very short clip has.
        floor = max(
            self.floor_factor * first, PERIODS / (len(clip.speech) / SPEECH_RATE)
        )
        ceiling = min(SPEECH_RATE / 2, self.ceiling_factor * third)
        hz, _, start, step = self.track(clip, floor, ceiling, coarse=False)
        starts, ends = true_runs(~np.isnan(hz))
        if (ends - starts).max(initial=0) < self.min_runs[1]:
            return no_voice(f"none in a row between {floor:.0f} and {ceiling:.0f} Hz")
        return pitch_group(hz, start, step_s=step, floor_hz=floor, ceiling_hz=ceiling)

    def track(self, clip: Clip, floor: float, ceiling: float, coarse: bool) -> Track:
        """Run one pass.

        Args:
            floor, ceiling: lowest and highest f0, Hz.
            coarse: only quartiles are wanted; otherwise frames are ``STEP_S`` apart.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class PraatPitchExtractor(TwoPassPitchExtractor):
    """Fundamental frequency (Hz), spread and contour, by Praat's autocorrelation."""

    name: ClassVar[str] = "praat"
    version: ClassVar[str] = "2"
    limits: ClassVar[str] = (
        "autocorrelation: whispers and creaky voice count as unvoiced, octave"
        " errors remain."
    )
    packages: ClassVar[dict[str, str]] = {"parselmouth": "praat-parselmouth"}
    install: ClassVar[str] = INSTALL_PRAAT
    everywhere: ClassVar[bool] = False
    min_runs: ClassVar[tuple[int, int]] = (1 + round(MIN_RUN_S / COARSE_STEP_S), 1)

    # Praat's; periodicity above which a frame is voiced, 0 to 1
    voicing_threshold: float = 0.45

    def track(self, clip: Clip, floor: float, ceiling: float, coarse: bool) -> Track:
        """Run one pass; a coarse one hears up to 2 kHz, in half of the frames."""
        import parselmouth

        speech, rate, step_s = clip.speech, SPEECH_RATE, STEP_S
        if coarse:
            rate, step_s = COARSE_RATE, COARSE_STEP_S
            speech = soxr.resample(speech, SPEECH_RATE, rate)
        sound = parselmouth.Sound(speech.astype(np.float64), rate)
        pitch = sound.to_pitch_ac(
            time_step=step_s,
            pitch_floor=floor,
            pitch_ceiling=ceiling,
            voicing_threshold=self.voicing_threshold,
        )
        hz, strength = (
            pitch.selected_array[name] for name in ("frequency", "strength")
        )
        return Track(np.where(hz > 0, hz, np.nan), strength, float(pitch.x1), step_s)


@dataclass(frozen=True)
class PyinPitchExtractor(TwoPassPitchExtractor):
    """Fundamental frequency (Hz), spread and contour, by pYIN; options as for Praat's.

    The alternative to Praat for those who cannot use GPL software (``pitch=pyin``):
    about seven times slower, and more generous about what is voiced, but the figures
    mean the same.
    """

    name: ClassVar[str] = "pyin"
    version: ClassVar[str] = "1"
    limits: ClassVar[str] = (
        "steadier than autocorrelation and slower; a whisper has no pitch."
    )
    packages: ClassVar[dict[str, str]] = {"librosa": "librosa"}
    min_runs: ClassVar[tuple[int, int]] = (1, 1 + round(MIN_RUN_S / STEP_S))

    def track(self, clip: Clip, floor: float, ceiling: float, coarse: bool) -> Track:
        """Run one pass.

        A coarse one has a third of the frames, and bins of half a semitone.
        """
        step_s, semitones = (3 * STEP_S, 0.5) if coarse else (STEP_S, 0.1)
        hz, _, _ = _compiled().pyin(
            clip.speech,
            fmin=floor,
            fmax=ceiling,
            sr=SPEECH_RATE,
            frame_length=PYIN_FRAME_SAMPLES,
            hop_length=round(step_s * SPEECH_RATE),
            resolution=semitones,
        )
        return Track(np.asarray(hz), None, 0.0, step_s)  # frame i is centred at i steps


@cache
def _compiled() -> Any:
    """Import librosa and compile what pYIN needs, which takes seconds the first time.

    numba keeps the machine code of a function and that of its wrapper in two files. Two
    processes that compile at once may leave one file each, and every process that loads
    both ends with a segmentation fault.
    """
    hum = np.sin(np.arange(2 * PYIN_FRAME_SAMPLES) / 16, dtype=np.float32)
    with alone(cache_folder(), "librosa"):
        import librosa

        librosa.pyin(
            hum,
            fmin=WIDE_FLOOR_HZ,
            fmax=WIDE_CEILING_HZ,
            sr=SPEECH_RATE,
            frame_length=PYIN_FRAME_SAMPLES,
        )
    return librosa


def _chance_voicing(track: Track, min_run: int) -> Absent | None:
    """Say why the first pass's voiced frames are not a voice; None when they are."""
    voiced = ~np.isnan(track.hz)
    starts, ends = true_runs(voiced)
    runs = ends - starts
    if runs.max(initial=0) < min_run:
        reason = (
            f"{int(voiced.sum())} of {len(voiced)} frames look periodic, none in a row"
        )
        return no_voice(reason)
    if track.strength is None:
        return None
    # The stretch that a voiced frame typically lies in: does not grow with the clip.
    typical = float(np.median(np.repeat(runs, runs))) * track.step_s
    median = float(np.median(track.strength[voiced]))
    if typical < FIRM_RUN_S and median < FIRM_STRENGTH:
        return no_voice(
            f"periodic stretches of {typical:.2f} s with a periodicity of {median:.2f}"
            f" are a whisper or noise; voices have {FIRM_RUN_S:g} s or"
            f" {FIRM_STRENGTH:g}"
        )
    return None
