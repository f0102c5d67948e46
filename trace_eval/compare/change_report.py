"""The report on a judge change; each tuple of it is one table."""

from __future__ import annotations

from dataclasses import dataclass, field

from trace_eval.compare.comparable import Held
from trace_eval.compare.flips import Flips, SevereItem, VerdictNoise
from trace_eval.compare.human_labels import AgainstLabels, AgainstRatings
from trace_eval.compare.mapping import Mapping
from trace_eval.compare.options import ChangeOptions
from trace_eval.compare.systems import SystemChange
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.share import Share
from trace_eval.show.table import NOTHING, column, p_text

#: Level at which a shift counts.
_LEVEL = 0.05


def _reasons(reasons: dict[str, int], _: object) -> str:
    return ", ".join(f"{reason} {n}" for reason, n in sorted(reasons.items())) or NOTHING


def _limits(limits: tuple[float, float] | None, _: object) -> str | None:
    return None if limits is None else f"{limits[0]:+.4f} to {limits[1]:+.4f}"


@dataclass(frozen=True)
class ChangeCoverage:
    """The common items that each judging scored.

    Attributes:
        first, second: scored; ``unscored_first``, ``unscored_second`` by reason.
        worst, best: mean shift where everything unscored counts against, or for, the second.
    """

    metric: str
    items: int
    both: int = field(metadata=column("scored by both"))
    first: int
    second: int
    unscored_first: dict[str, int] = field(metadata=column("unscored by the first", _reasons))
    unscored_second: dict[str, int] = field(metadata=column("by the second", _reasons))
    worst: float = field(metadata=column("mean shift, worst", "+.4f"))
    best: float = field(metadata=column(shown="+.4f"))


@dataclass(frozen=True)
class Direction:
    """Where a metric moves: second minus first, in points from 0 to 1, paired.

    Attributes:
        first, second: mean points, of verdicts those of answer A.
        equivalence: the 90 % interval, which lies within the margin where judges are
            interchangeable (two one-sided tests of 5 %).
        p: of no shift, by sign flips.
        labels: label -> share under the first, under the second, and shift; empty for scores.
        needed: items at which the margin could be shown if there is no shift; None: no spread.
    """

    metric: str
    items: int
    first: float = field(metadata=column(shown=".4f"))
    second: float = field(metadata=column(shown=".4f"))
    shift: IntervalEstimate = field(metadata=column("mean shift"))
    equivalence: tuple[float, float] | None = field(metadata=column("90 % interval", _limits))
    p: float = field(metadata=column("p (sign flips)", p_text))
    labels: dict[str, tuple[float, float, IntervalEstimate]]
    needed: int | None

    def interchangeable(self, margin: float) -> bool:
        """Whether the 90 % interval of the shift lies within the margin."""
        return self.equivalence is not None and max(map(abs, self.equivalence)) < margin

    @property
    def shifted(self) -> bool:
        """Whether the test and the interval both see a shift."""
        limits = self.shift.interval
        return self.p <= _LEVEL and limits is not None and not limits[0] <= 0 <= limits[1]


@dataclass(frozen=True)
class MetricFlips:
    """Flips of a metric, and those beyond the judge's own noise.

    Attributes:
        excess: flips of the change minus those of A/A; None: no A/A was measured.
    """

    metric: str
    flips: Flips
    noise: VerdictNoise
    excess: IntervalEstimate | None = field(metadata=column("excess over A/A"))

    @property
    def within_noise(self) -> bool | None:
        """Whether the excess is not shown to be above 0; None: the noise is not measured."""
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
        """Of the items."""
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
    """The result of ``compare --judge-change`` for two judgings; each list is one table.

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
