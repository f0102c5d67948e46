"""Whether enough was labelled to tell systems, and a judge from its target, in what was read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.anytime import Pool
from trace_eval.opinions.codes import MISSING, POINTS
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import WholeNumbers, index_of
from trace_eval.stats.agreement.position import self_mask
from trace_eval.stats.inference.labelled_run import LabelledRun, differences, labelled
from trace_eval.stats.inference.stopping import (
    Stopping,
    agreement,
    cannot_say,
    two_systems,
)
from trace_eval.stats.inference.votes import Votes

#: Systems beyond which not every two are looked at.
MOST_SYSTEMS = 12

#: The question of two systems where nothing can be said about any.
WHO_IS_BETTER = "which system is better"

#: Why a review's queue tells nothing before its end.
NEEDED_FIRST = (
    "pairs that need a person were labelled first, so the labels so far are no random"
    " sample of all pairs; plan another review with --random-share 1"
)

#: Why a queue that was labelled to its end tells nothing of the way there.
TO_THE_END = (
    "every pair of the queue has a label, and the labels do not tell whether their"
    " order was drawn or pairs that need a person came first; the win rate is of all of"
    " them"
)

#: Share of the instructions that a random sample of pairs would touch, below which the
#: labels were drawn by instruction.
_TOUCHED = 0.8


def of_annotators(
    votes: Opinions, dimension: str | None = None, level: float = 0.95
) -> tuple[Stopping, ...]:
    """Look at annotators' labels alone, a row for each label in the order in which they came."""
    if why_not := no_random_order(votes):
        return (cannot_say(WHO_IS_BETTER, why_not),)
    return tuple(_every_two(votes, votes, dimension, level=level, run=None))


def of_judged(
    table: Opinions, labels: Opinions, dimension: str | None = None, level: float = 0.95
) -> tuple[Stopping, ...]:
    """Look at labels of some pairs that a judge saw all of.

    Args:
        table: the judge's labels, one row a pair, with the systems.
        labels: annotators', a row for each label in the order in which they came.

    Raises:
        UserError: labels cannot be joined, see :func:`labelled`.
    """
    if why_not := no_random_order(labels):
        return (cannot_say(WHO_IS_BETTER, why_not),)
    run = labelled(table, labels, dimension)
    return tuple(_every_two(run.table, labels, dimension, level=level, run=run))


def no_random_order(labels: Opinions) -> str | None:
    """Say why labels are no random sample of their pairs after each of them; None: they may be.

    A review that begins with the pairs that need a person writes 1 as their inclusion,
    and none while some of them are open. Of a queue that is done all have 1, whatever
    its order was.
    """
    inclusion = labels.facts.get("inclusion")
    if inclusion is None or not len(labels):
        return None
    own = inclusion[np.sort(_firsts(labels))]
    needed = np.isnan(own) | (own == 1)
    if needed.all():
        return NEEDED_FIRST if np.isnan(own).any() else TO_THE_END
    begins = needed.any() and not needed[np.argmin(needed) :].any()
    return NEEDED_FIRST if begins else None


def of_accuracy(
    run: LabelledRun, labels: Opinions, target: float, level: float = 0.95
) -> Stopping:
    """Say whether enough was labelled to tell the judge's agreement from a target.

    Raters of one pair count by how many of them the judge agrees with.
    """
    rows = run.table.find(labels.ids)
    codes = labels.codes[
        labels.column(run.column if run.column in labels.codes else None)
    ]
    kept = (rows >= 0) & (codes != MISSING)
    kept[kept] = run.codes[rows[kept]] != MISSING
    rows = rows[kept]
    right = (codes[kept] == run.codes[rows]).astype(float)
    votes = Votes(rows, right, _taken(run.table.units(), rows), _weights(run, rows))
    return agreement(run.judge, votes, target, level)


