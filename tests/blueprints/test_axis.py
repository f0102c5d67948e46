"""Contours keep the clip's clock."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blueprints import Contour, UserError, resample


def contour(
    values: list[float | None], start_s: float = 0.5, step_s: float = 1.0
) -> Contour:
    return Contour(start_s=start_s, step_s=step_s, values=values)


NULL = None


@pytest.mark.parametrize(
    ("values", "start_s", "seconds", "bins"),
    [
        # 6 samples at 0.5 ... 5.5 s, 3 bins of 2 s: (1+3)/2, (5), (7+9)/2.
        ([1, 3, NULL, 5, 7, 9], 0.5, 6.0, [2.0, 5.0, 8.0]),
        # Voice at 0-2 s and 8-10 s. Interpolating over voiced frames alone, as TRACE's
        # released code does, would put the second stretch (200) at 5 s.
        (
            [100, 100, *[NULL] * 6, 200, 200],
            0.5,
            10.0,
            [100.0, NULL, NULL, NULL, 200.0],
        ),
        # 2 samples at 4.5 and 5.5 s of a 10 s clip, 5 bins of 2 s: only [4, 6) is
        # known.
        ([1, 3], 4.5, 10.0, [NULL, NULL, 2.0, NULL, NULL]),
        # 2 samples at 0.5 and 1.5 s, 4 bins of 0.5 s with middles 0.25, 0.75, 1.25,
        # 1.75 s: each takes the nearest one within half a step.
        ([1, 3], 0.5, 2.0, [1.0, 1.0, 3.0, 3.0]),
        ([1, NULL], 0.5, 2.0, [1.0, 1.0, NULL, NULL]),
        # Samples at 0.5, 1.5, 2.5 s of a 2 s clip: the last two share the bin [1, 2).
        ([1, 3, 5], 0.5, 2.0, [1.0, 4.0]),
        ([], 0.5, 1.0, [NULL, NULL, NULL]),
        ([1.7e308, 1.7e308, NULL], 0.5, 3.0, [1.7e308]),  # whose sum is no float
    ],
)
def test_bins_are_means_of_the_known_values_on_the_clips_clock(
    values: list[float | None], start_s: float, seconds: float, bins: list[float | None]
) -> None:
    assert resample(contour(values, start_s), len(bins), seconds) == bins


@pytest.mark.parametrize(
    ("points", "seconds"),
    [(0, 1.0), (-1, 1.0), (3, 0.0), (3, -1.0), (3, math.nan), (3, math.inf)],
)
def test_impossible_axes_are_refused(points: int, seconds: float) -> None:
    with pytest.raises(UserError, match="resample"):
        resample(contour([1]), points, seconds)


@settings(max_examples=60)
@given(
    st.lists(st.none() | st.floats(-1e300, 1e300), max_size=50),
    st.integers(1, 30),
    st.floats(1e-300, 1e300),
    st.floats(0, 1e300),
    st.floats(1e-300, 1e300),
)
def test_any_contour_stays_finite_and_within_its_own_range(
    values: list[float | None],
    points: int,
    seconds: float,
    start_s: float,
    step_s: float,
) -> None:
    known = [v for v in values if v is not None]
    out = resample(contour(values, start_s, step_s), points, seconds)
    assert len(out) == points
    for value in out:
        assert value is None or math.isfinite(value)
        # Summing n terms v/n rounds in the last digits: a relative tolerance of 1e-9.
        slack = 1e-9 * max(map(abs, known), default=0.0)
        assert value is None or min(known) - slack <= value <= max(known) + slack
