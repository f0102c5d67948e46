"""Parts of a run by certainty, tested strictest first, and labels that a test would need.

See :mod:`trace_eval.decide.screen` for the promise and its sources.

P values that agreement in a part is below a target are exact for any sample size:

* Items that are all units of their own, all equally likely: the exact binomial test,
  ``P(Bin(n, target) >= agreeing)``.
* A certain stratum (all of it labelled) and a random slice of the rest: the same on the
  slice, against what the slice must reach for the whole to reach the target.
* Items that share an instruction, or weights, or a label that is right in part because
  raters split: bets against the hypothesis (Waudby-Smith & Ramdas 2024), one per
  instruction g, of which the labels give the mean agreement ``a_g`` and which stands
  for ``w_g`` items, at most M. ``K(c) = prod_g (1 + c w_g (a_g - target) / (target
  M))`` with c in (0, 1] has a mean of at most 1 where agreement is at most the target:
  its factors are not negative, and their means average to at most 1. So has the mean of
  K over a fixed grid of c, whose inverse is a p value by Markov's inequality. It holds
  however alike the labels of one instruction are and however few instructions there
  are. Nothing is estimated, so nothing can be underestimated: a variance from
  instructions of which by chance none disagrees as a whole is the trap that this
  avoids.

What was not drawn counts, too: M is the largest ``w_g`` of all instructions of the run,
not of the labelled ones, and one instruction of several items is enough for bets.
Nobody tells whether items or whole instructions were drawn, so both are tested, and the
larger p value is taken.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array
from trace_eval.show.table import column, p_text, p_value
from trace_eval.stats.inference.labelled_run import LabelledRun
from trace_eval.stats.inference.sampling import Design

#: Parts tried per signal: the surest 5 %, 10 %, ... of the run.
PARTS = 20

#: Starts of the sequence: parts with this many times the fewest labels that could
#: suffice.
STARTS = (1.5, 4.0, 10.0)

#: Signal of a judge that gives no sign of certainty: all of it, or nothing.
EVERYTHING = "all pairs"

#: Power of the test for which needed labels are counted.
POWER = 0.8


@dataclass(frozen=True)
class DecidableStratum:
    """Everything at least as sure as a threshold on a sign of certainty.

    Attributes:
        decided: scored items in the part; ``share`` of all scored items.
        labelled: of those with a human label; ``agreement`` the share that agrees,
            corrected for how they were drawn.
        p: of the hypothesis that agreement is below the target; it ``holds`` if that
            fell.
        allowed: level at which it was tested, 0: its turn did not come.
    """

    signal: str
    threshold: float = field(
        metadata=column("at least", lambda value, _: f"{value + 0.0:.4g}")
    )
    decided: int = field(metadata=column("pairs"))
    share: float
    labelled: int
    agreement: float | None = field(metadata=column("agree"))
    p: float = field(metadata=column(shown=p_text))
    allowed: float = field(
        metadata=column("tested at", lambda level, _: p_value(level) if level else None)
    )
    holds: bool = field(metadata=column(shown=lambda holds, _: "yes" if holds else ""))


def tested_parts(
    signal: tuple[str, NDArray[np.float64]],
    run: LabelledRun,
    design: Design,
    target: float,
    delta: float,
) -> list[DecidableStratum]:
    """Test the parts of one signal in sequence, strictest first, at ``delta`` together."""
    (name, values), agrees, scored = signal, run.agrees, run.scored
    levels = np.unique(
        np.quantile(values[scored], 1 - np.arange(1, PARTS + 1) / PARTS, method="lower")
    )[::-1]
    masks = [scored & (values >= level) for level in levels]
    counts = [int((mask & design.labelled).sum()) for mask in masks]
    starts = _starts([worth(design, mask, target) for mask in masks], target, delta)
    strata, carried = [], 0.0
    for level, mask, count, own in zip(levels, masks, counts, starts, strict=True):
        p = p_below(agrees, design, mask, target)
        allowed = own + carried
        holds = allowed > 0 and p <= allowed
        carried = allowed if holds else 0.0
        requested = mask & design.labelled
        strata.append(
            DecidableStratum(
                signal=name,
                threshold=float(level),
                decided=int(mask.sum()),
                share=float(mask.sum() / scored.sum()),
                labelled=count,
                agreement=_share(agrees[requested], design.weight[requested])
                if count
                else None,
                p=p,
                allowed=allowed,
                holds=holds,
            )
        )
    return strata


def _share(agrees: Array, weight: Array) -> float:
    """Return the share that agrees, each label for as many pairs as it stands for."""
    return float((agrees * weight).sum() / weight.sum())


def _starts(worths: list[float], target: float, delta: float) -> list[float]:
    """Share of ``delta`` with which each part is tried of its own; what labels say is unknown."""
    least = fewest_labels(target, delta / len(STARTS))
    at: set[int] = set()
    for factor in STARTS:
        enough = (row for row, labels in enumerate(worths) if labels >= factor * least)
        at.add(next(enough, len(worths) - 1))
    return [delta / len(at) if row in at else 0.0 for row in range(len(worths))]


def fewest_labels(target: float, delta: float) -> int:
    """Return how many labels could suffice if all agreed: ``target^n <= delta``."""
    return ceil(log(delta) / log(target))


def labels_needed(agreement: float, target: float, delta: float) -> int | None:
    """Return how many labels a part of that agreement needs to succeed with :data:`POWER`.

    None: agreement is not above the target, or more than a million would be needed.
    """
    from scipy.special import bdtrc, bdtrik

    if agreement <= target:
        return None
    low, high = 1, fewest_labels(target, delta)

    def enough(number: int) -> bool:
        most = ceil(bdtrik(1 - delta, number, target))  # P(X > most) <= delta
        return bool(most < number and bdtrc(most, number, agreement) >= POWER)

    while not enough(high):
        low, high = high, 2 * high
        if high > 1_000_000:
            return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return high


def wanted_labels(
    parts: list[DecidableStratum], target: float, delta: float, plain: bool
) -> tuple[DecidableStratum | None, int | None]:
    """Find the part for which fewest labels would probably do, and how many.

    Agreement is expected as after one disagreement more than was seen (Laplace).
    Labels that share instructions say less than their number: their evidence grows in
    proportion, so that ``log(p)`` of those at hand is scaled to the level that is
    needed.
    """
    level, hopeful = delta / len(STARTS), []
    for part in parts:
        if part.agreement is None:
            continue
        expected = (part.agreement * part.labelled + 1) / (part.labelled + 2)
        number = labels_needed(expected, target, level)
        if number is not None and not plain and part.p < 1:
            number = max(number, ceil(part.labelled * log(level) / log(part.p)))
        # a part with more labels than that did not have its turn: it says nothing of
        # need
        if number is not None and (plain or (part.p < 1 and number > part.labelled)):
            hopeful.append((number, part))
    if not hopeful:
        return None, None
    number, part = min(hopeful, key=lambda row: (row[0] / row[1].decided, row[0]))
    return part, number


#: Bets, as shares of the largest that is not lost at once; fixed, so that no label
#: moves them.
BETS = np.linspace(0.02, 1.0, 50)


def p_below(
    agrees: NDArray[Any], design: Design, selected: NDArray[np.bool_], target: float
) -> float:
    """Return p of "agreement on the selected items is at most ``target``", which is in (0, 1).

    ``agrees`` is 0 to 1, and ignored where there is no label [shape=(n,)].
    """
    requested = selected & design.labelled
    if not requested.any():
        return 1.0
    if _exact(design, selected) and set(np.unique(agrees[requested])) <= {0.0, 1.0}:
        if design.stratum is not None:
            return _two_strata(agrees, design, selected, target)
        return _binomial(int(agrees[requested].sum()), int(requested.sum()), target)
    weight = design.weight[requested]
    clusters, group = np.unique(design.cluster[requested], return_inverse=True)
    lead = (
        np.bincount(group, weight * agrees[requested]) / np.bincount(group, weight)
        - target
    )
    designs = [_weights(design, selected)]
    if _equal(
        design, selected
    ):  # whole instructions may have been drawn, each as likely
        size = np.bincount(design.cluster[selected]).astype(np.float64)
        designs.append((size[clusters], float(size.max())))
    return max(_bets(weight / most * lead, target) for weight, most in designs)


def worth(design: Design, selected: NDArray[np.bool_], target: float) -> float:
    """Return labels on the selected items, in independent ones of equal weight.

    So many of those would, if all agreed, say as much as these would; it knows no
    label.
    """
    requested = selected & design.labelled
    if not requested.any() or _exact(design, selected):
        return float(requested.sum())
    p = p_below(np.ones(len(selected)), design, selected, target)
    return float(np.log(p) / np.log(target))


def _exact(design: Design, selected: NDArray[np.bool_]) -> bool:
    """Say whether no two items share an instruction, and all weigh alike or are review strata."""
    single = bool((np.bincount(design.cluster[selected]) <= 1).all())
    return single and (design.stratum is not None or _equal(design, selected))


def _equal(design: Design, selected: NDArray[np.bool_]) -> bool:
    """Say whether all selected items were as likely to be asked for, as far as is known."""
    weight = design.weight[selected]
    return len(np.unique(weight[weight > 0])) <= 1


def _binomial(right: int, number: int, target: float) -> float:
    from scipy.special import bdtrc

    return float(bdtrc(right - 1, number, target)) if right else 1.0


def _two_strata(
    agrees: NDArray[Any], design: Design, selected: NDArray[np.bool_], target: float
) -> float:
    assert design.stratum is not None
    certain = selected & (design.stratum == 0)
    rest = selected & (design.stratum == 1)
    drawn = rest & design.labelled
    right, size = float(agrees[certain].sum()), int(rest.sum())
    if not size:
        return 0.0 if right > target * certain.sum() else 1.0
    needed = (target * (certain.sum() + size) - right) / size
    if needed <= 0:
        return 0.0
    if needed >= 1 or not drawn.any():
        return 1.0
    return _binomial(int(agrees[drawn].sum()), int(drawn.sum()), needed)


def _weights(design: Design, selected: NDArray[np.bool_]) -> tuple[Array, float]:
    """Return each labelled instruction's weight, and the largest, where items were drawn.

    Of a random sample an instruction of s selected items stands for s over its chance
    of having a label; with inclusion probabilities for the sum of their inverses over
    its labels, which may be as large as over all of its items.
    """
    requested = selected & design.labelled
    clusters, group = np.unique(design.cluster[requested], return_inverse=True)
    if not _equal(design, selected):
        available = np.maximum(
            design.weight, design.weight[requested].max() * (design.weight == 0)
        )
        most = np.bincount(design.cluster[selected], weights=available[selected]).max()
        weight = np.bincount(group, weights=design.weight[requested])
        return weight.astype(np.float64), float(most)
    size = np.bincount(design.cluster[selected])
    stands = size / _reached(size, int(selected.sum()), int(requested.sum()))
    return stands[clusters], float(stands.max())


def _reached(size: NDArray[np.int64], items: int, labels: int) -> Array:
    """Return P(one of ``size`` items is among ``labels`` drawn, not replaced); 1 for none."""
    from scipy.special import gammaln

    def log_choices(number: NDArray[np.int64]) -> Array:
        return np.asarray(gammaln(number + 1) - gammaln(number - labels + 1))

    sizes, at = np.unique(size, return_inverse=True)
    with np.errstate(
        invalid="ignore"
    ):  # fewer are left than are drawn: one is among them
        none = np.exp(log_choices(items - sizes) - log_choices(np.array(items)))
    result = np.where(items - sizes < labels, 1.0, 1 - none)
    return np.where(sizes > 0, result, 1.0)[at]


def _bets(gain: Array, target: float) -> float:
    """Return p of "the mean gain is at most 0"; gains of at least ``-target`` [shape=(n,)]."""
    from scipy.special import logsumexp

    values, count = np.unique(gain / target, return_counts=True)
    with np.errstate(
        divide="ignore"
    ):  # a whole instruction against the largest bet: all is lost
        log_wealth = np.log1p(np.maximum(np.outer(BETS, values), -1.0)) @ count
    return float(min(1.0, np.exp(np.log(len(BETS)) - logsumexp(log_wealth))))
