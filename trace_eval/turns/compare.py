"""Calls of two systems: the difference of each figure, with intervals for few calls.

Everywhere a difference is the measured system minus the other one: above zero, the
figure is higher than that of the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from blueprints import UserError, counted
from trace_eval.conversations.definitions.base import FigureSpec
from trace_eval.estimate.interval import (
    MANN_WHITNEY,
    SIGN_LIMITS,
    IntervalEstimate,
    Range,
    in_a_clause,
)
from trace_eval.estimate.options import IntervalOptions
from trace_eval.estimate.paired import mean_difference
from trace_eval.estimate.shift import least_paired, paired_shift, unpaired_shift
from trace_eval.show.table import Table, column, p_text, table
from trace_eval.turns.figures import MIN_CONVERSATIONS, limits_text
from trace_eval.turns.report import TurnsReport, mixed_channels, report_of
from trace_eval.turns.timed import Timed

#: Figures of how soon a system answers, the best first.
_HEADLINES = ("response_p50_s", "response_or_never_p50_s", "response_mean_s")


@dataclass(frozen=True)
class SystemDifference:
    """A figure of one system minus that of another, call by call.

    Attributes:
        scenarios: pairs that have it on both sides; of unpaired calls the smaller
            group.
        mean, median: of the differences of calls; None without any. Of unpaired calls
            the median is that of all differences between the groups.
        mean_interval: over scenarios; None under 8 of them, and of unpaired calls.
        median_interval: distribution-free, see :mod:`trace_eval.estimate.shift`.
        mean_method, median_method: that made these intervals; None where there is none.
        higher, lower: pairs in which the system is higher, or lower; of unpaired calls
            0.
        p: two-sided; exact sign test of pairs, Mann-Whitney of unpaired calls; None
            without any.
        pooled: of the figures over all calls.
        unit: ``s``, ``ms``, or nothing for shares and counts.
    """

    figure: str
    scenarios: int
    mean: float | None = field(metadata=column(shown="+.3f"))
    median: float | None = field(metadata=column(shown="+.3f"))
    mean_interval: Range | None
    median_interval: Range | None = field(
        metadata=column(shown=lambda limits, _: limits_text(limits, "+"))
    )
    higher: int
    lower: int
    p: float | None = field(metadata=column(shown=p_text))
    pooled: float | None = field(default=None, metadata=column(shown="+.3f"))
    unit: str = ""
    mean_method: str | None = None
    median_method: str | None = None

    @property
    def is_timed(self) -> bool:
        """Whether it is a time, of which the median counts, and not the mean."""
        return self.unit in ("s", "ms")


@dataclass(frozen=True)
class SystemsCompared:
    """All figures of two systems, paired by scenario where they share any.

    Attributes:
        only_first, only_second: scenarios that one side lacks; they are in no
            difference.
        first, second: what the systems are called; each difference is the first minus
            the second.
    """

    definitions: str
    differences: tuple[SystemDifference, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    first: str = ""
    second: str = ""
    paired: bool = True
    level: float = 0.95
    mixed: str = ""  # that calls of one channel stand beside calls of two

    @property
    def by_figure(self) -> Mapping[str, SystemDifference]:
        """Name of a figure -> its difference."""
        return {one.figure: one for one in self.differences}

    @property
    def headline(self) -> SystemDifference | None:
        """The figure of how soon the systems answer; None: neither side has one."""
        rows = (self.by_figure.get(name) for name in _HEADLINES)
        return next((row for row in rows if row and row.median is not None), None)

    def sentence(self) -> str:
        """Say which system answers sooner, and how sure that is."""
        return f"{self._news()}; {self.mixed}" if self.mixed else self._news()

    def _news(self) -> str:
        one = self.headline
        if one is None or one.median is None:
            return (
                f"{self.first} and {self.second}: no response was timed on both sides"
            )
        shift = abs(one.median)
        later = "later" if one.median > 0 else "sooner"
        if not self.paired:
            message = (
                f"{counted(one.scenarios, 'call')} or more each, none of one scenario"
            )
        else:
            number = one.higher if one.median > 0 else one.lower
            message = f"in {number} of {counted(one.scenarios, 'call')}"
        what = f"{self.first} answers {shift:.2f} s {later} than {self.second}"
        if one.median_interval is None:
            enough = counted(least_paired(self.level), "pair")
            return (
                f"{what}, {message}; too few calls for an interval (from {enough} on)"
            )
        low, high = sorted(abs(edge) for edge in one.median_interval)
        if one.median_interval[0] > 0 or one.median_interval[1] < 0:
            return f"{what} [{low:.2f}, {high:.2f}], {message}"
        edges = "[{:+.2f}, {:+.2f}]".format(*one.median_interval)
        return (
            f"No difference in answering is shown between {self.first} and"
            f" {self.second}: {one.median:+.2f} s {edges},"
            f" {counted(one.scenarios, 'call')}"
        )

    def table(self) -> Table:
        """Return the printed table of the differences."""
        left = len(self.only_first) + len(self.only_second)
        counts = "higher lower " if self.paired else ""
        shown = [one for one in self.differences if one.scenarios]
        notes = []
        if any(one.median_interval for one in shown):
            notes.append(f"brackets: {in_a_clause(one.median_method for one in shown)}")
        if left and self.paired:
            gone = counted(left, "scenario is", "scenarios are")
            notes.append(f"{gone} of one side only, and left out")
        kind = (
            "by scenario" if self.paired else "calls of different scenarios, unpaired"
        )
        return table(
            f"{self.definitions}: {self.first} minus {self.second}, {kind}",
            shown,
            f"figure scenarios pooled mean median median_interval {counts}p",
            "; ".join(notes),
            median_interval=f"{self.level:.0%} of median",
        )


def faulty(report: TurnsReport) -> list[Timed]:
    """List the calls whose recordings cannot be timed."""
    return [one for one in report.conversations if one.measured.unusable]


def usable(
    report: TurnsReport, against: TurnsReport
) -> tuple[TurnsReport, TurnsReport]:
    """Drop the scenarios in which either side has a faulty recording."""
    bad = {_scenario(one) for side in (report, against) for one in faulty(side)}
    if not bad:
        return report, against
    sides = []
    for side in (report, against):
        kept = [one for one in side.conversations if _scenario(one) not in bad]
        sides.append(
            report_of([one.item for one in kept], [one.measured for one in kept], side)
        )
    return sides[0], sides[1]


def _scenario(one: Timed) -> str:
    return one.item.question_id or one.item.id


def compare_systems(
    report: TurnsReport, against: TurnsReport, options: IntervalOptions | None = None
) -> SystemsCompared:
    """Compute the figures of one report minus those of another.

    Calls are paired by scenario, which is a conversation's ``question_id``, or its id
    where it has none; with several runs of one, the mean of their figures counts. Where
    the reports share no scenario, all calls of one stand against all of the other.
    Scenarios with a recording that cannot be timed are left out on both sides.

    Raises:
        UserError: the reports are of different definition sets.
    """
    if report.definitions.name != against.definitions.name:
        raise UserError(
            f"{report.definitions.name} and {against.definitions.name} cannot be"
            " compared; measure both under one definition set"
        )
    options = options or IntervalOptions()
    report, against = usable(report, against)
    first = by_scenario(report.conversations)
    second = by_scenario(against.conversations)
    is_paired = any(name in second for name in first)
    differences = []
    for spec in report.definitions.specs:
        value = report.figures[spec.name].value
        other_value = against.figures[spec.name].value
        pooled = None
        if value is not None and other_value is not None:
            pooled = value - other_value
        difference = _difference(
            spec,
            [_values_of(spec.name, first), _values_of(spec.name, second)],
            pooled=pooled,
            paired=is_paired,
            options=options,
        )
        differences.append(difference)
    name, other_name = _names(report, against)
    calls = (*report.conversations, *against.conversations)
    return SystemsCompared(
        definitions=report.definitions.name,
        differences=tuple(differences),
        only_first=tuple(name for name in first if name not in second),
        only_second=tuple(name for name in second if name not in first),
        first=name,
        second=other_name,
        paired=is_paired,
        level=options.level,
        mixed="; ".join(mixed_channels([call.item for call in calls])),
    )


def _values_of(
    figure: str, scenarios: Mapping[str, Mapping[str, float]]
) -> dict[str, float]:
    """Return a figure of each scenario that has it."""
    return {name: own[figure] for name, own in scenarios.items() if figure in own}


def _names(report: TurnsReport, against: TurnsReport) -> tuple[str, str]:
    """Name the systems as their calls do where these agree, else as the files do."""
    own: list[str] = []
    for one in (report, against):
        names = {timed.item.system for timed in one.conversations} - {None}
        own.append(str(next(iter(names))) if len(names) == 1 else "")
    for first, second in (own, [one.source for one in (report, against)]):
        if first and second and first != second:
            return first, second
    return "this system", "the other one"


def by_scenario(conversations: Iterable[Timed]) -> dict[str, dict[str, float]]:
    """Average every figure over the runs of a scenario."""
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for timed in conversations:
        own = values[_scenario(timed)]
        for name, value in timed.own.items():
            own[name].append(value)
    means: dict[str, dict[str, float]] = {}
    for name, own in values.items():
        means[name] = {figure: float(np.mean(runs)) for figure, runs in own.items()}
    return means


def _difference(
    spec: FigureSpec,
    sides: Sequence[Mapping[str, float]],
    pooled: float | None,
    paired: bool,
    options: IntervalOptions,
) -> SystemDifference:
    one, other = (np.array([*side.values()], np.float64) for side in sides)
    both, by_mean = np.zeros(0), IntervalEstimate(None)
    if paired:
        first, second = sides
        both = np.array(
            [first[name] - second[name] for name in first if name in second]
        )
        shift, number = paired_shift(both, options.level), len(both)
        mean = float(both.mean()) if number else None
        if number >= MIN_CONVERSATIONS:
            by_mean = mean_difference(both, None, options)
    else:
        shift, number = (
            unpaired_shift(other, one, options.level),
            min(len(one), len(other)),
        )
        mean = float(one.mean() - other.mean()) if number else None
    return SystemDifference(
        figure=spec.name,
        scenarios=number,
        mean=mean,
        median=shift.median,
        mean_interval=by_mean.interval,
        median_interval=shift.interval,
        higher=int((both > 0).sum()),
        lower=int((both < 0).sum()),
        p=shift.p,
        pooled=pooled,
        unit=spec.unit,
        mean_method=by_mean.method,
        median_method=(SIGN_LIMITS if paired else MANN_WHITNEY)
        if shift.interval
        else None,
    )
