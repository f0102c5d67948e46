"""A judge change: the same items judged twice. What shifts, what flips, who is nearer to labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from blueprints import counted
from trace_eval.compare.change_report import Direction, JudgeChange, MetricFlips
from trace_eval.compare.comparable import OF_THE_JUDGE, Held, held_fixed, others_changed
from trace_eval.compare.flips import identical
from trace_eval.compare.human_labels import against_labels, against_ratings
from trace_eval.compare.judgings import Joined, Judging, aligned, join
from trace_eval.compare.mapping import Mapping, mapping
from trace_eval.compare.options import ChangeOptions
from trace_eval.compare.severe import severe_items
from trace_eval.compare.shifts import coverage, direction, groups, largest, metric_flips
from trace_eval.compare.systems import SystemChange, system_change


def compare_judgings(
    first: Judging,
    second: Judging,
    repeats: Sequence[Judging] = (),
    options: ChangeOptions | None = None,
) -> JudgeChange:
    """Compare two judgings of the same items.

    Args:
        first, second: of the old and the new judge.
        repeats: the first judging once more (A/A).
        options: default: :class:`ChangeOptions`.

    Raises:
        UserError: they have no item or metric in common.
    """
    options = options or ChangeOptions()
    joined = join(first, second)
    repeats = [aligned(joined.first, repeat) for repeat in repeats]
    held, names = held_fixed(joined), joined.metrics
    wholes = [name for name in names if name.rpartition(".")[2] in ("overall", "preference")]
    main = (wholes or names)[0]
    seen = {name: metric_flips(joined, name, repeats, options) for name in names}
    moved = {name: direction(joined, name, options) for name in names}
    again = next((each for each in repeats if main in each.metrics), None)
    systems = system_change(joined, main, again, options.bootstrap)
    labelled = [against_labels(joined, name, options.bootstrap) for name in names]
    rated = [against_ratings(joined, name, options.bootstrap) for name in names]
    same = identical(joined.first, joined.second)
    return JudgeChange(
        title=_title(held, seen[main]),
        sentence=_sentence(moved[main], seen[main], systems, same, options.margin),
        first=first.source,
        second=second.source,
        only_first=joined.only_first,
        only_second=joined.only_second,
        notes=tuple(dict.fromkeys(n for row in seen.values() for n in row.noise.notes)),
        held=held,
        main=main,
        options=options,
        coverage=tuple(coverage(joined, name) for name in names),
        flips=tuple(seen.values()),
        direction=tuple(moved.values()),
        systems=systems,
        people=tuple(result for result in labelled if result is not None),
        rated=tuple(result for result in rated if result is not None),
        mapping=_mapping(joined, main, systems),
        severe=tuple(severe_items(joined, main)),
        groups=tuple(groups(joined, main, options.top)),
        items=tuple(largest(joined, main, options.top)),
    )


def _mapping(joined: Joined, main: str, systems: SystemChange | None) -> Mapping | None:
    """The mapping from old to new: of item scores, or of win rates for labels."""
    if main not in joined.first.codes:
        one, other = joined.points(main)
        available = ~np.isnan(one) & ~np.isnan(other)
        return mapping(one[available], other[available])
    if systems is None:
        return None
    rates = [(row.first.value, row.second.value) for row in systems.rows]
    pairs = [(x, y) for x, y in rates if x is not None and y is not None]
    if not pairs:
        return None
    old, new = (np.array(column) for column in zip(*pairs, strict=True))
    return mapping(old, new)


def _title(held: tuple[Held, ...], main: MetricFlips) -> str:
    others = others_changed(held)
    of_judge = [h.name for h in held if h.same is False and h.name in OF_THE_JUDGE]
    same = {h.name for h in held if h.same}
    if not of_judge and not others and "judge" in same:
        return "nothing that is recorded changed"
    judge = ["judge"] if of_judge or not others else []
    title = f"{' and '.join((*judge, *others))} changed"
    if all(row.same is None for row in held):
        title += " (other changes are not recorded)"
    return f"{title}: within the judge's noise" if main.within_noise else title


def _sentence(
    main: Direction,
    seen: MetricFlips,
    systems: SystemChange | None,
    same: bool,
    margin: float,
) -> str:
    if same:
        return "identical judgements: not an A/A"
    if not main.items:
        return "not enough data: no item was scored by both"
    value = main.shift.value or 0.0
    limits = main.shift.interval
    seen_as = f"shift {value:+.3f}" + (
        f" (95 % {limits[0]:+.3f} to {limits[1]:+.3f})" if limits else ""
    )
    flipped = f"{seen.flips.share.count} of {counted(seen.flips.share.of, 'item')} flip"
    more = f"; {counted(main.needed, 'item')} would show it" if main.needed else ""
    if main.interchangeable(margin):
        return f"interchangeable within {margin:g}: {seen_as}, p {main.p:.3g}; {flipped}"
    if main.shifted:
        return f"shifted by {value:+.3f}: {seen_as}, p {main.p:.3g}; {flipped}"
    if systems is not None and systems.beyond_noise:
        number = sum(family.changed for family in systems.conclusions)
        changed = counted(
            number, "conclusion about systems changes", "conclusions about systems change"
        )
        return f"ranks differ: {changed}; {seen_as}, {flipped}"
    return (
        f"no change seen, and not enough data to call them interchangeable within {margin:g}:"
        f" {seen_as}, p {main.p:.3g}; {flipped}{more}"
    )
