"""One clip as the report shows it: its drawing, its words, its bars and its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from blueprints import (
    DOUBTFUL_CONFIDENCE,
    GROUPS,
    Absent,
    Accent,
    Blueprint,
    Emotion,
    Extension,
    Present,
    Quality,
    Transcript,
    Word,
)
from extractors import unmeasured
from trace_eval.report.envelope import Envelope
from trace_eval.report.evidence_tables import label, value
from trace_eval.report.timeline import Timeline, timeline

#: Groups with a form of their own: words, bars. All others are lists of numbers.
_DRAWN = frozenset({"transcript", "quality", "emotion", "accent"})


@dataclass(frozen=True)
class Bars:
    """Labelled bars of a group; ``share`` is the length of each, 0 to 1."""

    group: str
    title: str
    rows: tuple[tuple[str, float, str], ...]
    top: str = ""


@dataclass(frozen=True)
class ClipView:
    """A clip's fragment of the page.

    Attributes:
        spectrum: address of its spectrogram, or empty.
        unheard: why there is no transcript, or empty.
        words: (text, start-end in hundredths of a second or empty, doubtful).
        numbers: (name, value with unit, word from the published norms or empty).
        absent: (group, why there are no values of it).
    """

    clip: str
    timeline: Timeline | None
    spectrum: str
    transcript: Transcript | Absent
    unheard: str
    words: tuple[tuple[str, str, bool], ...]
    bars: tuple[Bars, ...]
    numbers: tuple[tuple[str, str, str], ...]
    absent: tuple[tuple[str, str], ...]


def view(blueprint: Blueprint, wave: Envelope) -> ClipView:
    """A clip as the page shows it."""
    recognised = blueprint.transcript
    return ClipView(
        clip=blueprint.clip,
        timeline=timeline(blueprint, wave),
        spectrum=wave.spectrum,
        transcript=recognised,
        unheard=unmeasured("transcript", recognised, why=True)
        if isinstance(recognised, Absent)
        else "",
        words=tuple(map(_word, recognised.words)) if isinstance(recognised, Transcript) else (),
        bars=tuple(_bars(blueprint)),
        numbers=tuple(_numbers(blueprint)),
        absent=tuple(
            (label(name), unmeasured(name, group, why=True))
            for name in (*GROUPS, *blueprint.extensions)
            # The transcript has a place of its own.
            if isinstance(group := blueprint.group(name), Absent) and name != "transcript"
        ),
    )


def _word(word: Word) -> tuple[str, str, bool]:
    doubtful = word.confidence is not None and word.confidence < DOUBTFUL_CONFIDENCE
    if word.start_s is None:
        return word.text, "", doubtful
    end = word.start_s if word.end_s is None else word.end_s
    return word.text, f"{round(word.start_s * 100)}-{round(end * 100)}", doubtful


def _bars(blueprint: Blueprint) -> Iterator[Bars]:
    quality, emotion, accent = blueprint.quality, blueprint.emotion, blueprint.accent
    if isinstance(quality, Quality):
        scores = {
            "signal (SIG)": quality.sig,
            "background (BAK)": quality.bak,
            "overall (OVRL)": quality.ovrl,
            "overall (P.808)": quality.p808,
        }
        yield Bars("quality", "Quality, MOS 1–5", _rows(scores, 1, 5))
    if isinstance(emotion, Emotion):
        yield Bars("emotion", "Emotion, score 0–1", _rows(emotion.scores), emotion.top)
    if isinstance(accent, Accent):
        yield Bars("accent", "Accent, cosine similarity", _rows(accent.similarities), accent.top)


def _rows(
    values: Mapping[str, float], low: float = 0, high: float = 1
) -> tuple[tuple[str, float, str], ...]:
    return tuple(
        (name, min(1.0, max(0.0, (number - low) / (high - low))), f"{number:.2f}")
        for name, number in values.items()
    )


def _numbers(blueprint: Blueprint) -> Iterator[tuple[str, str, str]]:
    for name in (*GROUPS, *blueprint.extensions):
        group = blueprint.group(name)
        marked = isinstance(group, Extension) and group.events is not None  # on the drawing
        if name not in _DRAWN and not marked and isinstance(group, Present):
            for fact in group.facts(name):
                text = fact.value if isinstance(fact.value, str) else value(fact.value)
                yield fact.name, text, fact.word
