from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusion import CELLS, POLICIES, RATINGS, Rating, entropy, fuse_distributions, mode

A, B, GOOD, BAD = RATINGS


def _distributions() -> st.SearchStrategy[dict[Rating, float]]:
    weights = st.lists(st.integers(0, 20), min_size=4, max_size=4).filter(any)
    return weights.map(
        lambda w: {r: x / sum(w) for r, x in zip(RATINGS, w, strict=True)}
    )


def test_certain_inputs_are_the_policy_itself() -> None:
    for policy in POLICIES.values():
        for cell in CELLS:
            fused = fuse_distributions(policy, *({rating: 1.0} for rating in cell))
            assert fused == {r: float(r is policy(*cell)) for r in RATINGS}


def test_half_and_half_by_hand() -> None:
    # C is 1 or both_good with 1/2 each; P is 2 or both_good with 1/4 and 3/4; VQ is
    # both_good. content_first: C=1 -> 1 (1/2); C=both_good and P=2 -> 2 (1/8); else
    # both_good (3/8).
    fused = fuse_distributions(
        POLICIES["content_first"],
        {A: 0.5, GOOD: 0.5},
        {GOOD: 1.0},
        {B: 0.25, GOOD: 0.75},
    )
    assert fused == {A: 0.5, B: 0.125, GOOD: 0.375, BAD: 0.0}


@given(_distributions(), _distributions(), _distributions())
def test_sums_to_one_and_swaps(
    c: dict[Rating, float], vq: dict[Rating, float], p: dict[Rating, float]
) -> None:
    for policy in POLICIES.values():
        fused = fuse_distributions(policy, c, vq, p)
        assert math.fsum(fused.values()) == pytest.approx(1, abs=1e-12)
        mirrored = fuse_distributions(policy, _swapped(c), _swapped(vq), _swapped(p))
        assert _swapped(mirrored) == pytest.approx(fused, abs=1e-12)


def _swapped(distribution: dict[Rating, float]) -> dict[Rating, float]:
    """Return what the same votes say of the two answers in the other order."""
    return {rating.swapped: share for rating, share in distribution.items()}


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({A: 0.5}, "voice_quality: probabilities sum to 0.5"),
        ({A: 1.5, B: -0.5}, "= 1.5; give a probability"),
        ({A: math.nan}, "= nan; give a probability"),
    ],
)
def test_what_is_no_distribution_is_refused(
    bad: dict[Rating, float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        fuse_distributions(POLICIES["content_first"], {A: 1.0}, bad, {A: 1.0})


def test_entropy_in_bits() -> None:
    assert entropy({A: 1.0}) == 0
    assert entropy({A: 0.5, B: 0.5}) == 1
    assert entropy(dict.fromkeys(RATINGS, 0.25)) == 2


@pytest.mark.parametrize(
    ("distribution", "expected"),
    [
        ({A: 0.4, B: 0.3, BAD: 0.3}, A),
        ({A: 0.5, B: 0.5}, GOOD),
        ({A: 0.5, BAD: 0.5}, A),
        ({GOOD: 0.5, BAD: 0.5}, GOOD),
        ({A: 0.4, B: 0.4, BAD: 0.2}, GOOD),
        (
            {A: 1 / 3, B: 1 / 3, BAD: 1 / 3},
            BAD,
        ),  # one of three tied ratings accepts each
        ({B: 0.1 + 0.2, A: 0.3, BAD: 0.4}, BAD),
        ({B: (0.1 + 0.2) * 2, A: 0.6 - 0.2, BAD: 0.0}, B),
    ],
)
def test_mode_and_its_tie_rule(
    distribution: dict[Rating, float], expected: Rating
) -> None:
    total = math.fsum(distribution.values())
    shares = {rating: value / total for rating, value in distribution.items()}
    assert mode(shares) is expected


@given(_distributions())
def test_mode_is_symmetric(distribution: dict[Rating, float]) -> None:
    mirrored = {rating.swapped: value for rating, value in distribution.items()}
    assert mode(mirrored) is mode(distribution).swapped
