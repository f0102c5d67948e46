"""Two judges on the same items: exact McNemar, and the paired difference with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.measures import Measure, MeasurePart, estimates, folded
from trace_eval.estimate.options import BootstrapOptions
from trace_eval.estimate.paired import McNemar, holm, mcnemar
from trace_eval.estimate.units import Statistic, Units
from trace_eval.show.table import column, p_of, p_value
from trace_eval.stats.agreement.counts import accuracy, kappa
from trace_eval.stats.agreement.judges import Aligned


@dataclass(frozen=True)
class Comparison:
    """``second`` minus ``first`` on the items that both scored.

    Attributes:
        difference: of accuracy over the declared labels; ``kappa_difference`` of kappa.
        mcnemar: the exact test of the same accuracies.
        p_holm: its p value after Holm's correction over all comparisons of the table.
    """

    first: str
    second: str
    dimension: str
    items: int
    difference: IntervalEstimate = field(metadata=column("accuracy"))
    kappa_difference: IntervalEstimate = field(metadata=column("kappa"))
    mcnemar: McNemar = field(
        metadata=column("exact McNemar p", lambda test, row: p_value(test.p, row.items))
    )
    p_holm: float = field(metadata=column("Holm p", p_of("items")))


def compare_all(
    judges: Sequence[Sequence[Aligned]],
    cluster: NDArray[np.int64] | None,
    options: BootstrapOptions,
    against: str | None = None,
) -> list[Comparison]:
    """Every two judges on every dimension that both have, with Holm's correction over all.

    Args:
        judges: per judge its columns, all over the same items.
        cluster: independent unit of each item, from 0; None: items are drawn one by one.
        against: the judge that all others are compared with; None: every two. Holm's family is
            then smaller, and each comparison easier to find.

    Raises:
        UserError: there is no judge ``against``.
    """
    couples = list(combinations(judges, 2))
    if against is not None:
        fixed = next((own for own in judges if own and own[0].judge == against), None)
        if fixed is None:
            names = ", ".join(own[0].judge for own in judges if own)
            raise UserError(f"--against {against!r} is no judge here; use one of {names}")
        couples = [(fixed, other) for other in judges if other is not fixed]
    results = [
        _comparison(one, other, cluster, options)
        for first, second in couples
        for one in first
        for other in second
        if one.dimension == other.dimension
    ]
    adjusted = holm([comparison.mcnemar.p for comparison in results])
    return [replace(c, p_holm=p) for c, p in zip(results, adjusted, strict=True)]


def _comparison(
    first: Aligned,
    second: Aligned,
    cluster: NDArray[np.int64] | None,
    options: BootstrapOptions,
) -> Comparison:
    if first.labels != second.labels:
        first, second = first.untyped(), second.untyped()
    shares, both = first.shares, first.usable & second.usable
    shape = (*shares.shape, shares.shape[1])  # [truth, first, second]
    codes = (first.truth, first.predicted, second.predicted)
    cells = np.ravel_multi_index(tuple(code[both].astype(np.int64) for code in codes), shape)
    units = Units.of(cells, int(np.prod(shape)), None if cluster is None else cluster[both])
    gained = shares[:, None, :] - shares[:, :, None]
    parts = (MeasurePart(gained.ravel(), np.ones(gained.size), -1.0),)
    measures = {
        name: Measure(_second_minus_first(statistic, shares), parts, name == "kappa")
        for name, statistic in (("accuracy", accuracy), ("kappa", kappa))
    }
    result = estimates(units, measures, options)
    test = mcnemar(-gained, np.bincount(cells, minlength=gained.size).reshape(shape))
    return Comparison(
        first.judge,
        second.judge,
        first.dimension,
        len(cells),
        result["accuracy"],
        result["kappa"],
        test,
        test.p,
    )


def _second_minus_first(statistic: Statistic, shares: NDArray[np.float64]) -> Statistic:
    rows, size = shares.shape

    def of(cells: NDArray[Any]) -> NDArray[Any]:
        joint = cells.reshape(*cells.shape[:-1], rows, size, size)  # [..., truth, first, second]
        one, other = (folded(joint.sum(axis), shares) for axis in (-1, -2))
        return statistic(other) - statistic(one)

    return of
