"""Whether a judge's uncertainty follows the disagreement of raters.

Error of its variance stands beside two that know nothing. Only items with three ratings
or more, and the unbiased variance: with fewer, or with singletons counted as 0, most of
the truth is 0 by construction and so is the best forecast.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from trace_eval.estimate.arrays import Array, Reals
from trace_eval.estimate.ranks import add_spearman
from trace_eval.estimate.resample import UNIT
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.ratings import levels_of, nearest
from trace_eval.opinions.units import WholeNumbers
from trace_eval.stats.agreement.figures import AgreementFigure, FigureBook
from trace_eval.stats.agreement.forecasts import OPINIONS
from trace_eval.stats.agreement.judges import JudgeOpinions
from trace_eval.stats.agreement.scored import Basis, rated_often, ratings_of, scale_of


def fit_factor(mean: Array, variance: Array) -> float:
    """Fit c of the forecast ``c mean (1 - mean)`` with the least absolute error.

    It is the weighted median of ``variance / (mean (1 - mean))`` with weights ``mean
    (1 - mean)``; 0 where every mean is at an end.
    """
    weight = mean * (1 - mean)
    has_weight = weight > 0
    if not has_weight.any():
        return 0.0
    weight = weight[has_weight]
    ratios = variance[has_weight] / weight
    order = np.argsort(ratios)
    weight_up_to = np.cumsum(weight[order])
    middle = np.searchsorted(weight_up_to, weight.sum() / 2)
    last = len(order) - 1
    return float(ratios[order][min(middle, last)])


def mean_forecast(factor: float, mean: Array) -> Reals:
    """Return the variance that a score's distance from the ends alone suggests."""
    return np.asarray(factor * mean * (1 - mean))


#: The central share of a forecast whose coverage is reported.
CENTRAL = 0.8


def _dispersion(sums: Array) -> Array:
    """Compute ``sum (y - mean)^2 / sum variance`` over ratings.

    1 is right, more is too sure.
    """
    squared_error = sums[..., 0]
    variance = sums[..., 1]
    has_variance = variance > 0
    divisor = np.where(has_variance, variance, 1)
    return np.where(has_variance, squared_error / divisor, np.nan)


def central(
    shares: Array,
) -> tuple[WholeNumbers, WholeNumbers, Reals]:
    """Return first and last label of the central 80 %, and the forecast's share there.

    They are the labels at the 10 % and 90 % quantiles [shape=(n,) each], from shares
    [shape=(n, labels)].

    A discrete forecast cannot hold exactly 80 %, so what it claims stands beside what
    is covered.
    """
    up_to_label = np.cumsum(shares, axis=1)
    tail = (1 - CENTRAL) / 2
    first = (up_to_label < tail - 1e-12).sum(1)
    beyond = (up_to_label < 1 - tail - 1e-12).sum(1)
    last = np.minimum(beyond, shares.shape[1] - 1)
    rows = np.arange(len(shares))
    before_first = up_to_label[rows, np.maximum(first - 1, 0)]
    before_first = np.where(first > 0, before_first, 0.0)
    return first, last, up_to_label[rows, last] - before_first


#: Why a judge has no figure of its variance.
NO_VARIANCE = "it states no variance"

#: Names of the forecasts of variance that know nothing.
ALWAYS_ZERO, FROM_MEAN = "always 0", "c m (1 - m), {}"
FROM_HUMAN_MEAN = FROM_MEAN.format("people's mean")


def add_variance(
    book: FigureBook, items: Opinions, judges: list[JudgeOpinions], factor: float
) -> None:
    """Add error and rank correlation of variances.

    They are the judges', and those of the forecasts that know nothing.
    """
    often = rated_often(items)
    row = np.flatnonzero(often)
    truth = items.scores["variance"][often]
    forecasts: dict[str, Array | None] = {}
    for judge in judges:
        variance = _variance(judge.joined)
        forecasts[judge.name] = None if variance is None else variance[often]
    forecasts[ALWAYS_ZERO] = np.zeros(len(row))
    forecasts[FROM_HUMAN_MEAN] = mean_forecast(factor, items.score[often])
    for judge in judges:
        mean = judge.joined.score[often]
        forecasts[FROM_MEAN.format(judge.name)] = mean_forecast(factor, mean)
    for who, forecast in forecasts.items():
        if forecast is None:
            basis = Basis(len(row), reason=NO_VARIANCE)
            book.add("variance", who, "mae_of_variance", basis)
            book.add("variance", who, "rho_of_variance", basis)
            continue
        basis = Basis(len(row))
        error = abs(forecast - truth)
        mae = partial(book.resampler.error, values=error, row=row)
        rho = partial(add_spearman, book.resampler, x=forecast, y=truth, row=row)
        book.add("variance", who, "mae_of_variance", basis, register=mae)
        book.add("variance", who, "rho_of_variance", basis, register=rho)


