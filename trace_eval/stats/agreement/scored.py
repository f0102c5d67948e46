"""Scored items with judges and human ratings, and what a statistic reads of them.

Every number is a place on the rubric's scale, 0 to 1; NaN stands for what is missing,
and nothing of it reaches a report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from blueprints import UserError, counted
from fusion import Numbers
from trace_eval.data.columns import Missing
from trace_eval.estimate.arrays import Array, Mask
from trace_eval.estimate.interval import Range
from trace_eval.estimate.resample import UNIT, Resampler
from trace_eval.opinions.opinions import Opinions, unjudged_left_out
from trace_eval.opinions.ratings import placed, placed_ratings, rated
from trace_eval.opinions.same_names import as_judged
from trace_eval.opinions.units import WholeNumbers
from trace_eval.stats.agreement.judges import JudgeOpinions

#: Ratings from which an item's variance says something.
MIN_RATINGS = 3

#: What is known of an item, beside its id.
_ITEM = ("instruction_id", "system", "split", "candidate", "reference")


def join_scores(
    sources: Sequence[Opinions], ratings: Opinions, scale: Numbers, missing: Missing
) -> tuple[Opinions, list[JudgeOpinions]]:
    """Join every scored item, with its ratings on the same scale, and every judge.

    Raises:
        UserError: a rated item is in no source, unless ``missing`` is ``drop``, or a
            number is off the scale.
    """
    ratings = rated(replace(ratings, ids=as_judged(ratings.ids, sources)))
    items = items_of(sources, ratings)
    stray = items.find(ratings.ids) < 0
    if stray.any() and missing == "error":
        absent = len(set(ratings.ids[stray].tolist()))
        raise UserError(
            f"{ratings.source}: {counted(absent, 'rated item is', 'rated items are')}"
            f" not in {sources[0].source}, first {ratings.ids[stray][0]!r}; score them,"
            " correct the ids, or pass --missing drop"
        )
    raters = [source.raters() for source in sources]
    names = Counter(name for of_source in raters for name in of_source)
    judges: list[JudgeOpinions] = []
    for source, of_source in zip(sources, raters, strict=True):
        for name, own in of_source.items():
            on_scale = replace(placed(own, scale), facts={}, labels=None)
            title = f"{name} ({source.source})" if names[name] > 1 else name
            judges.append(JudgeOpinions(title, own, on_scale.spread(items.ids)))
    return with_ratings(items, ratings, scale), judges


def unjudged_ratings(
    sources: Sequence[Opinions], items: Opinions, ratings: Opinions
) -> Iterator[str]:
    """Say how many rated items are left out, because no source has a row of them."""
    ratings = rated(replace(ratings, ids=as_judged(ratings.ids, sources)))
    stray = items.find(ratings.ids) < 0
    if stray.any():
        yield unjudged_left_out(len(set(ratings.ids[stray].tolist())), "rated")


def items_of(sources: Sequence[Opinions], ratings: Opinions) -> Opinions:
    """Return one row per item of all sources, with what they say of it.

    What they lack, ratings say.
    """
    ids = dict.fromkeys(id_ for source in sources for id_ in source.ids.tolist())
    items = Opinions(sources[0].source, np.fromiter(ids, object, len(ids)), {})
    facts: dict[str, Array] = {}
    for name in _ITEM:
        facts[name] = np.full(len(items), None, object)
    for table in (*sources, ratings):
        row = items.find(table.ids)
        for name, column in facts.items():
            if name in table.facts:
                _fill_in(column, row, table.facts[name])
    some = {name: column for name, column in facts.items() if any(column.tolist())}
    return replace(items, facts=some)


def _fill_in(column: Array, row: WholeNumbers, fact: Array) -> None:
    """Write a fact of some rows where its column has no value yet, -1 for unknown."""
    is_known = (row >= 0) & (fact != None)  # noqa: E711 - elementwise on objects
    is_new = is_known.copy()
    is_new[is_known] = column[row[is_known]] == None  # noqa: E711
    column[row[is_new]] = fact[is_new]


def with_ratings(items: Opinions, ratings: Opinions, scale: Numbers) -> Opinions:
    """Return items with ratings as ``labels``, and their moments as ``scores``.

    Those are the mean and the unbiased variance.
    """
    row = items.find(ratings.ids)
    labels = replace(placed_ratings(ratings, scale), joined=row).take(row >= 0)
    item = labels.item
    count = np.bincount(item, minlength=len(items))
    with np.errstate(invalid="ignore"):
        mean = np.bincount(item, labels.score, len(items)) / count
    deviation = labels.score - mean[item]
    squares = np.bincount(item, deviation**2, len(items))
    variance = np.where(count > 1, squares / np.maximum(count - 1, 1), np.nan)
    scores = {"score": mean, "variance": variance}
    return replace(items, scores=scores, scale=scale, labels=labels)


def only(items: Opinions, chosen: Mask) -> Opinions:
    """Select some items, with their ratings [shape=(items,)]."""
    if chosen.all():
        return items
    ratings = ratings_of(items, chosen)
    new_row = np.cumsum(chosen) - 1
    labels = replace(ratings, joined=new_row[ratings.item])
    return replace(items.take(chosen), labels=labels)


def ratings_of(items: Opinions, chosen: Mask | None = None) -> Opinions:
    """Return the ratings of items, of all or of those that are chosen [shape=(items,)].

    ``item`` is their row.
    """
    ratings = items.labels
    assert ratings is not None
    if chosen is None:
        return ratings
    return ratings.take(chosen[ratings.item])


def units_of(items: Opinions) -> WholeNumbers:
    """Return the units that are drawn whole [shape=(items,)].

    They are the answers to one question; else each item.
    """
    units = items.units()
    if units is None:
        return np.arange(len(items))
    return units


def counts_of(items: Opinions) -> WholeNumbers:
    """Count the ratings of each item [shape=(items,)]."""
    return np.bincount(ratings_of(items).item, minlength=len(items))


def rated_often(items: Opinions) -> Mask:
    """Say which items have enough ratings for a variance [shape=(items,)]."""
    return counts_of(items) >= MIN_RATINGS


def scale_of(items: Opinions) -> Numbers:
    """Return the scale of items that were joined to ratings."""
    assert items.scale is not None
    return items.scale


def bounds_of(scale: Numbers, places: Array) -> Range | None:
    """Return the range of places on a scale.

    None stands where scores exceed its ends, as rewards do.
    """
    if not scale.bounded:
        return None
    known = places[~np.isnan(places)]
    low, high = UNIT
    if len(known) and (known.min() < low or known.max() > high):
        return None
    return UNIT


def names_of(items: Opinions) -> list[str]:
    """Return the raters who are known by name."""
    rater = ratings_of(items).rater
    if rater is None:
        return []
    return sorted(set(rater.tolist()) - {""})


def by_rater(items: Opinions) -> Array:
    """Return a column per named rater, NaN where silent [shape=(items, raters)]."""
    ratings = ratings_of(items)
    names = names_of(items)
    table = np.full((len(items), len(names)), np.nan)
    for number, name in enumerate(names):
        is_of_rater = ratings.rater == name
        table[ratings.item[is_of_rater], number] = ratings.score[is_of_rater]
    return table


def with_clamped(judges: Sequence[JudgeOpinions]) -> Iterator[JudgeOpinions]:
    """Yield each judge, and after it the same with clamped extreme means.

    A judge without any is yielded once.
    """
    for judge in judges:
        scores = dict(judge.joined.scores)
        clamped = scores.pop("clamped", None)
        yield judge._replace(joined=replace(judge.joined, scores=scores))
        if clamped is None:
            continue
        # The clamp moves the mean only: it has no distribution of its own.
        moved = {"score": np.where(np.isnan(clamped), scores["score"], clamped)}
        if "variance" in scores:
            moved["variance"] = scores["variance"]
        joined = replace(judge.joined, scores=moved)
        yield JudgeOpinions(f"{judge.name}, clamped", judge.own, joined)


@dataclass(frozen=True)
class Scored:
    """One judge, or one baseline, beside human ratings; it scored every item.

    Attributes:
        crps: of its forecast of each rating; None: its numbers are off the scale.
        nll: -log likelihood of some ratings; None: there is none, and ``reason`` says
            why.
        head: what the likelihood is of: ``labels`` or ``beta``; only equal ones
            compare.
        nll_row: item of each rating that has a likelihood.
    """

    items: Opinions
    judge: Opinions
    nll_row: Array
    reason: str | None
    crps: Array | None = None
    nll: Array | None = None
    head: str | None = None

    @property
    def truth(self) -> Array:
        """Mean rating of every item, 0 to 1 [shape=(items,)]."""
        return self.items.score

    @property
    def off_scale(self) -> str | None:
        """Say why its numbers have an order but no distances; None: they have both."""
        return self.reason if self.judge.scale is None else None


@dataclass(frozen=True)
class Basis:
    """What a statistic was computed from.

    ``rows`` of a ``unit``, or the reason why there is no value; None: there may be one.
    """

    rows: int
    unit: str = "items"
    reason: str | None = None


#: Registers its figure with the resampler under a key, and says what it is computed
#: from. None: it is no figure of this kind of forecast, and is left out of the table.
ScoreStatistic = Callable[[Resampler, str, Scored], Basis | None]
