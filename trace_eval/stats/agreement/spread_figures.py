"""Figures on a judge's own uncertainty: variance, calibration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.resample import UNIT
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.scale import levels_of, nearest
from trace_eval.stats.agreement.calibration import add_dispersion, central
from trace_eval.stats.agreement.figures import FigureBook
from trace_eval.stats.agreement.forecasts import OPINIONS
from trace_eval.stats.agreement.judges import Judge
from trace_eval.stats.agreement.scored import Basis, ratings_of, scale_of
from trace_eval.stats.agreement.spearman import add_spearman
from trace_eval.stats.agreement.variance import mean_forecast, rated_often

Array = NDArray[Any]

#: Names of the forecasts of variance that know nothing.
ALWAYS_ZERO, FROM_MEAN, FROM_PEOPLE = "always 0", "c m (1 - m), {}", "c m (1 - m), people's mean"


def add_variance(book: FigureBook, items: Opinions, judges: list[Judge], factor: float) -> None:
    """Error and rank correlation of variances, the judges' and the trivial forecasts'."""
    chosen = rated_often(items)
    row = np.flatnonzero(chosen)
    truth = items.scores["variance"][chosen]
    stated = {judge.name: _variance(judge.joined) for judge in judges}
    forecasts = {who: None if of is None else of[chosen] for who, of in stated.items()}
    forecasts[ALWAYS_ZERO] = np.zeros(len(row))
    forecasts[FROM_PEOPLE] = mean_forecast(factor, items.score[chosen])
    for judge in judges:
        forecasts[FROM_MEAN.format(judge.name)] = mean_forecast(factor, judge.joined.score[chosen])
    for who, forecast in forecasts.items():
        _add_forecast(book, who, forecast, truth, row)


def _add_forecast(
    book: FigureBook, who: str, forecast: Array | None, truth: Array, row: Array
) -> None:
    resampler = book.resampler
    reason = "it states no variance" if forecast is None else None

    def mae(key: str) -> None:
        assert forecast is not None
        resampler.error(key, abs(forecast - truth), row)

    def rho(key: str) -> None:
        assert forecast is not None
        add_spearman(resampler, key, forecast, truth, row)

    register: dict[str, Callable[[str], None]] = {"mae_of_variance": mae, "rho_of_variance": rho}
    for name, add in register.items():
        book.add("variance", who, name, Basis(len(row), reason=reason), None if reason else add)


def add_calibration(book: FigureBook, items: Opinions, judge: Judge) -> None:
    """Dispersion, and coverage of the central 80 % beside what the forecast claims for it."""
    ratings, resampler, said = ratings_of(items), book.resampler, judge.joined
    row, means = ratings.item, "mos" in ratings.facts
    variance, stated = _variance(said), said.scores.get("shares")
    basis, missing = Basis(len(row), "ratings"), "it states no variance"
    if means:  # of of several people vary less than their ratings
        variance, missing = None, OPINIONS
    book.add(
        "calibration",
        judge.name,
        "dispersion",
        basis if variance is not None else replace(basis, reason=missing),
        None
        if variance is None
        else lambda key: add_dispersion(
            resampler, key, said.score[row], variance[row], ratings.score, row
        ),
    )
    if means or stated is None or np.isnan(stated).any():
        reason = OPINIONS if means else "it states no distribution"
        for name in ("coverage_80", "claimed_80"):
            book.add("calibration", judge.name, name, replace(basis, reason=reason))
        return
    first, last, claimed = central(stated)
    label = nearest(levels_of(scale_of(items)), ratings.score)
    inside = (label >= first[row]) & (label <= last[row])
    shares = {"coverage_80": inside, "claimed_80": claimed[row]}
    for name, share in shares.items():

        def register(key: str, share: Array = share) -> None:
            resampler.mean(key, share, row, UNIT)

        book.add("calibration", judge.name, name, basis, register)


def _variance(judge: Opinions) -> Array | None:
    """A variance for every item, or none."""
    variance = judge.scores.get("variance")
    return None if variance is None or np.isnan(variance).any() else variance
