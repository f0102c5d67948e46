"""Prediction-powered means: few human labels, judgements of everything.

With human values ``y`` on a labelled part and the judge's values ``f`` everywhere, the
estimate is ``mean_lab(y) + lam (mean_all(f) - mean_lab(f))``: unbiased for every fixed
``lam``, however wrong the judge is, because the judge's mean over all is corrected by
its mean where annotators were asked (Angelopoulos et al. 2023, Science 382:669,
prediction-powered inference). ``lam`` is tuned for the least variance (Angelopoulos,
Duchi & Zrnic 2023, PPI++): 0 is labels alone, so a useless judge costs nothing. Labels
drawn with known probabilities are weighted by their inverse (Horvitz & Thompson 1952;
Hajek 1971), or stratified (Fisch et al. 2024).

Variances are those of the influence functions, summed within clusters (linearisation,
as for any ratio of a survey), with Student's t over the labelled clusters.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from trace_eval.estimate.arrays import Array
from trace_eval.estimate.distributions import student_below
from trace_eval.estimate.interval import SCORE, Range
from trace_eval.estimate.limits import (
    NO_SPREAD,
    Reach,
    of_difference,
    of_sum,
    quantile,
    score_reach,
    skewed_reach,
)
from trace_eval.show.table import column, p_text, within
from trace_eval.stats.inference.influence import PPIComponents, tuned

#: Labelled units below which no interval is given.
LEAST_LABELS = 5

#: Labelled units, and labels that differ from the commonest one, below which only
#: labels count: so few cannot tell how far a judge is to be believed.
LEAST_UNITS, LEAST_MINORITY = 20, 5

#: Methods of intervals where the judge counts, and of differences.
LINEARISED = "linearised limits, moved by skewness"
COMBINED = "limits of both rates, combined"

#: Labels that differ from the commonest one, and errors of the judge, below which one
#: more or less moves the coverage of an interval by per cents.
FEW = 10


def _gained(effective: float | None, row: PPIEstimate) -> str | None:
    if effective is None:
        return None
    return f"{effective:.0f} (+{effective - row.labelled:.0f})"


@dataclass(frozen=True)
class PPIEstimate:
    """An estimate from labels, from the judge and from both.

    Attributes:
        labelled, judged: items with a human label; items with a judgement.
        open: items without a human label.
        method: that made ``interval``; None: there is none.
        labels, judge, both: the estimates; ``judge`` is biased by the judge's errors,
            None where it gives no figure of its own.
        labels_interval, judge_interval, interval: at the level asked for; None: too few
            labels, or only one unit.
        weight: the tuned ``lam``, 0 (labels alone) to 1; None: of a difference, where
            each system has its own.
        effective: labels that would have the standard error of ``both`` without a
            judge.
        p: two-sided, that the value is ``null``; null where no interval is given.
            ``exact``: by the sign test, else that of the interval.
        coarse: so few labels, errors of the judge or units were seen that intervals
            hold the truth some per cent more or less often than they say.
    """

    labelled: int
    judged: int
    labels: float | None = field(
        metadata=column("labels only", within("labels_interval"))
    )
    judge: float | None = field(metadata=column("judge only", within("judge_interval")))
    both: float | None = field(metadata=column("both (PPI++)", within("interval")))
    labels_interval: Range | None
    judge_interval: Range | None
    interval: Range | None
    weight: float | None = field(metadata=column("judge's weight"))
    effective: float | None = field(metadata=column("worth labels", _gained))
    p: float | None = field(metadata=column(shown=p_text))
    coarse: bool = False
    exact: bool = False
    open: int = 0
    method: str | None = None

    @property
    def width(self) -> float | None:
        """Width of the interval that uses judge and labels."""
        return None if self.interval is None else self.interval[1] - self.interval[0]


@dataclass(frozen=True)
class _Bounded:
    """An estimate of a mean in [0, 1], its limits, and its influence by cluster."""

    value: float
    reach: Reach
    influence: Array

    @property
    def width(self) -> float:
        """Width of the interval, before it is cut to the range."""
        return self.reach.below + self.reach.above

    @property
    def spread(self) -> float:
        """Standard error of the estimate."""
        return float(np.sqrt(self.influence @ self.influence))

    def reaching(self, other: _Bounded) -> _Bounded:
        """Return it with limits that hold another estimate of the same mean, too."""
        difference = self.value - other.value
        below = max(self.reach.below, difference + other.reach.below)
        return replace(
            self,
            reach=Reach(below, max(self.reach.above, other.reach.above - difference)),
        )


def estimate(
    sample: PPIComponents,
    level: float = 0.95,
    null: float = 0.5,
    power: float | None = None,
) -> PPIEstimate:
    """Compute intervals of labels alone, judge alone, and both.

    Args:
        null: value that ``p`` tests.
        power: a fixed ``lam``; None: tuned, or 0 where :func:`_enough` says so.
    """
    result = _without(sample.items, len(sample.judged), sample.judge, sample.open)
    if np.isnan(sample.labels):
        return result
    alone, both, weight = _two(sample, level, power)
    result = _bounded(
        result,
        (alone, _of_judge(sample, level), both),
        units=sample.units,
        level=level,
        null=null,
    )
    method = LINEARISED if weight else SCORE
    return replace(
        result,
        weight=weight,
        coarse=_coarse(sample, weight),
        method=None if result.interval is None else method,
    )


def interval(sample: PPIComponents, level: float = 0.95) -> Range | None:
    """Return the interval of the combined estimate alone, see :func:`estimate`."""
    if sample.units < LEAST_LABELS or np.isnan(sample.labels):
        return None
    _, both, _ = _two(sample, level, None)
    return both.reach.around(both.value)


def difference(
    first: PPIComponents, second: PPIComponents, level: float = 0.95
) -> PPIEstimate:
    """Estimate the first mean minus the second, -1 to 1, with ``p`` that it is 0.

    Limits come from those of both means and their correlation; where no variance can be
    seen, from the labels that they share, which count for one and against the other.
    """
    items = first.items + second.items
    judged = len(first.judged) + len(second.judged)
    result = _without(
        items, judged, first.judge - second.judge, first.open + second.open
    )
    if np.isnan(first.labels) or np.isnan(second.labels):
        return result
    few = min(first.units, second.units) < LEAST_LABELS
    units = 0 if few else int((first.reached | second.reached).sum())
    alone_1, both_1, weight_1 = _two(first, level, None)
    alone_2, both_2, weight_2 = _two(second, level, None)
    judge_1 = _of_judge(first, level)
    judge_2 = _of_judge(second, level)
    # of the labels in common a point of one is a point less of the other
    common = (first.reached & second.reached).sum()
    shared = -float(common / max(1.0, np.sqrt(first.units * second.units)))

    def gap(one: _Bounded, other: _Bounded) -> _Bounded:
        correlation = _correlation(one, other, shared)
        reach = of_difference(one.reach, other.reach, correlation)
        influence = one.influence - other.influence
        return _Bounded(one.value - other.value, reach, influence)

    gaps = gap(alone_1, alone_2), gap(judge_1, judge_2), gap(both_1, both_2)
    result = _bounded(result, gaps, units=units, level=level, null=0.0, low=-1.0)
    return replace(
        result,
        coarse=_coarse(first, weight_1) or _coarse(second, weight_2),
        method=None if result.interval is None else COMBINED,
    )


def _correlation(one: _Bounded, other: _Bounded, otherwise: float) -> float:
    product = one.spread * other.spread
    if product < NO_SPREAD:
        return otherwise
    return float(np.clip(one.influence @ other.influence / product, -1.0, 1.0))


def _without(items: int, judged: int, judge: float, unlabelled: int) -> PPIEstimate:
    return PPIEstimate(
        labelled=items,
        judged=judged,
        labels=None,
        judge=judge,
        both=None,
        labels_interval=None,
        judge_interval=None,
        interval=None,
        weight=None,
        effective=None,
        p=None,
        open=unlabelled,
    )


def _bounded(
    result: PPIEstimate,
    parts: tuple[_Bounded, ...],
    units: int,
    level: float,
    null: float,
    low: float = 0.0,
) -> PPIEstimate:
    """Estimate by labels, by the judge and by both, with intervals if units allow."""
    alone, judge, both = parts
    limits = judge.reach.around(judge.value, low)
    result = replace(result, labels=alone.value, both=both.value, judge_interval=limits)
    if units < LEAST_LABELS:
        return result
    gained = alone.spread / both.spread if both.spread**2 > NO_SPREAD else 1.0
    return replace(
        result,
        labels_interval=alone.reach.around(alone.value, low),
        interval=both.reach.around(both.value, low),
        effective=float(result.labelled * gained**2),
        p=_p(both.value, both.reach, null=null, units=units, level=level),
    )


def _p(value: float, reach: Reach, null: float, units: int, level: float) -> float:
    """Return two-sided p, under ``1 - level`` if the interval leaves out the null."""
    distance = reach.below if value > null else reach.above
    if value == null or distance <= 0:
        return 1.0
    beyond = -abs(value - null) / distance * quantile(level, units - 1)
    return 2 * student_below(beyond, max(units - 1, 1))


def _two(
    sample: PPIComponents, level: float, power: float | None
) -> tuple[_Bounded, _Bounded, float]:
    """Return labels alone, both, and ``lam``; limits hold fitted weights' limits."""
    result = _estimated(sample, level, power)
    if sample.fitted is None:
        return result
    alone, both, weight = result
    others = _estimated(sample.fitted, level, weight)
    return alone.reaching(others[0]), both.reaching(others[1]), weight


