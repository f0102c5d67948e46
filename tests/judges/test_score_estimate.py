"""Samples to scores, and judges to a mixture; expected values are computed by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusion import OffScale, likert
from trace_eval.data.score_estimates import (
    element_means,
    min_usable,
    of_distribution,
    pool,
    reduce_samples,
)
from trace_eval.data.scores import ScoreEstimate

SCALE = likert(1, 5)


def test_too_few_usable_samples_are_no_score() -> None:
    assert reduce_samples([4, 4, None, None, None], SCALE) is None
    assert reduce_samples([], SCALE) is None
    assert reduce_samples([4, 4, None, None, None], SCALE, minimum=2) is not None
    assert [min_usable(n) for n in (1, 2, 3, 4, 5, 7)] == [1, 2, 2, 3, 3, 4]


def test_a_number_off_the_scale_is_refused() -> None:
    with pytest.raises(OffScale, match="6"):
        reduce_samples([6], SCALE)


def test_a_stated_distribution() -> None:
    """Logits (0, 0, 0, 0, ln 4): shares 1/8 and 1/2, mean .6875, variance .136719."""
    estimate = of_distribution({1: 0.125, 2: 0.125, 3: 0.125, 4: 0.125, 5: 0.5}, SCALE)
    assert estimate.mean == pytest.approx(0.6875)
    assert estimate.value == pytest.approx(3.75)
    assert estimate.variance == pytest.approx(0.136719, abs=5e-7)
    assert estimate.sd is None
    with pytest.raises(ValueError, match="not a distribution"):
        of_distribution({1: 0.5}, SCALE)


def test_elements_stand_beside_the_total() -> None:
    assert element_means([{"pace": 4, "pitch": None}, {"pace": 3}, {}]) == {
        "pace": 3.5,
        "pitch": None,
    }


def test_pooling_by_hand() -> None:
    """Means 0, .5 and 1 weigh 1, 1 and 2.

    So the mean is .625, and the variance between them (.390625+.015625+.28125)/4.
    """
    pooled = pool(
        [ScoreEstimate(mean=mean, variance=0) for mean in (0, 0.5, 1)], [1, 1, 2]
    )
    assert pooled.mean == pytest.approx(0.625)
    assert pooled.within == 0
    assert pooled.between == pytest.approx(0.171875)


def test_single_opinions_have_a_variance_between_them_only() -> None:
    pooled = pool([ScoreEstimate(mean=mean) for mean in (0, 0.5, 1)], [1, 1, 1])
    assert pooled.within is None
    assert pooled.variance == pooled.between == pytest.approx(1 / 6)
    assert pool([ScoreEstimate(mean=0.5)], [1]).variance is None


_SHARES = st.lists(st.floats(0.01, 1), min_size=5, max_size=5)


@given(st.lists(st.tuples(_SHARES, st.floats(0.01, 3)), min_size=1, max_size=5))
def test_parts_of_the_variance_add_up_to_that_of_the_mixture(
    given_parts: list[tuple[list[float], float]],
) -> None:
    parts = []
    for shares, _ in given_parts:
        whole = sum(shares)
        distribution = {k: share / whole for k, share in enumerate(shares, 1)}
        parts.append(of_distribution(distribution, SCALE))
    weights = [weight for _, weight in given_parts]
    mixed = {}
    for label in map(float, range(1, 6)):
        weighted = zip(weights, parts, strict=True)
        total = sum(weight * part.distribution[label] for weight, part in weighted)
        mixed[label] = total / sum(weights)
    found = pool(
        [ScoreEstimate(mean=p.mean, variance=p.variance) for p in parts], weights
    )
    assert found.variance == pytest.approx(SCALE.variance(mixed), abs=1e-12)
    assert found.mean == pytest.approx(SCALE.mean(mixed), abs=1e-12)
