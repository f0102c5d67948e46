"""Systems under two judges: win rates, ranks, and the conclusions about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from trace_eval.compare.conclusions import (
    ConclusionChange,
    Conclusions,
    change,
    changes,
    sign_conclusions,
    z_conclusions,
)
from trace_eval.compare.judgings import Joined, Judging
from trace_eval.estimate.arrays import Array, Mask
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.limits import NO_SPREAD
from trace_eval.estimate.options import IntervalOptions
from trace_eval.estimate.paired import holm, sign_flip
from trace_eval.estimate.resample import Resampler
from trace_eval.opinions.units import WholeNumbers
from trace_eval.show.table import column, joined, p_text
from trace_eval.stats.ranking.correlation import Correlation, correlate
from trace_eval.stats.ranking.outcomes import ranks

#: Pairs of bootstrap resamples of one judging, where there is no A/A, and how they are
#: called.
_HALVES = 100
_HALVES_IN_WORDS = f"{_HALVES} pairs of bootstrap samples of the first judging, seed 0"

#: Points of a cluster that are nearer to even than this are even.
_EVEN = 1e-9


@dataclass(frozen=True)
class SystemShift:
    """A system's mean points under both judges: for pairs its win rate, ties as halves.

    Rank 1 is best, None is that of a system without a score. ``p_holm`` is that of no
    shift, by sign flips of its own items, over all systems.
    """

    system: str
    items: int
    first: IntervalEstimate
    second: IntervalEstimate
    shift: IntervalEstimate
    ranks: tuple[int | None, int | None] = field(
        metadata=column("rank", joined(" to "))
    )
    p_holm: float = field(metadata=column("p (Holm)", p_text))


@dataclass(frozen=True)
class SystemChange:
    """All systems, best under the first judge first."""

    rows: tuple[SystemShift, ...]
    correlation: Correlation  # of the two orders
    conclusions: tuple[
        ConclusionChange, ...
    ]  # against the field, and of every two that met

    @property
    def beyond_noise(self) -> bool:
        """Tell whether more conclusions change than noise does, beyond its error."""
        result = sum(family.changed for family in self.conclusions)
        expected = sum(family.expected or 0.0 for family in self.conclusions)
        return bool(result > expected + 2 * max(expected, 1.0) ** 0.5)


@dataclass(frozen=True)
class _Rows:
    """A row per item and system that is compared in it [shape=(k,)]."""

    item: WholeNumbers
    system: WholeNumbers
    rival: WholeNumbers  # the system on the other side; -1: single answers
    flip: Mask  # the system gave answer B
    names: tuple[str, ...]  # of the systems

    def points(self, of: Array) -> Array:
        """Return the points of each row, from those of answer A of each item."""
        return np.where(self.flip, 1 - of[self.item], of[self.item])


def system_change(
    joined: Joined, metric: str, repeat: Judging | None, options: IntervalOptions
) -> SystemChange | None:
    """Compare systems under both judges; None where an item names no system.

    The first judging once more, in its rows, gives the changes that noise makes.
    """
    table = _rows_of(joined.first)
    if table is None or len(table.names) < 2:
        return None
    x, y = joined.points(metric)
    has_both = ~np.isnan(x) & ~np.isnan(y)
    x = np.where(has_both, x, np.nan)
    y = np.where(has_both, y, np.nan)
    rows = _rows(table, x, y=y, cluster=joined.cluster, options=options)
    first_means: dict[str, float] = {}
    second_means: dict[str, float] = {}
    for row in rows:
        if row.first.value is not None:
            first_means[row.system] = row.first.value
        if row.second.value is not None:
            second_means[row.system] = row.second.value
    again = None if repeat is None else repeat.points(metric)
    families: list[ConclusionChange] = []
    cluster = np.arange(len(x)) if joined.cluster is None else joined.cluster
    for family in _families(table, cluster, labels=metric in joined.first.codes):
        result = change(
            family.name,
            family.names,
            first=family.conclude(x),
            second=family.conclude(y),
            expected=_expected(family, x, again),
        )
        families.append(result)
    ranking = correlate("second", second_means, "first", first_means)
    return SystemChange(tuple(rows), ranking, tuple(families))


def _rows_of(judging: Judging) -> _Rows | None:
    columns: list[Array] = []
    for side in ("system_a", "system_b"):
        if side in judging.facts:
            columns.append(judging.facts[side])
    if not columns or any(None in column.tolist() for column in columns):
        return None
    systems, index = np.unique(np.stack(columns).astype(str), return_inverse=True)
    codes = index.reshape(len(columns), -1)
    names = tuple(systems.tolist())
    if len(columns) == 1:
        size = len(judging)
        return _Rows(
            item=np.arange(size),
            system=codes[0],
            rival=np.full(size, -1),
            flip=np.zeros(size, bool),
            names=names,
        )
    met = np.flatnonzero(codes[0] != codes[1])
    a, b = codes[:, met]
    return _Rows(
        item=np.r_[met, met],
        system=np.r_[a, b],
        rival=np.r_[b, a],
        flip=np.repeat([False, True], len(met)),
        names=names,
    )


def _rows(
    table: _Rows,
    x: Array,
    y: Array,
    cluster: WholeNumbers | None,
    options: IntervalOptions,
) -> list[SystemShift]:
    resampler = Resampler(np.arange(len(x)) if cluster is None else cluster)
    first = table.points(x)
    second = table.points(y)
    present = ~np.isnan(first)
    first = np.nan_to_num(first)
    second = np.nan_to_num(second)
    gap = second - first
    unit = None if cluster is None else cluster[table.item]
    items: list[int] = []
    p: list[float] = []
    for number, name in enumerate(table.names):
        rows = (table.system == number) & present
        items.append(int(rows.sum()))
        resampler.mean(f"first.{name}", first, table.item, where=rows)
        resampler.mean(f"second.{name}", second, table.item, where=rows)
        resampler.mean(f"shift.{name}", gap, table.item, where=rows)
        unit_of_rows = None if unit is None else unit[rows]
        p.append(sign_flip(gap[rows], unit_of_rows))
    figures = resampler.estimates(options)
    first_ranks = ranks([figures[f"first.{name}"].value for name in table.names])
    second_ranks = ranks([figures[f"second.{name}"].value for name in table.names])
    p_holm = holm(p)
    shifts: list[SystemShift] = []
    for number, name in enumerate(table.names):
        shift = SystemShift(
            system=name,
            items=items[number],
            first=figures[f"first.{name}"],
            second=figures[f"second.{name}"],
            shift=figures[f"shift.{name}"],
            ranks=(first_ranks[number], second_ranks[number]),
            p_holm=p_holm[number],
        )
        shifts.append(shift)
    return sorted(shifts, key=_by_first_rank)


def _by_first_rank(row: SystemShift) -> tuple[bool, int, str]:
    rank = row.ranks[0]
    return rank is None, rank or 0, row.system


@dataclass(frozen=True)
class _Family:
    """Comparisons of systems by clusters, each with one sign and one influence.

    Attributes:
        names: of the comparisons.
        rows: that count.
        group: comparison of each row [shape=(k,)].
        cluster: of each item [shape=(items,)].
        labels: sign tests of wins and losses; else normal tests of means against the
            field.
    """

    name: str
    names: tuple[str, ...]
    rows: _Rows
    group: WholeNumbers
    cluster: WholeNumbers
    labels: bool

    @cached_property
    def _units(self) -> tuple[WholeNumbers, WholeNumbers, WholeNumbers]:
        """Comparison and cluster of each unit, and the unit of each row."""
        clusters = int(self.cluster.max(initial=-1)) + 1
        key = self.group * clusters + self.cluster[self.rows.item]
        units, unit = np.unique(key, return_inverse=True)
        group, cluster = np.divmod(units, max(clusters, 1))
        return group, cluster, unit

    def conclude(self, points: Array, weight: Array | None = None) -> Conclusions:
        """Conclude from items' points and the clusters' counts [shape=(clusters,)]."""
        of_rows = self.rows.points(points)
        size = len(self.names)
        group, cluster, unit = self._units
        is_scored = ~np.isnan(of_rows)
        rows = np.bincount(unit, is_scored, len(group))
        total = np.bincount(unit, np.where(is_scored, of_rows, 0.0), len(group))
        times = np.where(rows > 0, 1.0 if weight is None else weight[cluster], 0.0)
        if self.labels:
            gap = total - rows / 2
            wins = np.bincount(group, times * (gap > _EVEN), size)
            losses = np.bincount(group, times * (gap < -_EVEN), size)
            return sign_conclusions(wins, losses)
        weighted_rows = times * rows
        count = np.maximum(np.bincount(group, weighted_rows, size), 1e-9)
        mean = np.bincount(group, times * total, size) / count
        field = 0.5
        if weighted_rows.any():
            field = float((times @ total) / weighted_rows.sum())
        influence = (total - mean[group] * rows) / count[group]
        number = np.bincount(group, times, size)
        variance = np.bincount(group, times * influence**2, size).astype(np.float64)
        variance *= number / np.maximum(number - 1, 1)
        variance[variance < NO_SPREAD] = 0.0
        return z_conclusions(np.where(count < 1, 0.0, mean - field), variance)


def _families(rows: _Rows, cluster: WholeNumbers, labels: bool) -> Iterator[_Family]:
    yield _Family(
        name="every system against the field",
        names=rows.names,
        rows=rows,
        group=rows.system,
        cluster=cluster,
        labels=labels,
    )
    if (rows.rival < 0).any():
        return
    once = rows.system < rows.rival
    size = len(rows.names)
    pairs = _Rows(
        item=rows.item[once],
        system=rows.system[once],
        rival=rows.rival[once],
        flip=rows.flip[once],
        names=rows.names,
    )
    met, group = np.unique(pairs.system * size + pairs.rival, return_inverse=True)
    names: list[str] = []
    for number in met.tolist():
        system, rival = divmod(number, size)
        names.append(f"{rows.names[system]} and {rows.names[rival]}")
    yield _Family(
        name="every two systems that met",
        names=tuple(names),
        rows=pairs,
        group=group,
        cluster=cluster,
        labels=labels,
    )


def _expected(family: _Family, x: Array, again: Array | None) -> tuple[float, str]:
    """Estimate how many conclusions noise alone changes.

    It is taken from A/A, else from resampled clusters.
    """
    if again is not None:
        return float(changes(family.conclude(x), family.conclude(again))), "A/A"
    rng = np.random.default_rng(0)
    clusters = int(family.cluster.max(initial=-1)) + 1
    even = np.full(clusters, 1 / clusters)
    numbers: list[int] = []
    for _ in range(_HALVES):
        one = family.conclude(x, rng.multinomial(clusters, even).astype(float))
        other = family.conclude(x, rng.multinomial(clusters, even).astype(float))
        numbers.append(changes(one, other))
    return float(np.mean(numbers)), _HALVES_IN_WORDS
