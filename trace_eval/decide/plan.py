"""Plans of labels: how many more, and of which pairs, simulated from the data.

Labels are drawn as they would be requested, see
:mod:`trace_eval.stats.inference.future_labels`, and the widths of the intervals that
``rank`` or ``agree`` would print are read off. Nothing is assumed of the judge: where
it is useless, the widths are those of labels alone; of accuracy they always are, though
``agree`` may come to less where the judge's certainty tells right from wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from blueprints import UserError, counted
from trace_eval.decide.planned_run import ACCURACY, RATES, PlannedRun
from trace_eval.opinions.codes import SPLIT
from trace_eval.opinions.opinions import unjudged_left_out
from trace_eval.opinions.units import FactColumns, WholeNumbers
from trace_eval.show.table import Table, table
from trace_eval.stats.agreement.checks import found_in_labels
from trace_eval.stats.inference.future_labels import FutureLabels, quantile_width
from trace_eval.stats.inference.labelled_run import LabelledRun
from trace_eval.stats.inference.votes import labels_until_enough
from trace_eval.stats.options import PlanOptions, settled
from trace_eval.stats.sentences import (
    DIFFERENCE,
    about,
    before_labels,
    difference_of_labels,
    difference_of_width,
    labels_for_difference,
    percent,
    width_of_labels,
)

#: The width that four in five draws stay within is reported; draws of the last number
#: of labels and of each that is tried before, and how many are tried at most.
QUANTILE, DRAWS, DRAWS_EACH, TRIES = 0.8, 64, 16, 12


#: Why nothing was drawn for a plan.
NOT_DRAWN = (
    "it draws the pairs to label next, from some labels at hand, and there are none to"
    " draw"
)


@dataclass(frozen=True)
class FirstPlan:
    """The differences that labels would show, from the number of pairs alone.

    Attributes:
        pairs: that could be labelled.
        difference: of two win rates, 0 to 1, that ``labels`` labels show with a chance
            of :data:`~trace_eval.stats.sentences.POWER`.
        smallest: difference that a label for each pair would show; None: they are too
            few.
        anytime: labels by which half of the studies of that difference end that look
            after each label; None: many more. Nothing is drawn anew for it: the draws
            are always the same.
    """

    pairs: int
    difference: float
    labels: int
    smallest: float | None
    anytime: int | None
    sentences: tuple[str, ...]


def plan_before(pairs: int, options: PlanOptions | None = None) -> FirstPlan:
    """Plan how many pairs to label before there are labels, for a two-sided test.

    Raises:
        UserError: a seed was chosen; nothing is drawn.
    """
    options = options or PlanOptions()
    level = settled(options, drawn=False, why=NOT_DRAWN).level
    anytime = labels_until_enough((1 + DIFFERENCE) / 2, level)
    first, *others = before_labels(pairs, level)
    looked = () if anytime is None else (_looked(anytime),)
    labels = labels_for_difference(DIFFERENCE, level)
    wide = (
        f"The interval of a win rate is then about {width_of_labels(labels, level):.2f}"
        " wide; once some pairs are labelled, --width sets that goal."
    )
    return FirstPlan(
        pairs=pairs,
        difference=DIFFERENCE,
        labels=labels,
        smallest=difference_of_labels(pairs, level),
        anytime=anytime,
        sentences=(first, wide, *others, *looked),
    )


def _looked(labels: int) -> str:
    return (
        "Looked at after every label, half of such studies end by about"
        f" {about(labels)} labels; they end sooner where the difference is larger, or a"
        " judge knows what annotators say."
    )


@dataclass(frozen=True)
class Stratum:
    """Pairs of the same two systems: how many are open, how many of them to label."""

    systems: str
    open: int
    label: int


@dataclass(frozen=True)
class LabelPlan:
    """The labels to add, and what they give.

    Attributes:
        goal: whose interval must be narrow: :data:`RATES` (the widest of all systems)
            or ``accuracy`` of the judge.
        width: full width that is wanted; ``now`` the width with the labels at hand,
            None: too few; ``expected`` with those of the plan,
            null: some system would have too few labels.
        labelled, more, open: pairs with a label; labels to add; pairs without one.
        enough: the run has enough pairs; else ``more`` is all of them, and ``beyond``
            says how many pairs in all would probably do, by the square-root law.
        promised: four labellings in five would do; else the width is only expected,
            because how alike pairs of one instruction are follows from few labels only.
        minutes: of one rater, from the seconds of earlier labels; None: unknown.
        strata: how many of which systems.
        pairs: which, in the order in which to label: any prefix is a fair sample.
        inclusion: probability of a label, of every pair that then has one, old labels
            included; empty: all are equally likely.
        notes: assumptions of the plan.
    """

    source: str
    goal: str
    width: float
    now: float | None
    expected: float | None
    labelled: int
    more: int
    open: int
    enough: bool
    beyond: int | None
    promised: bool
    minutes: float | None
    strata: tuple[Stratum, ...]
    pairs: tuple[str, ...]
    inclusion: Mapping[str, float]
    notes: tuple[str, ...]
    verdict: str


def make_plan(run: LabelledRun, options: PlanOptions | None = None) -> LabelPlan:
    """Find the fewest labels whose intervals are no wider than requested.

    Raises UserError for a width that is no share, or no labels to learn from.
    """
    options = options or PlanOptions()
    width = options.width
    if not 0 < width < 1:
        raise UserError(
            f"--width {width:g}: give the full width of an interval, between 0 and 1"
        )
    world = PlannedRun(run, options)
    order, future = world.order(), world.future
    least = future.labelled
    most = least + len(order)
    now = future.now()
    if now <= width:
        wanted, expected, enough = least, now, True
    else:
        wanted, expected, enough = _fewest(future, width, most)
    more = wanted - least if enough else len(order)
    settled(options, more > 0, NOT_DRAWN)
    finite = bool(np.isfinite(expected))
    beyond = None
    if finite and not enough:
        beyond = ceil(most * (expected / width) ** 2)
    chosen = order[:more]
    # inclusion probabilities of the pairs that have a label or get one
    shares = future.included(wanted)
    labelled = set(chosen.tolist()) | set(world.rows[world.has_label].tolist())
    inclusion: dict[str, float] = {}
    if shares is not None:
        for row, share in zip(world.rows, shares, strict=False):
            if row in labelled:
                inclusion[str(run.table.ids[row])] = float(share)
    taken = run.table.labels.facts.get("seconds") if run.table.labels else None
    minutes = None
    if taken is not None and not np.isnan(taken).all():
        minutes = more * float(np.nanmedian(taken)) / 60
    plan = LabelPlan(
        source=run.table.source,
        goal=world.goal,
        width=width,
        now=now if np.isfinite(now) else None,
        expected=expected if finite else None,
        labelled=least,
        more=more,
        open=len(order),
        enough=enough,
        beyond=beyond,
        promised=world.future.independent,
        minutes=minutes,
        strata=tuple(_strata(world, order, chosen)),
        inclusion=inclusion,
        notes=tuple(_notes(world, options.cluster)),
        pairs=tuple(str(run.table.ids[row]) for row in chosen),
        verdict="",
    )
    return replace(plan, verdict=f"{_verdict(plan)}{_shows(plan, options.level)}")


def _fewest(future: FutureLabels, width: float, most: int) -> tuple[int, float, bool]:
    """Return labels in all, the width that they give, and whether it is narrow enough.

    Widths go by about one over the square root of the labels: the next number that is
    tried is what that law makes of the last, and the same draws serve all of them.
    """
    low, high = future.labelled, most
    if quantile_width(future, most, DRAWS_EACH, QUANTILE) > width:
        result = quantile_width(future, most, DRAWS, QUANTILE)
        if result > width:
            return most, result, False
    tried, now = low, future.now()
    for _ in range(TRIES):
        if high - low <= max(1, high // 50):
            break
        likely = (low + high) / 2
        if np.isfinite(now):
            likely = tried * (now / width) ** 2
        tried = int(np.clip(round(likely), low + 1, high - 1))
        now = quantile_width(future, tried, DRAWS_EACH, QUANTILE)
        if now <= width:
            high = tried
        else:
            low = tried
    result = quantile_width(future, high, DRAWS, QUANTILE)
    # Few draws may be lucky, and units may break the law.
    while result > width and high < most:
        by_law = ceil(high * (result / width) ** 2)
        one_percent_more = high + max(1, high // 100)
        high = min(most, max(one_percent_more, by_law))
        result = quantile_width(future, high, DRAWS, QUANTILE)
    return high, result, result <= width


def _strata(
    world: PlannedRun, order: WholeNumbers, chosen: WholeNumbers
) -> list[Stratum]:
    facts = world.run.table.facts
    if not len(world.systems):
        return [Stratum("all", len(order), len(chosen))]
    available = _pairs_by_systems(facts, order)
    planned = _pairs_by_systems(facts, chosen)
    return [Stratum(name, available[name], planned[name]) for name in sorted(available)]


def _pairs_by_systems(facts: FactColumns, rows: WholeNumbers) -> Counter[str]:
    """Count pairs by the names of their two systems, whichever is A."""
    counts: Counter[str] = Counter()
    for a, b in zip(facts["system_a"][rows], facts["system_b"][rows], strict=True):
        names = sorted((str(a), str(b)))
        counts[" / ".join(names)] += 1
    return counts


def _notes(world: PlannedRun, cluster: bool) -> Iterator[str]:
    """Yield what was found in the labels' file, and the assumptions of the plan."""
    yield from found_in_labels(world.run.table.labels)
    future = world.future
    is_split = world.run.truth >= SPLIT
    credit = "half a win for either system"
    if world.goal == ACCURACY:
        is_split &= world.run.scored
        credit = "each label of theirs is right in part"
    if split := int(is_split.sum()):
        yield (
            f"raters split on {counted(split, 'labelled pair')}: {credit}, which varies"
            " less than a win or a loss, so such pairs narrow the interval; it says"
            " nothing of how far raters agree"
        )
    if cluster and future.alike is None:
        yield "instructions are unknown: pairs are taken as independent"
    if future.alike is False:
        yield (
            "no two labels share an instruction, so nobody knows how alike such pairs"
            " are: all is taken as likely, from not at all to wholly"
        )
    if world.run.unmatched:
        yield unjudged_left_out(world.run.unmatched)
    if world.run.drawn.caption is not None:
        yield world.run.drawn.caption
    if future.inclusion is not None:
        yield (
            "the labels have inclusion probabilities: give all of them those of --json,"
            " which take the pairs of this plan into account"
        )


