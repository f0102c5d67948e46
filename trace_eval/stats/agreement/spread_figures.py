"""Figures on a judge's own uncertainty: variance, calibration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.resample import UNIT
from trace_eval.stats.agreement.calibration import add_dispersion, central
from trace_eval.stats.agreement.figures import FigureBook
from trace_eval.stats.agreement.forecasts import OPINIONS
from trace_eval.stats.agreement.scored import Basis
from trace_eval.stats.agreement.spearman import add_spearman
from trace_eval.stats.agreement.study import JudgeScores, Study
from trace_eval.stats.agreement.variance import mean_forecast, rated_often

Array = NDArray[Any]

#: Names of the forecasts of variance that know nothing.
ALWAYS_ZERO, FROM_MEAN, FROM_PEOPLE = "always 0", "c m (1 - m), {}", "c m (1 - m), people's mean"


def add_variance(book: FigureBook, study: Study, judges: list[JudgeScores], factor: float) -> None:
    """Error and rank correlation of variances, the judges' and the trivial forecasts'."""
    people = study.people
    chosen = rated_often(people)
    row = np.flatnonzero(chosen)
    truth = people.variance[chosen]
    forecasts: dict[str, Array | None] = {
        judge.name: None if _variance(judge) is None else _variance(judge)[chosen]  # type: ignore[index]
        for judge in judges
    }
    forecasts[ALWAYS_ZERO] = np.zeros(len(row))
    forecasts[FROM_PEOPLE] = mean_forecast(factor, people.mean[chosen])
    for judge in judges:
        forecasts[FROM_MEAN.format(judge.name)] = mean_forecast(factor, judge.mean[chosen])
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


def add_calibration(book: FigureBook, study: Study, judge: JudgeScores) -> None:
    """Dispersion, and coverage of the central 80 % beside what the forecast claims for it."""
    people, resampler, row = study.people, book.resampler, study.people.row
    variance = _variance(judge)
    basis, missing = Basis(len(row), "ratings"), "it states no variance"
    if people.opinions:  # means of several people vary less than their ratings
        variance, missing = None, OPINIONS
    book.add(
        "calibration",
        judge.name,
        "dispersion",
        basis if variance is not None else replace(basis, reason=missing),
        None
        if variance is None
        else lambda key: add_dispersion(
            resampler, key, judge.mean[row], variance[row], people.value, row
        ),
    )
    if people.opinions or judge.shares is None or np.isnan(judge.shares).any():
        reason = OPINIONS if people.opinions else "it states no distribution"
        for name in ("coverage_80", "claimed_80"):
            book.add("calibration", judge.name, name, replace(basis, reason=reason))
        return
    first, last, claimed = central(judge.shares)
    label = study.nearest(people.value)
    inside = (label >= first[row]) & (label <= last[row])
    shares = {"coverage_80": inside, "claimed_80": claimed[row]}
    for name, share in shares.items():

        def register(key: str, share: Array = share) -> None:
            resampler.mean(key, share, row, UNIT)

        book.add("calibration", judge.name, name, basis, register)


def _variance(judge: JudgeScores) -> Array | None:
    """A variance for every item, or none."""
    if judge.variance is None or np.isnan(judge.variance).any():
        return None
    return judge.variance