def _every_two(
    table: Opinions,
    labels: Opinions,
    dimension: str | None,
    level: float,
    run: LabelledRun | None,
) -> Iterator[Stopping]:
    """Yield a look at each two systems that labels compare; they share the error."""
    sides = [table.facts.get(f"system_{side}") for side in "ab"]
    named = [str(name) for side in sides if side is not None for name in side.tolist()]
    if len(named) < 2 * len(table):
        return
    number, systems = index_of(named)
    first, second = number.reshape(2, -1)
    column = labels.column(dimension)
    rows = labels.item if run is None else table.find(labels.ids)
    if run is None:  # one row a label, and not a pair
        first, second = first[_firsts(labels)], second[_firsts(labels)]
    codes = labels.codes[column]
    kept = (rows >= 0) & (codes != MISSING)
    rows, points = rows[kept], POINTS[codes[kept]]
    unit = _units(table, run)
    pairs = [
        (one, other)
        for one, other in combinations(range(min(len(systems), MOST_SYSTEMS)), 2)
        if (_meets(first, second, one, other)[rows]).any()
    ]
    for one, other in pairs:
        here = _meets(first, second, one, other)[rows]
        own = rows[here]
        value = np.where(first[own] == one, points[here], 1 - points[here])
        votes = Votes(
            own, value, _taken(unit, own), None if run is None else _weights(run, own)
        )
        names = systems[one], systems[other]
        if value.mean() < 0.5:
            votes, names = Votes(own, 1 - value, votes.unit, votes.weight), names[::-1]
        meets = _meets(first, second, one, other)
        pool = None
        if run is not None:
            leader = other if names[0] == systems[other] else one
            pool = _pool(run, meets, first == leader, votes)
        yield two_systems(names, votes, 1 - (1 - level) / len(pairs), pool)


def _meets(
    first: WholeNumbers, second: WholeNumbers, one: int, other: int
) -> NDArray[np.bool_]:
    """Return which pairs compare two systems [shape=(pairs,)]."""
    forth, back = (first == one) & (second == other), (first == other) & (second == one)
    return np.asarray(forth | back)


def _firsts(labels: Opinions) -> WholeNumbers:
    """Return the first row of each item, by the item's number."""
    return np.asarray(np.unique(labels.item, return_index=True)[1])


def _units(table: Opinions, run: LabelledRun | None) -> WholeNumbers | None:
    """Return the independent unit of each pair; None: each is one."""
    if run is None:
        return table.take(_firsts(table)).units()
    return table.units()


def _taken(unit: WholeNumbers | None, rows: WholeNumbers) -> WholeNumbers | None:
    return None if unit is None else unit[rows]


def _weights(run: LabelledRun, rows: WholeNumbers) -> NDArray[np.float64] | None:
    inclusion = run.drawn.inclusion
    return None if inclusion is None else 1 / inclusion[rows]


def _pool(
    run: LabelledRun, meets: NDArray[np.bool_], leads: NDArray[np.bool_], votes: Votes
) -> Pool | None:
    """Return the judge's verdicts on all pairs of two systems; None where they cannot help.

    They do not where labels are no random sample of the pairs. Where every pair has a
    label they still count, because what was said on the way stays said.
    """
    kept = meets & ~self_mask(run.table.facts, len(meets))
    if run.drawn.inclusion is not None or run.drawn.problem is not None:
        return None
    item, items = index_of(votes.item.tolist())
    if differences(run):
        return None
    unit = run.table.units()
    if unit is not None and not _touches_many(unit[kept], unit[np.array(items)]):
        return None
    points = np.nan_to_num(POINTS[run.codes], nan=0.5)
    judged = np.where(leads, points, 1 - points)
    pairs = int(kept.sum())
    sizes = np.ones(pairs) if unit is None else np.bincount(unit[kept])
    units = items if unit is None else unit[np.array(items)].tolist()
    return Pool(
        labels=np.bincount(item, votes.value) / np.bincount(item),
        verdicts=judged[np.array(items)],
        units=np.maximum.accumulate(index_of(units)[0]) + 1,
        mean=float(judged[kept].mean()),
        pairs=pairs,
        independent=float(sizes.sum() ** 2 / (sizes**2).sum()),
    )


def _touches_many(every: WholeNumbers, labelled_units: WholeNumbers) -> bool:
    """Whether labels touch about as many instructions as a random sample of the pairs would."""
    sizes = np.bincount(every)
    missed = (1 - len(labelled_units) / len(every)) ** sizes[sizes > 0]
    return len(np.unique(labelled_units)) >= _TOUCHED * float((1 - missed).sum())
