"""A judge's evidence, any JSON, as a few small tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

#: Keys that hold settings rather than findings; they are folded away.
_SETTINGS = ("thresholds", "parameters")

#: Nested lists and mappings deeper than this are written in one line.
_LONGEST = 240


@dataclass(frozen=True)
class EvidenceGrid:
    """A table of texts; ``settings`` is folded away, and may have no header."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    settings: bool = False


def grids(evidence: Mapping[str, JsonValue]) -> list[EvidenceGrid]:
    """Tables of what decided a rating: values beside each other for A and B, then lists."""
    return list(_grids(evidence))


def _grids(evidence: Mapping[str, JsonValue]) -> Iterator[EvidenceGrid]:
    left = dict(evidence)
    a, b = left.get("a"), left.get("b")
    if isinstance(a, dict) and isinstance(b, dict):
        del left["a"], left["b"]
        names = list(dict.fromkeys([*a, *b]))
        rows = tuple((label(n), value(a.get(n)), value(b.get(n))) for n in names)
        yield EvidenceGrid("Measured", ("", "A", "B"), rows)
    lists = {
        name: result
        for name, result in left.items()
        if isinstance(result, list) and result and all(isinstance(item, dict) for item in result)
    }
    for name, result in lists.items():
        yield _records(name, [item for item in result if isinstance(item, dict)])
    plain = {name: v for name, v in left.items() if name not in lists and name not in _SETTINGS}
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
    rows = tuple(tuple(value(record.get(key)) for key in columns) for record in records)
    titles = [key.upper() if key in ("a", "b") else label(key) for key in columns]
    return EvidenceGrid(label(name).capitalize(), tuple(titles), rows)


def label(name: str) -> str:
    """A key as a printed label."""
    return name.replace("_", " ")


def value(item: JsonValue) -> str:
    """A value in print: three or four digits, yes and no, an en dash for None."""
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
                return f"{'cannot be told' if item['met'] is None else met}: {item['why']}"
            return _short("; ".join(f"{label(k)} {value(v)}" for k, v in item.items()))
    return str(item)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
