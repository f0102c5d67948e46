"""The groups of a blueprint: what was measured, with units, or why it is absent.

A group is either present (``status`` is ``"ok"``) or :class:`Absent` with one of six
statuses and a reason. Numbers are finite; what is unknown inside a present group is null.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue


class Strict(BaseModel):
    """Base of every record: no unknown fields, no NaN or infinity, immutable."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)


def _finite(value: JsonValue) -> JsonValue:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("numbers must be finite; give null where one is unknown")
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in below:
        _finite(item)
    return value


#: Any JSON value but NaN and infinity, which pydantic takes for one where it reads JSON.
FiniteJson = Annotated[JsonValue, AfterValidator(_finite)]


class Status(StrEnum):
    """Why a group is absent."""

    NOT_REQUESTED = "not_requested"  # no extractor was asked for it
    UNAVAILABLE = "unavailable"  # a package or a model is not installed
    TOO_SHORT = "too_short"  # the clip is shorter than the measure needs
    SILENT = "silent"  # nothing but digital or near silence
    NO_SPEECH = "no_speech"  # sound, but no speech in it
    FAILED = "failed"  # the extractor raised; the reason says what


class Absent(Strict):
    """A group that has no values."""

    status: Status
    reason: str = Field(min_length=1, description="one sentence for people")


class Present(Strict):
    """Base of the groups that have values."""

    status: Literal["ok"] = "ok"


class Span(Strict):
    """A stretch of the clip."""

    start_s: float = Field(ge=0, description="seconds from the start of the clip")
    end_s: float = Field(ge=0, description="seconds from the start of the clip")

    @property
    def seconds(self) -> float:
        """Length in seconds."""
        return self.end_s - self.start_s


class Contour(Strict):
    """A quantity over the clip's own time axis, in equal steps."""

    start_s: float = Field(ge=0, description="time of the first value, seconds")
    step_s: float = Field(gt=0, description="time between two values, seconds")
    values: list[float | None] = Field(description="null where unvoiced or silent")


class Signal(Present):
    """The recording itself, and where speech is in it."""

    duration_s: float = Field(ge=0, description="seconds")
    rate_hz: int = Field(gt=0, description="sampling rate, Hz")
    channels: int = Field(gt=0)
    peak_dbfs: float | None = Field(description="sample peak, dB re full scale; null: all zero")
    rms_dbfs: float | None = Field(
        description="RMS of the mono mix, dB re a full-scale square wave; null: all zero"
    )
    clipping_ratio: float = Field(ge=0, le=1, description="share of samples in clipped runs")
    bandwidth_hz: float | None = Field(
        ge=0,
        description="upper edge of the highest 250 Hz band within 50 dB of the strongest, Hz;"
        " null: silent",
    )
    speech_s: float = Field(ge=0, description="seconds of speech (VAD)")
    speech: list[Span] = Field(description="stretches of speech (VAD), in order")
    pauses: list[Span] = Field(description="gaps between stretches of speech, in order")


class Word(Strict):
    """One recognised word."""

    text: str
    start_s: float | None = Field(ge=0, description="seconds; null: the recogniser gave none")
    end_s: float | None = Field(ge=0, description="seconds; null: the recogniser gave none")
    confidence: float | None = Field(None, ge=0, le=1, description="posterior; null: none given")


class Transcript(Present):
    """What was said, as a speech recogniser heard it."""

    text: str
    language: str = Field(description="ISO 639-1 code, e.g. en")
    language_source: Literal["detected", "given", "model"] = Field(
        description="detected in the audio; given by the user; model: assumed, not detected,"
        " because the recogniser knows no other"
    )
    language_probability: float | None = Field(None, ge=0, le=1)
    words: list[Word]
    suspect: list[str] = Field(
        default_factory=list,
        description="reasons to distrust the text: repetition_loop,"
        " text_over_silence, word_end_missing, low_confidence",
    )


