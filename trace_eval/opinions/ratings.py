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
from trace_eval.opinions.cells import (
    texts_of,
)
from trace_eval.opinions.opinions import Opinions

#: Numbers closer than this are one label.
_SAME_LABEL = 1e-6


def levels_of(scale: Numbers) -> NDArray[np.float64]:
    """Return a scale's labels as places, 0 to 1 ascending [shape=(labels,)]."""
    return np.array([scale.position(label) for label in scale.labels])


def nearest(levels: NDArray[Any], places: NDArray[Any]) -> NDArray[np.int64]:
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
    samples = facts["samples"].tolist() if "samples" in facts else []
    if (count := max((len(values or ()) for values in samples), default=0)) > 1:
        table = np.full((len(judged), count), np.nan)
        for row, values in enumerate(samples):
            table[row, : len(values or ())] = np.array(
                values or (), float
            )  # None is NaN
        scores["samples"] = places_on(table, scale)
    return replace(judged, scores=scores, scale=scale)


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
        facts = {
            "mos" if name == "score" else name: held
            for name, held in ratings.facts.items()
        }
        ratings = replace(ratings, facts=facts)
    places = (
        _of_means(ratings, scale)
        if "mos" in ratings.facts
        else _of_labels(ratings, scale)
    )
    return replace(ratings, scores={"score": places}, scale=scale)


def places_on(score: NDArray[Any], scale: Numbers) -> NDArray[np.float64]:
    """Return numbers on a scale as places, 0 to 1 [shape as of ``score``]."""
    return np.asarray(
        (score - float(scale.low)) / (float(scale.high) - float(scale.low))
    )


def _are_means(ratings: Opinions, scale: Numbers) -> bool:
    if ratings.rater is not None or len(set(ratings.ids.tolist())) < len(ratings):
        return False
    values, labels = np.unique(ratings.facts["score"]), np.array(scale.labels, float)
    between = (np.abs(values[:, None] - labels) > _SAME_LABEL).all(1).any()
    return bool(between and ((values >= scale.low) & (values <= scale.high)).all())


def _of_means(ratings: Opinions, scale: Numbers) -> NDArray[np.float64]:
    mos = ratings.facts["mos"]
    beside = np.flatnonzero((mos < scale.low) | (mos > scale.high))
    if len(beside):
        row = int(beside[0])
        raise InputError(
            f"{ratings.source}: mos of item {ratings.ids[row]!r} is {mos[row]:g}, and"
            f" the scale goes from {scale.low:g} to {scale.high:g}; correct it, or name"
            " the rubric with --rubric"
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
        provided = {_name(label): share for label, share in shares.items()}
        if stray := set(provided) - set(names):
            raise InputError(
                f"item {ids[row]!r}: its distribution has the label {min(stray)}, which"
                f" is not on the scale {', '.join(names)}; name the rubric with"
                " --rubric"
            )
        result[row] = [provided.get(name, 0.0) for name in names]
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
    """
    available = {
        name: column if isinstance(column, np.ndarray) else texts_of(column)
        for name, column in facts.items()
        if isinstance(column, np.ndarray) or any(column)
    }
    rater = texts_of(raters) if any(raters) else None
    return Opinions(source, texts_of(ids), {}, rater, facts=available)


def mean_ratings(ratings: Opinions) -> Opinions:
    """Return a row per item, whose ``score`` is its mean rating, NaN if unrated."""
    values, size = values_of(ratings), int(ratings.item.max(initial=-1)) + 1
    is_known = ~np.isnan(values)
    count = np.bincount(ratings.item[is_known], minlength=size)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(ratings.item[is_known], values[is_known], size) / count
    first = ratings.take(np.unique(ratings.item, return_index=True)[1])
    facts = {name: column for name, column in first.facts.items() if name != "mos"}
    return replace(first, rater=None, facts={**facts, "score": mean}, human=True)


def ratings_of_items(
    source: str, items: Sequence[Single], turns: bool | None = None
) -> Opinions:
    """Read the labels inside items; a None score is no rating.

    ``turns``: those of the turns of conversations, called ``ITEM/turn-N``; None: where
    no item has one of its own.
    """
    if turns is None:
        turns = not any(item.labels and item.labels.scores for item in items)
    rows: list[tuple[str, str, float, str | None, Single]] = []
    for item in items:
        provided = (
            {item.id: item.labels.ratings}
            if item.labels and not turns
            else {item.id: {}}
        )
        for number, scores in (
            item.labels.turns if item.labels and turns else {}
        ).items():
            provided[turn_role(item.id, int(number))] = scores
        for id_, scores in provided.items():
            requested = item.question_id or (None if id_ == item.id else item.id)
            for rater, score in (scores or {"": np.nan}).items():
                who = "" if rater.startswith(ANONYMOUS) else rater
                rows.append((id_, who, score, requested, item))
    ids, raters, values, questions, whole = (
        zip(*rows, strict=True) if rows else [()] * 5
    )
    facts = facts_of(whole)
    facts["instruction_id"] = list(questions)
    return score_table(source, ids, raters, score=np.array(values, float), **facts)


def facts_of(items: Sequence[Single]) -> dict[str, list[Any]]:
    """Return items' facts by column, with recordings where ids are row numbers."""
    named = {}
    if all(item.id.isdecimal() for item in items):
        named = {"recording": [item.answer.source_id or None for item in items]}
    return named | {
        "instruction_id": [item.question_id for item in items],
        "system": [item.system for item in items],
        "split": [item.split for item in items],
        "candidate": [item.answer.text for item in items],
        "reference": [item.reference for item in items],
    }


def shared(values: Sequence[Any]) -> list[Any]:
    """Share one object among equal values: a million items name fewer questions."""
    same: dict[Any, Any] = {}
    return [same.setdefault(value, value) for value in values]
