"""The figures of the main tables.

They are registered with one resampler, so that all share its draws.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from trace_eval.estimate.arrays import Array
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.options import IntervalOptions
from trace_eval.estimate.ranks import add_spearman
from trace_eval.estimate.resample import Resampler
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.forecasts import score_ratings
from trace_eval.stats.agreement.judges import JudgeOpinions
from trace_eval.stats.agreement.metrics import SCORE_METRICS
from trace_eval.stats.agreement.scored import MIN_RATINGS, Basis, counts_of, ratings_of

#: Which table a figure belongs to.
Group = Literal[
    "agreement", "people", "raters", "variance", "calibration", "samples", "judges"
]


@dataclass(frozen=True)
class AgreementFigure:
    """One figure of a judge, a baseline or the raters.

    Attributes:
        group: its table.
        who: the judge, the baseline or ``people``.
        name: of the statistic, stable for programs.
        rows: what it is computed from.
        unit: what those are: ``items``, ``ratings``, ``pairs`` or ``raters``.
        reason: why there is no value.
    """

    group: Group
    who: str
    name: str
    estimate: IntervalEstimate
    rows: int
    unit: str = "items"
    reason: str | None = None


@dataclass
class FigureBook:
    """Figures of one study, by key, that wait for their estimates."""

    resampler: Resampler
    pending: dict[str, AgreementFigure] = field(default_factory=dict)

    def key(self, group: Group, who: str, name: str) -> str:
        """Name a figure's statistic in the resampler."""
        return f"{group}/{who}/{name}"

    def add(
        self,
        group: Group,
        who: str,
        name: str,
        basis: Basis,
        register: Callable[[str], Any] | None = None,
    ) -> None:
        """Announce a figure.

        ``register`` puts its statistic into the resampler by key; None: it is there.

        A figure without rows, or whose ``basis`` gives a reason, is None and not
        registered.
        """
        key = self.key(group, who, name)
        reason = basis.reason
        if not basis.rows:
            reason = reason or "there is nothing to compute it from"
        elif register is not None and reason is None:
            register(key)
        self.pending[key] = AgreementFigure(
            group=group,
            who=who,
            name=name,
            estimate=IntervalEstimate(None),
            rows=basis.rows,
            unit=basis.unit,
            reason=reason,
        )

    def difference(self, first: str, second: str) -> Callable[[str], Any]:
        """Make the function that registers the second statistic minus the first.

        Both are named by key.
        """
        return lambda key: self.resampler.difference(key, first, second)

    def finish(
        self, options: IntervalOptions
    ) -> tuple[list[AgreementFigure], dict[str, IntervalEstimate]]:
        """Return all figures as they were announced, and every estimate by key."""
        estimates = self.resampler.estimates(options)
        figures: list[AgreementFigure] = []
        for key, figure in self.pending.items():
            estimate = estimates.get(key, figure.estimate)
            reason = figure.reason
            if estimate.value is None and reason is None:
                reason = "not defined: one side never differs"
            figures.append(replace(figure, estimate=estimate, reason=reason))
        return figures, estimates


def add_agreement(book: FigureBook, items: Opinions, judge: JudgeOpinions) -> None:
    """Add every row of :data:`SCORE_METRICS`, of one judge or baseline."""
    scored = score_ratings(items, judge.joined)
    for metric in SCORE_METRICS:
        key = book.key("agreement", judge.name, metric.name)
        basis = metric.statistic(book.resampler, key, scored)
        if basis is not None:
            book.add("agreement", judge.name, metric.name, basis)


def add_ceiling(book: FigureBook, items: Opinions, judges: list[JudgeOpinions]) -> None:
    """Add each rating against the mean of the item's others.

    Judges stand beside it on the same targets.
    """
    ratings = ratings_of(items)
    ratings_of_item = counts_of(items)[ratings.item]
    often = np.flatnonzero(ratings_of_item >= MIN_RATINGS)
    row = ratings.item[often]
    target = others_of(items)[often]
    predictions = [("people", ratings.score[often])]
    for judge in judges:
        predictions.append((judge.name, judge.joined.score[row]))
    basis = Basis(len(row), "ratings")
    for who, predicted in predictions:
        rho = partial(add_spearman, book.resampler, x=predicted, y=target, row=row)
        book.add("people", who, "rho", basis, register=rho)
        error = abs(predicted - target)
        mae = partial(book.resampler.error, values=error, row=row)
        book.add("people", who, "mae", basis, register=mae)


def others_of(items: Opinions) -> Array:
    """Average the item's other ratings; NaN where there is none [shape=(ratings,)]."""
    ratings = ratings_of(items)
    total = np.bincount(ratings.item, ratings.score, len(items))
    others = counts_of(items)[ratings.item] - 1
    sum_of_others = total[ratings.item] - ratings.score
    mean_of_others = sum_of_others / np.maximum(others, 1)
    return np.where(others > 0, mean_of_others, np.nan)


def add_differences(book: FigureBook, judges: list[JudgeOpinions]) -> None:
    """Add every later judge minus the first, from the same resamples."""
    for judge in judges[1:]:
        for name in ("rho", "tau_b", "mae", "crps"):
            first = book.key("agreement", judges[0].name, name)
            second = book.key("agreement", judge.name, name)
            if first not in book.pending or second not in book.pending:
                continue
            figure = book.pending[first]
            basis = Basis(figure.rows, figure.unit)
            who = f"{judge.name} - {judges[0].name}"
            difference = book.difference(first, second)
            book.add("judges", who, name, basis, register=difference)
