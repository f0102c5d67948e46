"""How many more labels, of which pairs? By simulation from the data at hand.

What people would say of the pairs that nobody labelled is imputed from the labelled pairs on
which the judge said the same (a hot deck, Andridge & Little 2010); then labels are drawn as
they would be asked for, and the widths of the intervals that ``rank`` or ``agree`` would print
are read off. Nothing is assumed of the judge: where it is useless, the widths are those of
labels alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from trace_eval.agreement.bias.self_comparison import self_mask
from trace_eval.agreement.counts import collapse_codes, is_untyped
from trace_eval.conclude.evidence import Array, Evidence
from trace_eval.conclude.ppi import LEAST_LABELS, estimate, parts, simple_design
from trace_eval.data.labels import MISSING, Codes

#: Draws per number of labels; the width that four in five of them stay within is reported.
DRAWS, QUANTILE = 24, 0.8

#: What may be estimated.
RATES, ACCURACY = "win rates", "accuracy"


@dataclass(frozen=True)
class Stratum:
    """Pairs of the same two systems: how many are open, how many of them to label."""

    systems: str
    open: int
    label: int


@dataclass(frozen=True)
class LabelPlan:
    """What to label.

    Attributes:
        goal: whose interval must be narrow: :data:`RATES` (the widest of all systems) or
            :data:`ACCURACY` of the judge.
        width: full width asked for; ``now`` the width with the labels at hand, null: too few;
            ``expected`` with those of the plan,
            null: some system would have too few labels.
        labelled, more, open: pairs with a label; labels to add; pairs without one.
        enough: the run has enough pairs; else ``more`` is all of them, and ``beyond`` says
            how many pairs in all would probably do, by the square-root law.
        minutes: of one rater, from the seconds of earlier labels; null: unknown.
        strata: how many of which systems.
        pairs: which, in the order in which to label: any prefix is a fair sample.
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
    minutes: float | None
    strata: tuple[Stratum, ...]
    pairs: tuple[str, ...]
    verdict: str


