"""The width that intervals would have with more labels, by simulation.

What annotators would say of an open pair is drawn from what they say where the judge
says the same. How often that is they have shown on few pairs only, so it is drawn as
well, from its posterior (Bayesian bootstrap over independent units: Rubin 1981; a prior
of one pair). Pairs of one unit are as alike as the labels at hand show. Labels in hand
stay as they are, and those to come are a random sample of the open pairs, which the
probabilities of a weighted draw are told.

A large run is simulated by a part of it: at equal shares of labels, widths go by one
over the square root of the size.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array, Mask
from trace_eval.stats.inference.influence import ppi_components
from trace_eval.stats.inference.ppi import interval
from trace_eval.stats.inference.sampling import Design, simple_design

RowNumbers = NDArray[np.int64]

#: Pairs that are simulated; of a larger run whole units are taken at random.
MOST_PAIRS = 12_000

#: Labels that a simulated part has at least, in all and per estimated mean.
LEAST_SIMULATED, LEAST_EACH = 400, 50

#: Labels on which the judge says the same, below which all labels tell what annotators
#: say there.
LEAST_DONORS = 5

#: Standard error of a correlation seen in one pair of labels: over 1, as they are alike
#: in clumps.
ERROR = 1.5

#: Means that are more than this far below the widest interval are not simulated again.
FAR = 0.85


@dataclass(frozen=True)
class Mean:
    """A mean over some pairs of the run whose interval must be narrow.

    Attributes:
        rows: its pairs; ``flipped``: those on which it counts 1 minus human value
            [shape=(m,)].
        judged: the judge's values, as it counts them [shape=(m,)].
    """

    rows: RowNumbers
    flipped: Mask
    judged: Array

    def width(self, values: Array, design: Design, level: float) -> float:
        """Return the width of the interval of people's values; infinite without any."""
        y = values[self.rows]
        y = np.where(self.flipped, 1 - y, y)
        components = ppi_components(y, self.judged, design.take(self.rows))
        limits = interval(components, level)
        if limits is None:
            return np.inf
        low, high = limits
        return high - low

    def among(self, chosen: RowNumbers, index: RowNumbers) -> Mean:
        """Return the mean over a part of the run.

        ``index`` is the new number of a pair, or -1.
        """
        is_in_part = index[self.rows] >= 0
        return Mean(
            rows=index[self.rows[is_in_part]],
            flipped=self.flipped[is_in_part],
            judged=self.judged[is_in_part],
        )


@dataclass(frozen=True)
class _Donors:
    """Labelled pairs, whose human values are drawn for those without a label.

    Attributes:
        rows: number of each pair in the run [shape=(m,)].
        weight: pairs without a label behind each, scaled [shape=(m,)].
        unit: number of the unit of each, from 0 [shape=(m,)].
    """

    rows: RowNumbers
    weight: Array
    unit: RowNumbers


