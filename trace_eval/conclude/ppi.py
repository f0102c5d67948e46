"""Prediction-powered means: few labels of people, judgements of everything.

With people's values ``y`` on a labelled part and the judge's values ``f`` everywhere, the
estimate is ``mean_lab(y) + lam (mean_all(f) - mean_lab(f))``: unbiased for every fixed ``lam``,
however wrong the judge is, because the judge's mean over all is corrected by its mean where
people were asked (Angelopoulos et al. 2023, Science 382:669, prediction-powered inference).
``lam`` is tuned for the least variance (Angelopoulos, Duchi & Zrnic 2023, PPI++): 0 is labels
alone, so a useless judge costs nothing. Labels drawn with known probabilities are weighted by
their inverse (Horvitz & Thompson 1952; Hajek 1971), or stratified (Fisch et al. 2024).

Variances are those of the influence functions, summed within clusters (linearisation, as for
any ratio of a survey), with Student's t over the labelled clusters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.agreement.interval import Range, exact_interval

Array = NDArray[np.float64]

#: Labelled units below which no interval is given.
LEAST_LABELS = 5

#: Standard errors below this are rounding: the labels are all alike.
NO_SPREAD = 1e-9


@dataclass(frozen=True)
class Powered:
    """An estimate from labels, from the judge and from both.

    Attributes:
        labelled, judged: items with a label of people; items with a judgement.
        labels, judge, both: the estimates; ``judge`` is biased by the judge's errors,
            null where it gives no figure of its own.
        labels_interval, judge_interval, interval: at the level asked for; null: too few
            labels, or only one unit.
        weight: the tuned ``lam``, 0 (labels alone) to 1.
        effective: labels that would give the interval of ``both`` without a judge.
        p: two-sided, that the value is ``null``; null where no interval is given.
    """

    labelled: int
    judged: int
    labels: float | None
    judge: float | None
    both: float | None
    labels_interval: Range | None
    judge_interval: Range | None
    interval: Range | None
    weight: float | None
    effective: float | None
    p: float | None


@dataclass(frozen=True)
class Design:
    """Who was asked, and how likely that was.

    Attributes:
        labelled: items with a label [shape=(n,)].
        weight: inverse inclusion probability; 0 where it is unknown [shape=(n,)].
        stratum: number of the stratum of every item, from 0; null: weighted instead
            [shape=(n,)].
        cluster: number of the cluster of every item, from 0 [shape=(n,)].
        clusters: how many there are.
    """

    labelled: NDArray[np.bool_]
    weight: Array
    stratum: NDArray[np.int64] | None
    cluster: NDArray[np.int64]
    clusters: int

    def take(self, rows: NDArray[Any]) -> Design:
        """The design of some items; cluster numbers stay."""
        stratum = None if self.stratum is None else self.stratum[rows]
        return Design(
            self.labelled[rows], self.weight[rows], stratum, self.cluster[rows], self.clusters
        )


def simple_design(
    labelled: NDArray[np.bool_],
    inclusion: Array | None = None,
    cluster: NDArray[np.int64] | None = None,
) -> Design:
    """A design from inclusion probabilities, as a label file holds them.

    Args:
        labelled: items with a label [shape=(n,)].
        inclusion: their probabilities in (0, 1], and those of other items where they are known;
            null or NaN: all are equally likely. Where there are 1 and one other value (taken
            with certainty, and a random slice of the rest, as the review does) they are two
            strata.
        cluster: see :class:`Design`; null: every item by itself.
    """
    number = len(labelled)
    cluster = np.arange(number) if cluster is None else cluster
    count = int(cluster.max(initial=-1)) + 1
    if inclusion is None or np.isnan(inclusion[labelled]).any():
        return Design(labelled, np.ones(number), None, cluster, count)
    known = np.unique(inclusion[~np.isnan(inclusion)])
    weight = np.nan_to_num(1 / inclusion)
    stratum = None
    if len(known) == 2 and known[1] == 1:
        stratum = (~(labelled & (inclusion == 1))).astype(np.int64)
    return Design(labelled, weight, stratum, cluster, count)


@dataclass(frozen=True)
class Parts:
    """An estimator ``labels + lam * gain`` with influence functions summed by cluster.

    Attributes:
        labels, gain, judge: values of its three parts.
        d_labels, d_gain, d_judge: their influence [shape=(clusters,)].
        asked: clusters with a label [shape=(clusters,)]; ``items`` with one; ``judged`` items
            in all.
        bounded: the value lies in [0, 1], so that an exact interval can stand in.
    """

    labels: float
    gain: float
    judge: float
    d_labels: Array
    d_gain: Array
    d_judge: Array
    asked: NDArray[np.bool_]
    items: int
    judged: int
    bounded: bool = True

    @property
    def units(self) -> int:
        """Independent units behind the labels."""
        return int(self.asked.sum())

    def __sub__(self, other: Parts) -> Parts:
        return Parts(
            self.labels - other.labels,
            self.gain - other.gain,
            self.judge - other.judge,
            self.d_labels - other.d_labels,
            self.d_gain - other.d_gain,
            self.d_judge - other.d_judge,
            self.asked | other.asked,
            self.items + other.items,
            self.judged + other.judged,
            bounded=False,
        )


def parts(truth: Array, judged: Array, design: Design) -> Parts:
    """The mean over all items.

    Args:
        truth: people's values; ignored where not labelled [shape=(n,)].
        judged: the judge's values [shape=(n,)].
        design: who was asked.
    """
    stratum = np.zeros(len(judged), np.int64) if design.stratum is None else design.stratum
    d_labels, d_gain = np.zeros(len(judged)), np.zeros(len(judged))
    labels = gain = 0.0
    means: list[tuple[NDArray[np.bool_], float, float]] = []
    for number in np.unique(stratum):
        here = stratum == number
        share = here.mean()
        asked = here & design.labelled
        if not asked.any():
            labels = gain = np.nan  # nobody was asked there: nothing to correct the judge by
            continue
        weight = design.weight[asked] if design.stratum is None else np.ones(int(asked.sum()))
        weight = weight / weight.sum()
        y, f, overall = weight @ truth[asked], weight @ judged[asked], judged[here].mean()
        labels, gain = labels + share * y, gain + share * (overall - f)
        means.append((here, y, overall - f))
        d_labels[asked] += share * weight * (truth[asked] - y)
        d_gain[asked] -= share * weight * (judged[asked] - f)
        d_gain[here] += (judged[here] - overall) / len(judged)
    for here, y, step in means:  # which strata the items fall into varies, too
        d_labels[here] += (y - labels) / len(judged)
        d_gain[here] += (step - gain) / len(judged)
    return Parts(
        float(labels),
        float(gain),
        float(judged.mean()),
        _by_cluster(d_labels, design),
        _by_cluster(d_gain, design),
        _by_cluster((judged - judged.mean()) / len(judged), design),
        np.bincount(design.cluster[design.labelled], minlength=design.clusters) > 0,
        int(design.labelled.sum()),
        len(judged),
    )


def _by_cluster(values: Array, design: Design) -> Array:
    summed = np.bincount(design.cluster, weights=values, minlength=design.clusters)
    return summed.astype(np.float64, copy=False)


def estimate(
    sample: Parts, level: float = 0.95, null: float = 0.5, power: float | None = None
) -> Powered:
    """Intervals of labels alone, judge alone, and both.

    Args:
        sample: see :func:`parts`.
        level: coverage.
        null: value that ``p`` tests.
        power: a fixed ``lam``; null: tuned.
    """
    from scipy.stats import t

    if np.isnan(sample.labels):
        return Powered(sample.items, sample.judged, None, sample.judge, None, None, None, None,
                       None, None, None)  # fmt: skip
    weight = _tuned(sample) if power is None else power
    both = sample.labels + weight * sample.gain
    spread = _spread(sample.d_labels + weight * sample.d_gain, sample.units)
    alone = _spread(sample.d_labels, sample.units)
    if sample.units < LEAST_LABELS:
        return Powered(sample.items, sample.judged, sample.labels, sample.judge, both, None,
                       None, None, weight, None, None)  # fmt: skip
    reach = float(t.ppf((1 + level) / 2, sample.units - 1))
    fixed = _exact(sample, level) if alone < NO_SPREAD else None
    interval = fixed or (both - reach * spread, both + reach * spread)
    many = int((sample.d_judge != 0).sum())
    judge = _spread(sample.d_judge, many) * float(t.ppf((1 + level) / 2, max(many - 1, 1)))
    p = 1.0 if spread < NO_SPREAD else float(2 * t.sf(abs(both - null) / spread, sample.units - 1))
    return Powered(
        labelled=sample.items,
        judged=sample.judged,
        labels=sample.labels,
        judge=sample.judge,
        both=both,
        labels_interval=_inside(
            fixed or (sample.labels - reach * alone, sample.labels + reach * alone), sample.bounded
        ),
        judge_interval=None
        if np.isnan(judge)
        else _inside((sample.judge - judge, sample.judge + judge), sample.bounded),
        interval=_inside(interval, sample.bounded),
        weight=weight,
        effective=sample.items * (alone / spread) ** 2
        if spread > NO_SPREAD
        else float(sample.items),
        p=p if alone > NO_SPREAD else None,
    )


def _tuned(found: Parts) -> float:
    """The ``lam`` of least estimated variance, kept within what helps: 0 to 1."""
    denominator = float(found.d_gain @ found.d_gain)
    if denominator <= 0:
        return 0.0
    return float(np.clip(-(found.d_labels @ found.d_gain) / denominator, 0.0, 1.0))


def _spread(influence: Array, units: int) -> float:
    """Standard error from influence functions of clusters, sample-size corrected."""
    if units < 2:
        return float("nan")
    return float(np.sqrt((influence**2).sum() * units / (units - 1)))


def _exact(found: Parts, level: float) -> Range | None:
    """Where all labels are alike, no variance can be seen: exact binomial over the units."""
    if not found.bounded or min(found.labels, 1 - found.labels) > NO_SPREAD:
        return None
    return exact_interval(round(found.labels) * found.units, found.units, level)


def _inside(interval: Range, bounded: bool) -> Range:
    low, high = interval
    return (max(0.0, low), min(1.0, high)) if bounded else interval
