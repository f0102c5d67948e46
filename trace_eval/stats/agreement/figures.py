"""The figures of the main tables, registered with one resampler so that all share its draws."""

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
    """Figures of one study that wait for the resamples: without their estimates, by key."""

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
        key, reason = self.key(group, who, name), basis.reason
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
        """Return a function that registers the second statistic minus the first, both by key."""
        return lambda key: self.resampler.difference(key, first, second)

    def finish(
        self, options: IntervalOptions
    ) -> tuple[list[AgreementFigure], dict[str, IntervalEstimate]]:
        """Return all figures in the order of their announcement, and every estimate by key."""
        estimates = self.resampler.estimates(options)
        results = []
        for key, figure in self.pending.items():
            estimate, reason = estimates.get(key, figure.estimate), figure.reason
            if estimate.value is None and reason is None:
                reason = "not defined: one side never differs"
            results.append(replace(figure, estimate=estimate, reason=reason))
        return results, estimates


def add_agreement(book: FigureBook, items: Opinions, judge: JudgeOpinions) -> None:
    """Add every row of :data:`SCORE_METRICS`, of one judge or baseline."""
    scored = score_ratings(items, judge.joined)
    for metric in SCORE_METRICS:
        key = book.key("agreement", judge.name, metric.name)
        if (basis := metric.statistic(book.resampler, key, scored)) is not None:
            book.add("agreement", judge.name, metric.name, basis)


def add_ceiling(book: FigureBook, items: Opinions, judges: list[JudgeOpinions]) -> None:
    """Add each rating against the mean of the item's others, and judges on the same targets."""
    ratings = ratings_of(items)
    chosen = np.flatnonzero(counts_of(items)[ratings.item] >= MIN_RATINGS)
    row, target = ratings.item[chosen], others_of(items)[chosen]
    sides = [("people", ratings.score[chosen])]
    sides += [(judge.name, judge.joined.score[row]) for judge in judges]
    basis = Basis(len(row), "ratings")
    for who, predicted in sides:
        rho = partial(add_spearman, book.resampler, x=predicted, y=target, row=row)
        book.add("people", who, "rho", basis, rho)
        mae = partial(book.resampler.error, values=abs(predicted - target), row=row)
        book.add("people", who, "mae", basis, mae)


def others_of(items: Opinions) -> Array:
    """Mean of the item's other ratings; NaN where there is none [shape=(ratings,)]."""
    ratings = ratings_of(items)
    n = counts_of(items)[ratings.item]
    total = np.bincount(ratings.item, ratings.score, len(items))
    return np.where(
        n > 1, (total[ratings.item] - ratings.score) / np.maximum(n - 1, 1), np.nan
    )


def add_differences(book: FigureBook, judges: list[JudgeOpinions]) -> None:
    """Add every later judge minus the first, from the same resamples."""
    for other in judges[1:]:
        for name in ("rho", "tau_b", "mae", "crps"):
            first = book.key("agreement", judges[0].name, name)
            second = book.key("agreement", other.name, name)
            if first in book.pending and second in book.pending:
                basis = Basis(book.pending[first].rows, book.pending[first].unit)
                who = f"{other.name} - {judges[0].name}"
                book.add("judges", who, name, basis, book.difference(first, second))
