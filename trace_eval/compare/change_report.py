"""The report on a judge change, and its rows by metric; each tuple is one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from trace_eval.compare.comparable import Held
from trace_eval.compare.flips import (
    Flips,
    SevereItem,
    VerdictNoise,
    changed,
    comparable,
    flips,
    repeated,
)
from trace_eval.compare.human_labels import AgainstLabels, AgainstRatings
from trace_eval.compare.judgings import Joined, Judging
from trace_eval.compare.mapping import Mapping
from trace_eval.compare.options import ChangeOptions
from trace_eval.compare.systems import SystemChange
from trace_eval.estimate.arrays import Array
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.paired import mean_difference, sign_flip
from trace_eval.estimate.resample import UNIT
from trace_eval.estimate.share import Share
from trace_eval.show.table import NOTHING, column, p_text

#: Level at which a shift counts.
_LEVEL = 0.05


def _reasons(reasons: dict[str, int], _: object) -> str:
    parts = [f"{reason} {number}" for reason, number in sorted(reasons.items())]
    return ", ".join(parts) or NOTHING


def _limits(limits: tuple[float, float] | None, _: object) -> str | None:
    return limits and f"{limits[0]:+.4f} to {limits[1]:+.4f}"


@dataclass(frozen=True)
class ChangeCoverage:
    """The common items that each judging scored, and the range of the mean shift.

    At worst everything unscored counts against the second judging, at best for it.
    """

    metric: str
    items: int
    both: int = field(metadata=column("scored by both"))
    first: int  # scored
    second: int
    # by reason
    unscored_first: dict[str, int] = field(
        metadata=column("unscored by the first", _reasons)
    )
    unscored_second: dict[str, int] = field(metadata=column("by the second", _reasons))
    worst: float = field(metadata=column("mean shift, worst", "+.4f"))
    best: float = field(metadata=column(shown="+.4f"))


@dataclass(frozen=True)
class Direction:
    """The mean move of a metric: second minus first, in points from 0 to 1, paired.

    Mean points of verdicts are those of answer A; ``p`` is that of no shift, by sign
    flips.
    """

    metric: str
    items: int
    first: float = field(metadata=column(shown=".4f"))
    second: float = field(metadata=column(shown=".4f"))
    shift: IntervalEstimate = field(metadata=column("mean shift"))
    # lies within the margin where judges are interchangeable (two one-sided tests of 5
    # %)
    equivalence: tuple[float, float] | None = field(
        metadata=column("90 % interval", _limits)
    )
    p: float = field(metadata=column("p (sign flips)", p_text))
    # label -> share under the first, under the second, and shift; empty for scores
    labels: dict[str, tuple[float, float, IntervalEstimate]]
    # items that would show the margin if there is no shift; None: no spread
    needed: int | None

    def interchangeable(self, margin: float) -> bool:
        """Whether the 90 % interval of the shift lies within the margin."""
        if self.equivalence is None:
            return False
        return max(map(abs, self.equivalence)) < margin

    @property
    def shifted(self) -> bool:
        """Whether the test and the interval both see a shift."""
        if self.shift.interval is None or self.p > _LEVEL:
            return False
        low, high = self.shift.interval
        return low > 0 or high < 0


@dataclass(frozen=True)
class MetricFlips:
    """The flips of a metric, their rate, and its excess over the judge's own.

    Without an A/A the excess is None.
    """

    metric: str
    flips: Flips
    rate: IntervalEstimate = field(metadata=column("share"))
    noise: VerdictNoise
    excess: IntervalEstimate | None = field(metadata=column("excess over A/A"))

    @property
    def within_noise(self) -> bool | None:
        """Tell whether the excess may be 0; None: the noise is not measured."""
        if self.excess is None or self.excess.interval is None:
            return None
        return self.excess.interval[0] <= 0


@dataclass(frozen=True)
class ChangeGroup:
    """Flips in one part of the items."""

    by: str
    value: str
    items: int
    flips: int
    shift: float = field(metadata=column("mean shift", "+.4f"))

    @property
    def share(self) -> Share:
        """Share of the items that flip."""
        return Share(self.flips, self.items)


@dataclass(frozen=True, kw_only=True)
class ChangeReport:
    """The fields that the reports on two judgings and on two boards share.

    Attributes:
        title: what changed: the judge alone, or the judge and something else.
        sentence: what to tell a colleague.
        first, second: names of the two.
        only_first, only_second: items, or systems, that the other one does not have.
        notes: what else must be known.
    """

    title: str
    sentence: str
    first: str
    second: str
    only_first: int
    only_second: int
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class JudgeChange(ChangeReport):
    """The result of ``compare --judge-change`` for two judgings; a list is a table.

    Attributes:
        held: what was held fixed, what differs first.
        main: the metric that systems, groups and the sentence are about.
        people: both judges against human labels; ``rated``: against human ratings.
        items: items of the main metric with the largest shift.
    """

    held: tuple[Held, ...]
    main: str
    options: ChangeOptions
    coverage: tuple[ChangeCoverage, ...]
    flips: tuple[MetricFlips, ...]
    direction: tuple[Direction, ...]
    systems: SystemChange | None
    people: tuple[AgainstLabels, ...]
    rated: tuple[AgainstRatings, ...]
    mapping: Mapping | None
    severe: tuple[SevereItem, ...]
    groups: tuple[ChangeGroup, ...]
    items: tuple[tuple[str, float, float], ...]


def coverage(joined: Joined, metric: str) -> ChangeCoverage:
    """Count scored items, and bound the shift by calling all others lost, or won."""
    x, y = joined.points(metric)
    has_x = ~np.isnan(x)
    has_y = ~np.isnan(y)
    worst = np.where(has_y, y, 0.0) - np.where(has_x, x, 1.0)
    best = np.where(has_y, y, 1.0) - np.where(has_x, x, 0.0)
    return ChangeCoverage(
        metric=metric,
        items=len(x),
        both=int((has_x & has_y).sum()),
        first=int(has_x.sum()),
        second=int(has_y.sum()),
        unscored_first=dict(Counter(filter(None, joined.first.reasons[metric]))),
        unscored_second=dict(Counter(filter(None, joined.second.reasons[metric]))),
        worst=float(worst.mean()),
        best=float(best.mean()),
    )


def metric_flips(
    joined: Joined, metric: str, repeats: Sequence[Judging], options: ChangeOptions
) -> MetricFlips:
    """Count the flips of one metric, beside those of the judge with itself."""
    one = joined.first
    other = joined.second
    per_item, noise, _ = repeated(one, repeats, metric)
    change = changed(one, other, metric)
    values, cluster = joined.available(change)
    rate = mean_difference(values, cluster, options.bootstrap, bounds=UNIT)
    excess = None
    if noise.measured:
        values, cluster = joined.available(change - per_item)
        excess = mean_difference(values, cluster, options.bootstrap)
    return MetricFlips(
        metric=metric,
        flips=flips(one, other, metric),
        rate=rate,
        noise=noise,
        excess=excess,
    )


def direction(joined: Joined, metric: str, options: ChangeOptions) -> Direction:
    """Measure where one metric moves, on the items that both judgings scored."""
    one, other = joined.points(metric)
    differences = other - one
    present = ~np.isnan(differences)
    gap, cluster = joined.available(differences)
    shift = mean_difference(gap, cluster, options.bootstrap)
    wide = mean_difference(gap, cluster, replace(options.bootstrap, level=0.9)).interval
    if wide is None and len(gap) > 1 and not gap.any():
        wide = (0.0, 0.0)
    labels: dict[str, tuple[float, float, IntervalEstimate]] = {}
    if metric in joined.first.codes and len(gap):
        x, y, names = comparable(
            joined.first.codes[metric], joined.second.codes[metric]
        )
        for code, name in enumerate(names):
            before = (x[present] == code).astype(float)
            after = (y[present] == code).astype(float)
            moved = mean_difference(after - before, cluster, options.bootstrap)
            labels[name] = (float(before.mean()), float(after.mean()), moved)
    first = second = 0.0
    if len(gap):
        first = float(one[present].mean())
        second = float(other[present].mean())
    return Direction(
        metric=metric,
        items=len(gap),
        first=first,
        second=second,
        shift=shift,
        equivalence=wide,
        p=sign_flip(gap, cluster),
        labels=labels,
        needed=_needed(gap, options.margin),
    )


def _needed(gap: Array, margin: float) -> int | None:
    """Count the items that make a 90 % interval of no shift fit the margin.

    Its power is 80 %.
    """
    if len(gap) < 2 or gap.var() <= 0:
        return None
    return int(np.ceil(gap.var(ddof=1) * ((1.645 + 1.282) / margin) ** 2))


def groups(joined: Joined, main: str, top: int) -> list[ChangeGroup]:
    """Return the ``top`` categories and the ``top`` length bins by flip rate."""
    one, other = joined.points(main)
    differ = changed(joined.first, joined.second, main)
    gap = other - one
    facts = joined.first.facts
    columns: dict[str, Array] = {}
    if "category" in facts:
        columns["category"] = facts["category"]
    if "length" in facts and np.isfinite(facts["length"]).any():
        columns["length"] = _terciles(facts["length"], joined.first.length_unit)
    groups: list[ChangeGroup] = []
    for by, values in columns.items():
        of_column: list[ChangeGroup] = []
        for value in sorted(set(filter(None, values.tolist()))):
            mask = (values == value) & ~np.isnan(differ)
            if not mask.any():
                continue
            group = ChangeGroup(
                by=by,
                value=value,
                items=int(mask.sum()),
                flips=int(differ[mask].sum()),
                shift=float(gap[mask].mean()),
            )
            of_column.append(group)
        of_column.sort(key=lambda group: -group.flips / group.items)
        groups += of_column[:top]
    return groups


def _terciles(length: Array, unit: str) -> NDArray[np.object_]:
    low, high = np.nanquantile(length, [1 / 3, 2 / 3])
    names = np.full(len(length), None)
    names[length <= low] = f"up to {low:.1f} {unit}"
    names[(length > low) & (length <= high)] = f"{low:.1f} to {high:.1f} {unit}"
    names[length > high] = f"over {high:.1f} {unit}"
    return names


def largest(joined: Joined, main: str, top: int) -> list[tuple[str, float, float]]:
    """Return the ``top`` items with the largest shift: id, points before and after."""
    one, other = joined.points(main)
    gap = np.abs(np.nan_to_num(other - one))
    order = np.argsort(-gap, kind="stable")[:top]
    items: list[tuple[str, float, float]] = []
    for row in order[gap[order] > 0].tolist():
        items.append((str(joined.first.ids[row]), float(one[row]), float(other[row])))
    return items
