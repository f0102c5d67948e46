"""When enough is labelled: intervals that hold at every look, and what is left.

The question of two systems is whether one wins more often than the other (a tie of any
kind is half a win), that of scores whether the difference of means is above 0, and that
of a judge whether it agrees with annotators on more than a given share. Raters of one
pair count by their mean, pairs of one instruction as one unit; who rates is taken as
given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from blueprints import counted
from trace_eval.estimate.anytime import anytime_mean
from trace_eval.estimate.arrays import Array
from trace_eval.estimate.helped_bets import Pool
from trace_eval.estimate.interval import Range
from trace_eval.stats.inference.votes import Votes, arrivals_of, more_raters, more_units
from trace_eval.stats.sentences import POWER, about, percent, rate

#: Systems beyond which not every two are looked at.
MOST_SYSTEMS = 12

_NOTHING = "Nothing is labelled yet."


@dataclass(frozen=True)
class Stopping:
    """Whether enough was labelled to answer one question.

    Attributes:
        question: what the value is of, in words.
        labels, items, units: labels, what they are of, and how many of those are
            independent.
        value, interval: on the scale of the question; the interval holds at all looks
            together. None: too little, or no value fits all looks.
        null: the value that both sides of the question share.
        end: units after which the null was left out; None: it is still in.
        more_units, more_raters: labels of so many more pairs, or so many more raters of
            every labelled pair, would be enough with a chance of ``chance``; None: not
            within reach, or unknown.
        helped: a judge's verdicts of all pairs count as a control.
        verdict: in words.
        next_step: whether that is enough, without a word on who is better: raters may
            read it.
        why_not: why nothing can be said; None: something can.
    """

    question: str
    labels: int
    items: int
    units: int
    value: float | None
    interval: Range | None
    null: float
    end: int | None
    more_units: int | None
    more_raters: int | None
    helped: bool
    verdict: str
    chance: float = POWER
    next_step: str = ""
    why_not: str | None = None

    @property
    def enough(self) -> bool:
        """Whether the question is answered, so that one may stop."""
        return self.end is not None


def two_systems(
    names: tuple[str, str], votes: Votes, level: float = 0.95, pool: Pool | None = None
) -> Stopping:
    """Say whether enough was labelled to tell two systems apart.

    Args:
        names: the system whose points the votes are, and the other.
        votes: points of the first: 1 for a win, 0.5 for a tie of any kind, 0 for a
            loss.
        pool: a judge's verdicts on all pairs, in the same points; None: there is no
            judge.
    """
    return _stopping(
        f"win rate of {names[0]} against {names[1]}", names, votes, level, pool=pool
    )


def two_means(
    names: tuple[str, str], votes: Votes, level: float = 0.95, width: float = 1.0
) -> Stopping:
    """Say whether enough was rated to tell the mean scores of two systems apart.

    Args:
        votes: difference of the first from the second on one item, as (1 + d) / 2 with
            d from -1 to 1 in widths of the scale.
        width: of the scale, in its own units.
    """
    question = f"mean score of {names[0]} minus {names[1]}"
    return _stopping(question, names, votes, level, width=width)


def agreement(
    judge: str, agrees: Votes, target: float, level: float = 0.95
) -> Stopping:
    """Say whether labels tell a judge's agreement from a target, 0 to 1."""
    return _stopping(
        f"agreement of {judge} with annotators", None, agrees, level, null=target
    )


def _stopping(
    question: str,
    names: tuple[str, str] | None,
    votes: Votes,
    level: float,
    null: float = 0.5,
    pool: Pool | None = None,
    width: float | None = None,
) -> Stopping:
    """Look at votes; ``width`` is that of the scale whose differences they are."""
    if not len(votes):
        return _without_labels(question, null)
    arrivals = arrivals_of(votes)
    result = anytime_mean(arrivals, level, null, pool)
    more = None
    raters = None
    if result.end is None:
        more = more_units(arrivals, level, null, pool)
        raters = None if pool is not None else more_raters(votes, level, null)
    stopping = Stopping(
        question=question,
        labels=len(votes),
        items=votes.items,
        units=result.units,
        value=result.value,
        interval=result.interval,
        null=null,
        end=result.end,
        more_units=more,
        more_raters=raters,
        helped=result.helped,
        verdict="",
    )
    if width is not None:
        stopping = _on_scale(stopping, width)
    return _in_words(stopping, names, in_percent=width is None)


