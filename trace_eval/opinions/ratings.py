"""Human ratings of single answers: those of labelled items, and places on a scale.

As they are read, numbers are facts on the rubric's scale: ``score``, or ``mos`` where a
number is the mean of several annotators; :func:`placed` makes places of them, from 0 to
1: y = (r - 1) / 4 for 1 to 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import InputError
from fusion import Numbers, OffScale
from trace_eval.data.answers import turn_role
from trace_eval.data.items import ANONYMOUS, Single
from trace_eval.opinions.cells import texts_of
from trace_eval.opinions.instructions import questions_of
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import WholeNumbers

#: Numbers closer than this are one label.
_SAME_LABEL = 1e-6


def levels_of(scale: Numbers) -> NDArray[np.float64]:
    """Return a scale's labels as places, 0 to 1 ascending [shape=(labels,)]."""
    return np.array([scale.position(label) for label in scale.labels])


def nearest(levels: NDArray[Any], places: NDArray[Any]) -> WholeNumbers:
    """Index of the nearest label; the upper one of two at equal distance."""
    return np.searchsorted((levels[1:] + levels[:-1]) / 2, places, side="right")


def values_of(ratings: Opinions) -> NDArray[np.float64]:
    """Return the raters' numbers, on the rubric's scale [shape=(ratings,)]."""
    return ratings.facts["mos" if "mos" in ratings.facts else "score"]


def rated(ratings: Opinions) -> Opinions:
    """Select the rows that hold a number."""
    is_rated = ~np.isnan(values_of(ratings))
    return ratings if is_rated.all() else ratings.take(is_rated)


def placed(judged: Opinions, scale: Numbers) -> Opinions:
    """Return scores of one judge as places on a scale, in ``scores``.

    ``score`` [shape=(n,)], and what else it said: ``variance`` [shape=(n,)], ``shares``
    of the labels [shape=(n, labels)], ``beta``, the parameters (alpha, beta) [shape=(n,
    2)], single ``samples`` [shape=(n, samples)], and the ``clamped`` score. NaN where
    there is none.

    Raises:
        UserError: a distribution has a label that is not on the scale.
    """
    facts = judged.facts
    scores = {"score": places_on(facts["score"], scale)}
    for name in ("variance", "beta", "clamped"):
        if name in facts and not np.isnan(facts[name]).all():
            scores[name] = facts[name]
    if any(facts.get("distribution", ())):
        scores["shares"] = _shares(
            judged.ids.tolist(), facts["distribution"].tolist(), scale
        )
    if "samples" in facts:
        samples = _side_by_side(facts["samples"].tolist())
        if samples.shape[1] > 1:
            scores["samples"] = places_on(samples, scale)
    return replace(judged, scores=scores, scale=scale)


def _side_by_side(
    samples: Sequence[Sequence[float | None] | None],
) -> NDArray[np.float64]:
    """Return each row's numbers in columns; NaN where it has fewer, or None."""
    rows = [values or () for values in samples]
    columns = max(map(len, rows), default=0)
    table = np.full((len(rows), columns), np.nan)
    for row, values in enumerate(rows):
        table[row, : len(values)] = np.array(values, float)
    return table


def placed_ratings(ratings: Opinions, scale: Numbers) -> Opinions:
    """Return human ratings as places on a scale, in ``scores``.

    Under the fact ``mos`` they are means of several raters, and need not be labels of
    the scale. They are that, too, where a number between two labels occurs, every item
    has one number alone, and nobody is named who gave it: what one rater chose is a
    label.

    Raises:
        UserError: a label or mean is not on the scale.
    """
    if "score" in ratings.facts and _are_means(ratings, scale):
        facts = dict(ratings.facts)
        facts["mos"] = facts.pop("score")
        ratings = replace(ratings, facts=facts)
    if "mos" in ratings.facts:
        places = _of_means(ratings, scale)
    else:
        places = _of_labels(ratings, scale)
    return replace(ratings, scores={"score": places}, scale=scale)


def places_on(score: NDArray[Any], scale: Numbers) -> NDArray[np.float64]:
    """Return numbers on a scale as places, 0 to 1 [shape as of ``score``]."""
    low = float(scale.low)
    high = float(scale.high)
    return np.asarray((score - low) / (high - low))


def _are_means(ratings: Opinions, scale: Numbers) -> bool:
    if ratings.rater is not None or len(set(ratings.ids.tolist())) < len(ratings):
        return False
    values = np.unique(ratings.facts["score"])
    labels = np.array(scale.labels, float)
    is_no_label = (np.abs(values[:, None] - labels) > _SAME_LABEL).all(axis=1)
    is_on_scale = (values >= scale.low) & (values <= scale.high)
    return bool(is_no_label.any() and is_on_scale.all())


def _of_means(ratings: Opinions, scale: Numbers) -> NDArray[np.float64]:
    mos = ratings.facts["mos"]
    beside = np.flatnonzero((mos < scale.low) | (mos > scale.high))
    if len(beside):
        row = int(beside[0])
        raise InputError(
            f"{ratings.source}: mos of item {ratings.ids[row]!r} is {mos[row]:g}, and"
            f" the scale goes from {scale.low:g} to {scale.high:g}; correct it, declare"
            " the scale with --scale, or name the rubric with --rubric"
        )
    return places_on(mos, scale)


