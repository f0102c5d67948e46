"""The tables of a judge change, of runs and of boards, for people."""

from __future__ import annotations

from collections.abc import Iterator

from trace_eval.compare.boards import BoardChange
from trace_eval.compare.change import JudgeChange
from trace_eval.compare.conclusions import Change
from trace_eval.compare.flips import KINDS
from trace_eval.compare.mapping import Mapping
from trace_eval.stats.agreement.share import Share
from trace_eval.stats.agreement.tabular import NOTHING, Table, p_value, table

#: Systems that a table of boards lists.
_ROWS = 40


def change_tables(report: JudgeChange) -> Iterator[Table]:
    """What was held fixed, coverage, flips, direction, systems, people, mapping, severe items."""
    yield from (found for found in _of_runs(report) if found.rows)


def board_tables(report: BoardChange) -> Iterator[Table]:
    """The same of two boards: shifts, conclusions, mapping."""
    yield table(
        f"{report.first} -> {report.second}",
        (
            "systems",
            "n",
            "Spearman",
            "Kendall",
            "mean |shift|",
            "mean shift",
            "largest",
            "of",
            "largest rank move",
            "move",
            "pairs in another order",
        ),
        (
            (
                f.rows,
                f.systems,
                f.spearman,
                f.kendall,
                f"{f.mean_absolute:.3f}",
                f"{f.mean:+.3f}",
                f"{f.largest:+.2f}",
                f.of,
                f.rank_move,
                f.moved,
                f"{f.reordered} of {f.pairs}",
            )
            for f in report.figures
        ),
    )
    yield _conclusions(report.conclusions)
    yield _mapping(report.mapping)
    yield table(
        "Largest shifts",
        ("system", "first", "second", "shift", "rank", "p (Holm)", "first, mapped", "95 %"),
        (
            (
                row.system,
                f"{row.first:g}",
                f"{row.second:g}",
                f"{row.shift:+.2f}",
                f"{row.ranks[0]} to {row.ranks[1]}",
                p_value(row.p_holm),
                NOTHING if row.mapped is None else f"{row.mapped:.2f}",
                NOTHING
                if row.mapped_range is None
                else f"{row.mapped_range[0]:.1f} to {row.mapped_range[1]:.1f}",
            )
            for row in report.shifts[:_ROWS]
        ),
    )


