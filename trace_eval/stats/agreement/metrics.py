"""The statistics of the main tables, of labels and of scores: one row each.

A new statistic is a function, and a row here; tables, JSON, CSV, intervals and the
report read the rows. Of labels it is a function of joint counts, of scores one that
registers with the resampler. Two judges on the same items have a paired test (exact
McNemar where items are independent), and the paired difference with its interval.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import Generic, Literal, TypeVar

import numpy as np

from blueprints import UserError
from trace_eval.estimate.arrays import Array, Reals
from trace_eval.estimate.interval import IntervalEstimate, Range
from trace_eval.estimate.measures import (
    LEAST_OTHERS,
    MeasuredStatistic,
    MeasurePart,
    estimates,
    folded,
)
from trace_eval.estimate.options import IntervalOptions
from trace_eval.estimate.paired import McNemar, holm, mcnemar
from trace_eval.estimate.units import Statistic, Units
from trace_eval.opinions.codes import TYPED, UNTYPED
from trace_eval.opinions.units import WholeNumbers
from trace_eval.show.table import column, p_of, p_value
from trace_eval.stats.agreement.counts import (
    accuracy,
    accuracy_2way,
    accuracy_3way,
    accuracy_half_ties,
    balanced_accuracy,
    f1_shares,
    gwet_ac1,
    half_right,
    kappa,
    macro_f1,
    recalls,
    right,
    right_2way,
    right_3way,
)
from trace_eval.stats.agreement.forecasts import crps, nll_of_beta, nll_of_labels
from trace_eval.stats.agreement.judges import Aligned
from trace_eval.stats.agreement.linear import bias, ccc, mae, mse, r, rho, tau_b
from trace_eval.stats.agreement.scored import ScoreStatistic

#: What computes it: of labels a function of joint counts ``[..., truth, predicted]``.
S = TypeVar("S")

#: The shares that a statistic of labels is the mean of, by the number of labels.
Shape = Callable[[int], tuple[MeasurePart, ...]]


@dataclass(frozen=True)
class Metric(Generic[S]):
    """A statistic of agreement.

    Attributes:
        name: key in JSON and CSV; stable for programs.
        title: head of its column; ``about``: what it counts, shown under the table.
        scales: label sets on which it is defined.
        better: the better values; None: neither, as of a bias.
        bounds: of labels, its least and its greatest possible value; limits end there.
        shape: of labels, the shares that it is the mean of, by the number of labels:
            its limits are made of theirs. None: they follow from what each unit changes
            (jackknife).
        corrects: it is no mean of the share in ``shape``, but corrects it for chance:
            its limits are those of the share, stretched.
        others: of labels, items that both sides must give another label than their
            commonest one.
    """

    name: str
    title: str
    about: str
    statistic: S
    scales: tuple[tuple[str, ...], ...] = (TYPED, UNTYPED)
    better: Literal["higher", "lower"] | None = "higher"
    bounds: Range = (-np.inf, np.inf)
    shape: Shape | None = None
    corrects: bool = False
    others: int = 0


METRICS: tuple[Metric[Statistic], ...] = (
    Metric(
        name="accuracy_4way",
        title="4-way",
        about="all typed ties apart",
        statistic=accuracy,
        shape=right,
        scales=(TYPED,),
    ),
    Metric(
        name="accuracy_3way",
        title="3-way",
        about="ties collapsed",
        statistic=accuracy_3way,
        shape=right_3way,
    ),
    Metric(
        name="accuracy_2way",
        title="2-way",
        about="where both sides name a winner",
        statistic=accuracy_2way,
        shape=right_2way,
    ),
    Metric(
        name="accuracy_half_ties",
        title="ties half",
        about="a tie is half right",
        statistic=accuracy_half_ties,
        shape=half_right,
    ),
    Metric(
        name="balanced",
        title="balanced",
        about="every true class weighs the same",
        statistic=balanced_accuracy,
        shape=recalls,
    ),
    Metric(
        name="macro_f1",
        title="macro-F1",
        about="mean F1 of the labels that occur",
        statistic=macro_f1,
        shape=f1_shares,
        others=2,
    ),
    Metric(
        name="kappa",
        title="Cohen's kappa",
        about="agreement beyond both sides' own label shares",
        statistic=kappa,
        shape=right,
        corrects=True,
        others=LEAST_OTHERS,
    ),
    Metric(
        name="gwet_ac1",
        title="Gwet's AC1",
        about="beyond chance, steady when one label prevails",
        statistic=gwet_ac1,
        shape=right,
        corrects=True,
        others=LEAST_OTHERS,
    ),
)

SCORE_METRICS: tuple[Metric[ScoreStatistic], ...] = (
    Metric("rho", "Spearman rho", "correlation of ranks", rho),
    Metric("tau_b", "Kendall tau-b", "pairs of answers in the same order", tau_b),
    Metric("r", "Pearson r", "linear correlation", r),
    Metric("ccc", "Lin's concordance", "1 is equality", ccc),
    Metric("mae", "MAE", "mean absolute error", mae, better="lower"),
    Metric("mse", "MSE", "mean squared error", mse, better="lower"),
    Metric("bias", "bias", "judge minus annotators", bias, better=None),
    Metric("crps", "CRPS per rating", "of the distribution", crps, better="lower"),
    Metric(
        "nll_labels", "NLL per rating, labels", "in nats", nll_of_labels, better="lower"
    ),
    Metric(
        "nll_beta", "NLL per rating, Beta", "of a density", nll_of_beta, better="lower"
    ),
)


def estimates_of(
    column: Aligned,
    cluster: WholeNumbers | None,
    options: IntervalOptions,
    rows: WholeNumbers | None = None,
    name: str | None = None,
) -> dict[str, IntervalEstimate]:
    """Estimate the metrics of a judge on one dimension with their intervals, by name.

    Args:
        cluster: independent unit of each item, from 0; None: items are drawn one by
            one.
        rows: items with both that count; None: all of them.
        name: the only metric; None: all that the label set allows.
    """
    if rows is None:
        rows = np.flatnonzero(column.usable)
    if cluster is not None:
        cluster = cluster[rows]
    row_of_table = column.truth[rows].astype(np.int64)
    cells = row_of_table * len(column.labels) + column.predicted[rows]
    units = Units.of(cells, column.shares.size, cluster)
    measures = measures_of(column.labels, column.shares)
    if name is not None:
        measures = {name: measures[name]}
    return estimates(units, measures, options)


def accuracy_name(labels: tuple[str, ...]) -> str:
    """Name of the accuracy over the declared labels."""
    return "accuracy_4way" if labels == TYPED else "accuracy_3way"


def measures_of(
    labels: tuple[str, ...], shares: Reals | None = None
) -> dict[str, MeasuredStatistic]:
    """Return the estimators of a label set's metrics over flat counts, by name.

    ``shares`` is what each row of the table is of each true label; None: rows are
    labels.
    """
    rows = np.eye(len(labels)) if shares is None else shares
    return {name: _measure(metric, rows) for name, metric in metrics_of(labels).items()}


def _measure(metric: Metric[Statistic], shares: Reals) -> MeasuredStatistic:
    def over_flat(cells: Array) -> Array:
        joint = cells.reshape(*cells.shape[:-1], *shares.shape)
        return metric.statistic(folded(joint, shares))

    labels = shares.shape[1]
    parts = () if metric.shape is None else metric.shape(labels)
    return MeasuredStatistic(
        statistic=over_flat,
        parts=tuple(part.of_rows(shares) for part in parts),
        stretched=metric.corrects,
        others=metric.others,
        shares=shares,
        bounds=metric.bounds,
    )


def metrics_of(labels: tuple[str, ...]) -> dict[str, Metric[Statistic]]:
    """Name -> metric, of those that a label set allows."""
    return {metric.name: metric for metric in METRICS if labels in metric.scales}


@dataclass(frozen=True)
class Comparison:
    """``second`` minus ``first`` on the items that both scored.

    Attributes:
        difference: of accuracy over the declared labels; ``kappa_difference`` of kappa.
        mcnemar: the test of the same accuracies, exact where items are independent.
        p_holm: its p value after Holm's correction over all comparisons of the table.
    """

    first: str
    second: str
    dimension: str
    items: int
    difference: IntervalEstimate = field(metadata=column("accuracy"))
    kappa_difference: IntervalEstimate = field(metadata=column("kappa"))
    mcnemar: McNemar = field(
        metadata=column("paired p", lambda test, row: p_value(test.p, row.items))
    )
    p_holm: float = field(metadata=column("Holm p", p_of("items")))


def compare_all(
    judges: Sequence[Sequence[Aligned]],
    cluster: WholeNumbers | None,
    options: IntervalOptions,
    against: str | None = None,
) -> list[Comparison]:
    """Compare every two judges on each dimension that both have, by Holm's method.

    Args:
        judges: per judge its columns, all over the same items.
        cluster: independent unit of each item, from 0; None: items are drawn one by
            one.
        against: the judge that all others are compared with, UserError if it is not
            there; None: every two. Against one Holm's family is smaller, and each
            comparison easier to find.
    """
    couples = list(combinations(judges, 2))
    if against is not None:
        fixed = next((own for own in judges if own and own[0].judge == against), None)
        if fixed is None:
            names = ", ".join(own[0].judge for own in judges if own)
            raise UserError(
                f"--against {against!r} is not a judge here; use one of {names}"
            )
        couples = [(fixed, other) for other in judges if other is not fixed]
    comparisons: list[Comparison] = []
    for first, second in couples:
        for one, other in product(first, second):
            if one.dimension == other.dimension:
                comparisons.append(_comparison(one, other, cluster, options))
    adjusted = holm([comparison.mcnemar.p for comparison in comparisons])
    return [
        replace(comparison, p_holm=p)
        for comparison, p in zip(comparisons, adjusted, strict=True)
    ]


def _comparison(
    first: Aligned,
    second: Aligned,
    cluster: WholeNumbers | None,
    options: IntervalOptions,
) -> Comparison:
    if first.labels != second.labels:
        first = first.untyped()
        second = second.untyped()
    shares = first.shares
    both = first.usable & second.usable
    if cluster is not None:
        cluster = cluster[both]
    shape = (*shares.shape, shares.shape[1])  # [truth, first, second]
    columns = (first.truth, first.predicted, second.predicted)
    codes = tuple(column[both].astype(np.int64) for column in columns)
    cells = np.ravel_multi_index(codes, shape)
    units = Units.of(cells, int(np.prod(shape)), cluster)
    gained = shares[:, None, :] - shares[:, :, None]
    parts = (MeasurePart(gained.ravel(), np.ones(gained.size), -1.0),)
    measures: dict[str, MeasuredStatistic] = {}
    for name, statistic in (("accuracy", accuracy), ("kappa", kappa)):
        difference = _second_minus_first(statistic, shares)
        measures[name] = MeasuredStatistic(difference, parts, name == "kappa")
    differences = estimates(units, measures, options)
    test = mcnemar(-gained.ravel()[cells], cluster)
    return Comparison(
        first=first.judge,
        second=second.judge,
        dimension=first.dimension,
        items=len(cells),
        difference=differences["accuracy"],
        kappa_difference=differences["kappa"],
        mcnemar=test,
        p_holm=test.p,
    )


def _second_minus_first(statistic: Statistic, shares: Reals) -> Statistic:
    rows, size = shares.shape

    def of(cells: Array) -> Array:
        joint = cells.reshape(
            *cells.shape[:-1], rows, size, size
        )  # [..., truth, first, second]
        one, other = (folded(joint.sum(axis), shares) for axis in (-1, -2))
        return statistic(other) - statistic(one)

    return of
