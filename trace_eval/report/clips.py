"""One clip for people: its drawing, its words, its bars and its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from blueprints import (
    NORMS,
    Absent,
    Accent,
    Blueprint,
    Emotion,
    Extension,
    Loudness,
    Pitch,
    Quality,
    Rate,
    Signal,
    Transcript,
    Word,
)
from trace_eval.report.envelope import Envelope
from trace_eval.report.evidence import label, value
from trace_eval.report.timeline import Timeline, timeline

#: Words below this posterior are marked as doubtful.
DOUBTFUL = 0.5

_NORM = {norm.quantity: norm for norm in NORMS}


@dataclass(frozen=True)
class Bars:
    """Labelled bars; ``share`` is the length of each, 0 to 1. ``note`` where there are none."""

    title: str
    rows: tuple[tuple[str, float, str], ...] = ()
    top: str = ""
    note: str = ""


@dataclass(frozen=True)
class ClipView:
    """A clip's fragment of the page.

    Attributes:
        words: (text, start-end in hundredths of a second or empty, doubtful).
        numbers: (name, value with unit, word from the published norms or empty).
        absent: (group, status, reason) of what was not measured.
    """

    clip: str
    timeline: Timeline | None
    transcript: Transcript | Absent
    words: tuple[tuple[str, str, bool], ...]
    bars: tuple[Bars, ...]
    numbers: tuple[tuple[str, str, str], ...]
    absent: tuple[tuple[str, str, str], ...]


def view(blueprint: Blueprint, wave: Envelope) -> ClipView:
    """What is shown of a clip."""
    heard = blueprint.transcript
    groups = ("signal", "pitch", "loudness", "rate")
    missing = [(name, blueprint.group(name)) for name in groups]
    return ClipView(
        clip=blueprint.clip,
        timeline=timeline(blueprint, wave),
        transcript=heard,
        words=tuple(map(_word, heard.words)) if isinstance(heard, Transcript) else (),
        bars=(_quality(blueprint), _emotion(blueprint), _accent(blueprint)),
        numbers=tuple(_numbers(blueprint)),
        absent=tuple(
            (name, str(group.status), group.reason)
            for name, group in missing
            if isinstance(group, Absent)
        ),
    )


def _word(word: Word) -> tuple[str, str, bool]:
    doubtful = word.confidence is not None and word.confidence < DOUBTFUL
    if word.start_s is None:
        return word.text, "", doubtful
    end = word.start_s if word.end_s is None else word.end_s
    return word.text, f"{round(word.start_s * 100)}-{round(end * 100)}", doubtful


def _quality(blueprint: Blueprint) -> Bars:
    group = blueprint.quality
    if not isinstance(group, Quality):
        return Bars("Quality", note=f"{label(group.status)}: {group.reason}")
    scores = (
        ("signal (SIG)", group.sig),
        ("background (BAK)", group.bak),
        ("overall (OVRL)", group.ovrl),
        ("overall (P.808)", group.p808),
    )
    rows = tuple((name, _inside((mos - 1) / 4), f"{mos:.2f}") for name, mos in scores)
    return Bars("Quality, MOS 1–5", rows)


def _emotion(blueprint: Blueprint) -> Bars:
    group = blueprint.emotion
    if not isinstance(group, Emotion):
        return Bars("Emotion", note=f"{label(group.status)}: {group.reason}")
    rows = tuple((name, _inside(x), f"{x:.2f}") for name, x in group.scores.items())
    return Bars("Emotion, score 0–1", rows, group.top)


def _accent(blueprint: Blueprint) -> Bars:
    group = blueprint.accent
    if not isinstance(group, Accent):
        return Bars("Accent", note=f"{label(group.status)}: {group.reason}")
    rows = tuple((name, _inside(x), f"{x:.2f}") for name, x in group.similarities.items())
    return Bars("Accent, cosine similarity", rows, group.top)


def _inside(share: float) -> float:
    return min(1.0, max(0.0, share))


def _numbers(blueprint: Blueprint) -> Iterator[tuple[str, str, str]]:
    if isinstance(blueprint.signal, Signal):
        yield from _signal(blueprint.signal)
    if isinstance(blueprint.pitch, Pitch):
        yield from _pitch(blueprint.pitch)
    if isinstance(blueprint.loudness, Loudness):
        yield from _loudness(blueprint.loudness)
    if isinstance(blueprint.rate, Rate):
        yield from _rate(blueprint.rate)
    for name, group in blueprint.extensions.items():
        if isinstance(group, Extension):
            for key, found in group.values.items():
                yield f"{name} {key}", value(found), ""


def _signal(signal: Signal) -> Iterator[tuple[str, str, str]]:
    yield "duration", f"{signal.duration_s:.1f} s", ""
    yield "speech", f"{signal.speech_s:.1f} s", ""
    longest = max((pause.seconds for pause in signal.pauses), default=None)
    if longest is not None:
        word = _NORM["pause"].word(longest)
        yield "pauses", f"{len(signal.pauses)}, longest {longest:.1f} s", word
    channels = {1: "mono", 2: "stereo"}.get(signal.channels, f"{signal.channels} channels")
    yield "format", f"{signal.rate_hz / 1000:g} kHz {channels}", ""
    if signal.bandwidth_hz is not None:
        kilohertz = signal.bandwidth_hz / 1000
        yield "bandwidth", f"{kilohertz:.1f} kHz", _NORM["bandwidth"].word(kilohertz)
    if signal.peak_dbfs is not None:
        yield "peak", f"{signal.peak_dbfs:.1f} dBFS", ""
    yield "clipped", f"{signal.clipping_ratio:.2%}", ""


def _pitch(pitch: Pitch) -> Iterator[tuple[str, str, str]]:
    yield "mean pitch", f"{pitch.mean_hz:.0f} Hz", _NORM["mean pitch"].word(pitch.mean_hz)
    word = _NORM["pitch variation"].word(pitch.std_semitones)
    yield "pitch variation", f"{pitch.std_semitones:.1f} semitones", word
    yield "pitch trend", f"{pitch.slope_semitones_per_s:+.2f} semitones/s", ""
    yield "voiced", f"{pitch.voiced_ratio:.0%}", ""


def _loudness(loudness: Loudness) -> Iterator[tuple[str, str, str]]:
    lufs = loudness.integrated_lufs
    yield "loudness", f"{lufs:.1f} LUFS", _NORM["integrated loudness"].word(lufs)
    if loudness.range_lu is not None:
        yield "loudness range", f"{loudness.range_lu:.1f} LU", ""
    yield "loudness trend", f"{loudness.slope_lu_per_s:+.2f} LU/s", ""


def _rate(rate: Rate) -> Iterator[tuple[str, str, str]]:
    if rate.wpm is not None:
        yield "rate", f"{rate.wpm:.0f} words/min", _NORM["speech rate"].word(rate.wpm)
    if rate.articulation_wpm is not None:
        yield "articulation", f"{rate.articulation_wpm:.0f} words/min", ""
    yield "syllables", f"{rate.syllables_per_s:.1f} /s", ""
    if rate.trend is not None:
        yield "tempo trend", f"×{rate.trend:.2f}", _NORM["tempo trend"].word(rate.trend)
