"""One clip as the report shows it: its drawing, its words, its bars and its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

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
from trace_eval.report.timeline import timeline

#: Groups with a form of their own: words, bars. All others are lists of numbers.
_DRAWN = frozenset({"transcript", "quality", "emotion", "accent"})


def view(blueprint: Blueprint, wave: Envelope) -> dict[str, Any]:
    """Values of a clip's fragment of the page.

    ``words``: (text, start-end in hundredths of a second or empty, doubtful); ``numbers``: (name,
    value with unit, word from the published norms or empty); ``bars``: (group, title, rows, name
    of the best row or empty), a row being (name, length 0 to 1, value); ``absent``: (group, why).
    """
    recognised = blueprint.transcript
    absent = {
        name: unmeasured(name, group, why=True)
        for name in (*GROUPS, *blueprint.extensions)
        if isinstance(group := blueprint.group(name), Absent)
    }
    return {
        "timeline": timeline(blueprint, wave),
        "spectrum": wave.spectrum,
        "transcript": recognised,
        "unheard": absent.pop("transcript", ""),  # which has a place of its own
        "words": list(map(_word, recognised.words)) if isinstance(recognised, Transcript) else [],
        "bars": list(_bars(blueprint)),
        "numbers": list(_numbers(blueprint)),
        "absent": [(label(name), why) for name, why in absent.items()],
    }


def _word(word: Word) -> tuple[str, str, bool]:
    doubtful = word.confidence is not None and word.confidence < DOUBTFUL_CONFIDENCE
    if word.start_s is None:
        return word.text, "", doubtful
    end = word.start_s if word.end_s is None else word.end_s
    return word.text, f"{round(word.start_s * 100)}-{round(end * 100)}", doubtful


def _bars(blueprint: Blueprint) -> Iterator[tuple[str, str, list[tuple[str, float, str]], str]]:
    quality, emotion, accent = blueprint.quality, blueprint.emotion, blueprint.accent
    if isinstance(quality, Quality):
        scores = {
            "signal (SIG)": quality.sig,
            "background (BAK)": quality.bak,
            "overall (OVRL)": quality.ovrl,
            "overall (P.808)": quality.p808,
        }
        yield "quality", "Quality, MOS 1–5", _rows(scores, 1, 5), ""
    if isinstance(emotion, Emotion):
        yield "emotion", "Emotion, score 0–1", _rows(emotion.scores), emotion.top
    if isinstance(accent, Accent):
        rows = _rows(accent.similarities)
        yield "accent", "Accent, cosine similarity", rows, accent.top


def _rows(
    values: Mapping[str, float], low: float = 0, high: float = 1
) -> list[tuple[str, float, str]]:
    return [
        (name, min(1.0, max(0.0, (number - low) / (high - low))), f"{number:.2f}")
        for name, number in values.items()
    ]


def _numbers(blueprint: Blueprint) -> Iterator[tuple[str, str, str]]:
    for name in (*GROUPS, *blueprint.extensions):
        group = blueprint.group(name)
        marked = isinstance(group, Extension) and group.events is not None  # on the drawing
        if name not in _DRAWN and not marked and isinstance(group, Present):
            for fact in group.facts(name):
                text = fact.value if isinstance(fact.value, str) else value(fact.value)
                yield fact.name, text, fact.word
