"""What a statistic of scores reads, and what it says of itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from trace_eval.estimate.resample import Resampler
from trace_eval.stats.agreement.study import JudgeScores, Study

Array = NDArray[Any]


@dataclass(frozen=True)
class RatingScores:
    """Scores of a forecast, one per rating.

    Attributes:
        crps: None for numbers off the scale.
        nll: None where there is no likelihood; ``reason`` says why.
        head: what the likelihood is of: ``labels`` or ``beta``; only equal ones compare.
        nll_row: item of each rating that has a likelihood.
    """

    crps: Array | None
    nll: Array | None
    head: str | None
    reason: str | None
    nll_row: Array


@dataclass(frozen=True)
class Scored:
    """One judge, or one baseline, beside human ratings; it scored every item.

    Attributes:
        study: items and ratings.
        judge: its scores, as positions on the scale from 0 to 1.
        ratings: how its forecasts do against single ratings.
    """

    study: Study
    judge: JudgeScores
    ratings: RatingScores

    @property
    def truth(self) -> NDArray[Any]:
        """Mean rating of every item, 0 to 1 [shape=(items,)]."""
        return self.study.people.mean

    @property
    def off_scale(self) -> str | None:
        """Why its numbers have an order and no distances; None: they are on the scale."""
        return self.ratings.reason if self.judge.unitless else None


@dataclass(frozen=True)
class Basis:
    """What a statistic was computed from.

    Attributes:
        rows: how many there are.
        unit: what they are.
        reason: why there is no value; None: there may be one.
    """

    rows: int
    unit: str = "items"
    reason: str | None = None


#: Registers its figure with the resampler under a key, and says what it is computed from. None:
#: it is no figure of this kind of forecast, and is left out of the table.
ScoreStatistic = Callable[[Resampler, str, Scored], Basis | None]
