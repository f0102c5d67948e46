"""A protocol's results so far: each system's mean score, or which is preferred.

Intervals are those of means between the ends of the scale; answers to one question, and
labels of one pair, count as one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, multimode
from typing import Any

import numpy as np

from trace_eval.data.csv_cells import table_text
from trace_eval.data.items import Single
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.estimate.figures import mean_interval
from trace_eval.estimate.interval import SCORE
from trace_eval.review.forms import PairForm
from trace_eval.review.protocol_files import counted_scores, first_views
from trace_eval.review.session import Review

#: Which side a label counts for: 0 is A's, 1 is B's.
_SIDES = {"1": 0.0, "2": 1.0, "tie": 0.5, "both_good": 0.5, "both_bad": 0.5}


@dataclass(frozen=True)
class ProtocolRow:
    """One line of the results.

    Attributes:
        name: the system, or both with what is compared.
        labels, items: how many scores or labels of how many answers or pairs.
        low, high: 95 % interval; None: there is none, see ``reason``.
        counts: label in words -> how often; of labels only.
    """

    name: str
    labels: int
    items: int
    mean: float
    low: float | None
    high: float | None
    reason: str | None
    counts: Mapping[str, int]


def protocol_results(review: Review) -> dict[str, Any]:
    """Fill the page of results: a table and its scale."""
    form = review.form
    if isinstance(form, PairForm):
        rows, ends = _preferences(review, form), _ends_of_pairs(form)
        about = "Mean comparison, above 0 where the second is better"
        if not form.protocol.compares:
            about = "Share for the second, a tie counts one half"
    else:
        rows = _means(review, form.rubric)
        ends, about = (
            (form.rubric.scale.labels[0], form.rubric.scale.labels[-1]),
            "Mean score",
        )
    is_open = review.listening.third_rater and any(counted_scores(review))
    return {
        "rows": rows,
        "ends": ends,
        "about": about,
        "limits_by": SCORE,
        "nothing": "No answer is decided yet." if is_open else "Nothing is rated yet.",
    }


def _means(review: Review, rubric: ScoreRubric) -> list[ProtocolRow]:
    """Return the mean score of each system, best first."""
    scores: Mapping[str, dict[str, list[float]]]
    scores = defaultdict(lambda: defaultdict(list))
    questions: dict[str, str] = {}
    for item, score in counted_scores(review):
        scores[item.system or "(no system named)"][item.id].append(score)
        questions[item.id] = item.question_id or item.id
    if review.listening.third_rater:
        for items in scores.values():
            for name, given in list(items.items()):
                value = decided_score(given, review.listening.raters)
                if value is None:
                    del items[name]
                else:
                    items[name] = [value] * len(given)
    scores = {system: items for system, items in scores.items() if items}
    ends = rubric.scale.labels[0], rubric.scale.labels[-1]
    rows = [_row(system, items, questions, ends) for system, items in scores.items()]
    return sorted(rows, key=lambda row: -row.mean)


def decided_score(scores: Sequence[float], raters: int | None) -> float | None:
    """Return the score that most raters of an item gave; None while it is open."""
    most_frequent = multimode(scores)
    has_enough = len(scores) >= (raters or 1)
    if has_enough and len(most_frequent) == 1:
        return most_frequent[0]
    return None


def decided_csv(review: Review) -> str:
    """Export one score an item: its raters', or most of them with a third rater."""
    scores: dict[str, list[float]] = defaultdict(list)
    items: dict[str, Single] = {}
    for item, score in counted_scores(review):
        scores[item.id].append(score)
        items[item.id] = item
    rows: list[tuple[object, ...]] = []
    for name, given in scores.items():
        value = decided_score(given, review.listening.raters)
        decided = "" if value is None else f"{value:g}"
        one = items[name]
        rubric = review.form.name
        rows.append((name, rubric, decided, len(given), one.system, one.question_id))
    columns = ("id", "rubric", "score", "raters", "system", "instruction_id")
    return table_text(columns, rows)


def _row(
    name: str,
    items: Mapping[str, Sequence[float]],
    units: Mapping[str, str],
    ends: tuple[float, float],
    counts: Mapping[str, int] | None = None,
) -> ProtocolRow:
    """Average each item's scores, then the items; items of one unit count together."""
    means = np.array([fmean(scores) for scores in items.values()])
    _, unit = np.unique([units[item] for item in items], return_inverse=True)
    limits = mean_interval(means, unit, ends)
    low, high = (None, None) if isinstance(limits, str) else limits
    return ProtocolRow(
        name=name,
        labels=sum(map(len, items.values())),
        items=len(items),
        mean=float(means.mean()),
        low=low,
        high=high,
        reason=limits if isinstance(limits, str) else None,
        counts=counts or {},
    )


def _ends_of_pairs(form: PairForm) -> tuple[float, float]:
    labels = form.protocol.labels
    return (
        (float(labels[0]), float(labels[-1])) if form.protocol.compares else (0.0, 1.0)
    )


def _preferences(review: Review, form: PairForm) -> list[ProtocolRow]:
    """Return which system is preferred, for each two systems and each part."""
    ends = _ends_of_pairs(form)
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for view in first_views(review).values():
        pair = review.material.by_id[view.item]
        answers = review.store.answers(view)
        first = pair.a.system or "A"
        second = pair.b.system or "B"
        is_turned = first > second
        names = " and ".join(sorted((first, second)))
        for part in form.parts:
            label = form.label(answers, part.name)
            if label is None:
                continue
            about = names if len(form.parts) == 1 else f"{names}: {part.title}"
            value = float(label) if form.protocol.compares else _SIDES[label]
            if is_turned:
                value = sum(ends) - value
            values[about][view.item].append(value)
            counts[about][_words(value, ends)] += 1
    rows: list[ProtocolRow] = []
    for about, items in values.items():
        each_alone = dict(zip(items, items, strict=True))
        rows.append(_row(about, items, each_alone, ends, counts=counts[about]))
    return rows


def _words(value: float, ends: tuple[float, float]) -> str:
    middle = sum(ends) / 2
    if value == middle:
        return "neither"
    return "the first" if value < middle else "the second"
