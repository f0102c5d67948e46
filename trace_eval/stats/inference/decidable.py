"""Parts of a run by certainty, tested strictest first, and the labels they need.

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
from sys import float_info

import numpy as np

from trace_eval.estimate.arrays import Array, Mask, Reals
from trace_eval.estimate.distributions import binomial_above, binomial_quantile
from trace_eval.estimate.elementwise import log_factorials
from trace_eval.opinions.units import WholeNumbers
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
    signal: tuple[str, Reals],
    run: LabelledRun,
    design: Design,
    target: float,
    delta: float,
) -> list[DecidableStratum]:
    """Test the parts of one signal, strictest first, at ``delta`` together."""
    name, values = signal
    scored = run.scored
    has_verdict = run.decided
    shares_left_out = 1 - np.arange(1, PARTS + 1) / PARTS
    quantiles = np.quantile(values[has_verdict], shares_left_out, method="lower")
    thresholds = np.unique(quantiles)[::-1]
    masks = [has_verdict & (values >= threshold) for threshold in thresholds]
    worths = [worth(design, mask, target) for mask in masks]
    starts = _starts(worths, target, delta)
    strata: list[DecidableStratum] = []
    carried = 0.0
    for threshold, mask, start in zip(thresholds, masks, starts, strict=True):
        p = p_below(run.agrees, design, mask, target)
        allowed = start + carried
        holds = allowed > 0 and p <= allowed
        carried = allowed if holds else 0.0
        decided = int(mask.sum())
        has_label = mask & design.labelled
        stratum = DecidableStratum(
            signal=name,
            threshold=float(threshold),
            decided=decided,
            share=float(decided / scored.sum()),
            labelled=int(has_label.sum()),
            agreement=_share(run.agrees[has_label], design.weight[has_label]),
            p=p,
            allowed=allowed,
            holds=holds,
        )
        strata.append(stratum)
    return strata


def _share(agrees: Array, weight: Array) -> float | None:
    """Return the share that agrees, each label for as many pairs as it stands for.

    None: there is no label.
    """
    if not len(agrees):
        return None
    return float((agrees * weight).sum() / weight.sum())


def _starts(worths: list[float], target: float, delta: float) -> list[float]:
    """Return the share of ``delta`` with which each part is tried of its own.

    What the labels say is unknown to it.
    """
    least = fewest_labels(target, delta / len(STARTS))
    last = len(worths) - 1
    tried: set[int] = set()
    for factor in STARTS:
        suffices = [labels >= factor * least for labels in worths]
        tried.add(suffices.index(True) if any(suffices) else last)
    share = delta / len(tried)
    shares = [0.0] * len(worths)
    for row in tried:
        shares[row] = share
    return shares


def fewest_labels(target: float, delta: float) -> int:
    """Return how many labels could suffice if all agreed: ``target^n <= delta``."""
    return ceil(log(delta) / log(target))


def labels_needed(agreement: float, target: float, delta: float) -> int | None:
    """Return how many labels a part needs to succeed with the power :data:`POWER`.

    None: agreement is not above the target, or more than a million would be needed.
    """
    if agreement <= target:
        return None
    low = 1
    high = fewest_labels(target, delta)

    def enough(number: int) -> bool:
        most = binomial_quantile(1 - delta, number, target)  # P(X > most) <= delta
        return most < number and binomial_above(most, number, agreement) >= POWER

    while not enough(high):
        low = high
        high = 2 * high
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
    level = delta / len(STARTS)
    hopeful: list[tuple[int, DecidableStratum]] = []
    for part in parts:
        if part.agreement is None:
            continue
        expected = (part.agreement * part.labelled + 1) / (part.labelled + 2)
        number = labels_needed(expected, target, level)
        if number is None:
            continue
        if plain:
            hopeful.append((number, part))
        elif part.p < 1:
            log_p = log(
                max(part.p, float_info.min)
            )  # p may be too small to be told from 0
            by_evidence = ceil(part.labelled * log(level) / log_p)
            number = max(number, by_evidence)
            # a part with more labels than that did not have its turn: it says nothing
            # of need
            if number > part.labelled:
                hopeful.append((number, part))
    if not hopeful:
        return None, None
    number, part = min(hopeful, key=_share_to_label)
    return part, number


def _share_to_label(hopeful: tuple[int, DecidableStratum]) -> tuple[float, int]:
    """Order parts by the share of their pairs that needs a label, then by number."""
    number, part = hopeful
    return number / part.decided, number


#: Bets, as shares of the largest that is not lost at once; fixed, so that no label
#: moves them.
BETS = np.linspace(0.02, 1.0, 50)


def p_below(agrees: Array, design: Design, selected: Mask, target: float) -> float:
    """Return p of "agreement on the selected items is at most ``target``".

    The target is in (0, 1). ``agrees`` is 0 to 1, and ignored where there is no label
    [shape=(n,)].
    """
    has_label = selected & design.labelled
    if not has_label.any():
        return 1.0
    agreements = agrees[has_label]
    is_right_or_wrong = bool(np.isin(agreements, (0.0, 1.0)).all())
    if is_right_or_wrong and _exact(design, selected):
        if design.stratum is not None:
            return _two_strata(agrees, design, selected, target)
        return _binomial(int(agreements.sum()), len(agreements), target)
    return float(np.exp(_log_p_by_bets(agrees, design, selected, target)))


def _log_p_by_bets(
    agrees: Array, design: Design, selected: Mask, target: float
) -> float:
    """Return the logarithm of :func:`p_below` by bets, also where p itself would be 0.

    Some of the selected items must have a label.
    """
    has_label = selected & design.labelled
    agreements = agrees[has_label]
    weight = design.weight[has_label]
    clusters, group = np.unique(design.cluster[has_label], return_inverse=True)
    agreement = np.bincount(group, weight * agreements) / np.bincount(group, weight)
    lead = agreement - target
    weights, greatest = _weights(design, selected)
    log_p = _log_bets(weights / greatest * lead, target)
    if not _equal(design, selected):
        return log_p
    # whole instructions may have been drawn, each as likely
    size = np.bincount(design.cluster[selected]).astype(np.float64)
    share_of_largest = size[clusters] / float(size.max())
    return max(log_p, _log_bets(share_of_largest * lead, target))


def worth(design: Design, selected: Mask, target: float) -> float:
    """Return the number of independent labels of equal weight that the labels equal.

    So many of those would, if all agreed, say as much as these would; it knows no
    label.
    """
    has_label = selected & design.labelled
    if not has_label.any() or _exact(design, selected):
        return float(has_label.sum())
    all_agree = np.ones(len(selected))
    return _log_p_by_bets(all_agree, design, selected, target) / log(target)


def _exact(design: Design, selected: Mask) -> bool:
    """Say whether the binomial test is exact of these items.

    No two share an instruction, and all weigh alike or are strata of a review.
    """
    items_of_instruction = np.bincount(design.cluster[selected])
    if (items_of_instruction > 1).any():
        return False
    return design.stratum is not None or _equal(design, selected)


def _equal(design: Design, selected: Mask) -> bool:
    """Tell whether all selected items were as likely to be asked for."""
    weight = design.weight[selected]
    return len(np.unique(weight[weight > 0])) <= 1


def _binomial(right: int, number: int, target: float) -> float:
    """Return ``P(Bin(number, target) >= right)``."""
    return binomial_above(right - 1, number, target)


def _two_strata(agrees: Array, design: Design, selected: Mask, target: float) -> float:
    """Test the slice of the rest against what the whole needs of it."""
    assert design.stratum is not None
    is_certain = selected & (design.stratum == 0)
    is_rest = selected & (design.stratum == 1)
    is_drawn = is_rest & design.labelled
    certain = is_certain.sum()
    right = float(agrees[is_certain].sum())
    rest = int(is_rest.sum())
    if not rest:
        return 0.0 if right > target * certain else 1.0
    needed = (target * (certain + rest) - right) / rest
    if needed <= 0:
        return 0.0
    if needed >= 1 or not is_drawn.any():
        return 1.0
    return _binomial(int(agrees[is_drawn].sum()), int(is_drawn.sum()), needed)


def _weights(design: Design, selected: Mask) -> tuple[Array, float]:
    """Return each labelled instruction's weight, and the largest, if items were drawn.

    Of a random sample an instruction of s selected items stands for s over its chance
    of having a label; with inclusion probabilities for the sum of their inverses over
    its labels, which may be as large as over all of its items.
    """
    has_label = selected & design.labelled
    cluster = design.cluster[selected]
    clusters, group = np.unique(design.cluster[has_label], return_inverse=True)
    if not _equal(design, selected):
        weight = design.weight[has_label]
        # an item whose weight is unknown may weigh as much as any
        possible = np.where(design.weight == 0, weight.max(), design.weight)
        greatest = np.bincount(cluster, weights=possible[selected]).max()
        weights = np.bincount(group, weights=weight)
        return weights.astype(np.float64), float(greatest)
    size = np.bincount(cluster)
    chance = _reached(size, items=len(cluster), labels=int(has_label.sum()))
    stands_for = size / chance
    return stands_for[clusters], float(stands_for.max())


def _reached(size: WholeNumbers, items: int, labels: int) -> Array:
    """Return P(one of ``size`` items is among ``labels`` drawn, not replaced).

    It is 1 for no items.
    """

    def log_choices(number: WholeNumbers) -> Array:
        choices = log_factorials(number) - log_factorials(number - labels)
        return np.asarray(choices)

    sizes, index = np.unique(size, return_inverse=True)
    others = items - sizes
    with np.errstate(invalid="ignore"):
        none = np.exp(log_choices(others) - log_choices(np.array(items)))
    # where fewer others are left than are drawn, one is among them
    is_sure = (others < labels) | (sizes == 0)
    chance = np.where(is_sure, 1.0, 1 - none)
    return chance[index]


def _log_bets(gain: Array, target: float) -> float:
    """Return the logarithm of p of "the mean gain is at most 0", by bets against it.

    Gains are at least ``-target`` [shape=(n,)].
    """
    values, count = np.unique(gain / target, return_counts=True)
    returns = np.maximum(np.outer(BETS, values), -1.0)
    # a whole instruction against the largest bet: all is lost
    with np.errstate(divide="ignore"):
        log_wealth = np.log1p(returns) @ count
    log_p = np.log(len(BETS)) - np.logaddexp.reduce(log_wealth)
    return min(0.0, float(log_p))
