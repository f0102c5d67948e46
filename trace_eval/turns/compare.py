"""Two systems on the same scenarios: paired differences, with interval and sign test."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError, counted
from trace_eval.stats.agreement.bootstrap import Units, replicates
from trace_eval.stats.agreement.bootstrap_options import BootstrapOptions
from trace_eval.stats.agreement.interval import Range, percentile_interval, widened_level
from trace_eval.stats.agreement.mcnemar import sign_test
from trace_eval.stats.agreement.tabular import Table, p_value, table
from trace_eval.turns.figures import MIN_CONVERSATIONS, quantile_of
from trace_eval.turns.report import Timed, TurnsReport


@dataclass(frozen=True)
class Difference:
    """A figure of the second system minus the first's, over scenarios that both have.

    Attributes:
        figure: its name.
        scenarios: how many have it on both sides.
        mean, median: of the differences; None without any scenario.
        mean_interval, median_interval: bootstrap over scenarios; None under 8 of them.
        higher, lower: scenarios in which the second is higher, or lower.
        p: two-sided exact sign test.
    """

    figure: str
    scenarios: int
    mean: float | None
    median: float | None
    mean_interval: Range | None
    median_interval: Range | None
    higher: int
    lower: int
    p: float


@dataclass(frozen=True)
class SystemsCompared:
    """All figures of two systems, paired by scenario.

    Attributes:
        definitions: name of the set.
        differences: one per figure.
        only_first, only_second: scenarios that one side lacks; they are in no average.
    """

    definitions: str
    differences: tuple[Difference, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]

    def table(self) -> Table:
        """The differences for people."""
        left = len(self.only_first) + len(self.only_second)
        return table(
            f"{self.definitions}: second minus first, by scenario",
            ("figure", "scenarios", "mean", "median", "95% of median", "higher", "lower", "p"),
            (
                (
                    one.figure,
                    one.scenarios,
                    one.mean,
                    one.median,
                    "[{:.3f}, {:.3f}]".format(*one.median_interval)
                    if one.median_interval
                    else None,
                    one.higher,
                    one.lower,
                    p_value(one.p),
                )
                for one in self.differences
                if one.scenarios
            ),
            f"{counted(left, 'scenario is', 'scenarios are')} of one side only, and left out"
            if left
            else "",
        )


def compare_systems(
    first: TurnsReport, second: TurnsReport, options: BootstrapOptions | None = None
) -> SystemsCompared:
    """Compare the figures of two reports scenario by scenario.

    A scenario is a conversation's ``question_id``, or its id where it has none; with several runs
    of one, the mean of their figures counts.

    Raises:
        UserError: the reports are of different definition sets, or share no scenario.
    """
    if first.definitions.name != second.definitions.name:
        raise UserError(
            f"{first.definitions.name} and {second.definitions.name} cannot be compared; measure"
            " both under one definition set"
        )
    options = options or BootstrapOptions(2_000)
    one, other = (_by_scenario(report.conversations) for report in (first, second))
    shared = [name for name in one if name in other]
    if not shared:
        raise UserError(
            f"no scenario is on both sides (e.g. {next(iter(one))!r:.40} and"
            f" {next(iter(other))!r:.40}); give conversations of one scenario the same question_id"
        )
    differences = []
    for spec in first.definitions.specs:
        pairs = [(one[name].get(spec.name), other[name].get(spec.name)) for name in shared]
        known = np.array([b - a for a, b in pairs if a is not None and b is not None])
        differences.append(_difference(spec.name, known, options))
    return SystemsCompared(
        first.definitions.name,
        tuple(differences),
        tuple(name for name in one if name not in other),
        tuple(name for name in other if name not in one),
    )


def _by_scenario(conversations: Iterable[Timed]) -> dict[str, dict[str, float]]:
    """Scenario -> figure -> mean over its runs."""
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for timed in conversations:
        own = values[timed.item.question_id or timed.item.id]
        for name, value in timed.own.items():
            own[name].append(value)
    return {
        name: {figure: float(np.mean(given)) for figure, given in own.items()}
        for name, own in values.items()
    }


def _difference(name: str, known: NDArray[np.float64], options: BootstrapOptions) -> Difference:
    higher, lower = int((known > 0).sum()), int((known < 0).sum())
    if not len(known):
        return Difference(name, 0, None, None, None, None, 0, 0, 1.0)
    mean = median = None
    if len(known) >= MIN_CONVERSATIONS and options.resamples:
        units = Units(np.eye(len(known), dtype=np.int8), np.ones(len(known), np.int64))
        drawn = replicates(
            units,
            {
                "mean": lambda weights: weights @ known / weights.sum(axis=-1),
                "median": quantile_of(known, np.arange(len(known)), 0.5),
            },
            options,
        )
        level = widened_level(options.level, len(known))
        mean, median = (percentile_interval(drawn[key], level) for key in drawn)
    return Difference(
        name,
        len(known),
        float(known.mean()),
        float(np.median(known)),
        mean,
        median,
        higher,
        lower,
        sign_test(higher, lower),
    )
