"""Speaking rate of a clip: words per minute and syllable nuclei per second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from blueprints import (
    UNSURE,
    Absent,
    Blueprint,
    Contour,
    Rate,
    Signal,
    Span,
    Transcript,
)
from extractors.audio import SPEECH_RATE, Clip, Samples
from extractors.base import Extractor, speech_gate
from extractors.periodicity import periodicity
from extractors.pitch import INSTALL_PRAAT

#: The contour counts syllables in windows this long, this far apart, seconds.
WINDOW_S, STEP_S = 1.0, 0.5

#: A window with less speech has no rate, seconds.
MIN_WINDOW_SPEECH_S = 0.3

#: Less speech, or fewer syllables, show no trend.
TREND_SPEECH_S, TREND_SYLLABLES = 2.0, 8

#: How far a nucleus must stand out from the dips on both sides, dB.
MIN_DIP_DB = 2.0

#: Peaks further below the loudest are not nuclei, dB; the loudest is this quantile.
SILENCE_DB, LOUDEST = 25.0, 0.99

#: Lowest pitch that the intensity window must smooth over, Hz; its length is 3.2
#: periods.
INTENSITY_FLOOR_HZ = 50.0

#: Range of pitch of a voice, as in the paper; windows of 100 ms are 3 periods of 30 Hz.
PITCH_FLOOR_HZ, PITCH_CEILING_HZ = 30.0, 450.0

#: Periodicity above which a peak is voiced, 0 to 1: the .25 of the paper, and the .02
#: by which Praat lowers a candidate two octaves under the ceiling.
VOICED = 0.27

#: Praat cannot analyse less than two intensity windows, seconds.
MIN_SECONDS = 6.4 / INTENSITY_FLOOR_HZ


@dataclass(frozen=True)
class RateExtractor(Extractor):
    """Words a minute and syllables a second; without a transcript, syllables alone."""

    name: ClassVar[str] = "nuclei"
    group: ClassVar[str] = "rate"
    version: ClassVar[str] = "3"
    limits: ClassVar[str] = (
        "syllables by intensity peaks: music and noise have some, too."
    )
    needs: ClassVar[tuple[str, ...]] = ("signal", "transcript")
    packages: ClassVar[dict[str, str]] = {"parselmouth": "praat-parselmouth"}
    install: ClassVar[str] = INSTALL_PRAAT
    everywhere: ClassVar[bool] = False

    def extract(self, clip: Clip, blueprint: Blueprint) -> Rate | Absent:
        """Measure one clip with speech in it."""
        if absent := speech_gate(blueprint):
            return absent
        assert isinstance(blueprint.signal, Signal)  # the gate has seen it
        spans = blueprint.signal.speech
        times = nuclei(clip.speech, spans)
        syllables = {
            "syllables_per_s": len(times) / blueprint.signal.speech_s,
            "syllables": len(times),
            "trend": trend(times, spans),
            "contour": contour(times, spans, clip.seconds),
        }
        return word_rates(blueprint.signal, blueprint.transcript).model_copy(
            update=syllables
        )


@dataclass(frozen=True)
class WordRateExtractor(Extractor):
    """Words a minute alone: for installations without Praat (GPL-3)."""

    name: ClassVar[str] = "words"
    group: ClassVar[str] = "rate"
    version: ClassVar[str] = "2"
    limits: ClassVar[str] = "words per minute rest on the recogniser's words."
    needs: ClassVar[tuple[str, ...]] = ("signal", "transcript")

    def extract(self, clip: Clip, blueprint: Blueprint) -> Rate | Absent:
        """Measure a clip with speech; a missing transcript is the rate's reason."""
        if absent := speech_gate(blueprint):
            return absent
        if isinstance(blueprint.transcript, Absent):
            return blueprint.transcript
        assert isinstance(blueprint.signal, Signal)  # the gate has seen it
        times = []
        for word in blueprint.transcript.words:
            if word.start_s is not None:
                times.append(word.start_s)
        rate = word_rates(blueprint.signal, blueprint.transcript)
        return rate.model_copy(update={"trend": trend(times, blueprint.signal.speech)})