def _verdict(plan: LabelPlan) -> str:
    time = ""
    if plan.minutes is not None:
        time = f", about {plan.minutes:.0f} minutes of one rater"
    what = "every system's win rate" if plan.goal == RATES else "the judge's accuracy"
    interval, width = f"the interval of {what}", f"{plan.width:g}"
    expected = "unknown" if plan.expected is None else f"{plan.expected:.3f}"
    if not plan.enough and not plan.more:
        return f"Every pair has a label: {interval} is {expected} wide, not {width}."
    if not plan.enough:
        more = ""
        if plan.beyond:
            more = f"; about {counted(plan.beyond, 'pair')} in all would do"
        left = f"All {counted(plan.more, 'open pair')}"
        if plan.more == 1:
            left = "The one open pair"
        return (
            f"{left}{time} would not do: {interval}"
            f" would still be {expected} wide, not {width}{more}."
        )
    if not plan.more:
        return f"No more labels are needed: {interval} is {expected} wide."
    label = f"Label {counted(plan.more, 'more pair')}{time}"
    if not plan.promised:
        return (
            f"{label}: {interval} is then expected to be at most {width} wide"
            f" ({expected}); that is no promise, because few labels say how alike"
            " pairs of one instruction are."
        )
    return (
        f"{label}: four times in five {interval} is then at most {width} wide (expected"
        f" {expected})."
    )


def _shows(plan: LabelPlan, level: float) -> str:
    """Say which difference of two systems an interval of the wanted width shows."""
    if plan.goal != RATES:
        return ""
    difference = difference_of_width(plan.width, level)
    if difference is None:
        return ""
    better = percent((1 + difference) / 2)
    worse = percent((1 - difference) / 2)
    return (
        f" An interval {plan.width:g} wide shows a difference of"
        f" {percent(difference)} points between two systems ({better} % against"
        f" {worse} %) in 8 of 10 cases."
    )


def plan_table(plan: LabelPlan) -> Table:
    """Count the pairs to label, by their two systems."""
    width = "unknown" if plan.now is None else f"{plan.now:.3f}"
    return table(
        f"Pairs to label in {plan.source}",
        plan.strata,
        "systems open label",
        f"{counted(plan.labelled, 'label')} now, width of {plan.goal} {width}; wanted"
        f" {plan.width:g}",
    )
