"""When enough is labelled: intervals that hold at every look, and what is still to be labelled.

The question of two systems is whether one wins more often than the other (a tie of any kind is half
a win), that of scores whether the difference of means is above 0, and that of a judge whether it
agrees with annotators on more than a given share. Raters of one pair count by their mean, pairs of
one instruction as one unit; who rates is taken as given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from blueprints import counted
from trace_eval.estimate.anytime import Pool, anytime_mean
from trace_eval.estimate.interval import Range
from trace_eval.stats.inference.votes import Votes, arrivals_of, more_raters, more_units
from trace_eval.stats.sentences import POWER, about, percent, rate


@dataclass(frozen=True)
class Stopping:
    """Whether enough was labelled to answer one question.

    Attributes:
        question: what the value is of, in words.
        labels, items, units: labels, what they are of, and how many of those are independent.
        value, interval: on the scale of the question; the interval holds at all looks together.
            None: too little, or no value fits all looks.
        null: the value that both sides of the question share.
        end: units after which the null was left out; None: it is still in.
        more_units, more_raters: labels of so many more pairs, or so many more raters of every
            labelled pair, would be enough with a chance of ``chance``; None: not within reach, or
            unknown.
        helped: a judge's verdicts of all pairs count as a control.
        verdict: in words.
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
        votes: points of the first: 1 for a win, 0.5 for a tie of any kind, 0 for a loss.
        pool: a judge's verdicts on all pairs, in the same points; None: there is no judge.
    """
    return _stopping(f"win rate of {names[0]} against {names[1]}", names, votes, level, pool=pool)


def two_means(
    names: tuple[str, str], votes: Votes, level: float = 0.95, width: float = 1.0
) -> Stopping:
    """Say whether enough was rated to tell the mean scores of two systems apart.

    Args:
        votes: difference of the first from the second on one item, as (1 + d) / 2 with d from
            -1 to 1 in widths of the scale.
        width: of the scale, in its own units.
    """
    question = f"mean score of {names[0]} minus {names[1]}"
    return _stopping(question, names, votes, level, width=width)


def agreement(judge: str, agrees: Votes, target: float, level: float = 0.95) -> Stopping:
    """Say whether enough was labelled to tell a judge's agreement from a target, 0 to 1."""
    return _stopping(f"agreement of {judge} with annotators", None, agrees, level, null=target)


def _stopping(
    question: str,
    names: tuple[str, str] | None,
    votes: Votes,
    level: float,
    null: float = 0.5,
    pool: Pool | None = None,
    width: float | None = None,
) -> Stopping:
    """Look at votes; ``width`` is that of a scale of which they are differences."""
    if not len(votes):
        return _without_labels(question, null)
    arrivals = arrivals_of(votes)
    result = anytime_mean(arrivals, level, null, pool)
    more, raters = None, None
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
    return replace(stopping, verdict=_verdict(stopping, names, in_percent=width is None))


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
        verdict="Nothing is labelled yet.",
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


def _verdict(stopping: Stopping, names: Sequence[str] | None, in_percent: bool) -> str:
    if stopping.interval is None or stopping.value is None:
        return (
            f"The labels changed on the way: no {stopping.question} fits all looks; see whether"
            " later labels are of other pairs or by other raters."
        )
    unit = "pair" if in_percent else "item"
    shown = f"{stopping.question} {_figure(stopping.value, stopping.interval, in_percent)}"
    above = stopping.value > stopping.null
    if names is None:
        side = "above" if above else "below"
        said = f"{stopping.question} is {side} {percent(stopping.null)} %"
    else:
        better = names if above else names[::-1]
        said = f"{better[0]} is better than {better[1]}"
    if stopping.end is not None:
        late = stopping.units - stopping.end
        more = f"; {late:,} more came after the end" if late else ""
        when = f"after {counted(stopping.end, f'independent {unit}')}{more}"
        return f"Enough: {said}, {when} ({shown} at every look)."
    ways = []
    if stopping.more_units is not None:
        units = unit if stopping.more_units == 1 else f"{unit}s"
        ways.append(f"about {about(stopping.more_units)} more {units}")
    if stopping.more_raters is not None:
        raters = counted(stopping.more_raters, "more rater", "more raters")
        ways.append(f"{raters} of each labelled {unit}")
    if not ways:
        return f"Not enough: it would take very many more {unit}s ({shown} at every look)."
    chance = f"with a chance of {stopping.chance:g}"
    return f"Not enough: {' or '.join(ways)} would do, {chance} ({shown} at every look)."


def _figure(value: float, limits: Range, in_percent: bool) -> str:
    if in_percent:
        return rate(value, limits)
    return f"{value:.3g} [{limits[0]:.3g}, {limits[1]:.3g}]"