def word_rates(signal: Signal, transcript: Transcript | Absent) -> Rate:
    """Return words a minute, from first to last speech and of speech (VAD) alone."""
    words = language = wpm = articulation_wpm = None
    if isinstance(transcript, Transcript):
        words = len(transcript.words) or len(transcript.text.split())
        language = transcript.language
        if "unsure_language" in transcript.suspect:
            language = UNSURE
    if words:
        spoken_s = signal.speech[-1].end_s - signal.speech[0].start_s
        wpm = 60 * words / spoken_s
        articulation_wpm = 60 * words / signal.speech_s
    return Rate(
        wpm=wpm,
        articulation_wpm=articulation_wpm,
        words=words,
        syllables_per_s=None,
        syllables=None,
        trend=None,
        contour=None,
        language=None if language == "en" else language,
    )


def speech_before(time: float, spans: Sequence[Span]) -> float:
    """Return the seconds of speech before a point in time."""
    return sum(max(0.0, min(time, span.end_s) - span.start_s) for span in spans)


def trend(times: Sequence[float], spans: Sequence[Span]) -> float | None:
    """Divide the rate in the second half of speech by the first's (syllables or words).

    Pauses are cut out before halving, so the two halves are equally long and the ratio
    of the rates is that of the counts. None for less than ``TREND_SPEECH_S`` of speech
    or ``TREND_SYLLABLES`` events, or when all of them are in the second half.
    """
    half = sum(span.seconds for span in spans) / 2
    first = sum(speech_before(time, spans) < half for time in times)
    if 2 * half < TREND_SPEECH_S or len(times) < TREND_SYLLABLES or first == 0:
        return None
    return (len(times) - first) / first


def contour(times: Sequence[float], spans: Sequence[Span], seconds: float) -> Contour:
    """Return syllables per second of speech around each point; None without speech."""
    instants = np.asarray(times)
    values: list[float | None] = []
    start = min(WINDOW_S, seconds) / 2  # of a shorter clip, the middle
    for index in range(1 + max(0, int((seconds - WINDOW_S) / STEP_S))):
        left = start + index * STEP_S - WINDOW_S / 2
        right = left + WINDOW_S
        spoken = speech_before(right, spans) - speech_before(left, spans)
        if spoken < MIN_WINDOW_SPEECH_S:
            values.append(None)
        else:
            count = int(((instants >= left) & (instants < right)).sum())
            values.append(round(count / spoken, 3))
    return Contour(start_s=start, step_s=STEP_S, values=values)


def nuclei(speech: Samples, spans: Sequence[Span]) -> list[float]:
    """Find the times of syllable nuclei within ``spans``, seconds, without words.

    Method: de Jong, N. H., & Wempe, T. (2009). Praat script to detect syllable nuclei
    and measure speech rate automatically. Behavior Research Methods, 41(2), 385-390.
    The silence threshold is that of the authors' revision of 2010: 25 dB below the 99 %
    quantile.

    Three deviations. The quantile is taken over the detected speech, so that a bang
    elsewhere does not hide the syllables. Where two peaks lie apart by a dip too
    shallow to separate them, exactly the higher one stays. And whether a peak is voiced
    is asked of it alone, not of a track of the clip's pitch, which costs ten times as
    much. ``speech`` is mono at 16 kHz, float32 [shape=(n,)].
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
    results = []
    for index in prominent_peaks(level, MIN_DIP_DB):
        time_s = float(times[index])
        if not spoken[index] or level[index] <= threshold:
            continue
        if periodicity(speech, time_s, PITCH_FLOOR_HZ, PITCH_CEILING_HZ) > VOICED:
            results.append(time_s)
    return results


def inside(
    times: npt.NDArray[np.float64], spans: Sequence[Span]
) -> npt.NDArray[np.bool_]:
    """Tell which of ``times`` [shape=(n,)] lie within a span."""
    within = np.zeros(len(times), dtype=bool)
    for span in spans:
        within |= (times >= span.start_s) & (times <= span.end_s)
    return within


def prominent_peaks(level: npt.NDArray[np.float64], dip: float) -> list[int]:
    """Return indices of maxima that rise and fall by at least ``dip`` on both sides.

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