class Quality(Present):
    """Predicted mean opinion scores, all on the 1 to 5 scale."""

    sig: float = Field(description="DNSMOS P.835 signal quality, 1-5")
    bak: float = Field(description="DNSMOS P.835 background quality, 1-5")
    ovrl: float = Field(description="DNSMOS P.835 overall quality, 1-5")
    p808: float = Field(description="DNSMOS P.808 overall quality, 1-5")
    windows: int = Field(gt=0, description="9.01 s windows that were averaged")
    level_dbfs: float | None = Field(
        description="RMS of what was scored, dB re full scale: SIG and OVRL fall with level"
    )


class Pitch(Present):
    """Fundamental frequency of the voiced parts."""

    mean_hz: float = Field(gt=0, description="Hz")
    std_hz: float = Field(ge=0, description="Hz")
    median_hz: float = Field(gt=0, description="Hz")
    std_semitones: float = Field(ge=0, description="semitones re the median")
    range_semitones: float = Field(ge=0, description="5th to 95th percentile, semitones")
    slope_semitones_per_s: float = Field(description="linear trend over voiced time")
    voiced_ratio: float = Field(gt=0, le=1, description="voiced frames / all frames")
    floor_hz: float = Field(gt=0, description="search floor of the second pass, Hz")
    ceiling_hz: float = Field(gt=0, description="search ceiling of the second pass, Hz")
    contour: Contour = Field(description="Hz; null where unvoiced")


class Loudness(Present):
    """Loudness after ITU-R BS.1770-4 / EBU R 128, on the clip's own channels."""

    integrated_lufs: float = Field(description="gated integrated loudness, LUFS")
    std_lu: float = Field(ge=0, description="standard deviation of the contour, LU")
    range_lu: float | None = Field(
        ge=0,
        description="10th to 95th percentile of the gated momentary loudness, LU; null: too short",
    )
    slope_lu_per_s: float = Field(description="linear trend of the contour, LU/s")
    contour: Contour = Field(description="momentary loudness (400 ms), LUFS; null where silent")


class Rate(Present):
    """How fast the clip is spoken."""

    wpm: float | None = Field(
        ge=0, description="words per minute, from first to last speech; null: no words known"
    )
    articulation_wpm: float | None = Field(
        ge=0, description="words per minute of speech (VAD); null: no words known"
    )
    syllables_per_s: float | None = Field(
        ge=0, description="syllable nuclei per second of speech (VAD); null: not counted"
    )
    words: int | None = Field(ge=0, description="recognised words; null: no transcript")
    syllables: int | None = Field(
        ge=0, description="syllable nuclei (de Jong & Wempe 2009); null: not counted"
    )
    trend: float | None = Field(
        description="rate of the second half of the speech over that of the first, in syllables"
        " (in words where those are not counted); null: too little speech"
    )
    contour: Contour | None = Field(
        description="syllable nuclei per second; null where nobody speaks, or as a whole: not"
        " counted"
    )


class EmotionWindow(Span):
    """Emotions of one stretch of a long clip."""

    scores: dict[str, float]


class Emotion(Present):
    """Scores of an emotion classifier, by its own labels in English."""

    scores: dict[str, float] = Field(min_length=1, description="label -> score, 0-1")
    top: str = Field(description="label with the highest score")
    trajectory: list[EmotionWindow] = Field(default_factory=list)


class Accent(Present):
    """Similarity to the accents that a classifier knows (English accents only)."""

    similarities: dict[str, float] = Field(min_length=1, description="label -> cosine, -1 to 1")
    top: str = Field(description="label with the highest similarity")


class Extension(Present):
    """A group of somebody else's extractor: any JSON values."""

    values: dict[str, FiniteJson]
    shown: bool = Field(
        True,
        description="whether renderings for judges have it; false for"
        " what means nothing in a prompt, e.g. an embedding",
    )


class Provenance(Strict):
    """Where a group's values come from; with the clip it decides them completely."""

    extractor: str = Field(description="registered name")
    version: str = Field(description="version of the extractor's own code")
    packages: dict[str, str] = Field(default_factory=dict, description="package -> version")
    revision: str | None = Field(None, description="SHA-256 of the model files, if any")
    parameters: dict[str, FiniteJson] = Field(default_factory=dict)