@dataclass(frozen=True)
class FutureLabels:
    """A run with some labels.

    Attributes:
        values: what annotators say, 0, 0.5 or 1; ignored without a label [shape=(n,)].
        verdict: number of what the judge says [shape=(n,)].
        inclusion: probability with which each pair was asked for; None: equal
            [shape=(n,)].
        cluster: number of the unit of every pair, from 0; None: each is one
            [shape=(n,)].
        means: what is estimated.
        seed: of the simulation: the same draws for every number of labels.
    """

    values: Array
    has_label: Mask
    verdict: RowNumbers
    inclusion: Array | None
    cluster: RowNumbers | None
    means: tuple[Mean, ...]
    level: float
    seed: int

    @property
    def labelled(self) -> int:
        """Labels at hand."""
        return int(self.has_label.sum())

    def now(self) -> float:
        """Return the widest interval with the labels at hand; infinite without any."""
        design = simple_design(self.has_label, self.inclusion, self.cluster)
        return max(mean.width(self.values, design, self.level) for mean in self.means)

    def included(self, labels: int) -> Array | None:
        """Return each pair's probability of a label among n; None if they are equal."""
        if self.inclusion is None:
            return None
        left = len(self.has_label) - self.labelled
        share = (labels - self.labelled) / left if left else 0.0
        return np.asarray(self.inclusion + (1 - self.inclusion) * share)

    def widths(self, labels: int, draws: int) -> Array:
        """Return the widest interval's width in every draw of n labels.

        Returns:
            [shape=(draws,)]
        """
        is_labelled = self.has_label[self._part]
        open_ = np.flatnonzero(~is_labelled)
        labelled = int(is_labelled.sum())
        share = len(self._part) / len(self.has_label)
        more = labels - self.labelled
        if share < 1:
            least = min(labels, max(LEAST_SIMULATED, LEAST_EACH * len(self.means)))
            more = max(round(more * share), least - labelled)
        more = min(more, len(open_))
        if share < 1:
            scale = np.sqrt((more + labelled) / labels)
            inclusion = self.included(labels)
        else:
            scale = 1.0
            inclusion = self.included(self.labelled + more)
        if inclusion is not None:
            inclusion = inclusion[self._part]
        means = list(self._means)
        widest_of_draws: list[float] = []
        for draw in range(draws):
            rng = np.random.default_rng((self.seed, draw))
            values = self._imputed(rng)
            gets_label = is_labelled.copy()
            gets_label[rng.permutation(open_)[:more]] = True
            design = simple_design(gets_label, inclusion, self._units)
            widths = [mean.width(values, design, self.level) for mean in means]
            widest = max(widths)
            widest_of_draws.append(widest)
            is_wide = [width >= FAR * widest for width in widths]
            means = list(compress(means, is_wide))
        return np.asarray(scale * np.array(widest_of_draws))

    @property
    def independent(self) -> bool:
        """Whether every pair is a unit of its own."""
        if self.cluster is None:
            return True
        units = int(self.cluster.max(initial=-1)) + 1
        return units == len(self.cluster)

    @cached_property
    def alike(self) -> bool | None:
        """Tell whether labels at hand share units.

        Such labels show how alike the pairs of a unit are. None: each pair is one.
        """
        if self.cluster is None:
            return None
        return bool((np.bincount(self.cluster[self.has_label]) > 1).any())

    @cached_property
    def _part(self) -> RowNumbers:
        """Pairs that are simulated: all, or whole units at random."""
        number = len(self.has_label)
        if number <= MOST_PAIRS:
            return np.arange(number)
        unit = np.arange(number) if self.cluster is None else self.cluster
        order = np.random.default_rng(self.seed).permutation(int(unit.max()) + 1)
        return np.flatnonzero(order[unit] < len(order) * MOST_PAIRS / number)

    @cached_property
    def _units(self) -> RowNumbers | None:
        if self.cluster is None:
            return None
        _, unit_from_0 = np.unique(self.cluster[self._part], return_inverse=True)
        return np.asarray(unit_from_0)

    @cached_property
    def _means(self) -> tuple[Mean, ...]:
        index = np.full(len(self.has_label), -1)
        index[self._part] = np.arange(len(self._part))
        return tuple(mean.among(self._part, index) for mean in self.means)

    @cached_property
    def _classes(self) -> Array:
        return np.unique(np.r_[0.0, 1.0, self.values[self.has_label]])

    @cached_property
    def _donors(self) -> _Donors:
        rows = np.flatnonzero(self.has_label)
        weight = np.zeros(len(rows))
        if self.inclusion is not None:
            weight = 1 / self.inclusion[rows] - 1
        if not weight.any():
            weight += 1
        unit = rows if self.cluster is None else self.cluster[rows]
        _, unit_from_0 = np.unique(unit, return_inverse=True)
        # as many as would say as much if they weighed alike
        weight = weight * weight.sum() / (weight @ weight)
        return _Donors(rows=rows, weight=weight, unit=unit_from_0)

    def _imputed(self, rng: np.random.Generator) -> Array:
        """Draw human values of all simulated pairs [shape=(n,)]."""
        donors = self._donors
        classes = self._classes
        weight_of_unit = rng.exponential(size=int(donors.unit.max()) + 1)
        drawn = donors.weight * weight_of_unit[donors.unit]
        verdict_of_donor = self.verdict[donors.rows]
        class_of_donor = np.searchsorted(classes, self.values[donors.rows])
        kinds = int(self.verdict.max()) + 1
        table = np.zeros((kinds, len(classes)))
        np.add.at(table, (verdict_of_donor, class_of_donor), drawn)
        has_few = np.bincount(verdict_of_donor, minlength=kinds) < LEAST_DONORS
        table[has_few] = table.sum(0)
        table += rng.gamma(1 / len(classes), size=table.shape)
        share = table / table.sum(1, keepdims=True)
        chance = np.cumsum(share, axis=1)
        verdict = self.verdict[self._part]
        u = rng.random(len(verdict))
        if self._units is not None:
            u = self._shared(rng, u, chance, drawn)
        chance_of_lower = chance[verdict][:, :-1]
        drawn_class = (u[:, None] > chance_of_lower).sum(1)
        is_labelled = self.has_label[self._part]
        return np.where(is_labelled, self.values[self._part], classes[drawn_class])

    def _shared(
        self, rng: np.random.Generator, u: Array, chance: Array, drawn: Array
    ) -> Array:
        """Draw quantiles that are shared within units as often as labels show."""
        units = self._units
        assert units is not None
        alike = np.sqrt(self._likeness(rng, drawn))
        common = rng.random(int(units.max()) + 1)
        labelled = np.flatnonzero(self.has_label[self._part])
        if len(labelled):
            # a unit with a label is told by it, as often as its pairs are alike
            rows = self._part[labelled]
            at = np.searchsorted(self._classes, self.values[rows])
            edges = np.concatenate([np.zeros((len(chance), 1)), chance], 1)
            edges_of_rows = edges[self.verdict[rows]]
            row = np.arange(len(at))
            low = edges_of_rows[row, at]
            high = edges_of_rows[row, at + 1]
            quantiles = low + (high - low) * rng.random(len(at))
            believed = rng.random(len(at)) < alike
            common[units[labelled[believed]]] = quantiles[believed]
        return np.where(rng.random(len(u)) < alike, common[units], u)

    def _likeness(self, rng: np.random.Generator, drawn: Array) -> float:
        """Correlate human values within a unit, given the judge's verdicts, 0 to 1.

        As likely as the labels make it: few labels of one unit leave most of that
        range, and none at all leave all of it.
        """
        from scipy.special import ndtr, ndtri

        rows = self._donors.rows
        unit = self._donors.unit
        kinds = int(self.verdict.max()) + 1
        verdict = self.verdict[rows]
        y = self.values[rows]
        total = np.bincount(verdict, weights=drawn, minlength=kinds)
        total_y = np.bincount(verdict, weights=drawn * y, minlength=kinds)
        mean = total_y / np.maximum(total, 1e-12)
        left = y - mean[verdict]
        size = np.bincount(unit)
        sums = np.bincount(unit, weights=left)
        squares = np.bincount(unit, weights=left**2)
        each = np.bincount(unit, weights=drawn) / size
        products = float(each @ (sums**2 - squares))
        spread = float(drawn @ left**2 / drawn.sum())
        most = float(each @ (size * (size - 1))) * spread
        if most <= 0:
            return float(rng.random())
        seen = products / most
        error = ERROR / np.sqrt((size - 1).sum())
        low, high = ndtr(np.array([-seen, 1 - seen]) / error)
        drawn_at = ndtri(low + (high - low) * rng.random())
        return float(np.clip(seen + error * drawn_at, 0.0, 1.0))


def quantile_width(
    future: FutureLabels, labels: int, draws: int, quantile: float
) -> float:
    """Return the width that this share of the draws of n labels stays within."""
    widths = future.widths(labels, draws)
    return float(np.quantile(widths, quantile, method="higher"))
