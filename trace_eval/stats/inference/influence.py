"""The two parts of a prediction-powered mean with their influence.

The mean of human labels, and the judge's mean over all minus its mean where annotators
were asked: see :mod:`trace_eval.stats.inference.ppi` for what is made of them.
Influence functions are summed by cluster (linearisation, as for any ratio of a survey).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from trace_eval.estimate.arrays import Array, Mask
from trace_eval.estimate.limits import NO_SPREAD
from trace_eval.opinions.units import WholeNumbers
from trace_eval.stats.inference.sampling import Design


@dataclass(frozen=True)
class LabelledValues:
    """The labels of one stratum, for limits that know the range of values.

    Attributes:
        share: of all items that are in the stratum.
        values, judged, weights: mean of human values of a cluster's labelled items, of
            the judge's, and weights with sum 1 [shape=(units,)].
    """

    share: float
    values: Array
    judged: Array
    weights: Array

    @property
    def units(self) -> int:
        """Clusters with a label."""
        return len(self.values)

    @property
    def worth(self) -> float:
        """Labels of equal weight with the same variance (Korn & Graubard 1998)."""
        return 1 / float(self.weights @ self.weights)

    @property
    def spread(self) -> float:
        """Weighted variance of the values."""
        centre = self.values - self.weights @ self.values
        return float(self.weights @ centre**2)

    @property
    def growth(self) -> float:
        """The factor that makes the sum of squared residuals unbiased.

        A heavy unit draws the mean to itself. It is n / (n - 1) for n units of equal
        weight.
        """
        squares = float((self.weights**2).sum())
        cubes = float((self.weights**3).sum())
        left = 1 + squares - 2 * cubes / squares
        return 1 / left if left > NO_SPREAD else 1.0

    @property
    def degrees(self) -> float:
        """Return the sum's degrees of freedom (Satterthwaite 1946), of equal variances.

        They are n - 1 for n units of equal weight, and fewer the more one of them
        outweighs the others; 1 at least.
        """
        w = self.weights
        second = float((w**2).sum())
        third = float((w**3).sum())
        fourth = float((w**4).sum())
        mean = float(w**2 @ (1 - 2 * w + second))
        twice = float(w**4 @ (1 + 2 * second - 4 * w))
        twice += second**4 - 4 * second**2 * third + 2 * second * fourth + 2 * third**2
        return max(1.0, mean**2 / twice) if twice > 0 else 1.0

    @property
    def missed(self) -> Array:
        """Human values minus the judge's where these differ."""
        error: Array = self.values - self.judged
        missed: Array = error[error != 0]
        return missed

    @property
    def miss(self) -> float:
        """How far the judge typically is off where it is wrong; 1 where it never is."""
        if not len(self.missed):
            return 1.0
        mean_square = np.mean(self.missed**2)
        return float(np.sqrt(mean_square))

    @property
    def minority(self) -> int:
        """Units whose value differs from the commonest one."""
        _, units_of_value = np.unique(self.values, return_counts=True)
        return len(self.values) - int(units_of_value.max())


@dataclass(frozen=True)
class PPIComponents:
    """An estimator ``labels + lam * gain`` with influence functions summed by cluster.

    Attributes:
        labels, gain, judge: values of its three parts.
        d_labels, d_gain: their influence by stratum; the last row is that of the
            strata's sizes [shape=(strata + 1, clusters)].
        error: weight in the estimate of one labelled unit of each stratum, where
            unlabelled items are left to be mistaken about [shape=(strata + 1,)].
        judged: the judge's values of all items that it scored [shape=(n,)]; ``d_judge``
            influence on their mean [shape=(clusters,)]; ``judged_units`` their
            clusters.
        reached: clusters with a label [shape=(clusters,)]; ``items`` with one, ``open``
            without.
        fitted: the same by :meth:`Design.fitted`; None: it is no other.
        heavy: labels of a heavy kind, where nobody knows how many items are of it.
    """

    labels: float
    gain: float
    judge: float
    d_labels: Array
    d_gain: Array
    error: Array
    strata: tuple[LabelledValues, ...]
    judged: Array
    d_judge: Array
    judged_units: int
    reached: Mask
    items: int
    open: int = 0
    fitted: PPIComponents | None = None
    heavy: int = 0

    @property
    def units(self) -> int:
        """Independent units behind the labels."""
        return int(self.reached.sum())

    @property
    def open_strata(self) -> tuple[LabelledValues, ...]:
        """Strata in which there is something left to estimate."""
        pairs = zip(self.strata, self.error, strict=False)
        return tuple(stratum for stratum, error in pairs if error > 0)


def ppi_components(
    truth: Array,
    judged: Array,
    design: Design,
    scored: Mask | None = None,
) -> PPIComponents:
    """Split the mean of human and judge's values over all items into its components.

    Values are 0 to 1 [shape=(n,) each]; human ones are ignored where there is no label.

    Args:
        scored: items with a verdict, of which the judge's own mean is; elsewhere
            ``judged`` holds what stands in for one [shape=(n,)]. None: all.
    """
    components = _components(truth, judged, design)
    fitted_design = design.fitted()
    if fitted_design is not None:
        fitted = _components(truth, judged, fitted_design)
        components = replace(components, fitted=fitted)
    if design.strata is None:
        heavy, _ = design.heavy
        components = replace(components, heavy=heavy)
    if scored is None or scored.all() or not scored.any():
        return components
    verdicts = judged[scored]
    mean = verdicts.mean()
    influence = np.zeros(len(judged))
    influence[scored] = (verdicts - mean) / len(verdicts)
    return replace(
        components,
        judge=float(mean),
        judged=verdicts,
        d_judge=_by_cluster(influence, design),
        judged_units=len(np.unique(design.cluster[scored])),
    )


