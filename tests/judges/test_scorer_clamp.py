"""Clamping: exact bounds, and an exact search."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from trace_eval.scores.clamp import clamped, fit_clamp, objective

share = st.floats(0, 1).map(lambda value: round(value, 2))


def test_the_bounds_themselves_stay() -> None:
    mean = np.array([0.0, 0.1, 0.125, 0.5, 0.875, 0.9, 0.9])
    variance = np.array([0.01, 0.02, 0.0, 0.0, 0.0, 0.02, 0.03])
    assert clamped(mean, variance, 0.02).tolist() == [0.0, 0.0, 0.125, 0.5, 0.875, 1.0, 0.9]
    assert clamped(mean, variance, None) is mean


@settings(max_examples=40)
@given(st.lists(st.tuples(share, share.map(lambda v: v / 4), share), min_size=3, max_size=12))
def test_the_search_finds_what_trying_everything_finds(rows: list[tuple[float, ...]]) -> None:
    mean, variance, truth = (np.array(column) for column in zip(*rows, strict=True))
    found = fit_clamp(mean, variance, truth)
    tried = [objective(clamped(mean, variance, v), truth) for v in np.linspace(0, 0.26, 131)]
    values = [value for value in tried if value is not None]
    if found.unclamped is None:
        return
    assert found.objective is not None
    assert found.objective >= max([*values, found.unclamped]) - 1e-12
    if found.threshold is None:
        assert found.objective == found.unclamped
    else:
        assert found.objective > found.unclamped
        assert objective(clamped(mean, variance, found.threshold), truth) == found.objective


def test_off_wins_ties() -> None:
    mean, truth = np.array([0.3, 0.5, 0.7]), np.array([0.25, 0.5, 0.75])
    assert fit_clamp(mean, np.full(3, 0.01), truth).threshold is None
