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
from blueprints.notation import cut_short
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
    words = []
    if isinstance(transcript, Transcript):
        words = [_word(word) for word in transcript.words]
    unheard = ""
    absent: list[tuple[str, str]] = []
    for name in _groups_of(blueprint):
        group = blueprint.group(name)
        if not isinstance(group, Absent):
            continue
        why = unmeasured(name, group, why=True)
        if name == "transcript":  # which has a place of its own
            unheard = why
        else:
            absent.append((label(name), why))
    return {
        "timeline": timeline(blueprint, wave),
        "spectrum": wave.spectrum,
        "transcript": transcript,
        "unheard": unheard,
        "words": words,
        "bars": list(_bars(blueprint)),
        "numbers": list(_numbers(blueprint)),
        "absent": absent,
    }


def _groups_of(blueprint: Blueprint) -> list[str]:
    """Return the names of a blueprint's groups, its extensions last."""
    return list(GROUPS) + list(blueprint.extensions)


def _word(word: Word) -> tuple[str, str, bool]:
    doubtful = word.confidence is not None and word.confidence < DOUBTFUL_CONFIDENCE
    if word.start_s is None:
        return word.text, "", doubtful
    start = round(word.start_s * 100)
    end = start
    if word.end_s is not None:
        end = round(word.end_s * 100)
    return word.text, f"{start}-{end}", doubtful


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
    rows: list[tuple[str, float, str]] = []
    for name, number in values.items():
        length = (number - low) / (high - low)
        rows.append((name, min(1.0, max(0.0, length)), f"{number:.2f}"))
    return rows


def _numbers(blueprint: Blueprint) -> Iterator[tuple[str, str, str]]:
    for name in _groups_of(blueprint):
        group = blueprint.group(name)
        if name in _DRAWN or not isinstance(group, Present):
            continue
        if isinstance(group, Extension) and group.events is not None:
            continue  # its events are on the drawing
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
    rest = dict(evidence)
    a, b = rest.get("a"), rest.get("b")
    if isinstance(a, dict) and isinstance(b, dict):
        del rest["a"], rest["b"]
        yield _side_by_side(a, b)
    plain: dict[str, JsonValue] = {}
    for name, item in rest.items():
        records = _all_records(item)
        if records:
            yield _records(name, records)
        elif name not in _SETTINGS:
            plain[name] = item
    if plain:
        yield EvidenceGrid("Values", (), _rows(plain))
    for name in _SETTINGS:
        title, settings = label(name).capitalize(), rest.get(name)
        if isinstance(settings, dict) and settings:
            yield EvidenceGrid(title, (), _rows(settings), settings=True)
        elif settings is not None and not isinstance(settings, dict):
            yield EvidenceGrid(title, (), (("", value(settings)),), settings=True)


def _side_by_side(
    a: Mapping[str, JsonValue], b: Mapping[str, JsonValue]
) -> EvidenceGrid:
    rows: list[tuple[str, ...]] = []
    for name in dict.fromkeys(list(a) + list(b)):
        rows.append((label(name), value(a.get(name)), value(b.get(name))))
    return EvidenceGrid("Measured", ("", "A", "B"), tuple(rows))


def _all_records(item: JsonValue) -> list[dict[str, JsonValue]]:
    """Return the mappings of a list that holds nothing else; else an empty list."""
    if not isinstance(item, list):
        return []
    records = [entry for entry in item if isinstance(entry, dict)]
    if len(records) < len(item):
        return []
    return records


def _rows(values: Mapping[str, JsonValue]) -> tuple[tuple[str, ...], ...]:
    return tuple((label(name), value(item)) for name, item in values.items())


def _records(name: str, records: Sequence[Mapping[str, JsonValue]]) -> EvidenceGrid:
    columns = list(dict.fromkeys(key for record in records for key in record))
    rows: list[tuple[str, ...]] = []
    for record in records:
        rows.append(tuple(value(record.get(key)) for key in columns))
    titles: list[str] = []
    for key in columns:
        is_side = key in ("a", "b")
        titles.append(key.upper() if is_side else label(key))
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
            parts = list(map(value, item))
            return cut_short(", ".join(parts) or "none", _LONGEST)
        case dict():
            if set(item) == {"met", "strength", "why"}:
                return _check(item["met"], item["why"])
            parts = [f"{label(name)} {value(part)}" for name, part in item.items()]
            return cut_short("; ".join(parts), _LONGEST)
    return str(item)


def _check(met: JsonValue, why: JsonValue) -> str:
    """Say how a check of the judge ``rules`` ended, and why."""
    if met is None:
        return f"cannot be told: {why}"
    if met:
        return f"met: {why}"
    return f"not met: {why}"
