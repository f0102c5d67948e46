"""Judges' scores by item, from the records of a run or from a file, as columns of a study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from fusion import likert
from trace_eval.stats.agreement.study import JudgeScores, Study

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


def judges_of(column: ScoreColumn, study: Study) -> list[JudgeScores]:
    """A judge, and beside it the same with its extreme means clamped, where it has such."""
    judge = judge_scores(column, study)
    if not column.clamped:
        return [judge]
    clamped = _column(column.clamped, study.ids)
    mean = np.where(np.isnan(clamped), judge.mean, clamped)
    # The clamp moves the mean only: it has no distribution of its own.
    return [judge, JudgeScores(f"{judge.name}, clamped", mean, judge.variance)]


def judge_scores(column: ScoreColumn, study: Study) -> JudgeScores:
    """A judge's scores in the order of the study's items; unscored ones are NaN."""
    ids = study.ids
    return JudgeScores(
        column.judge,
        study.position(_column(column.value, ids)),
        _column(column.variance, ids) if column.variance else None,
        _shares(column.shares, study) if column.shares else None,
        _beta(column.beta, ids) if column.beta else None,
        _samples(column.samples, study),
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


def _column(values: Mapping[str, float], ids: Sequence[str]) -> NDArray[np.float64]:
    return np.array([values.get(id_, np.nan) for id_ in ids], float)


def _beta(values: Mapping[str, tuple[float, float]], ids: Sequence[str]) -> NDArray[np.float64]:
    nothing = (np.nan, np.nan)
    return np.array([values.get(id_, nothing) for id_ in ids], float).reshape(len(ids), 2)


def _shares(values: Mapping[str, Mapping[str, float]], study: Study) -> NDArray[np.float64]:
    result = np.full((len(study.ids), len(study.levels)), np.nan)
    names = [f"{study.value(level):g}" for level in study.levels]
    for row, id_ in enumerate(study.ids):
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


def _samples(values: Mapping[str, list[float | None]], study: Study) -> NDArray[np.float64] | None:
    count = max((len(samples) for samples in values.values()), default=0)
    if count < 2:
        return None
    result = np.full((len(study.ids), count), np.nan)
    for row, id_ in enumerate(study.ids):
        scores = values.get(id_, [])
        result[row, : len(scores)] = np.array(scores, float)  # None is NaN
    return np.asarray(study.position(result))
