"""Two sides of the same items: their mean difference, a test of it, and Holm.

The test flips signs (Fisher 1935, ch. 3; Pitman 1937): where both sides are equally
good, each difference is as likely to have the other sign. Items of one cluster (one
instruction, one speaker) change their signs together. Of differences of one size it is
the exact McNemar test (McNemar 1947; Mosteller 1952).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array, Reals
from trace_eval.estimate.distributions import COUNTED, binomial_at_most, log_factorial
from trace_eval.estimate.elementwise import log_factorials
from trace_eval.estimate.figures import mean_interval
from trace_eval.estimate.interval import SCORE, IntervalEstimate, Range
from trace_eval.estimate.options import IntervalOptions
from trace_eval.estimate.resample import Resampler

#: What a p value is of: the mean is below 0, above 0, or either.
Alternative = Literal["less", "greater", "two-sided"]

#: Random assignments of signs.
DRAWS = 10_000

#: Differences and sums that differ by less are equal but for rounding.
_SAME = 1e-9

#: Signs held at a time.
_BLOCK = 4_000_000

#: Up to so many steps in all, sums of whole steps are not drawn: their distribution is
#: computed.
_EXACT = 5_000

#: Up to so many distinct sizes of differences are drawn as binomial counts of their
#: signs.
_FEW = 64


def mean_difference(
    differences: Array,
    cluster: NDArray[np.int64] | None,
    options: IntervalOptions,
    bounds: Range | None = None,
) -> IntervalEstimate:
    """Estimate the mean of paired differences; without any there is no value.

    Args:
        differences: known ones [shape=(n,)].
        cluster: of each [shape=(n,)]; None: independent.
        bounds: the least and the greatest possible difference; None: unknown, or far
            off.
    """
    if not len(differences):
        return IntervalEstimate(None)
    unit = np.arange(len(differences))
    if cluster is not None:
        _, unit = np.unique(cluster, return_inverse=True)
    if bounds is None:
        resampler = Resampler(unit)
        resampler.mean("mean", differences)
        return resampler.estimates(options)["mean"]
    value = float(np.mean(differences))
    limits = mean_interval(differences, unit, bounds, options.level)
    return IntervalEstimate.within(value, limits, SCORE)


def cluster_sums(differences: Array, cluster: NDArray[np.int64] | None) -> Reals:
    """Sum the differences within clusters; without clusters return them as they are."""
    if cluster is None:
        return np.asarray(differences, float)
    _, index = np.unique(cluster, return_inverse=True)
    return np.bincount(index, weights=differences).astype(float)


def sign_flip(
    differences: Array,
    cluster: NDArray[np.int64] | None = None,
    alternative: Alternative = "two-sided",
    draws: int = DRAWS,
    seed: int = 0,
) -> float:
    """Return the p value of a mean difference of 0, by flipping signs.

    Differences of one size make it the exact McNemar or sign test; few ones that are
    multiples of the smallest have an exact p as well. Others are drawn, and p is ``(1 +
    draws at least as far) / (1 + draws)``, never 0.

    Args:
        differences: second minus first, known for each item [shape=(n,)].
        cluster: of each item [shape=(n,)]; None: items are independent.
        draws: random assignments of signs.
    """
    sums = cluster_sums(differences, cluster)
    sums = sums[np.abs(sums) > _SAME]
    if not len(sums):
        return 1.0
    sizes, index = np.unique(np.round(np.abs(sums), 9), return_inverse=True)
    if len(sizes) == 1:
        minus = int((sums < 0).sum())
        plus = int((sums > 0).sum())
        if alternative == "greater":
            minus, plus = plus, minus
        return sign_test(minus, plus, one_sided=alternative != "two-sided")
    observed = float(sums.sum())
    counts = np.bincount(index)
    steps = np.rint(sizes / sizes[0]).astype(np.int64)
    are_whole_steps = np.allclose(steps, sizes / sizes[0])
    if are_whole_steps and int(steps @ counts) <= _EXACT:
        return _exact_p(steps, counts, round(observed / sizes[0]), alternative)
    rng = np.random.default_rng(seed)
    if len(sizes) <= _FEW:
        heads = rng.binomial(counts, 0.5, size=(draws, len(sizes)))
        drawn = (2 * heads - counts) @ sizes
    else:
        drawn = _flipped_sums(np.abs(sums), draws, rng)
    rounding = _SAME * float(np.abs(sums).sum())
    if alternative == "less":
        is_as_far = drawn <= observed + rounding
    elif alternative == "greater":
        is_as_far = drawn >= observed - rounding
    else:
        is_as_far = np.abs(drawn) >= abs(observed) - rounding
    return float((1 + is_as_far.sum()) / (1 + draws))


def _flipped_sums(sizes: Array, draws: int, rng: np.random.Generator) -> Array:
    """Draw sums of differences whose signs are random [shape=(draws,)]."""
    block = max(1, min(draws, _BLOCK // len(sizes)))
    sums = []
    for start in range(0, draws, block):
        shape = min(block, draws - start), len(sizes)
        signs = 2.0 * rng.integers(0, 2, size=shape, dtype=np.int8) - 1
        sums.append(signs @ sizes)
    return np.concatenate(sums)


def _exact_p(
    steps: NDArray[np.int64],
    counts: NDArray[np.int64],
    observed: int,
    alternative: Alternative,
) -> float:
    """Compute p from the distribution of the sum itself, of whole steps."""
    chances = np.ones(1)
    for step, count in zip(steps.tolist(), counts.tolist(), strict=True):
        chances = np.convolve(chances, coin_sums(step, count))
    sums = 2 * np.arange(len(chances)) - (len(chances) - 1)
    is_as_far = {
        "less": sums <= observed,
        "greater": sums >= observed,
        "two-sided": np.abs(sums) >= abs(observed),
    }
    return float(min(1.0, chances[is_as_far[alternative]].sum()))


def coin_sums(step: int, count: int) -> Reals:
    """Return the chances of the sums 0, 1, 2 ... of coins worth a step or nothing."""
    heads = np.arange(count + 1)
    chances = np.zeros(step * count + 1)
    if count <= COUNTED:
        chances[::step] = [comb(count, number) / 2**count for number in heads.tolist()]
    else:
        chances[::step] = np.exp(log_choose(count, heads) - count * np.log(2))
    return chances


def log_choose(number: int, chosen: Array) -> Reals:
    """Return logarithms of binomial coefficients [shape as of ``chosen``]."""
    all_orders = log_factorial(number)
    of_chosen = log_factorials(chosen)
    of_others = log_factorials(number - chosen)
    return np.asarray(all_orders - of_chosen - of_others)


#: How captions name a test by sign flips: the flips are drawn where they cannot be
#: counted.
_DRAWN = f"of which {DRAWS:,} are drawn with seed 0 where there are too many"
FLIPS_DRAWN = f"sign flips, {_DRAWN}"

#: What sentences call the test of single items, and that of items that are drawn
#: together.
MCNEMAR, SIGN_FLIP = "exact McNemar test", "sign-flip test over instructions or copies"


def tests_in_words(tests: Iterable[McNemar]) -> str:
    """Name the tests of some paired comparisons in a caption; empty without any."""
    names = dict.fromkeys(test.test for test in tests)
    if not names:
        return ""
    drawn = f", {_DRAWN}" if SIGN_FLIP in names else ""
    return f"paired p: {', '.join(names)}{drawn}"


@dataclass(frozen=True)
class McNemar:
    """Two judges on the same items, with the p value of ``test``.

    Counted are the items on which one of them alone was right.
    """

    only_first: int
    only_second: int
    p: float
    test: str = MCNEMAR


def mcnemar(differences: Array, cluster: NDArray[np.int64] | None = None) -> McNemar:
    """Test that two judges are right equally often.

    Where raters split, the one is right that is right in part where the other is not.
    Items of one cluster are no independent trials: their differences change sign
    together.

    Args:
        differences: by how much the first is right minus the second [shape=(n,)].
        cluster: of each item [shape=(n,)]; None: items are independent.
    """
    first = int((differences > 0).sum())
    second = int((differences < 0).sum())
    if cluster is None or len(np.unique(cluster)) == len(cluster):
        return McNemar(first, second, sign_test(first, second))
    return McNemar(first, second, sign_flip(differences, cluster), SIGN_FLIP)


def sign_test(first: int, second: int, one_sided: bool = False) -> float:
    """Return the exact binomial p value of two counts being equally likely.

    It is 1 without any. With ``one_sided`` only a rarer second one speaks against it.
    """
    trials = first + second
    if one_sided:
        return binomial_at_most(second, trials, 0.5)
    return min(1.0, 2 * binomial_at_most(min(first, second), trials, 0.5))


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p values for the chance of any false claim (Holm 1979).

    The i-th smallest of m is multiplied by ``m - i + 1``; the results never fall and
    never pass 1. They are in the order of the input.
    """
    p = np.asarray(p_values, float)
    order = np.argsort(p, kind="stable")
    claims_left = np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order] * claims_left)
    return [float(value) for value in np.minimum(adjusted, 1.0)]
