"""Two judges on the same items: exact McNemar and the paired bootstrap of the difference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from trace_eval.stats.agreement.accuracy import accuracy
from trace_eval.stats.agreement.align import Aligned, folded
from trace_eval.stats.agreement.bootstrap import (
    BootstrapOptions,
    IntervalEstimate,
    Stack,
    Statistic,
    Units,
    bootstrap,
)
from trace_eval.stats.agreement.holm import holm
from trace_eval.stats.agreement.kappa import kappa
from trace_eval.stats.agreement.mcnemar import McNemar, discordant, mcnemar

_Pair = tuple[Aligned, Aligned]
_STATISTICS: dict[str, Statistic] = {"accuracy": accuracy, "kappa": kappa}


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
    difference: IntervalEstimate
    kappa_difference: IntervalEstimate
    mcnemar: McNemar
    p_holm: float


def compare_all(
    judges: Sequence[Sequence[Aligned]],
    cluster: NDArray[np.int64] | None,
    options: BootstrapOptions,
    against: str | None = None,
    together: bool = True,
) -> list[Comparison]:
    """Every two judges on every dimension that both have, with Holm's correction over all.

    Args:
        judges: per judge its columns, all over the same items.
        cluster: independent unit of each item, from 0; None: items are drawn one by one.
        options: of the bootstrap.
        against: compare all others with this judge only; the family of Holm's correction is
            then smaller, and each comparison easier to find.
        together: a unit is drawn once for all comparisons, see
            :func:`trace_eval.stats.agreement.score.score_judge`.

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
    if cluster is None:
        estimates = _by_items(pairs, options)
    elif together:
        estimates = _by_clusters(pairs, cluster, options)
    else:
        estimates = [_by_clusters([pair], cluster, options)[0] for pair in pairs]
    found = [_comparison(pair, e) for pair, e in zip(pairs, estimates, strict=True)]
    adjusted = holm([comparison.mcnemar.p for comparison in found])
    return [replace(c, p_holm=p) for c, p in zip(found, adjusted, strict=True)]


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
    known = first.known & second.known
    cells = (first.truth[known].astype(np.int64) * size + first.predicted[known]) * size
    return known, cells + second.predicted[known], (rows, size, size)


def _joint(pair: _Pair) -> NDArray[np.int64]:
    _, cells, shape = _cells(pair)
    return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape)


def _by_items(
    pairs: Sequence[_Pair], options: BootstrapOptions
) -> list[dict[str, IntervalEstimate]]:
    return [
        bootstrap(
            Units.items(_joint(pair)),
            {name: _from_joint(s, pair[0].shares) for name, s in _STATISTICS.items()},
            options,
        )
        for pair in pairs
    ]


def _from_joint(statistic: Statistic, shares: NDArray[np.float64]) -> Statistic:
    rows, size = shares.shape

    def second_minus_first(cells: NDArray[Any]) -> NDArray[Any]:
        joint = cells.reshape(*cells.shape[:-1], rows, size, size)  # [..., truth, first, second]
        one, other = (folded(joint.sum(axis), shares) for axis in (-1, -2))
        return statistic(other) - statistic(one)

    return second_minus_first


def _by_clusters(
    pairs: Sequence[_Pair], cluster: NDArray[np.int64], options: BootstrapOptions
) -> list[dict[str, IntervalEstimate]]:
    """Both judges' contingency tables by cluster, all that their difference needs."""
    if not pairs:
        return []
    stack = Stack(int(cluster.max(initial=-1)) + 1)
    statistics: dict[str, Statistic] = {}
    for number, pair in enumerate(pairs):
        shares = pair[0].shares
        known, cells, shape = _cells(pair)
        truth, first, second = np.unravel_index(cells, shape)
        places = tuple(
            stack.add(cluster[known], truth * shape[1] + predicted, shares.size)
            for predicted in (first, second)
        )
        for name, statistic in _STATISTICS.items():
            statistics[f"{number}.{name}"] = _from_two(statistic, shares, *places)
    found = bootstrap(stack.units(), statistics, options)
    return [
        {name: found[f"{number}.{name}"] for name in _STATISTICS} for number in range(len(pairs))
    ]


def _from_two(
    statistic: Statistic, shares: NDArray[np.float64], first: slice, second: slice
) -> Statistic:
    def second_minus_first(cells: NDArray[Any]) -> NDArray[Any]:
        one, other = (
            folded(cells[..., index].reshape(*cells.shape[:-1], *shares.shape), shares)
            for index in (first, second)
        )
        return statistic(other) - statistic(one)

    return second_minus_first


def _comparison(pair: _Pair, estimates: dict[str, IntervalEstimate]) -> Comparison:
    joint = _joint(pair)
    test = mcnemar(*discordant(joint, pair[0].shares))
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
