"""The printed tables of a change from one judge to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from blueprints import counted
from trace_eval.compare.change_report import JudgeChange
from trace_eval.compare.conclusions import conclusions_table
from trace_eval.compare.flips import KINDS, severe_table
from trace_eval.compare.human_labels import NEITHER, AgainstLabels, AgainstRatings
from trace_eval.compare.judgings import Ceiling
from trace_eval.compare.mapping import mapped_cells, mapping_table
from trace_eval.estimate.paired import FLIPS_DRAWN
from trace_eval.show.table import NOTHING, Table, count_text, grid, p_value, table


def change_tables(report: JudgeChange) -> Iterator[Table]:
    """Yield tables of conditions, coverage, flips, direction, systems and labels.

    Severe items are the last one.
    """
    level = report.options.bootstrap.level
    margin = report.options.margin
    yield table(
        "Held fixed",
        report.held,
        "name same first second",
        (
            f"items only in the first {report.only_first}, only in the second"
            f" {report.only_second}"
        ),
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
    directions = table(
        "Direction, points from 0 to 1",
        report.direction,
        "metric items first second shift p equivalence",
        f"means of answer A, or of scores; {level:.0%} intervals; two one-sided tests"
        f" for the margin; p: {FLIPS_DRAWN}",
    )
    within: list[str] = []
    for direction in report.direction:
        is_within = direction.interchangeable(margin)
        within.append("yes" if is_within else "not shown")
    yield directions.beside(f"within {margin:g}", within)
    shares: list[tuple[object, ...]] = []
    for direction in report.direction:
        for name, (first, second, shift) in direction.labels.items():
            shares.append((direction.metric, name, first, second, shift))
    yield grid(
        "Shares of labels",
        ("metric", "label", "first", "second", "shift"),
        shares,
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
    """Yield the flips of every metric, and label transitions of the main one."""
    result = table(
        "Flips",
        report.flips,
        "metric flips.share.counts rate",
        f"brackets: {report.options.bootstrap.level:.0%} interval",
        counts="flips",
    )
    for kind in KINDS:
        result = result.beside(
            kind, [row.flips.kinds.get(kind, NOTHING) for row in report.flips]
        )
    result = result.beside("kappa", [row.flips.kappa for row in report.flips])
    noise: list[str] = []
    for row in report.flips:
        share = row.noise.flips
        noise.append(row.noise.reason or f"{share.counts}: {share.value or 0.0:.3f}")
    yield result.beside("A/A", noise).beside(
        "excess over A/A", [row.excess for row in report.flips]
    )
    for flips in (row.flips for row in report.flips if row.metric == report.main):
        transitions: list[tuple[object, ...]] = []
        for name, counts in zip(flips.labels, flips.transitions, strict=True):
            transitions.append((name, *counts))
        yield grid(
            f"Transitions of {report.main}",
            ("first \\ second", *flips.labels),
            transitions,
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
        f"mean points, ties as halves; brackets: {report.options.bootstrap.level:.0%}"
        f" interval; p: of no shift, by {FLIPS_DRAWN}",
    )
    mapped = report.mapping if report.direction[0].labels else None
    cells = [mapped_cells(mapped, row.first.value) for row in result.rows]
    for title, column in zip(
        ("first, mapped", "95 %"), zip(*cells, strict=True), strict=True
    ):
        shown = shown.beside(title, column)
    yield shown
    yield conclusions_table(result.conclusions)


_AMONG = "annotators themselves"


def human_tables(report: JudgeChange) -> Iterator[Table]:
    """Yield tables of human labels: agreement, the nearer judge, and confusions.

    Estimates from few labels are among them.
    """
    agreement: list[dict[str, Any]] = []
    for one in report.people:
        for score in one.scores:
            row = {
                "metric": one.metric,
                "score": score,
                "majority": score.majority.accuracy,
                "among": _among(one.ceiling),
            }
            agreement.append(row)
    yield table(
        "Human labels",
        agreement,
        (
            "metric score.judge score.scored score.accuracy score.metrics.kappa"
            " majority among"
        ),
        f"{_AMONG}: share of two who give a pair as a whole the same label, with kappa",
        scored="items",
        majority="majority class",
        among=_AMONG,
    )
    tests = " ".join(
        f"comparison.mcnemar{name}" for name in (".only_first", ".only_second", "")
    )
    yield table(
        "Nearer to annotators",
        report.people,
        f"metric comparison.difference comparison.kappa_difference {tests} nearer",
        difference="accuracy, second minus first",
        kappa_difference="kappa, second minus first",
        only_first="only first right",
        only_second="only second right",
    )
    yield _ratings(report.rated)
    yield _from_few_labels(report)
    for result in report.people:
        for score in result.scores:
            rows = []
            for label, counts in zip(score.labels, score.confusion, strict=True):
                rows.append((label, *map(count_text, counts)))
            yield grid(
                f"Confusion: {score.judge} on {result.metric}",
                ("human label", *score.labels),
                rows,
            )


def _from_few_labels(report: JudgeChange) -> Table:
    """Return the table of human means that each judge helps to estimate."""
    names = (report.first, report.second)
    rows: list[dict[str, Any]] = []
    for one in chain[AgainstLabels | AgainstRatings](report.people, report.rated):
        for name, mean in zip(names, one.powered, strict=False):
            rows.append({"metric": one.metric, "helper": name, "mean": mean})
    return table(
        "Human mean from few labels",
        rows,
        (
            "metric helper mean.labelled mean.judged mean.labels mean.judge mean.both"
            " mean.effective"
        ),
        "points of answer A, of scores their place on the scale; right where the"
        " labelled items were drawn at random; worth labels: so many labels alone would"
        " be as precise",
        helper="with the help of",
    )


def _among(ceiling: Ceiling | None) -> str:
    if ceiling is None:
        return NOTHING
    pairs = counted(ceiling.pairs, "pair")
    if ceiling.error is not None:
        return f"{ceiling.error:.3f} ({pairs})"
    kappa = "" if ceiling.kappa is None else f", kappa {ceiling.kappa:.3f}"
    return f"{ceiling.agreement or 0:.3f}{kappa} ({pairs})"


def _ratings(rated: Sequence[AgainstRatings]) -> Table:
    rows = []
    for one in rated:
        judges = one.judges + ("second minus first",)
        among = _among(one.ceiling)
        last = p_value(one.p, one.items), one.nearer or NEITHER, NOTHING
        ends = ((None, None, among), (None, None, among), last)
        for judge, error, rank, end in zip(
            judges, one.errors, one.ranks, ends, strict=True
        ):
            rows.append((one.metric, one.items, judge, error, rank, *end))
    return grid(
        "Nearer to human ratings",
        (
            "metric",
            "items",
            "judge",
            "mean distance",
            "Spearman",
            "p",
            "nearer",
            _AMONG,
        ),
        rows,
        f"points from 0 to 1; p of equal distances, by {FLIPS_DRAWN}; {_AMONG}: mean"
        " distance of two of their ratings",
    )
