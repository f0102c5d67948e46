"""Printed tables of both judges against human labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from blueprints import counted
from trace_eval.compare.change_report import JudgeChange
from trace_eval.compare.judgings import Ceiling
from trace_eval.compare.people import NEITHER, ComparedPeople, RatedByPeople
from trace_eval.show.table import NOTHING, Table, column, grid, p_value, table
from trace_eval.stats.inference.ppi import PPIEstimate


def people_tables(report: JudgeChange) -> Iterator[Table]:
    """Tables of agreement with human labels, the nearer judge, estimates from few labels, and
    confusions.
    """
    yield _labels(report.people)
    yield _nearer(report.people)
    yield _ratings(report.rated)
    yield _ppi_table([*report.people, *report.rated], (report.first, report.second))
    for result in report.people:
        for score in result.scores:
            yield grid(
                f"Confusion: {score.judge} on {result.metric}",
                ("people", *score.labels),
                (
                    (label, *(f"{n:.3g}" if n % 1 else int(n) for n in row))
                    for label, row in zip(score.labels, score.confusion, strict=True)
                ),
            )


def _labels(people: Sequence[ComparedPeople]) -> Table:
    return grid(
        "People",
        ("metric", "judge", "items", "accuracy", "kappa", "majority class", "people themselves"),
        (
            (
                p.metric,
                s.judge,
                s.scored,
                s.accuracy,
                s.metrics.get("kappa"),
                s.majority.accuracy,
                _among(p.ceiling),
            )
            for p in people
            for s in p.scores
        ),
        "people themselves: share of two people who say the same of a pair as a whole, with kappa",
    )


def _among(ceiling: Ceiling | None) -> str:
    if ceiling is None:
        return NOTHING
    if ceiling.error is not None:
        return f"{ceiling.error:.3f} ({counted(ceiling.pairs, 'pair')})"
    kappa = "" if ceiling.kappa is None else f", kappa {ceiling.kappa:.3f}"
    return f"{ceiling.agreement or 0:.3f}{kappa} ({counted(ceiling.pairs, 'pair')})"


def _nearer(people: Sequence[ComparedPeople]) -> Table:
    tests = " ".join(f"comparison.mcnemar{name}" for name in (".only_first", ".only_second", ""))
    return table(
        "Nearer to people",
        people,
        f"metric comparison.difference comparison.kappa_difference {tests} nearer",
        difference="accuracy, second minus first",
        kappa_difference="kappa, second minus first",
        only_first="only first right",
        only_second="only second right",
    )


def _ratings(rated: Sequence[RatedByPeople]) -> Table:
    return grid(
        "Nearer to people's ratings",
        (
            "metric",
            "items",
            "judge",
            "mean distance",
            "Spearman",
            "p",
            "nearer",
            "people themselves",
        ),
        (
            (
                r.metric,
                r.items,
                who,
                r.errors[row],
                r.ranks[row],
                p_value(r.p, r.items) if row == 2 else NOTHING,
                (r.nearer or NEITHER) if row == 2 else NOTHING,
                _among(r.ceiling) if row < 2 else NOTHING,
            )
            for r in rated
            for row, who in enumerate((*r.judges, "second minus first"))
        ),
        "points from 0 to 1; p of equal distances, by sign flips; people themselves: mean distance"
        " of two of their ratings",
    )


@dataclass(frozen=True)
class _Helped:
    """The human mean, estimated with the help of one judge."""

    metric: str
    judge: str = field(metadata=column("with the help of"))
    mean: PPIEstimate


def _ppi_table(people: Sequence[ComparedPeople | RatedByPeople], names: tuple[str, str]) -> Table:
    return table(
        "People's mean from few labels",
        [_Helped(p.metric, *both) for p in people for both in zip(names, p.powered, strict=False)],
        "metric judge mean.labelled mean.judged mean.labels mean.judge mean.both mean.effective",
        "points of answer A, of scores their place on the scale; right where the labelled items"
        " were drawn at random; worth labels: so many labels alone would say as much",
    )