def _of_labels(ratings: Opinions, scale: Numbers) -> NDArray[np.float64]:
    values, index = np.unique(ratings.facts["score"], return_inverse=True)
    places = np.empty(len(values))
    for number, value in enumerate(values.tolist()):
        try:
            places[number] = scale.position(scale.parse(value))
        except OffScale as error:
            row = int(np.flatnonzero(index == number)[0])
            raise InputError(
                f"{ratings.source}: rating of item {ratings.ids[row]!r}: {error};"
                f" correct it, leave it out (--map {value:g}=missing), name the rubric"
                " with --rubric, declare the scale with --scale, or call the column mos"
                " where it is the mean of several annotators'"
            ) from None
    return places[index]


def _shares(
    ids: Sequence[str],
    distributions: Sequence[Mapping[str, float] | None],
    scale: Numbers,
) -> NDArray[np.float64]:
    names = [f"{label:g}" for label in scale.labels]
    result = np.full((len(ids), len(names)), np.nan)
    for row, shares in enumerate(distributions):
        if shares is None:
            continue
        by_name = {_name(label): share for label, share in shares.items()}
        stray = by_name.keys() - names
        if stray:
            raise InputError(
                f"item {ids[row]!r}: its distribution has the label {min(stray)}, which"
                f" is not on the scale {', '.join(names)}; name the rubric with"
                " --rubric"
            )
        result[row] = [by_name.get(name, 0.0) for name in names]
    return result


def _name(label: str) -> str:
    try:
        return f"{float(label):g}"
    except ValueError:
        return label


#: Fact of an item -> its column in files.
ITEM_COLUMNS = {"instruction_id": "question_id", "system": "system", "split": "split"}


def score_table(
    source: str,
    ids: Sequence[str],
    raters: Sequence[str],
    **facts: Sequence[Any] | NDArray[Any],
) -> Opinions:
    """Return scores as a table, one row per score, or per item that has none.

    Args:
        ids, raters: item of each score, and who gave it; empty: unknown, or known by
            place only.
        facts: ``score`` or ``mos``, on the rubric's scale, NaN: nobody gave one; of
            items ``instruction_id``, ``system``, ``split``, ``candidate`` and
            ``reference``.

    Raises:
        InputError: a ``variance`` is negative.
    """
    _refuse_negative(source, ids, np.asarray(facts.get("variance", ()), float))
    columns: dict[str, NDArray[Any]] = {}
    for name, column in facts.items():
        if isinstance(column, np.ndarray):
            columns[name] = column
        elif any(column):
            columns[name] = texts_of(column)
    rater = texts_of(raters) if any(raters) else None
    return Opinions(source, texts_of(ids), {}, rater, facts=columns)


def _refuse_negative(
    source: str, ids: Sequence[str], variance: NDArray[np.float64]
) -> None:
    negative = np.flatnonzero(variance < 0)
    if len(negative):
        row = negative[0]
        raise InputError(
            f"{source}: the variance of {ids[row]!r} is {variance[row]:g}; give 0 or"
            " more, or nothing"
        )


def mean_ratings(ratings: Opinions) -> Opinions:
    """Return a row per item, whose ``score`` is its mean rating, NaN if unrated."""
    values = values_of(ratings)
    is_known = ~np.isnan(values)
    item = ratings.item[is_known]
    size = int(ratings.item.max(initial=-1)) + 1
    count = np.bincount(item, minlength=size)
    total = np.bincount(item, values[is_known], size)
    first = ratings.take(np.unique(ratings.item, return_index=True)[1])
    facts = dict(first.facts)
    facts.pop("mos", None)
    with np.errstate(invalid="ignore"):
        facts["score"] = total / count
    return replace(first, rater=None, facts=facts, human=True)


def ratings_of_items(
    source: str, items: Sequence[Single], turns: bool | None = None
) -> Opinions:
    """Read the labels inside items; a None score is no rating.

    ``turns``: those of the turns of conversations, called ``ITEM/turn-N``; None: where
    no item has one of its own.
    """
    if turns is None:
        turns = not any(item.labels and item.labels.scores for item in items)
    ids: list[str] = []
    raters: list[str] = []
    values: list[float] = []
    questions: list[str | None] = []
    item_of_rows: list[Single] = []
    for item, known in zip(items, questions_of(items), strict=True):
        for id_, scores in _rated_parts(item, turns).items():
            question = known
            if not question and id_ != item.id:
                question = item.id
            for rater, score in (scores or {"": np.nan}).items():
                ids.append(id_)
                raters.append("" if rater.startswith(ANONYMOUS) else rater)
                values.append(score)
                questions.append(question or None)
                item_of_rows.append(item)
    facts = facts_of(item_of_rows)
    facts["instruction_id"] = questions
    return score_table(source, ids, raters, score=np.array(values, float), **facts)


def _rated_parts(item: Single, turns: bool) -> dict[str, Mapping[str, float]]:
    """Return each rater's score of an item, or of it and each of its turns, by id."""
    if item.labels is None:
        return {item.id: {}}
    if not turns:
        return {item.id: item.labels.ratings}
    parts: dict[str, Mapping[str, float]] = {item.id: {}}
    for number, scores in item.labels.turns.items():
        parts[turn_role(item.id, int(number))] = scores
    return parts


def facts_of(items: Sequence[Single]) -> dict[str, list[Any]]:
    """Return items' facts by column, with recordings where ids are row numbers."""
    recordings = {}
    if all(item.id.isdecimal() for item in items):
        recordings["recording"] = [item.answer.source_id or None for item in items]
    return recordings | {
        "instruction_id": questions_of(items),
        "system": [item.system for item in items],
        "split": [item.split for item in items],
        "candidate": [item.answer.text for item in items],
        "reference": [item.reference for item in items],
    }


def shared(values: Sequence[Any]) -> list[Any]:
    """Share one object among equal values: a million items name fewer questions."""
    same: dict[Any, Any] = {}
    return [same.setdefault(value, value) for value in values]
