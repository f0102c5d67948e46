"""The printed tables of a change from one judge to another."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from trace_eval.compare.change_report import JudgeChange
from trace_eval.compare.flips import KINDS
from trace_eval.compare.mapping import Mapping
from trace_eval.compare.people_tables import people_tables
from trace_eval.compare.shared_tables import (
    conclusions_table,
    mapped_cells,
    mapping_table,
    severe_table,
)
from trace_eval.show.table import NOTHING, Table, grid, table

#: Steps of a mapping of scores that are listed.
_STEPS = 11


def change_tables(report: JudgeChange) -> Iterator[Table]:
    """What was held fixed, coverage, flips, direction, systems, people, mapping, severe items."""
    yield _held(report)
    yield _coverage(report)
    yield _flips(report)
    yield from _transitions(report)
    yield _direction(report)
    yield _labels(report)
    yield from _systems(report)
    yield from people_tables(report)
    if report.mapping is not None:
        yield mapping_table(report.mapping)
        if report.systems is None or not report.direction[0].labels:
            yield _steps(report.mapping)
    yield severe_table(report.severe, "points of answer A: 1 win, 0 loss")
    yield table("Where it flips", report.groups, "by value items flips share shift")
    yield grid(
        "Largest shifts",
        ("item", "first", "second"),
        ((name, f"{x:.3g}", f"{y:.3g}") for name, x, y in report.items),
    )


def _held(report: JudgeChange) -> Table:
    return table(
        "Held fixed",
        report.held,
        "name same first second",
        f"items only in the first {report.only_first}, only in the second {report.only_second}",
        first=report.first,
        second=report.second,
    )


def _coverage(report: JudgeChange) -> Table:
    return table(
        "Coverage of the common items",
        report.coverage,
        "metric items both first second unscored_first unscored_second worst best",
        "worst and best: everything unscored counts against, or for, the second",
    )


def _direction(report: JudgeChange) -> Table:
    margin = report.options.margin
    result = table(
        "Direction, points from 0 to 1",
        report.direction,
        "metric items first second shift p equivalence",
        f"means of answer A, or of scores; {report.options.bootstrap.level:.0%} intervals; two"
        " one-sided tests for the margin",
    )
    lines = ["yes" if d.interchangeable(margin) else "not shown" for d in report.direction]
    return result.beside(f"within {margin:g}", lines)


def _labels(report: JudgeChange) -> Table:
    return grid(
        "Shares of labels",
        ("metric", "label", "first", "second", "shift"),
        (
            (d.metric, name, first, second, shift)
            for d in report.direction
            for name, (first, second, shift) in d.labels.items()
        ),
        "1: answer A is better (the first place)",
    )


def _transitions(report: JudgeChange) -> Iterator[Table]:
    """Label transitions of the pair as a whole, or of what the report is about."""
    for row in report.flips:
        if row.metric == report.main:
            yield grid(
                f"Transitions of {row.metric}",
                ("first \\ second", *row.flips.labels),
                (
                    (label, *counts)
                    for label, counts in zip(row.flips.labels, row.flips.transitions, strict=True)
                ),
            )


def _steps(results: Mapping) -> Table:
    """Old scores of the whole scale on the new one."""
    places = np.unique(np.round(np.linspace(results.low, results.high, _STEPS), 6)).tolist()
    rows = ((f"{old:.3g}", *mapped_cells(results, old)) for old in places)
    return grid(
        "First scores, mapped",
        ("first", "mapped", "95 %"),
        () if results.half_width is None else rows,
        "points from 0 to 1, of one item",
    )


def _flips(report: JudgeChange) -> Table:
    rows = []
    for row in report.flips:
        kinds = [row.flips.kinds.get(kind, NOTHING) for kind in KINDS]
        share, noise = row.flips.share, row.noise.flips
        again = row.noise.reason or f"{noise.counts}: {noise}"
        rows.append((row.metric, share.counts, share, *kinds, row.flips.kappa, again, row.excess))
    columns = ("metric", "flips", "share", *KINDS, "kappa", "A/A", "excess over A/A")
    return grid("Flips", columns, rows, "share: 95 % interval by Wilson")


def _systems(report: JudgeChange) -> Iterator[Table]:
    result = report.systems
    if result is None:
        return
    shown = table(
        f"Systems: Spearman {result.correlation.spearman or 0:.3f},"
        f" Kendall {result.correlation.kendall or 0:.3f}",
        result.rows,
        "system items first second shift p_holm ranks",
        "mean points, ties as halves; p: of no shift, by sign flips",
    )
    mapped = report.mapping if report.direction[0].labels else None
    cells = [mapped_cells(mapped, row.first.value) for row in result.rows]
    for title, column in zip(("first, mapped", "95 %"), zip(*cells, strict=True), strict=True):
        shown = shown.beside(title, column)
    yield shown
    yield conclusions_table(result.conclusions)
