"""The tables of a judge change of two judgings, for people."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from trace_eval.compare.change_report import JudgeChange
from trace_eval.compare.flips import KINDS
from trace_eval.compare.mapping import Mapping
from trace_eval.compare.people_tables import people_tables
from trace_eval.compare.shared_tables import conclusions_table, mapped_cells, mapping_table
from trace_eval.show.table import NOTHING, Table, grid, p_value
from trace_eval.stats.estimate.share import Share

#: Steps of a mapping of scores that are listed.
_STEPS = 11


def change_tables(report: JudgeChange) -> Iterator[Table]:
    """What was held fixed, coverage, flips, direction, systems, people, mapping, severe items."""
    yield from (found for found in _of_runs(report) if found.rows)


def _of_runs(report: JudgeChange) -> Iterator[Table]:
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
    yield grid(
        "Severe items",
        ("item", "metric", "first", "second", "why"),
        ((s.item, s.metric, s.before, s.after, "; ".join(s.why)) for s in report.severe),
        "points of answer A: 1 win, 0 loss",
    )
    yield _where(report)
    yield grid(
        "Largest shifts",
        ("item", "first", "second"),
        ((name, f"{x:.3g}", f"{y:.3g}") for name, x, y in report.items),
    )


def _held(report: JudgeChange) -> Table:
    return grid(
        "Held fixed",
        ("what", "same", report.first, report.second),
        (
            (h.name, {True: "yes", False: "NO", None: "unknown"}[h.same], h.first, h.second)
            for h in report.held
        ),
        f"items only in the first {report.only_first}, only in the second {report.only_second}",
    )


def _coverage(report: JudgeChange) -> Table:
    return grid(
        "Coverage of the common items",
        (
            "metric",
            "items",
            "scored by both",
            "first",
            "second",
            "unscored by the first",
            "by the second",
            "mean shift, worst",
            "best",
        ),
        (
            (
                c.metric,
                c.items,
                c.both,
                c.first,
                c.second,
                _reasons(c.unscored_first),
                _reasons(c.unscored_second),
                f"{c.worst:+.4f}",
                f"{c.best:+.4f}",
            )
            for c in report.coverage
        ),
        "worst and best: everything unscored counts against, or for, the second",
    )


def _direction(report: JudgeChange) -> Table:
    return grid(
        "Direction, points from 0 to 1",
        (
            "metric",
            "items",
            "first",
            "second",
            "mean shift",
            "p (sign flips)",
            "90 % interval",
            f"within {report.options.margin:g}",
        ),
        (
            (
                d.metric,
                d.items,
                f"{d.first:.4f}",
                f"{d.second:.4f}",
                d.shift,
                p_value(d.p),
                NOTHING
                if d.equivalence is None
                else f"{d.equivalence[0]:+.4f} to {d.equivalence[1]:+.4f}",
                "yes" if d.interchangeable(report.options.margin) else "not shown",
            )
            for d in report.direction
        ),
        f"means of answer A, or of scores; {report.options.bootstrap.level:.0%} intervals; two"
        " one-sided tests for the margin",
    )


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


def _steps(found: Mapping) -> Table:
    """Old scores of the whole scale on the new one."""
    places = np.unique(np.round(np.linspace(found.low, found.high, _STEPS), 6)).tolist()
    rows = ((f"{old:.3g}", *mapped_cells(found, old)) for old in places)
    return grid(
        "First scores, mapped",
        ("first", "mapped", "95 %"),
        () if found.half_width is None else rows,
        "points from 0 to 1, of one item",
    )


def _where(report: JudgeChange) -> Table:
    return grid(
        "Where it flips",
        ("by", "value", "items", "flips", "share", "mean shift"),
        (
            (g.by, g.value, g.items, g.flips, _share(Share(g.flips, g.items)), f"{g.shift:+.4f}")
            for g in report.groups
        ),
    )


def _reasons(reasons: dict[str, int]) -> str:
    return ", ".join(f"{reason} {n}" for reason, n in sorted(reasons.items())) or NOTHING


def _share(share: Share) -> str:
    if share.value is None:
        return NOTHING
    low, high = share.interval()
    return f"{share.value:.3f} [{low:.3f}, {high:.3f}]"


def _flips(report: JudgeChange) -> Table:
    rows = []
    for row in report.flips:
        kinds = [row.flips.kinds.get(kind, NOTHING) for kind in KINDS]
        aa = row.noise.reason or f"{row.noise.flips.count} of {row.noise.flips.of}: " + _share(
            row.noise.flips
        )
        shown = f"{row.flips.share.count} of {row.flips.share.of}"
        rows.append(
            (row.metric, shown, _share(row.flips.share), *kinds, row.flips.kappa, aa, row.excess)
        )
    columns = ("metric", "flips", "share", *KINDS, "kappa", "A/A", "excess over A/A")
    return grid("Flips", columns, rows, "share: 95 % interval by Wilson")


def _systems(report: JudgeChange) -> Iterator[Table]:
    found = report.systems
    if found is None:
        return
    mapped = report.mapping if report.direction[0].labels else None
    yield grid(
        f"Systems: Spearman {found.correlation.spearman or 0:.3f},"
        f" Kendall {found.correlation.kendall or 0:.3f}",
        (
            "system",
            "items",
            "first",
            "second",
            "shift",
            "p (Holm)",
            "rank",
            "first, mapped",
            "95 %",
        ),
        (
            (
                r.system,
                r.items,
                r.first,
                r.second,
                r.shift,
                p_value(r.p_holm),
                f"{r.ranks[0]} to {r.ranks[1]}",
                *mapped_cells(mapped, r.first.value),
            )
            for r in found.rows
        ),
        "mean points, ties as halves; p: of no shift, by sign flips",
    )
    yield conclusions_table(found.conclusions)
