"""Scored items and judges made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fusion import Numbers, likert
from trace_eval.opinions.cells import texts_of
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.ratings import placed, score_table
from trace_eval.stats.agreement.figures import AgreementFigure
from trace_eval.stats.agreement.judges import JudgeOpinions
from trace_eval.stats.agreement.scored import with_ratings
from trace_eval.stats.report import ScoreReport


def rated_items(
    ids: Sequence[str],
    rows: Sequence[tuple[str, str, float]],
    scale: Numbers,
    **facts: Sequence[Any],
) -> Opinions:
    """Items with ratings (item, rater, value), and facts of the items."""
    of, raters, values = zip(*rows, strict=True)
    columns = {name: texts_of(column) for name, column in facts.items()}
    items = Opinions("items", texts_of(ids), {}, facts=columns)
    return with_ratings(
        items, score_table("test", of, raters, score=np.array(values)), scale
    )


def judge(name: str, items: Opinions, score: Any, **more: Any) -> JudgeOpinions:
    """Return a judge that says this of the items, as places on their scale."""
    scores = {key: np.asarray(of, float) for key, of in more.items() if of is not None}
    scores["score"] = np.asarray(score, float)
    table = Opinions(name, items.ids, {}, scores=scores, scale=items.scale)
    return JudgeOpinions(name, table, table)


def judge_of_labels(
    name: str, items: Opinions, score: Any, **facts: Any
) -> JudgeOpinions:
    """Return the same, of numbers on the scale itself."""
    own = score_table(
        name, items.ids.tolist(), (), score=np.array(score, float), **facts
    )
    return JudgeOpinions(name, own, placed(own, items.scale or likert()))


def figure(report: ScoreReport, group: str, who: str, name: str) -> AgreementFigure:
    """One figure of a report."""
    return next(
        f for f in report.figures if (f.group, f.who, f.name) == (group, who, name)
    )
