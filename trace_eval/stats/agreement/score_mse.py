"""Scores of both answers, where judge and raters give numbers: error beside the constant.

A judge that scores answers can order them well and still be worse than always giving the
mean: its mean squared error says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from trace_eval.opinions.codes import SCORE_FACTS
from trace_eval.opinions.opinions import Opinions
from trace_eval.show.table import column
from trace_eval.stats.agreement.judges import JudgeOpinions
from trace_eval.stats.agreement.linear import pearson
from trace_eval.stats.agreement.score import defined


@dataclass(frozen=True)
class ScoreError:
    """Mean squared error of a judge's scores.

    Attributes:
        answers: answers that both sides scored, two per pair.
        mse: mean of (judge - annotators)^2, in squared units of the scale.
        constant: the same for always giving the human mean.
        equal: share of the pairs in which the judge scored both answers alike.
        pearson: Pearson's r of judge and human scores on these answers; None: one is constant.
    """

    judge: str
    answers: int
    mse: float = field(metadata=column("judge's MSE"))
    constant: float = field(metadata=column("constant mean's MSE"))
    equal: float = field(metadata=column("equal scores"))
    pearson: float | None = field(default=None, metadata=column("Pearson r"))


def score_error(judge: JudgeOpinions, items: Opinions) -> ScoreError | None:
    """Error on the labelled items; None where one side has no scores."""
    if not all(name in table.facts for name in SCORE_FACTS for table in (judge.joined, items)):
        return None
    judged, people = (
        np.stack([table.facts[name] for name in SCORE_FACTS]) for table in (judge.joined, items)
    )
    present = ~(np.isnan(judged) | np.isnan(people))
    if not present.any():
        return None
    both = ~np.isnan(judged).any(0)
    return ScoreError(
        judge=judge.name,
        answers=int(present.sum()),
        mse=float(((judged - people)[present] ** 2).mean()),
        constant=float(people[present].var()),
        equal=float((judged[0] == judged[1])[both].mean()) if both.any() else 0.0,
        pearson=defined(pearson(judged[present], people[present])),
    )