def _estimated(
    sample: PPIComponents, level: float, power: float | None
) -> tuple[_Bounded, _Bounded, float]:
    weight, left_out = (
        (0.0, np.zeros(len(sample.reached))) if power is None else (power, power)
    )
    if power is None and sample.d_gain.any() and _enough(sample):
        weight, left_out = tuned(sample)
    alone = _Bounded(
        sample.labels,
        _reach(sample, sample.d_labels, 0.0, level),
        sample.d_labels.sum(0),
    )
    if not weight:
        return alone, alone, weight
    influence = sample.d_labels + left_out * sample.d_gain
    value = float(np.clip(sample.labels + weight * sample.gain, 0.0, 1.0))
    both = _Bounded(value, _reach(sample, influence, weight, level), influence.sum(0))
    if power is None and both.width >= alone.width:
        return alone, alone, 0.0  # what a judge adds must be worth what it costs
    return alone, both, weight


def _of_judge(sample: PPIComponents, level: float) -> _Bounded:
    """Return the limits of the judge alone, as if it never erred.

    Where it says the same of all items, no variance is estimated: each cluster counts
    as one item, because nothing tells how alike items of a cluster are.
    """
    many = max(int((np.abs(sample.d_judge) > 0).sum()), 1)
    size = len(sample.judged)
    spread = float(sample.judged.var())
    variance = max(float(sample.d_judge @ sample.d_judge), spread / size)
    if variance > NO_SPREAD:
        units = spread / variance
        z = quantile(level, many - 1)
    else:
        units = sample.judged_units
        z = quantile(level)
    reach = score_reach(sample.judged, np.full(size, 1 / size), units, z)
    return _Bounded(sample.judge, reach, sample.d_judge)


