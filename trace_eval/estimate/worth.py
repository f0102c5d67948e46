"""How many independent rows the rows of a few clusters, or of unequal ones, are worth.

Rows of one instruction are alike by an unknown degree. The variance of their mean is
the greater of two: the one that clusters of their sizes have where rows are as alike as
the data may hide (an intra-cluster correlation at its upper 80 % limit by the F
distribution: Searle 1971), and the one that the clusters show, each without its own
pull on the mean (Bell & McCaffrey 2002). The first holds where one cluster outweighs
the others, the second where large clusters are unlike small ones. Quantiles are
Student's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trace_eval.estimate.arrays import Array
from trace_eval.estimate.distributions import f_quantile
from trace_eval.estimate.limits import NO_SPREAD, Reach, quantile, score_reach

#: Independent units below which there is no interval.
LEAST_UNITS = 5

#: Share of the rows above which one unit speaks for all others.
MOST_OF_ONE = 0.5

#: Chance that rows are more alike than they are taken to be.
_MORE_ALIKE = 0.2


@dataclass(frozen=True)
class Clusters:
    """Rows summed within their clusters; kinds of clusters are counted.

    Attributes:
        rows: of a cluster, positive [shape=(kinds,)].
        total: sum of the values of its rows [shape=(kinds,)].
        within: sum of their squared distances from the cluster's mean; zeros where it
            is not known, which takes them to be wholly alike [shape=(kinds,)].
        sizes: how many clusters are of that kind [shape=(kinds,)].
    """

    rows: Array
    total: Array
    within: Array
    sizes: Array

    @classmethod
    def of(
        cls,
        rows: Array,
        total: Array,
        squares: Array,
        sizes: Array | None = None,
    ) -> Clusters:
        """Build clusters from sums over the rows of each kind [shape=(kinds,)].

        Kinds without rows do not count; ``sizes`` None: one cluster of each.
        """
        has_rows = rows > 0
        if sizes is None:
            sizes = np.ones(len(rows))
        rows = rows[has_rows].astype(np.float64)
        total = total[has_rows].astype(np.float64)
        within = np.maximum(squares[has_rows] - total**2 / rows, 0.0)
        return cls(rows, total, within, sizes[has_rows].astype(np.float64))

    @property
    def number(self) -> float:
        """Rows of all clusters."""
        return float(self.sizes @ self.rows)

    @property
    def units(self) -> int:
        """Clusters."""
        return int(self.sizes.sum())

    @property
    def mean(self) -> float:
        """Mean over rows."""
        return float(self.sizes @ self.total) / self.number

    @property
    def influence(self) -> Array:
        """Influence of a cluster of each kind on the mean."""
        return (self.total - self.mean * self.rows) / self.number

    @property
    def spread(self) -> float:
        """Variance of the values of all rows."""
        between, within = self._squares()
        return (between + within) / self.number

    def _squares(self) -> tuple[float, float]:
        """Return the sums of squares between clusters and within them."""
        distance = self.influence * self.number
        between = float(self.sizes @ (distance**2 / self.rows))
        return between, float(self.sizes @ self.within)

    @property
    def single(self) -> bool:
        """Whether no cluster has more than one row; parts of rows weigh less."""
        return float(self.rows.max()) <= 1

    def too_few(self) -> str | None:
        """Say why they allow no interval; None: they do."""
        if self.units < LEAST_UNITS:
            which = "only one unit is"
            if self.units != 1:
                which = f"only {self.units} units are"
            return f"no interval: {which} drawn from, {LEAST_UNITS} are needed"
        most = float(self.rows.max()) / self.number
        if most > MOST_OF_ONE:
            return f"no interval: one unit has {most:.0%} of the rows"
        return None

    def worth(self) -> float:
        """Return how many independent rows have a mean of this variance.

        They are rows of the same spread.
        """
        number = self.number
        if self.single or self.spread < NO_SPREAD:
            return number**2 / float(self.sizes @ self.rows**2)
        alike = self._alike()
        variance_of_total = alike * self.rows**2 + (1 - alike) * self.rows
        by_sizes = float(self.sizes @ variance_of_total) / number**2
        # of each cluster without its own pull on the mean
        share_of_others = np.maximum(1 - self.rows / number, 1 - MOST_OF_ONE)
        by_values = float(self.sizes @ (self.influence**2 / share_of_others))
        return 1 / max(by_sizes, by_values / self.spread)

    def _alike(self) -> float:
        """Return the upper limit of the intra-cluster correlation, 0 to 1."""
        between, within = self._squares()
        number = self.number
        units = self.units
        if units < 2 or number <= units or within < NO_SPREAD:
            return 1.0
        mean_rows_of_a_row = float(self.sizes @ self.rows**2) / number
        typical_rows = (number - mean_rows_of_a_row) / (units - 1)
        f = between / (units - 1) / (within / (number - units))
        f /= f_quantile(_MORE_ALIKE, units - 1, number - units)
        return float(np.clip((f - 1) / (f + typical_rows - 1), 0.0, 1.0))

    def quantile(self, level: float, exact: bool = False) -> float:
        """Return Student's quantile for these clusters.

        With ``exact`` it is the normal's where each row is a cluster or all are alike,
        so that no variance is estimated.
        """
        if exact and (self.single or self.spread < NO_SPREAD):
            return quantile(level)
        return quantile(level, degrees=self.units - 1)

    def uneven_quantile(self, level: float) -> float:
        """Return Student's quantile for the equal clusters that uneven ones are worth.

        Few of uneven clusters carry the variance, of which the others say little (Kish
        1965).
        """
        worth = self.number**2 / float(self.sizes @ self.rows**2)
        return quantile(level, degrees=worth - 1)

    def reach(self, values: Array, weights: Array, level: float) -> Reach:
        """Return score limits of a mean in [0, 1] over these rows.

        See :func:`score_reach`.
        """
        z = self.quantile(level, exact=True)
        return score_reach(values, weights, units=self.worth(), z=z)

    def variance(self) -> float:
        """Return the variance of the mean, unbiased for independent rows."""
        return self.spread / self.worth() * self.units / max(self.units - 1, 1)
