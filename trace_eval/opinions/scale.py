"""Numbers on the scale of a rubric as places on it, from 0 to 1: y = (r - 1) / 4 for 1 to 5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from fusion import Numbers, OffScale, likert
from trace_eval.opinions.opinions import Opinions

Array = NDArray[Any]

#: The scale of scores that do not name theirs.
DEFAULT_SCALE = likert(1, 5)

#: Numbers closer than this are one label.
_SAME_LABEL = 1e-6


def levels_of(scale: Numbers) -> NDArray[np.float64]:
    """Places of a scale's labels, ascending from 0 to 1 [shape=(labels,)]."""
    return np.array([scale.position(label) for label in scale.labels])


def nearest(levels: Array, places: Array) -> NDArray[np.int64]:
    """Index of the nearest label; the upper one of two at equal distance."""
    return np.searchsorted((levels[1:] + levels[:-1]) / 2, places, side="right")


def values_of(ratings: Opinions) -> NDArray[np.float64]:
    """The raters' numbers, on the rubric's scale [shape=(ratings,)]."""
    return ratings.facts["mos" if "mos" in ratings.facts else "score"]


def rated(ratings: Opinions) -> Opinions:
    """The rows that hold a number."""
    provided = ~np.isnan(values_of(ratings))
    return ratings if provided.all() else ratings.take(provided)


def placed(judged: Opinions, scale: Numbers) -> Opinions:
    """Scores of one judge as places on a scale, in ``scores``.

    ``score`` [shape=(n,)], and what else it said: ``variance`` [shape=(n,)], ``shares`` of the
    labels [shape=(n, labels)], ``beta``, the parameters (alpha, beta) [shape=(n, 2)], single
    ``samples`` [shape=(n, samples)], and the ``clamped`` score. NaN where there is none.

    Raises:
        UserError: a distribution has a label that is not on the scale.
    """
    facts = judged.facts
    scores = {"score": _places(facts["score"], scale)}
    for name in ("variance", "beta", "clamped"):
        if name in facts and not np.isnan(facts[name]).all():
            scores[name] = facts[name]
    if any(facts.get("distribution", ())):
        scores["shares"] = _shares(judged.ids.tolist(), facts["distribution"].tolist(), scale)
    samples = facts["samples"].tolist() if "samples" in facts else []
    if (count := max((len(values or ()) for values in samples), default=0)) > 1:
        table = np.full((len(judged), count), np.nan)
        for row, values in enumerate(samples):
            table[row, : len(values or ())] = np.array(values or (), float)  # None is NaN
        scores["samples"] = _places(table, scale)
    return replace(judged, scores=scores, scale=scale)


def placed_ratings(ratings: Opinions, scale: Numbers) -> Opinions:
    """Human ratings as places on a scale, in ``scores``.

    Under the fact ``mos`` they are means of several raters, and need not be labels of the scale.
    They are that, too, where a number between two labels occurs, every item has one number alone,
    and nobody is named who gave it: what one rater chose is a label.

    Raises:
        UserError: one is none of the scale's labels, or a mean opinion lies beside the scale.
    """
    if "score" in ratings.facts and _are_means(ratings, scale):
        facts = {"mos" if name == "score" else name: held for name, held in ratings.facts.items()}
        ratings = replace(ratings, facts=facts)
    places = _of_means(ratings, scale) if "mos" in ratings.facts else _of_labels(ratings, scale)
    return replace(ratings, scores={"score": places}, scale=scale)


def _places(score: Array, scale: Numbers) -> NDArray[np.float64]:
    return np.asarray((score - float(scale.low)) / (float(scale.high) - float(scale.low)))


def _are_means(ratings: Opinions, scale: Numbers) -> bool:
    if ratings.rater is not None or len(set(ratings.ids.tolist())) < len(ratings):
        return False
    values, labels = np.unique(ratings.facts["score"]), np.array(scale.labels, float)
    between = (np.abs(values[:, None] - labels) > _SAME_LABEL).all(1).any()
    return bool(between and ((values >= scale.low) & (values <= scale.high)).all())


def _of_means(ratings: Opinions, scale: Numbers) -> NDArray[np.float64]:
    provided = ratings.facts["mos"]
    beside = np.flatnonzero((provided < scale.low) | (provided > scale.high))
    if len(beside):
        row = int(beside[0])
        raise UserError(
            f"{ratings.source}: mos of item {ratings.ids[row]!r} is {provided[row]:g}, and"
            f" the scale goes from {scale.low:g} to {scale.high:g}; correct it, or name the rubric"
            " with --rubric"
        )
    return _places(provided, scale)


def _of_labels(ratings: Opinions, scale: Numbers) -> NDArray[np.float64]:
    values, index = np.unique(ratings.facts["score"], return_inverse=True)
    places = np.empty(len(values))
    for number, value in enumerate(values.tolist()):
        try:
            places[number] = scale.position(scale.parse(value))
        except OffScale as error:
            row = int(np.flatnonzero(index == number)[0])
            raise UserError(
                f"{ratings.source}: rating of item {ratings.ids[row]!r}: {error}; correct it,"
                " name the rubric with --rubric, or call the column mos where it is the mean of"
                " several annotators'"
            ) from None
    return places[index]


def _shares(
    ids: Sequence[str], distributions: Sequence[Mapping[str, float] | None], scale: Numbers
) -> NDArray[np.float64]:
    names = [f"{label:g}" for label in scale.labels]
    result = np.full((len(ids), len(names)), np.nan)
    for row, shares in enumerate(distributions):
        if shares is None:
            continue
        provided = {_name(label): share for label, share in shares.items()}
        if stray := set(provided) - set(names):
            raise UserError(
                f"item {ids[row]!r}: its distribution has the label {min(stray)}, which is not on"
                f" the scale {', '.join(names)}; name the rubric with --rubric"
            )
        result[row] = [provided.get(name, 0.0) for name in names]
    return result


def _name(label: str) -> str:
    try:
        return f"{float(label):g}"
    except ValueError:
        return label
