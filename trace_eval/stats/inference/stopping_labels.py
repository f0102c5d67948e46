"""Whether enough was labelled to tell systems apart, and a judge from its target."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from trace_eval.estimate.arrays import Mask, Reals
from trace_eval.estimate.helped_bets import Pool
from trace_eval.opinions.codes import MISSING, POINTS
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import WholeNumbers, index_of
from trace_eval.stats.agreement.position import self_mask
from trace_eval.stats.inference.labelled_run import LabelledRun, differences, labelled
from trace_eval.stats.inference.stopping import (
    MOST_SYSTEMS,
    Stopping,
    agreement,
    cannot_say,
    two_systems,
)
from trace_eval.stats.inference.votes import Votes

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

#: Parts of the labels after which that is looked at, and the fewest labels that tell.
_PARTS, _LEAST_LABELS = 8, 8


def of_annotators(
    votes: Opinions, dimension: str | None = None, level: float = 0.95
) -> tuple[Stopping, ...]:
    """Look at annotators' labels alone.

    They have a row for each label, in the order in which they came.
    """
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
    """Say why the order of the labels is not random; None if it is.

    A review that begins with the pairs that need a person writes 1 as their inclusion,
    and none while some of them are open. Of a queue that is done all have 1, whatever
    its order was. None: they may be such a sample.
    """
    inclusion = labels.facts.get("inclusion")
    if inclusion is None or not len(labels):
        return None
    of_pairs = inclusion[np.sort(_firsts(labels))]
    is_needed = np.isnan(of_pairs) | (of_pairs == 1)
    if is_needed.all():
        return NEEDED_FIRST if np.isnan(of_pairs).any() else TO_THE_END
    first_drawn = np.argmin(is_needed)
    is_needed_later = is_needed[first_drawn:].any()
    if is_needed.any() and not is_needed_later:
        return NEEDED_FIRST
    return None


def of_accuracy(
    run: LabelledRun, labels: Opinions, target: float, level: float = 0.95
) -> Stopping:
    """Say whether enough was labelled to tell the judge's agreement from a target.

    Raters of one pair count by how many of them the judge agrees with.
    """
    dimension = run.column if run.column in labels.codes else None
    codes = labels.codes[labels.column(dimension)]
    rows = run.table.find(labels.ids)
    has_pair = rows >= 0
    has_both = has_pair & (codes != MISSING)
    has_both[has_both] = run.codes[rows[has_both]] != MISSING
    rows = rows[has_both]
    is_right = codes[has_both] == run.codes[rows]
    votes = Votes(
        item=rows,
        value=is_right.astype(float),
        unit=_taken(run.table.units(), rows),
        weight=_weights(run, rows),
    )
    return agreement(run.judge, votes, target, level)


def _every_two(
    table: Opinions,
    labels: Opinions,
    dimension: str | None,
    level: float,
    run: LabelledRun | None,
) -> Iterator[Stopping]:
    """Yield a look at each two systems that labels compare; they share the error."""
    system_a = table.facts.get("system_a")
    system_b = table.facts.get("system_b")
    if system_a is None or system_b is None:
        return
    names_of_rows = map(str, system_a.tolist() + system_b.tolist())
    number, systems = index_of(list(names_of_rows))
    first, second = number.reshape(2, -1)
    if run is None:  # one row a label, and not a pair
        rows = labels.item
        first = first[_firsts(labels)]
        second = second[_firsts(labels)]
    else:
        rows = table.find(labels.ids)
    codes = labels.codes[labels.column(dimension)]
    counts = (rows >= 0) & (codes != MISSING)
    rows = rows[counts]
    points = POINTS[codes[counts]]
    unit = _units(table, run)
    looked_at = range(min(len(systems), MOST_SYSTEMS))
    compared: list[tuple[int, int, Mask]] = []
    for one, other in combinations(looked_at, 2):
        meets = _meets(first, second, one, other)
        if meets[rows].any():
            compared.append((one, other, meets))
    level_of_each = 1 - (1 - level) / max(len(compared), 1)
    for one, other, meets in compared:
        here = meets[rows]
        own = rows[here]
        value = np.where(first[own] == one, points[here], 1 - points[here])
        leader = one
        trailer = other
        if value.mean() < 0.5:
            leader = other
            trailer = one
            value = 1 - value
        weight = None if run is None else _weights(run, own)
        votes = Votes(item=own, value=value, unit=_taken(unit, own), weight=weight)
        pool = None
        if run is not None:
            pool = _pool(run, meets, leads=first == leader, votes=votes)
        names = systems[leader], systems[trailer]
        yield two_systems(names, votes, level_of_each, pool)


def _meets(first: WholeNumbers, second: WholeNumbers, one: int, other: int) -> Mask:
    """Return which pairs compare two systems [shape=(pairs,)]."""
    in_order = (first == one) & (second == other)
    exchanged = (first == other) & (second == one)
    return np.asarray(in_order | exchanged)


def _firsts(labels: Opinions) -> WholeNumbers:
    """Return the first row of each item, by the item's number."""
    _, first_row = np.unique(labels.item, return_index=True)
    return np.asarray(first_row)


