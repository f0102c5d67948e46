"""The agreement of readers' replies with what is known of the pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fusion import DIMENSIONS

#: A pair with what is known of it, the verdicts of ``rules``, and the replies by
#: reader.
Row = dict[str, Any]

#: What is counted: name, reading (None: all), kind, condition of a pair, its dimension,
#: the goal.
GOALS: tuple[tuple[str, str, str, str, str], ...] = (
    (
        "codecs that listeners decide: decided",
        "codecs",
        "codec",
        "decided",
        ".60 to .75",
    ),
    (
        "codecs that listeners decide: right of these",
        "codecs",
        "codec",
        "right",
        ">= .95",
    ),
    ("codecs that they do not decide: decided", "codecs", "codec", "against", "<= .30"),
    (
        "one request a reader, listeners leave open: decided",
        "single",
        "codec",
        "against",
        "<= .30",
    ),
    ("mixed file, 20 points apart: decided", "mixed", "codec", "decided", ""),
    (
        "mixed file, 20 points apart: right of these",
        "mixed",
        "codec",
        "right",
        ">= .95",
    ),
    (
        "planted one step apart: decided",
        "planted",
        "planted",
        "decided",
        ">= .85; rules >= .65",
    ),
    ("planted one step apart: right of these", "planted", "planted", "right", ">= .95"),
    ("mixed file, planted: decided", "mixed", "planted", "decided", ""),
    ("copies: decided in any dimension", "copies", "copy", "any", "0"),
    ("mixed file, copies: decided in any dimension", "mixed", "copy", "any", "0"),
    ("same words: content decided", "", "", "content", "0"),
)


def rows_of(prompt: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Header and rows of the table: each reader, and ``rules``."""
    readings: dict[str, list[Row]] = prompt["readings"]
    judges = ("r1", "r2", "rules")
    rows = []
    for name, reading, kind, what, goal in GOALS:
        pairs = [
            x for key in ([reading] if reading else readings) for x in readings[key]
        ]
        chosen = [one for one in pairs if one["kind"] == kind or not kind]
        cells = [_cell(chosen, judge, what) for judge in judges]
        rows.append([name, *cells, goal])
    for name, pairs in readings.items():
        if name == "single":
            continue
        rows.append([f"two readers alike, {name}", _alike(pairs), "", "", ">= .95"])
    return ["what", *judges, "goal"], rows


def said(one: Row, judge: str) -> dict[str, str] | None:
    """Return what a judge says of a pair; None: no reply."""
    result: dict[str, str] | None = (
        one["rules"] if judge == "rules" else one["replies"].get(judge)
    )
    return result


def _cell(pairs: Sequence[Row], judge: str, what: str) -> str:
    """Count the hits of one figure."""
    own: list[tuple[Row, dict[str, str]]] = []
    for one in pairs:
        reply = said(one, judge)
        if reply is not None:
            own.append((one, reply))
    if what in ("any", "content"):
        dimensions = DIMENSIONS if what == "any" else ("content",)
        hits = 0
        for _, reply in own:
            hits += any(reply.get(name) in ("1", "2") for name in dimensions)
        return _share(hits, len(own))
    chosen = [(o, r) for o, r in own if (o["verdict"] == "tie") == (what == "against")]
    decided = [(o, r) for o, r in chosen if r.get(o["dimension"]) in ("1", "2")]
    if what == "right":
        right = sum(reply[one["dimension"]] == one["verdict"] for one, reply in decided)
        return _share(right, len(decided))
    return _share(len(decided), len(chosen))


def _share(count: int, n: int) -> str:
    return f"{count} of {n} ({count / n:.2f})" if n else "-"


def _alike(pairs: Sequence[Row]) -> str:
    """Count the pairs on which two readers name the same winner or tie.

    It counts in the dimension that is known, or in all.
    """
    alike = []
    for one in pairs:
        first, second = said(one, "r1"), said(one, "r2")
        if first is None or second is None:
            continue
        dimensions = DIMENSIONS if one["dimension"] == "all" else (one["dimension"],)
        alike.append(
            all(_winner(first[name]) == _winner(second[name]) for name in dimensions)
        )
    return _share(sum(alike), len(alike))


def _winner(rating: str) -> str:
    return rating if rating in ("1", "2") else "tie"
