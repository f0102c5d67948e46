"""Calls of two systems: the difference of each figure, with intervals for few calls.

Everywhere a difference is the measured system minus the other one: above zero, the
figure is higher than that of the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
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
        """Whether it is a time, so that its median counts rather than its mean."""
        return self.unit in ("s", "ms")


@dataclass(frozen=True)
class SystemsCompared:
    """All figures of two systems, paired by scenario where they share any.

    Attributes:
        only_first, only_second: scenarios that one side lacks; they are in no
            difference.
        first, second: what the systems are called; each difference is the first minus
            the second.
        each: what is paired: a call, or a scenario where some have several calls.
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
    each: str = "call"

    @property
    def by_figure(self) -> Mapping[str, SystemDifference]:
        """Name of a figure -> its difference."""
        return {one.figure: one for one in self.differences}

    @property
    def headline(self) -> SystemDifference | None:
        """The figure of how soon the systems answer; None: neither side has one."""
        by_figure = self.by_figure
        for name in _HEADLINES:
            if name in by_figure and by_figure[name].median is not None:
                return by_figure[name]
        return None

    def sentence(self) -> str:
        """Say which system answers sooner, and how sure that is."""
        news = self._news()
        return f"{news}; {self.mixed}" if self.mixed else news

    def _news(self) -> str:
        headline = self.headline
        if headline is None or headline.median is None:
            return (
                f"{self.first} and {self.second}: no response was timed on both sides"
            )
        shift = abs(headline.median)
        later = "later" if headline.median > 0 else "sooner"
        calls = counted(headline.scenarios, self.each)
        if self.paired:
            number = headline.higher if headline.median > 0 else headline.lower
            basis = f"in {number} of {calls}"
        else:
            basis = f"{calls} or more each, none of one scenario"
        news = f"{self.first} answers {shift:.2f} s {later} than {self.second}"
        if headline.median_interval is None:
            enough = counted(least_paired(self.level), "pair")
            return f"{news}, {basis}; too few {self.each}s for an interval (from {enough} on)"
        low, high = headline.median_interval
        if low > 0 or high < 0:
            nearer, farther = sorted((abs(low), abs(high)))
            return f"{news} [{nearer:.2f}, {farther:.2f}], {basis}"
        return (
            f"No difference in answering is shown between {self.first} and"
            f" {self.second}: {headline.median:+.2f} s [{low:+.2f}, {high:+.2f}],"
            f" {calls}"
        )

    def table(self) -> Table:
        """Return the printed table of the differences."""
        left = len(self.only_first) + len(self.only_second)
        counts = "higher lower " if self.paired else ""
        shown = [one for one in self.differences if one.scenarios]
        notes: list[str] = []
        if any(one.median_interval for one in shown):
            notes.append(f"brackets: {in_a_clause(one.median_method for one in shown)}")
        if left and self.paired:
            scenarios = counted(left, "scenario is", "scenarios are")
            notes.append(f"{scenarios} of one side only, and left out")
        kind = "calls of different scenarios, unpaired"
        if self.paired:
            kind = "by scenario"
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
    bad = set(map(_scenario, faulty(report) + faulty(against)))
    if not bad:
        return report, against
    return _without(report, bad), _without(against, bad)


def _without(report: TurnsReport, scenarios: Collection[str]) -> TurnsReport:
    """Return a report without the calls of some scenarios."""
    calls = [call for call in report.conversations if _scenario(call) not in scenarios]
    items = [call.item for call in calls]
    return report_of(items, [call.measured for call in calls], report)


def _scenario(call: Timed) -> str:
    return call.item.question_id or call.item.id


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
            (_values_of(spec.name, first), _values_of(spec.name, second)),
            pooled=pooled,
            paired=is_paired,
            options=options,
        )
        differences.append(difference)
    name, other_name = _names(report, against)
    calls = report.conversations + against.conversations
    each = "call"
    if is_paired and len(first) + len(second) < len(calls):
        each = "scenario"
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
        each=each,
    )


def _values_of(
    figure: str, scenarios: Mapping[str, Mapping[str, float]]
) -> dict[str, float]:
    """Return a figure of each scenario that has it."""
    values: dict[str, float] = {}
    for name, figures in scenarios.items():
        if figure in figures:
            values[name] = figures[figure]
    return values


def _names(report: TurnsReport, against: TurnsReport) -> tuple[str, str]:
    """Name the systems as their calls do where these agree, else as the files do."""
    in_calls = _system_of(report), _system_of(against)
    files = report.source, against.source
    for first, second in (in_calls, files):
        if first and second and first != second:
            return first, second
    return "this system", "the other one"


def _system_of(report: TurnsReport) -> str:
    """Return the system that all calls name; empty where they name none or several."""
    names = {timed.item.system for timed in report.conversations} - {None}
    return str(names.pop()) if len(names) == 1 else ""


def by_scenario(conversations: Iterable[Timed]) -> dict[str, dict[str, float]]:
    """Average every figure over the runs of a scenario."""
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for timed in conversations:
        of_scenario = values[_scenario(timed)]
        for figure, value in timed.own.items():
            of_scenario[figure].append(value)
    means: dict[str, dict[str, float]] = {}
    for scenario, figures in values.items():
        means[scenario] = {
            figure: float(np.mean(runs)) for figure, runs in figures.items()
        }
    return means


def _difference(
    spec: FigureSpec,
    sides: tuple[Mapping[str, float], Mapping[str, float]],
    pooled: float | None,
    paired: bool,
    options: IntervalOptions,
) -> SystemDifference:
    first, second = sides
    gaps = np.zeros(0)
    of_mean = IntervalEstimate(None)
    mean = None
    if paired:
        gaps = np.array(
            [first[name] - second[name] for name in first if name in second], np.float64
        )
        number = len(gaps)
        shift = paired_shift(gaps, options.level)
        method = SIGN_LIMITS
        if number:
            mean = float(gaps.mean())
        if number >= MIN_CONVERSATIONS:
            of_mean = mean_difference(gaps, None, options)
    else:
        one = np.array(list(first.values()), np.float64)
        other = np.array(list(second.values()), np.float64)
        number = min(len(one), len(other))
        shift = unpaired_shift(other, one, options.level)
        method = MANN_WHITNEY
        if number:
            mean = float(one.mean() - other.mean())
    return SystemDifference(
        figure=spec.name,
        scenarios=number,
        mean=mean,
        median=shift.median,
        mean_interval=of_mean.interval,
        median_interval=shift.interval,
        higher=int((gaps > 0).sum()),
        lower=int((gaps < 0).sum()),
        p=shift.p,
        pooled=pooled,
        unit=spec.unit,
        mean_method=of_mean.method,
        median_method=method if shift.interval else None,
    )