def _units(table: Opinions, run: LabelledRun | None) -> WholeNumbers | None:
    """Return the independent unit of each pair; None: each is one."""
    if run is None:
        return table.take(_firsts(table)).units()
    return table.units()


def _taken(unit: WholeNumbers | None, rows: WholeNumbers) -> WholeNumbers | None:
    return None if unit is None else unit[rows]


def _weights(run: LabelledRun, rows: WholeNumbers) -> Reals | None:
    """Return the inverse of the probability with which each row was asked for."""
    inclusion = run.drawn.inclusion
    return None if inclusion is None else 1 / inclusion[rows]


def _pool(run: LabelledRun, meets: Mask, leads: Mask, votes: Votes) -> Pool | None:
    """Return the judge's verdicts on all pairs of two systems.

    None: they cannot help, because labels are no random sample of the pairs. Where
    every pair has a label they still count, because what was said on the way stays
    said.
    """
    if run.drawn.inclusion is not None or run.drawn.problem is not None:
        return None
    if differences(run):
        return None
    in_pool = meets & ~self_mask(run.table.facts, len(meets))
    item, items = index_of(votes.item.tolist())
    labelled_rows = np.array(items)
    pairs = int(in_pool.sum())
    unit = run.table.units()
    if unit is None:
        pairs_of_unit = np.ones(pairs)
        unit_number, _ = index_of(items)
    else:
        if not _come_at_random(unit[in_pool], unit[labelled_rows]):
            return None
        pairs_of_unit = np.bincount(unit[in_pool]).astype(np.float64)
        unit_number, _ = index_of(unit[labelled_rows].tolist())
    points = np.nan_to_num(POINTS[run.codes], nan=0.5)
    judged = np.where(leads, points, 1 - points)
    return Pool(
        labels=np.bincount(item, votes.value) / np.bincount(item),
        verdicts=judged[labelled_rows],
        units=np.maximum.accumulate(unit_number) + 1,
        mean=float(judged[in_pool].mean()),
        pairs=pairs,
        independent=float(pairs_of_unit.sum() ** 2 / (pairs_of_unit**2).sum()),
    )


def _come_at_random(every: WholeNumbers, labelled_units: WholeNumbers) -> bool:
    """Tell whether labels touch instructions as a random order would, on the way too.

    Whoever labels one instruction after the other has touched few of them at first, and
    all in the end.
    """
    count = len(labelled_units)
    ends = {count}
    for part in range(1, _PARTS):
        end = count * part // _PARTS
        if end >= _LEAST_LABELS:
            ends.add(end)
    return all(_touches_many(every, labelled_units[:end]) for end in ends)


def _touches_many(every: WholeNumbers, labelled_units: WholeNumbers) -> bool:
    """Tell whether labels touch about as many instructions as a random sample would."""
    sizes = np.bincount(every)
    share_without_label = 1 - len(labelled_units) / len(every)
    chance_to_miss = share_without_label ** sizes[sizes > 0]
    expected = float((1 - chance_to_miss).sum())
    return len(np.unique(labelled_units)) >= _TOUCHED * expected
