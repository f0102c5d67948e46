"""From the old judge's scale to the new one's, with an interval, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from trace_eval.estimate.arrays import Array
from trace_eval.estimate.limits import quantile
from trace_eval.show.table import NOTHING, Table, column, table

#: From so many points on the mapping is monotone (isotonic), with fewer it is a line.
MONOTONE_FROM = 40

#: With fewer points there is none.
LEAST = 5

#: Points that are left out in turn; of more, so many at even distances.
_MOST = 400

#: Fits new scores to old ones, and returns those of further old scores.
_Fit = Callable[[Array, Array, Array], Array]


@dataclass(frozen=True)
class Mapping:
    """A function from old scores to new ones, in the units of the scores.

    It is ``linear``, ``isotonic`` or ``none``; ``half_width`` is half of the 95 %
    prediction interval of a new point in the middle, ``left_out`` the mean absolute
    error of points that were left out in turn, and ``identity`` that of taking the old
    score for the new one. Outside of ``low`` to ``high``, the range of old scores, it
    is not to be used.
    """

    kind: str = field(
        metadata=column(
            "mapping", lambda kind, _: "no mapping" if kind == "none" else kind
        )
    )
    points: int  # that it was fitted on
    intercept: float | None = None  # of the line; None: it is none
    slope: float | None = None
    slope_error: float | None = None
    sd: float | None = field(default=None, metadata=column("residual sd", ".3g"))
    half_width: float | None = field(
        default=None, metadata=column("a new one is placed to +-", ".3g")
    )
    left_out: float | None = field(
        default=None, metadata=column("left-out error", ".3g")
    )
    identity: float | None = field(
        default=None, metadata=column("without mapping", ".3g")
    )
    low: float = field(
        default=0.0,
        metadata=column("only within", lambda low, row: f"{low:g} to {row.high:g}"),
    )
    high: float = 0.0
    reason: str | None = None  # why there is none; None: there is one
    # old and new at every step; of a line its ends
    knots: tuple[tuple[float, float], ...] = ()
    centre: float = 0.0  # mean of the old scores, for intervals off the middle
    spread: float = 0.0  # sum of their squares around it

    @property
    def line(self) -> str | None:
        """Write the line in words, with half its slope's interval; None: no line."""
        if self.slope_error is None:
            return None
        half = quantile(0.95, self.points - 2) * self.slope_error
        return f"{self.intercept:.3f} + {self.slope:.3f} first (slope +- {half:.3f})"

    def at(self, old: float) -> tuple[float, tuple[float, float]] | None:
        """Map an old score to the new scale, with its 95 % interval.

        None where there is no mapping, and outside of the range that it was fitted on.
        """
        if self.half_width is None or not self.low <= old <= self.high:
            return None
        old_knots, new_knots = np.array(self.knots).T
        value = float(np.interp(old, old_knots, new_knots))
        # variances of a new point, in those of the residuals
        in_the_middle = 1 + 1 / self.points
        off_the_middle = in_the_middle + (old - self.centre) ** 2 / self.spread
        half = self.half_width * (off_the_middle / in_the_middle) ** 0.5
        return value, (value - half, value + half)


def mapping(old: Array, new: Array) -> Mapping:
    """Fit the mapping of known scores [shape=(m,) each], by system or by item.

    It is "none" unless it beats the identity on points that were left out.
    """
    number = len(old)
    if not number:
        return _too_few(Mapping("none", 0), values=0)
    places = np.unique(old)
    low = float(places[0])
    high = float(places[-1])
    none = Mapping("none", number, low=low, high=high)
    if number < LEAST or high <= low:
        return _too_few(none, values=len(places))
    is_linear = number < MONOTONE_FROM
    fit = _linear if is_linear else _isotonic
    left_out = _left_out_error(fit, old, new)
    identity = float(np.mean(np.abs(new - old)))
    squares = (new - fit(old, new, old)) ** 2
    sd = float(np.sqrt(squares.sum() / (number - 2)))
    none = replace(none, sd=sd, left_out=left_out, identity=identity)
    if left_out >= identity:
        return replace(
            none,
            reason=f"left-out error {left_out:.3g} does not beat that of no mapping,"
            f" {identity:.3g}",
        )
    spread = float(((old - old.mean()) ** 2).sum())
    knots = places[[0, -1]] if is_linear else places
    fitted = fit(old, new, knots)
    result = replace(
        none,
        kind="linear" if is_linear else "isotonic",
        half_width=quantile(0.95, number - 2) * sd * float(np.sqrt(1 + 1 / number)),
        knots=tuple(zip(knots.tolist(), fitted.tolist(), strict=True)),
        centre=float(old.mean()),
        spread=spread,
    )
    if not is_linear:
        return result
    slope = float(fitted[1] - fitted[0]) / (high - low)
    intercept = float(fitted[0]) - slope * low
    return replace(
        result, intercept=intercept, slope=slope, slope_error=sd / spread**0.5
    )


def _too_few(none: Mapping, values: int) -> Mapping:
    reason = f"{none.points} points on {values} values; a mapping needs {LEAST}"
    return replace(none, reason=reason)


def _left_out_error(fit: _Fit, old: Array, new: Array) -> float:
    """Return the mean absolute error of points that are left out in turn."""
    tried = np.linspace(0, len(old) - 1, min(len(old), _MOST)).astype(np.int64)
    gaps: list[float] = []
    for row in np.unique(tried):
        fitted = fit(np.delete(old, row), np.delete(new, row), old[[row]])
        gaps.append(new[row] - fitted[0])
    return float(np.mean(np.abs(gaps)))


def _linear(old: Array, new: Array, at: Array) -> Array:
    deviations = old - old.mean()
    spread = (deviations**2).sum()
    slope = 0.0
    if spread > 0:
        slope = (deviations * (new - new.mean())).sum() / spread
    return np.asarray(new.mean() + slope * (at - old.mean()), float)


def _isotonic(old: Array, new: Array, at: Array) -> Array:
    """Fit the best monotone steps (pool adjacent violators), joined by lines."""
    from scipy.optimize import isotonic_regression

    places, index, counts = np.unique(old, return_inverse=True, return_counts=True)
    means = np.bincount(index, weights=new) / counts
    fitted = isotonic_regression(means, weights=counts.astype(float)).x
    return np.asarray(np.interp(at, places, fitted), float)


def mapping_table(results: Mapping) -> Table:
    """Build the table that maps old to new scores, or say why there is none."""
    return table(
        "Mapping of first to second",
        [results],
        "kind points line sd half_width left_out identity low",
        results.reason
        or "first scores stay as they are; mapped ones stand beside them; +- and limits: 95% by"
        " Student's t",
        line="second =",
    )


def mapped_cells(results: Mapping | None, old: float | None) -> tuple[str, str]:
    """Print an old score on the new scale, and its 95 % interval."""
    if results is None or old is None:
        return NOTHING, NOTHING
    mapped = results.at(old)
    if mapped is None:
        return NOTHING, NOTHING
    value, (low, high) = mapped
    return f"{value:.4g}", f"{low:.3g} to {high:.3g}"