def _of_runs(report: JudgeChange) -> Iterator[Table]:
    yield table(
        "Held fixed",
        ("what", "same", report.first, report.second),
        (
            (h.name, {True: "yes", False: "NO", None: "unknown"}[h.same], h.first, h.second)
            for h in report.held
        ),
        f"only in the first {report.only_first}, only in the second {report.only_second} items",
    )
    yield table(
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
    yield _flips(report)
    yield table(
        "Direction, second minus first, points from 0 to 1",
        (
            "metric",
            "items",
            "mean shift",
            "p (sign flips)",
            "90 % interval",
            f"within {report.options.margin:g}",
        ),
        (
            (
                d.metric,
                d.items,
                d.shift,
                p_value(d.p),
                NOTHING
                if d.equivalence is None
                else f"{d.equivalence[0]:+.4f} to {d.equivalence[1]:+.4f}",
                "yes" if d.interchangeable(report.options.margin) else "not shown",
            )
            for d in report.direction
        ),
        f"{report.options.bootstrap.level:.0%} intervals; two one-sided tests for the margin",
    )
    yield table(
        "Shares of labels",
        ("metric", "label", "first", "second", "shift"),
        (
            (d.metric, name, first, second, shift)
            for d in report.direction
            for name, (first, second, shift) in d.labels.items()
        ),
        "1: answer A is better (the first place)",
    )
    yield from _systems(report)
    yield from _people(report)
    if report.mapping is not None:
        yield _mapping(report.mapping)
    yield table(
        "Severe items",
        ("item", "metric", "first", "second", "why"),
        ((s.item, s.metric, s.before, s.after, "; ".join(s.why)) for s in report.severe),
        "points of answer A: 1 win, 0 loss",
    )
    yield table(
        "Where it flips",
        ("by", "value", "items", "flips", "share", "mean shift"),
        (
            (g.by, g.value, g.items, g.flips, _share(Share(g.flips, g.items)), f"{g.shift:+.4f}")
            for g in report.groups
        ),
    )
    yield table(
        "Largest shifts",
        ("item", "first", "second"),
        ((name, f"{x:.3g}", f"{y:.3g}") for name, x, y in report.items),
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
    return table("Flips", columns, rows, "share: 95 % interval by Wilson")


def _systems(report: JudgeChange) -> Iterator[Table]:
    found = report.systems
    if found is None:
        return
    yield table(
        f"Systems: Spearman {found.correlation.spearman or 0:.3f},"
        f" Kendall {found.correlation.kendall or 0:.3f}",
        ("system", "items", "first", "second", "shift", "rank"),
        (
            (r.system, r.items, r.first, r.second, r.shift, f"{r.ranks[0]} to {r.ranks[1]}")
            for r in found.rows
        ),
        "mean points, ties as halves",
    )
    yield _conclusions(found.conclusions)


def _conclusions(families: tuple[Change, ...]) -> Table:
    rows = []
    for family in families:
        names = [
            f"{kind}: {name}"
            for kind in ("reversed", "lost", "gained")
            for name in getattr(family, kind)
        ]
        rows.append(
            (
                family.family,
                family.size,
                *(len(getattr(family, kind)) for kind in ("lost", "gained", "reversed")),
                family.reordered,
                "{} / {} / {}".format(*family.raw),
                NOTHING
                if family.expected is None
                else f"{family.expected:g} ({family.expected_from})",
                "; ".join(names[:3]) + ("; ..." if len(names) > 3 else "") or NOTHING,
            )
        )
    return table(
        "Conclusions that change",
        (
            "family",
            "size",
            "lost",
            "gained",
            "reversed",
            "order only",
            "without Holm",
            "expected by noise",
            "which",
        ),
        rows,
        "two-sided at 5 %, Holm within the family; order only: another order, both undecided",
    )


def _people(report: JudgeChange) -> Iterator[Table]:
    if not report.people:
        return
    yield table(
        "People",
        ("metric", "judge", "items", "accuracy", "kappa", "majority class"),
        (
            (
                p.metric,
                s.judge,
                s.scored,
                s.metrics.get("accuracy_4way") or s.metrics.get("accuracy_3way"),
                s.metrics.get("kappa"),
                s.majority.accuracy,
            )
            for p in report.people
            for s in p.scores
        ),
    )
    yield table(
        "Nearer to people",
        (
            "metric",
            "accuracy, second minus first",
            "kappa, second minus first",
            "only first right",
            "only second right",
            "McNemar p",
            "nearer",
        ),
        (
            (
                p.metric,
                p.comparison.difference,
                p.comparison.kappa_difference,
                p.comparison.mcnemar.only_first,
                p.comparison.mcnemar.only_second,
                p_value(p.comparison.mcnemar.p),
                p.nearer or "not told apart",
            )
            for p in report.people
        ),
    )
    for found in report.people:
        for score in found.scores:
            yield table(
                f"Confusion: {score.judge} on {found.metric}",
                ("people", *score.labels),
                ((label, *row) for label, row in zip(score.labels, score.confusion, strict=True)),
            )


def _mapping(found: Mapping) -> Table:
    line = NOTHING
    if found.slope is not None and found.slope_error is not None:
        error = 2 * found.slope_error
        line = f"{found.intercept:.3f} + {found.slope:.3f} first (slope +- {error:.3f})"
    return table(
        "Mapping of first to second",
        (
            "mapping",
            "points",
            "second =",
            "residual sd",
            "a new one is placed to +-",
            "left-out error",
            "without mapping",
            "only within",
        ),
        [
            (
                "no mapping" if found.kind == "none" else found.kind,
                found.points,
                line,
                *(
                    NOTHING if v is None else f"{v:.3g}"
                    for v in (found.sd, found.half_width, found.left_out, found.identity)
                ),
                f"{found.low:g} to {found.high:g}",
            )
        ],
        found.reason or "first scores stay as they are; mapped ones stand beside them",
    )
