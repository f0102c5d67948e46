"""How fast a clip is spoken: words per minute and syllable nuclei per second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypedDict

import numpy as np

from blueprints import UNSURE, Absent, Blueprint, Contour, Rate, Signal, Span, Transcript
from extractors.audio import Clip
from extractors.base import Extractor, speech_gate
from extractors.pitch import INSTALL_PRAAT
from extractors.syllables import nuclei

#: The contour counts syllables in windows this long, this far apart, seconds.
WINDOW_S, STEP_S = 1.0, 0.5

#: A window with less speech has no rate, seconds.
MIN_WINDOW_SPEECH_S = 0.3

#: Less speech, or fewer syllables, show no trend.
TREND_SPEECH_S, TREND_SYLLABLES = 2.0, 8


@dataclass(frozen=True)
class RateExtractor(Extractor):
    """Words a minute and syllables a second; without a transcript, syllables alone."""

    name: ClassVar[str] = "nuclei"
    group: ClassVar[str] = "rate"
    version: ClassVar[str] = "2"
    limits: ClassVar[str] = "syllables by intensity peaks: music and noise have some, too."
    needs: ClassVar[tuple[str, ...]] = ("signal", "transcript")
    packages: ClassVar[dict[str, str]] = {"parselmouth": "praat-parselmouth"}
    install: ClassVar[str] = INSTALL_PRAAT
    everywhere: ClassVar[bool] = False

    def extract(self, clip: Clip, blueprint: Blueprint) -> Rate | Absent:
        """Measure one clip with speech in it."""
        gate = speech_gate(blueprint)
        if gate:
            return gate
        assert isinstance(blueprint.signal, Signal)  # the gate has seen it
        spans = blueprint.signal.speech
        times = nuclei(clip.speech, spans)
        return Rate(
            **word_rates(blueprint.signal, blueprint.transcript),
            syllables_per_s=len(times) / blueprint.signal.speech_s,
            syllables=len(times),
            trend=trend(times, spans),
            contour=contour(times, spans, clip.seconds),
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
        """Measure one clip with speech in it; the transcript's absence is the rate's."""
        gate = speech_gate(blueprint)
        if gate:
            return gate
        if isinstance(blueprint.transcript, Absent):
            return blueprint.transcript
        assert isinstance(blueprint.signal, Signal)  # the gate has seen it
        times = [word.start_s for word in blueprint.transcript.words if word.start_s is not None]
        return Rate(
            **word_rates(blueprint.signal, blueprint.transcript),
            syllables_per_s=None,
            syllables=None,
            trend=trend(times, blueprint.signal.speech),
            contour=None,
        )


class WordRates(TypedDict):
    """The part of ``rate`` that comes from words."""

    wpm: float | None
    articulation_wpm: float | None
    words: int | None
    language: str | None


def word_rates(signal: Signal, transcript: Transcript | Absent) -> WordRates:
    """Words per minute from first to last speech, and per minute of speech (VAD)."""
    words = language = None
    if isinstance(transcript, Transcript):
        words = len(transcript.words) or len(transcript.text.split())
        language = UNSURE if "unsure_language" in transcript.suspect else transcript.language
    spoken_s = signal.speech[-1].end_s - signal.speech[0].start_s
    return WordRates(
        wpm=60 * words / spoken_s if words else None,
        articulation_wpm=60 * words / signal.speech_s if words else None,
        words=words,
        language=None if language == "en" else language,
    )


def speech_before(time: float, spans: Sequence[Span]) -> float:
    """Seconds of speech before a point in time."""
    return sum(max(0.0, min(time, span.end_s) - span.start_s) for span in spans)


def trend(times: Sequence[float], spans: Sequence[Span]) -> float | None:
    """Rate (syllables or words) of the second half of the speech over that of the first.

    Pauses are cut out before halving, so the two halves are equally long and the ratio of
    the rates is that of the counts. None for less than ``TREND_SPEECH_S`` of speech or
    ``TREND_SYLLABLES`` events, or when all of them are in the second half.
    """
    half = sum(span.seconds for span in spans) / 2
    first = sum(speech_before(time, spans) < half for time in times)
    if 2 * half < TREND_SPEECH_S or len(times) < TREND_SYLLABLES or first == 0:
        return None
    return (len(times) - first) / first


def contour(times: Sequence[float], spans: Sequence[Span], seconds: float) -> Contour:
    """Syllables per second of speech around each point in time; None without speech."""
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