def _reach(
    sample: PPIComponents, influence: Array, weight: float, level: float
) -> Reach:
    """Join limits by stratum, with each stratum's own degrees of freedom.

    Labels alone have score limits: their variance follows from their values, and
    unequal weights enter as the number of labels that they are worth. Where the judge
    enters, a value is no longer one of a few within a range, and limits follow the
    skewness of what was seen.
    """
    results: list[tuple[float, Reach]] = []
    variances = 0.0
    for number, stratum in enumerate(sample.strata):
        moved = influence[number]
        error = weight * sample.error[number]
        if error > 0:
            squares = float(moved @ moved) * stratum.growth
            # nobody knows of a judge that no error was seen in: by the rule of three it
            # has some
            least = 0.0 if len(stratum.missed) else -float(np.log(1 - level)) * error
            z = quantile(level, stratum.degrees)
            reach = skewed_reach(
                moved, squares, z=z, more=(stratum.miss * error) ** 2, least=least
            )
            results.append((1.0, reach))
        else:
            squares = stratum.share**2 * stratum.spread / stratum.worth
            reach = score_reach(
                stratum.values, stratum.weights, stratum.worth, quantile(level)
            )
            results.append((stratum.share, reach))
        variances += squares
    # the sizes of the strata vary besides, and heavy units may lie further apart than
    # the others
    total = influence.sum(0)
    more = max(0.0, float(total @ total) - variances)
    return of_sum(results, quantile(level, sample.units - 1) * float(np.sqrt(more)))


def _enough(sample: PPIComponents) -> bool:
    """Tell whether labels show how far to believe the judge, by kind of item."""
    if 0 < sample.heavy < FEW:
        return False
    for stratum in sample.open_strata:
        if stratum.units < LEAST_UNITS or stratum.minority < LEAST_MINORITY:
            return False
    return True


def _coarse(sample: PPIComponents, weight: float) -> bool:
    """Tell whether too little was seen for intervals to hold as often as they say."""
    for stratum in sample.open_strata:
        if (
            stratum.units < LEAST_UNITS
            or stratum.minority < FEW
            or (weight > 0 and len(stratum.missed) < FEW)
        ):
            return True
    return False
