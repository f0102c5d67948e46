"""Printed tables of both judges against human labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from blueprints import counted
from trace_eval.compare.change_report import JudgeChange
from trace_eval.compare.judgings import Ceiling
from trace_eval.compare.people import NEITHER, ComparedPeople, RatedByPeople
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.show.table import NOTHING, Table, column, grid, p_of, table
from trace_eval.stats.agreement.score import JudgeScore
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


def _among(ceiling: Ceiling | None, _: object = None) -> str:
    if ceiling is None:
        return NOTHING
    if ceiling.error is not None:
        return f"{ceiling.error:.3f} ({counted(ceiling.pairs, 'pair')})"
    kappa = "" if ceiling.kappa is None else f", kappa {ceiling.kappa:.3f}"
    return f"{ceiling.agreement or 0:.3f}{kappa} ({counted(ceiling.pairs, 'pair')})"


@dataclass(frozen=True)
class _Agreeing:
    """One judge against the labels of a metric; raters among themselves beside it."""

    metric: str
    score: JudgeScore
    among: Ceiling | None = field(metadata=column("annotators themselves", _among))

    @property
    def majority_class(self) -> float:
        """Accuracy of always saying the commonest label."""
        return self.score.majority.accuracy


def _labels(people: Sequence[ComparedPeople]) -> Table:
    return table(
        "People",
        [_Agreeing(p.metric, score, p.ceiling) for p in people for score in p.scores],
        "metric score.judge score.scored score.accuracy score.metrics.kappa majority_class among",
        "annotators themselves: share of two who say the same of a pair as a whole, with kappa",
        scored="items",
    )


def _nearer(people: Sequence[ComparedPeople]) -> Table:
    tests = " ".join(f"comparison.mcnemar{name}" for name in (".only_first", ".only_second", ""))
    return table(
        "Nearer to annotators",
        people,
        f"metric comparison.difference comparison.kappa_difference {tests} nearer",
        difference="accuracy, second minus first",
        kappa_difference="kappa, second minus first",
        only_first="only first right",
        only_second="only second right",
    )


@dataclass(frozen=True)
class _Rating:
    """One judge against human ratings, or the second minus the first."""

    metric: str
    items: int
    judge: str
    error: IntervalEstimate = field(metadata=column("mean distance"))
    rank: IntervalEstimate = field(metadata=column("Spearman"))
    p: float | None = field(default=None, metadata=column(shown=p_of("items")))
    nearer: str | None = None
    among: Ceiling | None = field(default=None, metadata=column("annotators themselves", _among))


def _rating_rows(rated: RatedByPeople) -> Iterator[_Rating]:
    rows = list(zip(rated.judges, rated.errors, rated.ranks, strict=False))
    for name, error, rank in rows:
        yield _Rating(rated.metric, rated.items, name, error, rank, among=rated.ceiling)
    last = "second minus first", rated.errors[2], rated.ranks[2]
    yield _Rating(rated.metric, rated.items, *last, rated.p, rated.nearer or NEITHER)


def _ratings(rated: Sequence[RatedByPeople]) -> Table:
    return table(
        "Nearer to human ratings",
        [row for one in rated for row in _rating_rows(one)],
        "metric items judge error rank p nearer among",
        "points from 0 to 1; p of equal distances, by sign flips; annotators themselves: mean"
        " distance of two of their ratings",
    )


@dataclass(frozen=True)
class _Helped:
    """The human mean, estimated with the help of one judge."""

    metric: str
    judge: str = field(metadata=column("with the help of"))
    mean: PPIEstimate


def _ppi_table(people: Sequence[ComparedPeople | RatedByPeople], names: tuple[str, str]) -> Table:
    return table(
        "Human mean from few labels",
        [_Helped(p.metric, *both) for p in people for both in zip(names, p.powered, strict=False)],
        "metric judge mean.labelled mean.judged mean.labels mean.judge mean.both mean.effective",
        "points of answer A, of scores their place on the scale; right where the labelled items"
        " were drawn at random; worth labels: so many labels alone would say as much",
    )
