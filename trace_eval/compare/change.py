"""A judge change: the same items judged twice. What shifts, what flips, who is nearer to people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from trace_eval.compare.flips import (
    Flips,
    Noise,
    changed,
    comparable,
    excess,
    flips,
    identical,
    mean_of,
    repeated,
)
from trace_eval.compare.held_fixed import Held, held_fixed, others_changed
from trace_eval.compare.judgings import Joined, Judging, aligned, join
from trace_eval.compare.mapping import Mapping, mapping
from trace_eval.compare.severe import SevereItem, severe_items
from trace_eval.compare.systems import SystemChange, system_change
from trace_eval.data.labels import LABELS, MISSING, LabelTable
from trace_eval.stats.agree import agree
from trace_eval.stats.agreement.bootstrap import BootstrapOptions, IntervalEstimate
from trace_eval.stats.agreement.compare import Comparison
from trace_eval.stats.agreement.score import JudgeScore
from trace_eval.stats.agreement.sign_flip import sign_flip
from trace_eval.stats.agreement.source import JudgedSource
from trace_eval.stats.report import AgreeOptions

Array = NDArray[np.float64]

#: Points that are called no difference unless the user says otherwise.
MARGIN = 0.02

#: Level at which a shift counts.
_LEVEL = 0.05


@dataclass(frozen=True)
class ChangeOptions:
    """How a judge change is looked at.

    Attributes:
        bootstrap: resamples, level and seed of the intervals.
        margin: largest shift of points (0 to 1) under which judges are interchangeable.
        top: flipped items and groups that are listed.
    """

    bootstrap: BootstrapOptions = field(default_factory=BootstrapOptions)
    margin: float = MARGIN
    top: int = 10

    def __post_init__(self) -> None:
        if not 0 < self.margin < 1:
            raise UserError(f"margin {self.margin:g}: give points between 0 and 1, e.g. {MARGIN}")


@dataclass(frozen=True)
class Coverage:
    """What each judging scored of the common items.

    Attributes:
        first, second: scored; ``unscored_first``, ``unscored_second`` by reason.
        worst, best: mean shift where everything unscored counts against, or for, the second.
    """

    metric: str
    items: int
    both: int
    first: int
    second: int
    unscored_first: dict[str, int]
    unscored_second: dict[str, int]
    worst: float
    best: float


@dataclass(frozen=True)
class Direction:
    """Where a metric moves: second minus first, in points from 0 to 1, paired.

    Attributes:
        equivalence: the 90 % interval, which lies within the margin where judges are
            interchangeable (two one-sided tests of 5 %).
        p: of no shift, by sign flips.
        labels: label -> share under the first, under the second, and shift; empty for scores.
        needed: items at which the margin could be shown if there is no shift; None: no spread.
    """

    metric: str
    items: int
    shift: IntervalEstimate
    equivalence: tuple[float, float] | None
    p: float
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
    noise: Noise
    excess: IntervalEstimate | None

    @property
    def within_noise(self) -> bool | None:
        """Whether the excess is not shown to be above 0; None: the noise is not measured."""
        if self.excess is None or self.excess.interval is None:
            return None
        return self.excess.interval[0] <= 0


@dataclass(frozen=True)
class Group:
    """Flips in one part of the items."""

    by: str
    value: str
    items: int
    flips: int
    shift: float


@dataclass(frozen=True)
class People:
    """Both judges against people on the items that both scored.

    Attributes:
        scores: of the first and of the second, with the majority class beside them.
        comparison: second minus first, paired, with McNemar's test.
        nearer: name of the judge that is nearer; None: not told apart.
    """

    metric: str
    scores: tuple[JudgeScore, ...]
    comparison: Comparison
    nearer: str | None


@dataclass(frozen=True)
class JudgeChange:
    """All that ``compare --judge-change`` says; each list is one table.

    Attributes:
        title: what changed: the judge alone, or the judge and something else.
        sentence: what to tell a colleague.
        held: what was held fixed, what differs first.
        only_first, only_second: items that the other judging does not have.
        main: the metric that systems, groups and the sentence are about.
        items: flipped items of the main metric, largest shift first.
    """

    title: str
    sentence: str
    first: str
    second: str
    held: tuple[Held, ...]
    only_first: int
    only_second: int
    main: str
    options: ChangeOptions
    coverage: tuple[Coverage, ...]
    flips: tuple[MetricFlips, ...]
    direction: tuple[Direction, ...]
    systems: SystemChange | None
    people: tuple[People, ...]
    mapping: Mapping | None
    severe: tuple[SevereItem, ...]
    groups: tuple[Group, ...]
    items: tuple[tuple[str, float, float], ...]
    notes: tuple[str, ...]


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
    main = main_metric(joined)
    held = held_fixed(joined)
    seen = [_flips(joined, name, repeats, options) for name in joined.metrics]
    direction = [_direction(joined, name, options) for name in joined.metrics]
    again = next((each for each in repeats if main in each.metrics), None)
    systems = system_change(joined, main, again, options.bootstrap)
    people = [p for name in joined.metrics if (p := _people(joined, name, options)) is not None]
    by_name = dict(zip(joined.metrics, range(len(joined.metrics)), strict=True))
    same = identical(joined.first, joined.second)
    return JudgeChange(
        title=_title(held, seen[by_name[main]]),
        sentence=_sentence(
            direction[by_name[main]], seen[by_name[main]], systems, same, options.margin
        ),
        first=first.name,
        second=second.name,
        held=held,
        only_first=joined.only_first,
        only_second=joined.only_second,
        main=main,
        options=options,
        coverage=tuple(coverage(joined, name) for name in joined.metrics),
        flips=tuple(seen),
        direction=tuple(direction),
        systems=systems,
        people=tuple(people),
        mapping=_mapping(joined, main, systems),
        severe=tuple(severe_items(joined, main)),
        groups=tuple(_groups(joined, main, options.top)),
        items=tuple(_items(joined, main, options.top)),
        notes=tuple(dict.fromkeys(n for row in seen for n in row.noise.notes)),
    )


def main_metric(joined: Joined) -> str:
    """The pair as a whole where it was judged, else the first metric."""
    for name in joined.metrics:
        if name.rpartition(".")[2] in ("overall", "preference"):
            return name
    return joined.metrics[0]


def coverage(joined: Joined, metric: str) -> Coverage:
    """What was scored, with the shift if all that was not were losses, or wins."""
    one, other = joined.first.metrics[metric], joined.second.metrics[metric]
    x, y = one.points, other.points
    known = ~np.isnan(x), ~np.isnan(y)
    low = np.where(known[1], y, 0.0) - np.where(known[0], x, 1.0)
    high = np.where(known[1], y, 1.0) - np.where(known[0], x, 0.0)
    return Coverage(
        metric,
        len(x),
        int((known[0] & known[1]).sum()),
        int(known[0].sum()),
        int(known[1].sum()),
        _reasons(one.reasons.tolist()),
        _reasons(other.reasons.tolist()),
        float(low.mean()),
        float(high.mean()),
    )


def _reasons(reasons: Sequence[str | None]) -> dict[str, int]:
    found: dict[str, int] = {}
    for reason in reasons:
        if reason is not None:
            found[reason] = found.get(reason, 0) + 1
    return found


def _flips(
    joined: Joined, metric: str, repeats: Sequence[Judging], options: ChangeOptions
) -> MetricFlips:
    one, other = joined.first.metrics[metric], joined.second.metrics[metric]
    per_item, noise, _ = repeated(joined.first, repeats, metric)
    beyond = None
    if noise.measured:
        change = changed(one, other)
        beyond = excess(change, per_item, joined.first.cluster, options.bootstrap)
    return MetricFlips(metric, flips(one, other), noise, beyond)


def _direction(joined: Joined, metric: str, options: ChangeOptions) -> Direction:
    one, other = joined.first.metrics[metric], joined.second.metrics[metric]
    differences = other.points - one.points
    known = ~np.isnan(differences)
    cluster = joined.first.cluster
    cluster = None if cluster is None else cluster[known]
    gap = differences[known]
    shift = mean_of(gap, cluster, options.bootstrap)
    wide = mean_of(gap, cluster, replace(options.bootstrap, level=0.9)).interval
    if wide is None and len(gap) > 1 and not gap.any():
        wide = (0.0, 0.0)
    labels = {}
    if one.codes is not None and other.codes is not None:
        x, y, names = comparable(one.codes, other.codes)
        for code, name in enumerate(names):
            before, after = (x[known] == code).astype(float), (y[known] == code).astype(float)
            moved = mean_of(after - before, cluster, options.bootstrap)
            labels[name] = (float(before.mean()), float(after.mean()), moved)
    return Direction(
        metric,
        len(gap),
        shift,
        wide,
        sign_flip(gap, cluster, seed=options.bootstrap.seed),
        labels,
        _needed(gap, options.margin),
    )


def _needed(gap: Array, margin: float) -> int | None:
    """Items for an 80 % chance that the 90 % interval of no shift lies within the margin."""
    if len(gap) < 2 or gap.var() <= 0:
        return None
    return int(np.ceil(gap.var(ddof=1) * ((1.645 + 1.282) / margin) ** 2))


def _people(joined: Joined, metric: str, options: ChangeOptions) -> People | None:
    one, other = joined.first.metrics[metric], joined.second.metrics[metric]
    if one.codes is None or other.codes is None:
        return None
    said = joined.first.people or joined.second.people
    dimension = metric.rpartition(".")[2]
    wanted = [dimension, "people"]
    if dimension in ("overall", "preference"):
        wanted += ["preference", "overall"]
    truth = next((said[name] for name in wanted if name in said), None)
    known = (one.codes != MISSING) & (other.codes != MISSING)
    if truth is None or not (known & (truth != MISSING)).any():
        return None
    known &= truth != MISSING
    typed = max(c[known].max() for c in (truth, one.codes, other.codes)) < LABELS.index("tie")
    column = "overall" if typed and dimension != "preference" else "preference"
    ids = joined.first.ids[known]
    names = _names(joined)
    asked = joined.first.facts.get("instruction_id")
    facts = {} if asked is None else {"instruction_id": asked[known]}

    def table(name: str, codes: NDArray[np.int8]) -> LabelTable:
        own = codes[known] if column == "overall" else np.minimum(codes[known], 2)
        own = np.where(own == 2, LABELS.index("tie"), own) if column == "preference" else own
        return LabelTable(name, ids, {column: own.astype(np.int8)}, facts=facts)

    sources = [
        JudgedSource(table(name, m.codes))
        for name, m in zip(names, (one, other), strict=True)
        if m.codes is not None
    ]
    cluster = joined.first.cluster is not None
    report = agree(
        sources, table("people", truth), AgreeOptions(options.bootstrap, cluster, "drop")
    )
    (comparison,) = [c for c in report.comparisons if c.dimension == column]
    scores = tuple(s for s in report.scores if s.dimension == column)
    return People(metric, scores, comparison, _nearer(comparison))


def _names(joined: Joined) -> tuple[str, str]:
    one, other = joined.first.name, joined.second.name
    return (one, other) if one != other else (f"{one} (first)", f"{other} (second)")


def _nearer(comparison: Comparison) -> str | None:
    """By accuracy, and not against kappa, where the interval of the difference leaves out 0."""
    limits = comparison.difference.interval
    if limits is None or limits[0] <= 0 <= limits[1]:
        return None
    return comparison.second if limits[0] > 0 else comparison.first


def _mapping(joined: Joined, main: str, systems: SystemChange | None) -> Mapping | None:
    """Of item scores; of labels the win rates of systems."""
    one, other = joined.first.metrics[main], joined.second.metrics[main]
    if one.codes is None:
        known = ~np.isnan(one.points) & ~np.isnan(other.points)
        return mapping(one.points[known], other.points[known])
    if systems is None:
        return None
    rates = [(row.first.value, row.second.value) for row in systems.rows]
    pairs = [(x, y) for x, y in rates if x is not None and y is not None]
    if not pairs:
        return None
    old, new = (np.array(column) for column in zip(*pairs, strict=True))
    return mapping(old, new)


def _groups(joined: Joined, main: str, top: int) -> list[Group]:
    one, other = joined.first.metrics[main], joined.second.metrics[main]
    differ, gap = changed(one, other), other.points - one.points
    found = []
    columns = {"category": joined.first.facts.get("category")}
    if joined.first.length is not None and np.isfinite(joined.first.length).any():
        columns["length"] = _terciles(joined.first.length)
    for by, column in columns.items():
        if column is None:
            continue
        rows = []
        for value in sorted({v for v in column.tolist() if v}):
            mask = (column == value) & ~np.isnan(differ)
            if mask.any():
                shift = float(gap[mask].mean())
                rows.append(Group(by, value, int(mask.sum()), int(differ[mask].sum()), shift))
        rows.sort(key=lambda group: -group.flips / group.items)
        found += rows[:top]
    return found


def _terciles(length: Array) -> NDArray[np.object_]:
    low, high = np.nanquantile(length, [1 / 3, 2 / 3])
    names = [f"up to {low:.1f} s", f"{low:.1f} to {high:.1f} s", f"over {high:.1f} s"]
    found = np.empty(len(length), object)
    found[:] = [
        None if np.isnan(seconds) else names[int(seconds > low) + int(seconds > high)]
        for seconds in length.tolist()
    ]
    return found


def _items(joined: Joined, main: str, top: int) -> list[tuple[str, float, float]]:
    one, other = joined.first.metrics[main].points, joined.second.metrics[main].points
    gap = np.abs(np.nan_to_num(other - one))
    order = np.argsort(-gap, kind="stable")[:top]
    return [
        (str(joined.first.ids[row]), float(one[row]), float(other[row]))
        for row in order.tolist()
        if gap[row] > 0
    ]


def _title(held: tuple[Held, ...], main: MetricFlips) -> str:
    others = others_changed(held)
    of_judge = [h.name for h in held if h.same is False and h.name in ("judge", "model", "version")]
    judge = ["judge"] if of_judge or not others else []
    title = f"{' and '.join((*judge, *others))} changed"
    if all(row.same is None for row in held):
        title += " (nothing says what else did)"
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
    flipped = f"{seen.flips.share.count} of {seen.flips.share.of} items flip"
    more = f"; {main.needed:,} items would show it" if main.needed else ""
    if main.interchangeable(margin):
        return f"interchangeable within {margin:g}: {seen_as}, p {main.p:.3g}; {flipped}"
    if main.shifted:
        return f"shifted by {value:+.3f}: {seen_as}, p {main.p:.3g}; {flipped}"
    if systems is not None and systems.beyond_noise:
        number = sum(family.changed for family in systems.conclusions)
        return f"ranks differ: {number} conclusions about systems change; {seen_as}, {flipped}"
    return (
        f"no change seen, and not enough data to call them interchangeable within {margin:g}:"
        f" {seen_as}, p {main.p:.3g}; {flipped}{more}"
    )