def _components(truth: Array, judged: Array, design: Design) -> PPIComponents:
    strata_of = design.strata
    stratum = np.zeros(len(judged), np.int64) if strata_of is None else strata_of
    labels = gain = 0.0
    rows: list[tuple[Array, Array]] = []
    strata: list[LabelledValues] = []
    means: list[tuple[Mask, float, float]] = []
    errors: list[float] = []
    for number in np.unique(stratum):
        here = stratum == number
        share = float(here.mean())
        labelled = here & design.labelled
        if not labelled.any():
            # Nobody was asked there: nothing to correct the judge by.
            labels = gain = np.nan
            continue
        weight = np.ones(int(labelled.sum()))
        if strata_of is None:
            weight = design.weight[labelled]
        weight = weight / weight.sum()
        mean_label = weight @ truth[labelled]
        mean_judged = weight @ judged[labelled]
        overall = judged[here].mean()
        step = overall - mean_judged
        labels = labels + share * mean_label
        gain = gain + share * step
        means.append((here, mean_label, step))
        d_labels = np.zeros(len(judged))
        d_gain = np.zeros(len(judged))
        d_labels[labelled] = share * weight * (truth[labelled] - mean_label)
        d_gain[labelled] = -share * weight * (judged[labelled] - mean_judged)
        d_gain[here] += (judged[here] - overall) / len(judged)
        rows.append((d_labels, d_gain))
        units = _units(
            share,
            truth[labelled],
            judged=judged[labelled],
            weight=weight,
            cluster=design.cluster[labelled],
        )
        strata.append(units)
        left = 1 - labelled.sum() / here.sum()
        errors.append(share * left * float(units.weights @ units.weights))
    rows.append(_of_strata(means, labels, gain, len(judged)))
    errors.append(0.0)
    reached = np.bincount(design.cluster[design.labelled], minlength=design.clusters)
    return PPIComponents(
        labels=float(labels),
        gain=float(gain),
        judge=float(judged.mean()),
        d_labels=np.stack([_by_cluster(row, design) for row, _ in rows]),
        d_gain=np.stack([_by_cluster(row, design) for _, row in rows]),
        error=np.array(errors),
        strata=tuple(strata),
        judged=judged,
        d_judge=_by_cluster((judged - judged.mean()) / len(judged), design),
        judged_units=len(np.unique(design.cluster)),
        reached=reached > 0,
        items=int(design.labelled.sum()),
        open=int((~design.labelled).sum()),
    )


def _of_strata(
    means: list[tuple[Mask, float, float]],
    labels: float,
    gain: float,
    items: int,
) -> tuple[Array, Array]:
    """Return what items change by the stratum that they fall into, which varies, too.

    Args:
        means: of each stratum its items, its mean label and its gain.
        labels: the mean label of all.
        gain: the gain of all.
        items: how many items there are.
    """
    d_labels = np.zeros(items)
    d_gain = np.zeros(items)
    for here, mean_label, step in means:
        d_labels[here] = (mean_label - labels) / items
        d_gain[here] = (step - gain) / items
    return d_labels, d_gain


def _units(
    share: float, truth: Array, judged: Array, weight: Array, cluster: WholeNumbers
) -> LabelledValues:
    """Average by cluster; rounding would make unlike what is alike."""
    _, number = np.unique(cluster, return_inverse=True)
    weights = np.bincount(number, weights=weight).astype(np.float64, copy=False)
    total = np.bincount(number, weights=weight * truth)
    judged_total = np.bincount(number, weights=weight * judged)
    return LabelledValues(
        share=share,
        values=np.round(total / weights, 12),
        judged=np.round(judged_total / weights, 12),
        weights=weights,
    )


def _by_cluster(values: Array, design: Design) -> Array:
    """Sum values of items within each cluster [shape=(clusters,)]."""
    sums = np.bincount(design.cluster, weights=values, minlength=design.clusters)
    return sums.astype(np.float64, copy=False)


def tuned(result: PPIComponents) -> tuple[float, Array]:
    """Return the ``lam`` of least estimated variance.

    It is kept within what helps, 0 to 1, and drawn to 0 by its own uncertainty
    (James & Stein 1961, positive part), so that a useless judge costs next to nothing.

    Returns:
        ``lam`` from all labels, and that of all other clusters without each cluster
        [shape=(clusters,)].
    """
    d_labels = result.d_labels.sum(0)
    d_gain = result.d_gain.sum(0)
    covariance = _in_all_and_without_each(d_labels * d_gain, result.reached)
    variance = _in_all_and_without_each(d_gain**2, result.reached)
    varies = variance > NO_SPREAD
    slope = np.divide(-covariance, variance, out=np.zeros_like(variance), where=varies)
    residuals = (d_labels + slope[0] * d_gain)[result.reached]
    error = float(residuals @ residuals) / max(result.units - 2, 1)
    infinite = np.full_like(slope, np.inf)
    helps = (slope > 0) & varies
    uncertainty = np.divide(error, slope**2 * variance, out=infinite, where=helps)
    shrinkage = np.maximum(0.0, 1 - uncertainty)
    lam = np.clip(slope, 0.0, 1.0) * shrinkage
    return float(lam[0]), lam[1:]


def _in_all_and_without_each(values: Array, reached: Mask) -> Array:
    """Sum over all clusters, then without each [shape=(1 + clusters,)].

    A cluster without a label is never left out.
    """
    left_out = np.where(reached, values, 0.0)
    return np.asarray(values.sum() - np.r_[0.0, left_out])