def add_calibration(book: FigureBook, items: Opinions, judge: JudgeOpinions) -> None:
    """Add dispersion, and coverage of the central 80 % beside what is claimed."""
    ratings = ratings_of(items)
    are_means = "mos" in ratings.facts
    _add_dispersion(book, ratings, judge, are_means)
    shares = judge.joined.scores.get("shares")
    row = ratings.item
    if are_means or shares is None or np.isnan(shares).any():
        reason = OPINIONS if are_means else "it states no distribution"
        basis = Basis(len(row), "ratings", reason)
        for name in ("coverage_80", "claimed_80"):
            book.add("calibration", judge.name, name, basis)
        return
    first, last, claimed = central(shares)
    label = nearest(levels_of(scale_of(items)), ratings.score)
    covered = (label >= first[row]) & (label <= last[row])
    basis = Basis(len(row), "ratings")
    for name, values in (("coverage_80", covered), ("claimed_80", claimed[row])):
        mean = partial(book.resampler.mean, values=values, row=row, bounds=UNIT)
        book.add("calibration", judge.name, name, basis, register=mean)


def _add_dispersion(
    book: FigureBook, ratings: Opinions, judge: JudgeOpinions, are_means: bool
) -> None:
    """Add the ratings' squared error over the variance that the judge states.

    Means of several annotators vary less than their ratings, and have no dispersion.
    """
    row = ratings.item
    variance = _variance(judge.joined)
    if are_means or variance is None:
        reason = OPINIONS if are_means else NO_VARIANCE
        basis = Basis(len(row), "ratings", reason)
        book.add("calibration", judge.name, "dispersion", basis)
        return
    squared_error = (ratings.score - judge.joined.score[row]) ** 2
    dispersion = partial(
        book.resampler.sums,
        columns=(squared_error, variance[row]),
        statistic=_dispersion,
        row=row,
    )
    basis = Basis(len(row), "ratings")
    book.add("calibration", judge.name, "dispersion", basis, register=dispersion)


def _variance(judge: Opinions) -> Array | None:
    """Return a variance for every item, or None."""
    variance = judge.scores.get("variance")
    if variance is None or np.isnan(variance).any():
        return None
    return variance


#: Figures that are compared -> (title, whether more is better).
COMPARED: dict[str, tuple[str, bool]] = {
    "rho": ("rho", True),
    "mae": ("MAE", False),
    "crps": ("CRPS", False),
}

#: Differences below this are none.
_SAME = 1e-9


def verdict(
    judge: str, baselines: Sequence[str], figures: Sequence[AgreementFigure]
) -> str:
    """Say whether it is above all baselines, or below which of them and by how much."""
    values: dict[tuple[str, str, str], float | None] = {}
    for figure in figures:
        values[figure.group, figure.who, figure.name] = figure.estimate.value
    worse: list[str] = []
    compared: list[str] = []
    undefined: list[str] = []
    for name, (title, more_is_better) in COMPARED.items():
        own = values.get(("agreement", judge, name))
        if own is None:
            undefined.append(title)
            continue
        of_rules = {rule: values.get(("agreement", rule, name)) for rule in baselines}
        rival = _best(of_rules, more_is_better)
        if rival is None:
            continue
        compared.append(title)
        best, rule = rival
        lead = own - best if more_is_better else best - own
        if lead < -_SAME:
            worse.append(f"{title} {own:.4f} against {best:.4f} of {rule}")
    own = values.get(("variance", judge, "mae_of_variance"))
    of_rules = {}
    for rule in (ALWAYS_ZERO, FROM_MEAN.format(judge)):
        of_rules[rule] = values.get(("variance", rule, "mae_of_variance"))
    rival = _best(of_rules, more_is_better=False)
    if own is not None and rival is not None:
        best, rule = rival
        if own - best > _SAME:
            worse.append(f"MAE of variance {own:.4f} against {best:.4f} of {rule}")
    if not compared:
        return f"{judge}: nothing could be compared with a baseline."
    tail = f"; it has no {' and no '.join(undefined)}" if undefined else ""
    if worse:
        return (
            f"{judge} is below a baseline that needs no judge:"
            f" {'; '.join(worse)}{tail}."
        )
    return f"{judge} is at or above every baseline in {', '.join(compared)}{tail}."


def _best(
    values: Mapping[str, float | None], more_is_better: bool
) -> tuple[float, str] | None:
    """Return the best known value and whose it is; None where none is known."""
    known: list[tuple[float, str]] = []
    for who, value in values.items():
        if value is not None:
            known.append((value, who))
    if not known:
        return None
    return max(known) if more_is_better else min(known)
