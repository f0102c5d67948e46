"""Evidence on a page: a clip's measurements, and what a judge says it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

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
from trace_eval.report.timeline import Envelope, timeline

#: Groups with a form of their own: words, bars. All others are lists of numbers.
_DRAWN = frozenset({"transcript", "quality", "emotion", "accent"})

#: Keys that hold settings rather than findings; they are folded away.
_SETTINGS = ("thresholds", "parameters")

#: Nested lists and mappings deeper than this are written in one line.
_LONGEST = 240


def view(blueprint: Blueprint, wave: Envelope) -> dict[str, Any]:
    """Return the values of a clip's fragment of the page.

    ``words``: (text, start-end in hundredths of a second or empty, doubtful);
    ``numbers``: (name, value with unit, word from the published norms or empty);
    ``bars``: (group, title, rows, name of the best row or empty), a row being (name,
    length 0 to 1, value); ``absent``: (group, why).
    """
    transcript = blueprint.transcript
    absent: dict[str, str] = {}
    for name in (*GROUPS, *blueprint.extensions):
        group = blueprint.group(name)
        if isinstance(group, Absent):
            absent[name] = unmeasured(name, group, why=True)
    return {
        "timeline": timeline(blueprint, wave),
        "spectrum": wave.spectrum,
        "transcript": transcript,
        "unheard": absent.pop("transcript", ""),  # which has a place of its own
        "words": list(map(_word, transcript.words))
        if isinstance(transcript, Transcript)
        else [],
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


def _bars(
    blueprint: Blueprint,
) -> Iterator[tuple[str, str, list[tuple[str, float, str]], str]]:
    quality, emotion, accent = blueprint.quality, blueprint.emotion, blueprint.accent
    if isinstance(quality, Quality):
        scores = {
            "signal (SIG)": quality.sig,
            "background (BAK)": quality.bak,
            "overall (OVRL)": quality.ovrl,
            "overall (P.808)": quality.p808,
        }
        yield "quality", "Quality of all speech, MOS 1–5", _scaled(scores, 1, 5), ""
    if isinstance(emotion, Emotion):
        yield "emotion", "Emotion, score 0–1", _scaled(emotion.scores), emotion.top
    if isinstance(accent, Accent):
        rows = _scaled(accent.similarities)
        yield "accent", "Accent, cosine similarity", rows, accent.top


def _scaled(
    values: Mapping[str, float], low: float = 0, high: float = 1
) -> list[tuple[str, float, str]]:
    return [
        (name, min(1.0, max(0.0, (number - low) / (high - low))), f"{number:.2f}")
        for name, number in values.items()
    ]


def _numbers(blueprint: Blueprint) -> Iterator[tuple[str, str, str]]:
    for name in (*GROUPS, *blueprint.extensions):
        group = blueprint.group(name)
        marked = (
            isinstance(group, Extension) and group.events is not None
        )  # on the drawing
        if name not in _DRAWN and not marked and isinstance(group, Present):
            for fact in group.facts(name):
                text = fact.value if isinstance(fact.value, str) else value(fact.value)
                yield fact.name, text, fact.word


@dataclass(frozen=True)
class EvidenceGrid:
    """A table of texts; ``settings`` is folded away, and may have no header."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    settings: bool = False


def grids(evidence: Mapping[str, JsonValue]) -> Iterator[EvidenceGrid]:
    """Make tables of what decided a rating: values of A beside B, then lists."""
    left = dict(evidence)
    a, b = left.get("a"), left.get("b")
    if isinstance(a, dict) and isinstance(b, dict):
        del left["a"], left["b"]
        names = list(dict.fromkeys([*a, *b]))
        rows = tuple((label(n), value(a.get(n)), value(b.get(n))) for n in names)
        yield EvidenceGrid("Measured", ("", "A", "B"), rows)
    lists: set[str] = set()
    for name, result in left.items():
        items = result if isinstance(result, list) else []
        records = [item for item in items if isinstance(item, dict)]
        if records and len(records) == len(items):
            lists.add(name)
            yield _records(name, records)
    plain = {
        name: v
        for name, v in left.items()
        if name not in lists and name not in _SETTINGS
    }
    if plain:
        yield EvidenceGrid("Values", (), _rows(plain))
    for name in _SETTINGS:
        title, settings = label(name).capitalize(), left.get(name)
        if isinstance(settings, dict) and settings:
            yield EvidenceGrid(title, (), _rows(settings), settings=True)
        elif settings is not None and not isinstance(settings, dict):
            yield EvidenceGrid(title, (), (("", value(settings)),), settings=True)


def _rows(results: Mapping[str, JsonValue]) -> tuple[tuple[str, ...], ...]:
    return tuple((label(name), value(item)) for name, item in results.items())


def _records(name: str, records: Sequence[Mapping[str, JsonValue]]) -> EvidenceGrid:
    columns = list(dict.fromkeys(key for record in records for key in record))
    rows: list[tuple[str, ...]] = []
    for record in records:
        rows.append(tuple(value(record.get(key)) for key in columns))
    titles = [key.upper() if key in ("a", "b") else label(key) for key in columns]
    return EvidenceGrid(label(name).capitalize(), tuple(titles), tuple(rows))


def label(name: str) -> str:
    """Turn a key into a printed label."""
    return name.replace("_", " ")


def value(item: JsonValue) -> str:
    """Print a value: three or four digits, yes and no, an en dash for None."""
    match item:
        case None:
            return "–"
        case bool():
            return "yes" if item else "no"
        case float():
            return f"{item:.0f}" if abs(item) >= 1000 else f"{item:.4g}"
        case list():
            return _short(", ".join(map(value, item)) or "none")
        case dict():
            if set(item) == {"met", "strength", "why"}:  # a check of the judge rules
                met = {True: "met", False: "not met"}.get(bool(item["met"]))
                return (
                    f"{'cannot be told' if item['met'] is None else met}: {item['why']}"
                )
            return _short("; ".join(f"{label(k)} {value(v)}" for k, v in item.items()))
    return str(item)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
