"""Two judges on the same items: exact McNemar, and the paired difference with its interval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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

_Pair = tuple[Aligned, Aligned]
_STATISTICS: dict[str, Statistic] = {"accuracy": accuracy, "kappa": kappa}


def _tested(test: McNemar, row: Comparison) -> str:
    return p_value(test.p, row.items)


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
        options: of the intervals.
        against: compare all others with this judge only; the family of Holm's correction is
            then smaller, and each comparison easier to find.

    Raises:
        UserError: there is no judge ``against``.
    """
    pairs = [
        _same_labels(one, other)
        for first, second in _couples(judges, against)
        for one in first
        for other in second
        if one.dimension == other.dimension
    ]
    results = [_comparison(pair, _estimates(pair, cluster, options)) for pair in pairs]
    adjusted = holm([comparison.mcnemar.p for comparison in results])
    return [replace(c, p_holm=p) for c, p in zip(results, adjusted, strict=True)]


def _couples(
    judges: Sequence[Sequence[Aligned]], against: str | None
) -> Iterable[tuple[Sequence[Aligned], Sequence[Aligned]]]:
    if against is None:
        return combinations(judges, 2)
    names = [columns[0].judge for columns in judges if columns]
    if against not in names:
        raise UserError(f"--against {against!r} is no judge here; use one of {', '.join(names)}")
    fixed = next(columns for columns in judges if columns and columns[0].judge == against)
    return [(fixed, other) for other in judges if other is not fixed]


def compare(
    first: Aligned,
    second: Aligned,
    cluster: NDArray[np.int64] | None,
    options: BootstrapOptions,
) -> Comparison:
    """Compare two judges on one dimension."""
    return compare_all([[first], [second]], cluster, options)[0]


def _same_labels(first: Aligned, second: Aligned) -> _Pair:
    return (first, second) if first.labels == second.labels else (first.untyped(), second.untyped())


def _cells(pair: _Pair) -> tuple[NDArray[np.bool_], NDArray[np.int64], tuple[int, int, int]]:
    """Items that both scored, their cell, and the shape (truth, first, second) of all cells."""
    first, second = pair
    rows, size = first.shares.shape
    available = first.known & second.known
    cells = (first.truth[available].astype(np.int64) * size + first.predicted[available]) * size
    return available, cells + second.predicted[available], (rows, size, size)


def _joint(pair: _Pair) -> NDArray[np.int64]:
    _, cells, shape = _cells(pair)
    return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape)


def _estimates(
    pair: _Pair, cluster: NDArray[np.int64] | None, options: BootstrapOptions
) -> dict[str, IntervalEstimate]:
    shares = pair[0].shares
    available, cells, shape = _cells(pair)
    units = Units.of(cells, int(np.prod(shape)), None if cluster is None else cluster[available])
    right = shares[:, None, :] - shares[:, :, None]  # [truth, first, second]
    parts = (MeasurePart(right.ravel(), np.ones(right.size), -1.0),)
    measures = {
        name: Measure(_second_minus_first(statistic, shares), parts, name == "kappa")
        for name, statistic in _STATISTICS.items()
    }
    return estimates(units, measures, options)


def _second_minus_first(statistic: Statistic, shares: NDArray[np.float64]) -> Statistic:
    rows, size = shares.shape

    def of(cells: NDArray[Any]) -> NDArray[Any]:
        joint = cells.reshape(*cells.shape[:-1], rows, size, size)  # [..., truth, first, second]
        one, other = (folded(joint.sum(axis), shares) for axis in (-1, -2))
        return statistic(other) - statistic(one)

    return of


def _comparison(pair: _Pair, estimates: dict[str, IntervalEstimate]) -> Comparison:
    joint = _joint(pair)
    shares = pair[0].shares
    ahead = shares[:, :, None] - shares[:, None, :]  # [truth, first, second]
    test = mcnemar(ahead, joint)
    return Comparison(
        pair[0].judge,
        pair[1].judge,
        pair[0].dimension,
        int(joint.sum()),
        estimates["accuracy"],
        estimates["kappa"],
        test,
        test.p,
    )
