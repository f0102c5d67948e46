"""The printed tables of a change from one judge to another."""

from __future__ import annotations

from collections.abc import Iterator

from trace_eval.compare.change_report import JudgeChange
from trace_eval.compare.conclusions import conclusions_table
from trace_eval.compare.flips import KINDS
from trace_eval.compare.human_tables import human_tables
from trace_eval.compare.mapping import mapped_cells, mapping_table
from trace_eval.compare.severe import severe_table
from trace_eval.show.table import NOTHING, Table, grid, table


def change_tables(report: JudgeChange) -> Iterator[Table]:
    """What was held fixed, coverage, flips, direction, systems, labels, mapping, severe items."""
    level, margin = report.options.bootstrap.level, report.options.margin
    yield table(
        "Held fixed",
        report.held,
        "name same first second",
        f"items only in the first {report.only_first}, only in the second {report.only_second}",
        first=report.first,
        second=report.second,
    )
    yield table(
        "Coverage of the common items",
        report.coverage,
        "metric items both first second unscored_first unscored_second worst best",
        "worst and best: everything unscored counts against, or for, the second",
    )
    yield from _flips(report)
    yield table(
        "Direction, points from 0 to 1",
        report.direction,
        "metric items first second shift p equivalence",
        f"means of answer A, or of scores; {level:.0%} intervals; two one-sided tests for the"
        " margin",
    ).beside(
        f"within {margin:g}",
        ["yes" if d.interchangeable(margin) else "not shown" for d in report.direction],
    )
    yield grid(
        "Shares of labels",
        ("metric", "label", "first", "second", "shift"),
        ((d.metric, name, *shares) for d in report.direction for name, shares in d.labels.items()),
        "1: answer A is better (the first place)",
    )
    yield from _systems(report)
    yield from human_tables(report)
    if report.mapping is not None:
        yield mapping_table(report.mapping)
    yield severe_table(report.severe, "points of answer A: 1 win, 0 loss")
    yield table("Where it flips", report.groups, "by value items flips share shift")
    yield grid(
        "Largest shifts",
        ("item", "first", "second"),
        ((name, f"{x:.3g}", f"{y:.3g}") for name, x, y in report.items),
    )


def _flips(report: JudgeChange) -> Iterator[Table]:
    """Flips of every metric, and label transitions of what the report is about."""
    result = table(
        "Flips",
        report.flips,
        "metric flips.share.counts flips.share",
        "share: 95 % interval by Wilson",
        counts="flips",
    )
    for kind in KINDS:
        result = result.beside(kind, [row.flips.kinds.get(kind, NOTHING) for row in report.flips])
    result = result.beside("kappa", [row.flips.kappa for row in report.flips])
    noise = [
        row.noise.reason or f"{row.noise.flips.counts}: {row.noise.flips}" for row in report.flips
    ]
    yield result.beside("A/A", noise).beside(
        "excess over A/A", [row.excess for row in report.flips]
    )
    for flips in (row.flips for row in report.flips if row.metric == report.main):
        yield grid(
            f"Transitions of {report.main}",
            ("first \\ second", *flips.labels),
            ((name, *row) for name, row in zip(flips.labels, flips.transitions, strict=True)),
        )


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
