"""The columns that are compared with human ratings: a run's scores, or a file of them, as
columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from fusion import Numbers, likert
from trace_eval.data.items import Single
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.ratings import as_means, positions, rated, written
from trace_eval.stats.agreement.study import JudgeScores, People, Study

Array = NDArray[Any]

#: Item id -> (question, system, split); null: unknown.
Facts = dict[str, tuple[str | None, str | None, str | None]]

#: Item id -> (candidate, references).
Texts = dict[str, tuple[str, tuple[str, ...]]]

#: The scale of scores that do not name theirs.
DEFAULT_SCALE = likert(1, 5)


@dataclass
class ScoreColumn:
    """One judge's scores as they are read, on the rubric's scale; keys are item ids.

    ``pooled``: it is a mixture of judges that have columns of their own. ``caveats``: how many
    scores carry each. ``clamped``: means on [0, 1] after clamping.
    """

    judge: str
    pooled: bool = False
    value: dict[str, float] = field(default_factory=dict)
    variance: dict[str, float] = field(default_factory=dict)
    shares: dict[str, Mapping[str, float]] = field(default_factory=dict)
    beta: dict[str, tuple[float, float]] = field(default_factory=dict)
    samples: dict[str, list[float | None]] = field(default_factory=dict)
    clamped: dict[str, float] = field(default_factory=dict)
    caveats: Counter[str] = field(default_factory=Counter)


def items_study(items: Sequence[Single], ratings: Opinions, scale: Numbers) -> Study:
    """Items and ratings as columns; facts that the items lack are taken from the labels.

    Raises:
        UserError: a rating is off the scale.
    """
    facts = {item.id: (item.question_id, item.system, item.split) for item in items}
    return study_of(facts, written(items), ratings, scale)


def study_of(
    facts: Facts,
    texts: Texts,
    ratings: Opinions,
    scale: Numbers,
) -> Study:
    """A study of the items in ``facts``; ratings of other items are left out.

    Args:
        facts: id -> (question, system, split), in the order of the items.
        texts: id -> (candidate, references).
        ratings: people's.
        scale: the rubric's.
    """
    ids = tuple(facts)
    index = {id_: row for row, id_ in enumerate(ids)}
    own, theirs = _of_items(ratings)
    ratings = as_means(rated(ratings), scale)
    value, means = positions(ratings, scale), "mos" in ratings.facts
    row = np.array([index.get(id_, -1) for id_ in ratings.ids.tolist()], np.int64)
    present = row >= 0
    raters = [""] * len(ratings) if ratings.rater is None else ratings.rater.tolist()
    names = sorted({rater for rater in raters if rater})
    code = {rater: number for number, rater in enumerate(names)}
    rater = np.array([code.get(name, -1) for name in raters], np.int64)
    merged = [_merged(facts[id_], own.get(id_)) for id_ in ids] if own else list(facts.values())
    question, _ = _codes([facts_[0] for facts_ in merged], own=True)
    system, systems = _codes([facts_[1] for facts_ in merged])
    splits = [facts_[2] for facts_ in merged]
    every = [texts.get(id_) or theirs.get(id_) for id_ in ids]
    return Study(
        ids,
        np.array([scale.position(label) for label in scale.labels]),
        float(scale.low),
        float(scale.high),
        People(len(ids), row[present], value[present], rater[present], tuple(names), means),
        question,
        system if systems else None,
        systems,
        np.array([split or "" for split in splits]) if any(splits) else None,
        None if not ids or any(text is None for text in every) else every,  # type: ignore[arg-type]
    )


def _of_items(ratings: Opinions) -> tuple[Facts, Texts]:
    """What ratings know of their items, by id."""
    ids, size = ratings.ids.tolist(), len(ratings)
    names = ("question_id", "system", "split", "candidate", "reference")
    available = [ratings.facts.get(name) for name in names]
    columns = [[None] * size if column is None else column.tolist() for column in available]
    facts: Facts = {}
    texts: Texts = {}
    if any(column is not None for column in available[:3]):
        facts = dict(zip(ids, zip(*columns[:3], strict=True), strict=True))
    for id_, text, reference in (
        zip(ids, *columns[3:], strict=True) if available[3] is not None else ()
    ):
        if text is not None:
            texts[id_] = (text, reference or ())
    return facts, texts


def judges_of(column: ScoreColumn, study: Study, scale: Numbers) -> list[JudgeScores]:
    """A judge, and beside it the same with its extreme means clamped, where it has such."""
    judge = judge_scores(column, study, scale)
    if not column.clamped:
        return [judge]
    clamped = _column(column.clamped, study.ids)
    mean = np.where(np.isnan(clamped), judge.mean, clamped)
    # The clamp moves the mean only: it has no distribution of its own.
    return [judge, JudgeScores(f"{judge.name}, clamped", mean, judge.variance)]


def judge_scores(column: ScoreColumn, study: Study, scale: Numbers) -> JudgeScores:
    """A judge's scores in the order of the study's items; unscored ones are NaN."""
    ids, width = study.ids, scale.high - scale.low
    mean = (_column(column.value, ids) - scale.low) / width
    return JudgeScores(
        column.judge,
        mean,
        _column(column.variance, ids) if column.variance else None,
        _shares(column.shares, ids, scale) if column.shares else None,
        _rows(column.beta, ids, 2) if column.beta else None,
        _samples(column.samples, ids, scale),
    )


def columns_of_scores(records: Iterable[Mapping[str, Any]]) -> list[ScoreColumn]:
    """Columns from score records: the judge as asked, and each of several pooled ones."""
    results: dict[str, ScoreColumn] = {}
    for record in records:
        column = results.setdefault(record["judge"], ScoreColumn(record["judge"]))
        _add(column, record)
        column.pooled = column.pooled or bool(record.get("parts"))
        for part in record.get("parts") or ():
            _add_part(results.setdefault(part["judge"], ScoreColumn(part["judge"])), part, record)
    return list(results.values())


def _add(column: ScoreColumn, record: Mapping[str, Any]) -> None:
    if record.get("status") != "scored" or record.get("value") is None:
        return
    item, estimate = record["item"], record.get("estimate") or {}
    column.value[item] = record["value"]
    column.caveats.update(set(record.get("caveats") or ()))
    if estimate.get("variance") is not None:
        column.variance[item] = estimate["variance"]
    if record.get("distribution"):
        column.shares[item] = record["distribution"]
    params = estimate.get("params") or {}
    if {"alpha", "beta"} <= set(params):
        column.beta[item] = (params["alpha"], params["beta"])
    if estimate.get("clamped"):
        column.clamped[item] = estimate["clamped"]["mean"]
    if not record.get("parts"):
        samples = [opinion.get("score") for opinion in record.get("opinions") or ()]
        if len(samples) > 1:
            column.samples[item] = samples


def _add_part(column: ScoreColumn, part: Mapping[str, Any], record: Mapping[str, Any]) -> None:
    if part.get("value") is None:
        return
    item = record["item"]
    column.value[item] = part["value"]
    if part.get("variance") is not None:
        column.variance[item] = part["variance"]
    samples = [
        opinion.get("score")
        for opinion in record.get("opinions") or ()
        if opinion.get("judge") == part["judge"]
    ]
    if len(samples) > 1:
        column.samples[item] = samples


def _merged(
    own: tuple[str | None, str | None, str | None],
    other: tuple[str | None, str | None, str | None] | None,
) -> tuple[str | None, str | None, str | None]:
    if other is None:
        return own
    return own[0] or other[0], own[1] or other[1], own[2] or other[2]


def _codes(
    names: Sequence[str | None], own: bool = False
) -> tuple[NDArray[np.int64] | None, tuple[str, ...]]:
    """Codes by name; without one -1, or with ``own`` a code that nobody else has."""
    available = sorted({name for name in names if name})
    if not available:
        return None, ()
    code = {name: number for number, name in enumerate(available)}
    result = np.array([code.get(name or "", -1) for name in names], np.int64)
    if own:
        alone = result < 0
        result[alone] = len(available) + np.arange(int(alone.sum()))
    return result, tuple(available)


def _column(values: Mapping[str, float], ids: Sequence[str]) -> NDArray[np.float64]:
    return np.array([values.get(id_, np.nan) for id_ in ids], float)


def _rows(
    values: Mapping[str, Sequence[float]], ids: Sequence[str], width: int
) -> NDArray[np.float64]:
    nothing = (np.nan,) * width
    return np.array([values.get(id_, nothing) for id_ in ids], float).reshape(len(ids), width)


def _shares(
    values: Mapping[str, Mapping[str, float]], ids: Sequence[str], scale: Numbers
) -> NDArray[np.float64]:
    result = np.full((len(ids), len(scale.labels)), np.nan)
    names = [f"{label:g}" for label in scale.labels]
    for row, id_ in enumerate(ids):
        shares = values.get(id_)
        if shares is None:
            continue
        provided = {_name(label): share for label, share in shares.items()}
        if stray := set(provided) - set(names):
            raise UserError(
                f"item {id_!r}: its distribution has the label {min(stray)}, which is not on the"
                f" scale {', '.join(names)}; name the rubric with --rubric"
            )
        result[row] = [provided.get(name, 0.0) for name in names]
    return result


def _name(label: str) -> str:
    try:
        return f"{float(label):g}"
    except ValueError:
        return label


def _samples(
    values: Mapping[str, list[float | None]], ids: Sequence[str], scale: Numbers
) -> NDArray[np.float64] | None:
    count = max((len(samples) for samples in values.values()), default=0)
    if count < 2:
        return None
    result = np.full((len(ids), count), np.nan)
    for row, id_ in enumerate(ids):
        for index, score in enumerate(values.get(id_, ())):
            if score is not None:
                result[row, index] = (score - scale.low) / (scale.high - scale.low)
    return result