def make_plan(
    evidence: Evidence,
    width: float,
    goal: str | None = None,
    *,
    level: float = 0.95,
    cluster: bool = False,
    seed: int = 0,
) -> LabelPlan:
    """Find the fewest labels whose intervals are no wider than ``width``.

    Args:
        evidence: judgements, and labels of some.
        width: full width of the intervals, in (0, 1).
        goal: see :class:`LabelPlan`; null: win rates where systems are named.
        level: coverage of the intervals.
        cluster: items of one instruction are not independent.
        seed: of the simulation and of the order of pairs.

    Raises:
        UserError: the width is no share, or there are no labels to learn from.
    """
    if not 0 < width < 1:
        raise UserError(f"--width {width:g}: give the full width of an interval, between 0 and 1")
    world = _World(evidence, goal, level, cluster, np.random.default_rng(seed))
    order = world.order()
    least = world.labelled
    most = least + len(order)
    low, high = least, most
    expected = world.width(most)
    enough = expected <= width
    if enough:
        while high - low > max(1, high // 100):
            middle = (low + high) // 2
            low, high = (low, middle) if world.width(middle) <= width else (middle, high)
        expected = world.width(high) if high < most else expected
    more = high - least if enough else len(order)
    finite = bool(np.isfinite(expected))
    beyond = None if enough or not finite else ceil(most * (expected / width) ** 2)
    chosen = order[:more]
    seconds = _seconds(evidence)
    minutes = None if seconds is None else more * seconds / 60
    now = world.width(least) if least >= LEAST_LABELS else None
    return LabelPlan(
        source=evidence.source,
        goal=world.goal,
        width=width,
        now=None if now is None or not np.isfinite(now) else now,
        expected=expected if finite else None,
        labelled=least,
        more=more,
        open=len(order),
        enough=enough,
        beyond=beyond,
        minutes=minutes,
        strata=tuple(_strata(world, order, chosen)),
        pairs=tuple(str(evidence.ids[row]) for row in chosen),
        verdict=_verdict(world, width, expected, more, enough, beyond, minutes),
    )


class _World:
    """The run with people's labels imputed, and the widths that labels would give."""

    def __init__(
        self,
        evidence: Evidence,
        goal: str | None,
        level: float,
        cluster: bool,
        rng: np.random.Generator,
    ) -> None:
        facts = evidence.table.facts
        named = all(
            name in facts and all(facts[name].tolist()) for name in ("system_a", "system_b")
        )
        if goal == RATES and not named:
            raise UserError(f"{evidence.source}: win rates need system_a and system_b")
        self.goal = goal or (RATES if named else ACCURACY)
        kept = evidence.scored
        if self.goal == RATES:
            kept = kept & ~self_mask(facts, len(evidence.ids))
        self.evidence, self.level, self.rng = evidence, level, rng
        self.rows = np.flatnonzero(kept)
        self.known = (evidence.truth != MISSING)[self.rows]
        if self.known.sum() < LEAST_LABELS:
            raise UserError(
                f"a plan learns from the labels at hand: give {LEAST_LABELS} at least, there are"
                f" {int(self.known.sum())}"
            )
        self.codes, self.truth = evidence.codes[self.rows], evidence.truth[self.rows]
        self.said = self.codes
        if evidence.column == "preference" or is_untyped(self.codes) or is_untyped(self.truth):
            self.said, self.truth = collapse_codes(self.codes), collapse_codes(self.truth)
        group = evidence.cluster if cluster else None
        self.cluster = None if group is None else group[self.rows]
        self.names = _couples(evidence, self.rows) if named else np.zeros(len(self.rows), np.int64)
        self.labels = [] if not named else _labels(evidence, self.rows)

    @property
    def labelled(self) -> int:
        """Labels at hand."""
        return int(self.known.sum())

    def order(self) -> NDArray[np.int64]:
        """Open pairs, dealt out so that every prefix has its share of every two systems."""
        rows = np.flatnonzero(~self.known)
        shuffled = self.rng.permutation(rows)
        place = np.empty(len(shuffled))
        for name in np.unique(self.names[shuffled]):
            here = np.flatnonzero(self.names[shuffled] == name)
            place[here] = (np.arange(len(here)) + self.rng.random()) / len(here)
        return np.asarray(self.rows[shuffled[np.argsort(place, kind="stable")]])

    def width(self, labels: int) -> float:
        """Width that most draws of so many labels stay within."""
        widths = []
        more = labels - self.labelled
        open_ = np.flatnonzero(~self.known)
        for _ in range(DRAWS):
            truth = self._imputed()
            asked = self.known.copy()
            asked[self.rng.permutation(open_)[:more]] = True
            widths.append(self._widest(truth, asked))
        return float(np.quantile(widths, QUANTILE))

    def _imputed(self) -> Codes:
        truth = self.truth.copy()
        donors = self.rng.permutation(np.flatnonzero(self.known))
        for code in np.unique(self.codes):
            need = np.flatnonzero(~self.known & (self.codes == code))
            own = donors[self.codes[donors] == code]
            own = own if len(own) >= LEAST_LABELS else donors
            truth[need] = self.truth[self.rng.choice(own, len(need))]
        return truth

    def _widest(self, truth: Codes, asked: NDArray[np.bool_]) -> float:
        y, f = (_points(codes) for codes in (truth, self.codes))
        if self.goal == ACCURACY:
            right = (truth == self.said).astype(float)
            return self._one(right, np.zeros(len(right)), asked, np.arange(len(right)))
        a, b = self.labels
        return max(
            self._one(
                np.where(b == name, 1 - y, y),
                np.where(b == name, 1 - f, f),
                asked,
                np.flatnonzero((a == name) | (b == name)),
            )
            for name in np.unique(np.r_[a, b])
        )

    def _one(self, y: Array, f: Array, asked: NDArray[np.bool_], rows: NDArray[np.int64]) -> float:
        group = None if self.cluster is None else self.cluster[rows]
        design = simple_design(asked[rows], None, group)
        found = estimate(parts(y[rows], f[rows], design), self.level)
        return np.inf if found.interval is None else found.interval[1] - found.interval[0]


def _points(codes: Codes) -> Array:
    return np.where(codes == 0, 1.0, np.where(codes == 1, 0.0, 0.5))


def _labels(evidence: Evidence, rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    columns = [evidence.table.facts[f"system_{side}"][rows].astype(str) for side in "ab"]
    names = np.unique(np.concatenate(columns))
    return [np.searchsorted(names, column) for column in columns]


def _couples(evidence: Evidence, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    a, b = _labels(evidence, rows)
    size = int(max(a.max(initial=0), b.max(initial=0))) + 1
    return np.asarray(np.minimum(a, b) * size + np.maximum(a, b))


def _strata(world: _World, order: NDArray[np.int64], chosen: NDArray[np.int64]) -> list[Stratum]:
    facts = world.evidence.table.facts
    if not len(world.labels):
        return [Stratum("all", len(order), len(chosen))]
    counts: dict[str, list[int]] = {}
    for at, rows in enumerate((order, chosen)):
        for a, b in zip(facts["system_a"][rows], facts["system_b"][rows], strict=True):
            counts.setdefault(" / ".join(sorted((str(a), str(b)))), [0, 0])[at] += 1
    return [Stratum(name, *numbers) for name, numbers in sorted(counts.items())]


def _seconds(evidence: Evidence) -> float | None:
    """Median seconds of a label; null: the labels do not say."""
    taken = evidence.items.table.facts.get("seconds") if evidence.items else None
    if taken is None or np.isnan(taken).all():
        return None
    return float(np.nanmedian(taken))


def _verdict(
    world: _World,
    width: float,
    expected: float,
    more: int,
    enough: bool,
    beyond: int | None,
    minutes: float | None,
) -> str:
    time = "" if minutes is None else f", about {minutes:.0f} minutes of one rater"
    what = "every system's win rate" if world.goal == RATES else "the judge's accuracy"
    if not enough and not more:
        return (
            f"Every pair has a label: the interval of {what} is {expected:.3f} wide, not {width:g}."
        )
    if not enough:
        shown = f"{expected:.3f}" if np.isfinite(expected) else "unknown"
        more_pairs = f"; about {beyond} pairs in all would do" if beyond else ""
        return (
            f"All {more} open pairs{time} would not do: the interval of {what} would still be"
            f" {shown} wide, not {width:g}{more_pairs}."
        )
    if not more:
        return f"No more labels are needed: the interval of {what} is {expected:.3f} wide."
    return (
        f"Label {more} more pairs{time}: four times in five the interval of {what} is then at most"
        f" {width:g} wide (expected {expected:.3f})."
    )
