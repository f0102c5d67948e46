"""Whether a judge's uncertainty follows the disagreement of raters, and how sure it may be.

Error of its variance stands beside two that know nothing. Only items with three ratings
or more, and the unbiased variance: with fewer, or with singletons counted as 0, most of
the truth is 0 by construction and so is the best forecast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array
from trace_eval.estimate.ranks import add_spearman
from trace_eval.estimate.resample import UNIT
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.ratings import levels_of, nearest
from trace_eval.stats.agreement.figures import AgreementFigure, FigureBook
from trace_eval.stats.agreement.forecasts import OPINIONS
from trace_eval.stats.agreement.judges import JudgeOpinions
from trace_eval.stats.agreement.scored import Basis, rated_often, ratings_of, scale_of


def fit_factor(mean: Array, variance: Array) -> float:
    """Fit c of the forecast ``c mean (1 - mean)`` with the least absolute error.

    The weighted median of variance / (mean (1 - mean)) with weights mean (1 - mean); 0
    where every mean is at an end.
    """
    room = mean * (1 - mean)
    variance, room = variance[room > 0], room[room > 0]
    if not len(room):
        return 0.0
    order = np.argsort(variance / room)
    half = np.searchsorted(np.cumsum(room[order]), room.sum() / 2)
    return float((variance / room)[order][min(half, len(order) - 1)])


def mean_forecast(factor: float, mean: Array) -> NDArray[np.float64]:
    """Return the variance that a score's distance from the ends alone suggests."""
    return np.asarray(factor * mean * (1 - mean))


#: The central share of a forecast whose coverage is reported.
CENTRAL = 0.8


def _dispersion(sums: Array) -> Array:
    """Compute ``sum (y - mean)^2 / sum variance`` over ratings: 1 is right, more too sure."""
    squares, stated = sums[..., 0], sums[..., 1]
    return np.where(stated > 0, squares / np.where(stated > 0, stated, 1), np.nan)


def central(
    shares: Array,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the first and last label of the central 80 %, and the forecast's share there.

    They are the labels at the 10 % and 90 % quantiles [shape=(n,) each], from shares
    [shape=(n, labels)].

    A discrete forecast cannot hold exactly 80 %, so what it claims stands beside what
    is covered.
    """
    below = np.cumsum(shares, axis=1)
    tail = (1 - CENTRAL) / 2
    first = (below < tail - 1e-12).sum(1)
    last = np.minimum((below < 1 - tail - 1e-12).sum(1), shares.shape[1] - 1)
    rows = np.arange(len(shares))
    before = np.where(first > 0, below[rows, np.maximum(first - 1, 0)], 0.0)
    return first, last, below[rows, last] - before


#: Why a judge has no figure of its variance.
NO_VARIANCE = "it states no variance"

#: Names of the forecasts of variance that know nothing.
ALWAYS_ZERO, FROM_MEAN = "always 0", "c m (1 - m), {}"
FROM_HUMAN_MEAN = FROM_MEAN.format("people's mean")


def add_variance(
    book: FigureBook, items: Opinions, judges: list[JudgeOpinions], factor: float
) -> None:
    """Add error and rank correlation of variances, the judges' and the trivial forecasts'."""
    chosen = rated_often(items)
    row = np.flatnonzero(chosen)
    truth = items.scores["variance"][chosen]
    stated = {judge.name: _variance(judge.joined) for judge in judges}
    forecasts = {who: None if of is None else of[chosen] for who, of in stated.items()}
    forecasts[ALWAYS_ZERO] = np.zeros(len(row))
    forecasts[FROM_HUMAN_MEAN] = mean_forecast(factor, items.score[chosen])
    for judge in judges:
        forecasts[FROM_MEAN.format(judge.name)] = mean_forecast(
            factor, judge.joined.score[chosen]
        )
    for who, forecast in forecasts.items():
        basis, mae, rho = Basis(len(row), reason=NO_VARIANCE), None, None
        if forecast is not None:
            basis = Basis(len(row))
            mae = partial(book.resampler.error, values=abs(forecast - truth), row=row)
            rho = partial(add_spearman, book.resampler, x=forecast, y=truth, row=row)
        book.add("variance", who, "mae_of_variance", basis, mae)
        book.add("variance", who, "rho_of_variance", basis, rho)


def add_calibration(book: FigureBook, items: Opinions, judge: JudgeOpinions) -> None:
    """Add dispersion, and coverage of the central 80 % beside what the forecast claims."""
    ratings, resampler, judged = ratings_of(items), book.resampler, judge.joined
    # means of several annotators vary less than their ratings
    row, means = ratings.item, OPINIONS if "mos" in ratings.facts else None
    variance, stated = _variance(judged), judged.scores.get("shares")
    basis, dispersion = Basis(len(row), "ratings", means or NO_VARIANCE), None
    if not means and variance is not None:
        basis = replace(basis, reason=None)
        columns = (ratings.score - judged.score[row]) ** 2, variance[row]
        dispersion = partial(
            resampler.sums, columns=columns, statistic=_dispersion, row=row
        )
    book.add("calibration", judge.name, "dispersion", basis, dispersion)
    if means or stated is None or np.isnan(stated).any():
        basis = replace(basis, reason=means or "it states no distribution")
        for name in ("coverage_80", "claimed_80"):
            book.add("calibration", judge.name, name, basis)
        return
    first, last, claimed = central(stated)
    label = nearest(levels_of(scale_of(items)), ratings.score)
    inside = (label >= first[row]) & (label <= last[row])
    shares = {"coverage_80": inside, "claimed_80": claimed[row]}
    for name, share in shares.items():
        register = partial(resampler.mean, values=share, row=row, bounds=UNIT)
        book.add("calibration", judge.name, name, replace(basis, reason=None), register)


def _variance(judge: Opinions) -> Array | None:
    """Return a variance for every item, or None."""
    variance = judge.scores.get("variance")
    return None if variance is None or np.isnan(variance).any() else variance


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
    values: dict[tuple[str, str, str], float | None] = {
        (f.group, f.who, f.name): f.estimate.value for f in figures
    }
    tried = [("agreement", name, *how, baselines) for name, how in COMPARED.items()]
    ignorant = (ALWAYS_ZERO, FROM_MEAN.format(judge))  # of the answers
    tried.append(("variance", "mae_of_variance", "MAE of variance", False, ignorant))
    worse, compared, undefined = [], [], []
    for group, name, title, more_is_better, rules in tried:
        mine = values.get((group, judge, name))
        if mine is None and name in COMPARED:
            undefined.append(title)
        of_rules = [(values.get((group, rule, name)), rule) for rule in rules]
        rivals = [(value, rule) for value, rule in of_rules if value is not None]
        if mine is None or not rivals:
            continue
        compared += [title] if name in COMPARED else []
        best, rule = max(rivals) if more_is_better else min(rivals)
        if (best - mine if more_is_better else mine - best) > _SAME:
            worse.append(f"{title} {mine:.4f} against {best:.4f} of {rule}")
    if not compared:
        return f"{judge}: nothing could be compared with a baseline."
    tail = f"; it has no {' and no '.join(undefined)}" if undefined else ""
    if worse:
        return (
            f"{judge} is below a baseline that needs no judge:"
            f" {'; '.join(worse)}{tail}."
        )
    return f"{judge} is at or above every baseline in {', '.join(compared)}{tail}."