def cannot_say(question: str, why_not: str) -> Stopping:
    """Say why labels do not tell whether they are enough."""
    text = f"Nobody can say whether enough was labelled: {why_not}."
    return replace(
        _without_labels(question, 0.5), verdict=text, next_step=text, why_not=why_not
    )


def every_two_means(
    names: Sequence[str], by_unit: Array, level: float, width: float
) -> tuple[Stopping, ...]:
    """Say of each two systems whether enough was rated to tell their mean scores apart.

    Args:
        by_unit: mean place of each system's scores of a question, 0 to 1; NaN: none
            [shape=(questions, systems)].
        level: of all intervals together.
        width: of the scale, in its own units.
    """
    gaps: dict[tuple[str, str], Array] = {}
    for one, other in combinations(range(len(names)), 2):
        gap = by_unit[:, one] - by_unit[:, other]
        gap = gap[~np.isnan(gap)]
        if len(gap):
            is_ahead = gap.sum() >= 0
            pair = (
                (names[one], names[other]) if is_ahead else (names[other], names[one])
            )
            gaps[pair] = gap if is_ahead else -gap
    own = 1 - (1 - level) / max(len(gaps), 1)
    results: list[Stopping] = []
    for pair, gap in gaps.items():
        results.append(
            two_means(pair, Votes(np.arange(len(gap)), (1 + gap) / 2), own, width)
        )
    return tuple(results)


def _without_labels(question: str, null: float) -> Stopping:
    return Stopping(
        question=question,
        labels=0,
        items=0,
        units=0,
        value=None,
        interval=None,
        null=null,
        end=None,
        more_units=None,
        more_raters=None,
        helped=False,
        verdict=_NOTHING,
        next_step=_NOTHING,
    )


def _on_scale(stopping: Stopping, width: float) -> Stopping:
    """Return differences of scores in units of their scale."""

    def difference(place: float) -> float:
        return (2 * place - 1) * width

    limits = stopping.interval
    return replace(
        stopping,
        value=None if stopping.value is None else difference(stopping.value),
        interval=limits and (difference(limits[0]), difference(limits[1])),
        null=difference(stopping.null),
    )


def _in_words(
    stopping: Stopping, names: Sequence[str] | None, in_percent: bool
) -> Stopping:
    """Add the verdict and the next step, in words."""
    if stopping.interval is None or stopping.value is None:
        changed = (
            f"The labels changed on the way: no {stopping.question} fits all looks; see"
            " whether later labels are of other pairs or by other raters."
        )
        return replace(
            stopping, verdict=changed, next_step="The labels changed on the way."
        )
    unit = "pair" if in_percent else "item"
    figure = _figure(stopping.value, stopping.interval, in_percent)
    by_votes = ", by single votes" if stopping.labels > stopping.items else ""
    shown = f"{stopping.question} {figure} at every look{by_votes}"
    if stopping.end is None:
        ways = _ways(stopping, unit)
        verdict = f"Not enough for a look after every label: {ways} ({shown})."
        return replace(stopping, verdict=verdict, next_step=f"Not enough: {ways}.")
    late = stopping.units - stopping.end
    more = f"; {late:,} more came after the end" if late else ""
    when = f"after {counted(stopping.end, f'independent {unit}')}{more}"
    verdict = f"Enough: {_answer(stopping, names)}, {when} ({shown})."
    return replace(stopping, verdict=verdict, next_step="Enough to tell who is better.")


def _answer(stopping: Stopping, names: Sequence[str] | None) -> str:
    """Return the answer to a question that enough labels have decided."""
    assert stopping.value is not None
    above = stopping.value > stopping.null
    if names is None:
        side = "above" if above else "below"
        return f"{stopping.question} is {side} {percent(stopping.null)} %"
    better, worse = names if above else names[::-1]
    return f"{better} is better than {worse}"


def _ways(stopping: Stopping, unit: str) -> str:
    """Return how many more labels would be enough."""
    ways = []
    if stopping.more_units is not None:
        units = unit if stopping.more_units == 1 else f"{unit}s"
        ways.append(f"about {about(stopping.more_units)} more {units}")
    if stopping.more_raters is not None:
        raters = counted(stopping.more_raters, "more rater", "more raters")
        ways.append(f"{raters} of each labelled {unit}")
    if not ways:
        return f"it would take very many more {unit}s"
    return f"{' or '.join(ways)} would do, with a chance of {stopping.chance:g}"


def _figure(value: float, limits: Range, in_percent: bool) -> str:
    if in_percent:
        return rate(value, limits)
    return f"{value:.3g} [{limits[0]:.3g}, {limits[1]:.3g}]"
