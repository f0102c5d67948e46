"""From the old judge's scale to the new one's, with an interval, or not at all."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from trace_eval.estimate.arrays import Array
from trace_eval.show.table import NOTHING, Table, column, table

#: From so many points on the mapping is monotone (isotonic), with fewer it is a line.
MONOTONE_FROM = 40

#: With fewer points there is none.
LEAST = 5

#: Points that are left out in turn; of more, so many at even distances.
_MOST = 400


@dataclass(frozen=True)
class Mapping:
    """How old scores become new ones, in the units of the scores.

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
        """The line in words, with half of the 95 % interval of its slope; None: there is none."""
        if self.slope_error is None:
            return None
        half = _t(self.points - 2) * self.slope_error
        return f"{self.intercept:.3f} + {self.slope:.3f} first (slope +- {half:.3f})"

    def at(self, old: float) -> tuple[float, tuple[float, float]] | None:
        """Map an old score to the new scale, with its 95 % interval.

        None where there is no mapping, and outside of the range that it was fitted on.
        """
        if self.half_width is None or not self.low <= old <= self.high:
            return None
        knots = np.array(self.knots)
        value = float(np.interp(old, knots[:, 0], knots[:, 1]))
        one = 1 + 1 / self.points
        half = (
            self.half_width
            * ((one + (old - self.centre) ** 2 / self.spread) / one) ** 0.5
        )
        return value, (value - half, value + half)


def mapping(old: Array, new: Array) -> Mapping:
    """Fit the mapping of scores that are all known [shape=(m,) each], by system or item.

    It is "none" unless it beats the identity on points that were left out.
    """
    number, places = len(old), np.unique(old)
    low, high = (float(places[0]), float(places[-1])) if number else (0.0, 0.0)
    none = Mapping("none", number, low=low, high=high)
    if number < LEAST or high <= low:
        return replace(
            none,
            reason=f"{number} points on {len(places)} values; a mapping needs {LEAST}",
        )
    linear = number < MONOTONE_FROM
    fit = _linear if linear else _isotonic
    chosen = np.unique(np.linspace(0, number - 1, min(number, _MOST)).astype(np.int64))
    gaps = [
        new[row] - fit(np.delete(old, row), np.delete(new, row), old[[row]])[0]
        for row in chosen
    ]
    away, identity = float(np.mean(np.abs(gaps))), float(np.mean(np.abs(new - old)))
    sd = float(np.sqrt(((new - fit(old, new, old)) ** 2).sum() / (number - 2)))
    none = replace(none, sd=sd, left_out=away, identity=identity)
    if away >= identity:
        message = (
            f"left-out error {away:.3g} does not beat that of no mapping,"
            f" {identity:.3g}"
        )
        return replace(none, reason=message)
    spread = float(((old - old.mean()) ** 2).sum())
    ends = places[[0, -1]] if linear else places
    fitted = fit(old, new, ends)
    result = replace(
        none,
        kind="linear" if linear else "isotonic",
        half_width=_t(number - 2) * sd * float(np.sqrt(1 + 1 / number)),
        knots=tuple(zip(ends.tolist(), fitted.tolist(), strict=True)),
        centre=float(old.mean()),
        spread=spread,
    )
    if not linear:
        return result
    slope = float(fitted[1] - fitted[0]) / (high - low)
    intercept = float(fitted[0]) - slope * low
    return replace(
        result, intercept=intercept, slope=slope, slope_error=sd / spread**0.5
    )


def _linear(old: Array, new: Array, at: Array) -> Array:
    off = old - old.mean()
    spread = (off**2).sum()
    slope = (off * (new - new.mean())).sum() / spread if spread > 0 else 0.0
    return np.asarray(new.mean() + slope * (at - old.mean()), float)


def _isotonic(old: Array, new: Array, at: Array) -> Array:
    """Fit the best monotone steps (pool adjacent violators), straight lines between them."""
    from scipy.optimize import isotonic_regression

    places, index, counts = np.unique(old, return_inverse=True, return_counts=True)
    means = np.bincount(index, weights=new) / counts
    fitted = isotonic_regression(means, weights=counts.astype(float)).x
    return np.asarray(np.interp(at, places, fitted), float)


def _t(freedom: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.975))


def mapping_table(results: Mapping) -> Table:
    """Build the table of the mapping from old to new scores, or say why there is none."""
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
    at = None if results is None or old is None else results.at(old)
    if at is None:
        return NOTHING, NOTHING
    return f"{at[0]:.4g}", f"{at[1][0]:.3g} to {at[1][1]:.3g}"
