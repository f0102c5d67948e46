"""The rows of a gate: every metric tested for a drop, and how many items were scored.

A drop is tested one-sided and paired, and beside it stands the power of that test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from trace_eval.compare.comparable import differs
from trace_eval.compare.flips import changed, repeated
from trace_eval.compare.gate.report import GateCoverage, GateRow, Verdict
from trace_eval.compare.judgings import Joined, Judging
from trace_eval.compare.options import GateOptions
from trace_eval.estimate.paired import cluster_sums, holm, mean_difference, sign_flip
from trace_eval.estimate.share import Share

Array = NDArray[np.float64]

#: Power that "can see" means.
SEES = 0.8

#: One-sided 95 % limit of the noise, for the decision that a gate can tell.
_SURE = 1.645

#: A drop that is the margin but for rounding does not exceed it.
_SAME = 1e-9

#: Bisections of the smallest drop: 2^-20 of the range.
_HALVINGS = 20


@dataclass(frozen=True)
class Spread:
    """How far paired differences scatter by themselves.

    Attributes:
        items: paired items; ``units`` independent ones among them (clusters).
        flips: share of items that differ, where all differ by one step and are independent, as of
            right and wrong; None: see ``variance``.
        step: that step.
        variance: mean square of the units' sums.
        labels: a drop makes some items lose a whole point, where scores all shift a little.
    """

    items: int
    units: int
    flips: float | None
    step: float
    variance: float
    labels: bool

    def at(self, drop: float, alpha: float) -> float:
        """Power of the test at a drop of the mean, 0 to 1.

        Args:
            drop: in points, positive.
            alpha: one-sided level.
        """
        if not self.items:
            return 0.0
        if self.flips is not None:
            return sign_power(self.items, self.flips, drop / self.step, alpha)
        from scipy.special import ndtr, ndtri

        extra = drop * (1 - drop) * self.items / self.units if self.labels else 0.0
        error = np.sqrt((self.variance + extra) * self.units) / self.items
        return float(ndtr(drop / error + ndtri(alpha))) if error > 0 else float(drop > 0)

    def visible(self, alpha: float) -> float | None:
        """The smallest drop with power :data:`SEES`; None: not even a drop of 1 has it."""
        low, high = 0.0, 1.0
        if self.at(high, alpha) < SEES:
            return None
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if self.at(middle, alpha) >= SEES else (middle, high)
        return high


def spread(
    differences: Array, cluster: NDArray[np.int64] | None, labels: bool, sure: bool = False
) -> Spread:
    """The spread of paired differences.

    Args:
        differences: known ones [shape=(n,)].
        cluster: of each; None: independent.
        labels: of verdicts, not of scores.
        sure: take the upper 95 % limit of the spread, not its value.
    """
    number = len(differences)
    sums = cluster_sums(differences, cluster)
    sizes = np.unique(np.round(np.abs(differences[differences != 0]), 9))
    squares = sums**2
    variance = float(squares.mean()) if len(sums) else 0.0
    if sure and len(sums) > 1:
        variance += _SURE * float(squares.std(ddof=1)) / len(sums) ** 0.5
    flips, step = None, 1.0
    if cluster is None and len(sizes) <= 1 and labels:
        share = Share(int((differences != 0).sum()), number)
        flips = share.interval(_SURE)[1] if sure else share.value
        step = float(sizes[0]) if len(sizes) else 1.0
    return Spread(number, len(sums), flips, step, variance, labels)


def wider(one: Spread, other: Spread) -> Spread:
    """The one that sees less."""
    error = [s.variance * s.units / s.items**2 if s.items else np.inf for s in (one, other)]
    if one.flips is not None and other.flips is not None:
        error = [s.flips / s.items if s.items and s.flips else 0.0 for s in (one, other)]
    return one if error[0] >= error[1] else other


def sign_power(items: int, flips: float, drop: float, alpha: float) -> float:
    """Power of the exact one-sided McNemar test.

    Of ``items`` independent ones a share ``flips / 2 + drop`` is lost and ``flips / 2`` is won.
    """
    from scipy.special import bdtr, gammaln

    lose, win = min(flips / 2 + drop, 1.0), min(flips / 2, 1.0)
    total = min(lose + win, 1.0)
    if total <= 0:
        return 0.0
    reach = 8 * np.sqrt(items * total * max(1 - total, 1e-9)) + 8
    low = int(max(0, np.floor(items * total - reach)))
    high = int(min(items, np.ceil(items * total + reach)))
    m = np.arange(low, high + 1)
    with np.errstate(divide="ignore"):
        log = gammaln(items + 1) - gammaln(m + 1) - gammaln(items - m + 1) + m * np.log(total)
        log += (items - m) * np.log1p(-total) if total < 1 else np.where(m < items, -np.inf, 0.0)
    most = _most_wins(m, alpha)
    share = win / (lose + win)
    result = np.where(most >= 0, bdtr(np.maximum(most, 0), m, share), 0.0)
    return float((np.exp(log) * result).sum())


def _most_wins(discordant: NDArray[np.int64], alpha: float) -> NDArray[np.int64]:
    """The largest number of wins among ``n`` items at which the test still fails the gate; -1:
    none.
    """
    from scipy.special import bdtr, ndtri

    # a normal guess is off by a step or two
    result = np.floor(discordant / 2 + ndtri(alpha) * np.sqrt(discordant) / 2)
    result = np.maximum(result, -1)
    while True:
        lower = (result >= 0) & (bdtr(np.maximum(result, 0), discordant, 0.5) > alpha)
        more = np.minimum(result + 1, discordant)
        higher = ~lower & (result < discordant) & (bdtr(more, discordant, 0.5) <= alpha)
        if not (lower | higher).any():
            return np.asarray(result, np.int64)
        result = result - lower + higher


#: Power for the margin under which a gate cannot tell.
CAN_TELL = 0.5


class Drop(NamedTuple):
    """The test of one metric.

    Attributes:
        difference: candidate minus baseline, points from 0 to 1.
        p: one-sided, of "the candidate is worse".
        power: chance that the test sees a drop of the margin, by the upper limit of the noise.
        spread: of the noise: what else the test can see.
    """

    difference: float
    p: float
    power: float
    spread: Spread


def measure(
    differences: Array,
    cluster: NDArray[np.int64] | None,
    options: GateOptions,
    noise: Sequence[tuple[Array, NDArray[np.int64] | None]] = (),
    labels: bool = True,
) -> Drop:
    """Test paired differences for a drop, and compute the power of the test.

    Args:
        differences: candidate minus baseline of the items that both scored [shape=(n,)].
        cluster: of each item; None: independent.
        noise: differences of A/A with their clusters; the power follows from the wider of these and
            the differences themselves.
        labels: of verdicts, not of scores.
    """
    number = len(differences)
    result = spread(differences, cluster, labels)
    if not number:
        return Drop(0.0, 1.0, 0.0, result)
    sure = spread(differences, cluster, labels, sure=True)
    for gaps, units in noise:
        result = wider(result, spread(gaps, units, labels))
        sure = wider(sure, spread(gaps, units, labels, sure=True))
    seen = replace(result, items=number, units=round(result.units * number / result.items))
    surely = replace(sure, items=number, units=round(sure.units * number / sure.items))
    return Drop(
        float(differences.mean()),
        sign_flip(differences, cluster, "less", seed=options.bootstrap.seed),
        surely.at(options.margin, options.alpha),
        seen,
    )


def decide(
    difference: float, power: float, p: float, options: GateOptions, limit: float | None = None
) -> Verdict:
    """The verdict on one metric.

    Args:
        difference, power: see :class:`Drop`.
        p: after Holm's correction.
        limit: one-sided 95 % lower limit of the difference, for ``strict``.
    """
    if p <= options.alpha and difference < -options.margin - _SAME:
        return "fail"
    if options.strict and limit is not None and limit < -options.margin:
        return "fail"
    return "cannot tell" if power < CAN_TELL else "pass"


def gate_rows(
    joined: Joined,
    names: Sequence[str],
    repeats: Sequence[Judging],
    flip: NDArray[np.bool_],
    options: GateOptions,
) -> list[GateRow]:
    """One row per metric, with Holm's correction over all of them."""
    rows = [_tested(joined, name, repeats, flip, options) for name in names]
    results = []
    for row, p in zip(rows, holm([row.p for row in rows]), strict=True):
        verdict = decide(row.difference.value or 0.0, row.power, p, options, row.limit)
        result = replace(row, p_holm=p, verdict=verdict)
        results.append(replace(result, why=_why(result, options)))
    return results


def _tested(
    joined: Joined,
    name: str,
    repeats: Sequence[Judging],
    flip: NDArray[np.bool_],
    options: GateOptions,
) -> GateRow:
    """The row of a metric before Holm's correction, without its verdict."""
    before, after = joined.points(name)
    labels = name in joined.first.codes
    if labels:
        before, after = (np.where(flip, 1 - points, points) for points in (before, after))
    _, noise, gaps = repeated(joined.first, repeats, name)
    (gap, units), *of_noise = [joined.available(one) for one in (after - before, *gaps)]
    # scores that are 0 or 1 are right and wrong, as labels are
    labels |= bool(np.isin(before[~np.isnan(before)], (0.0, 1.0)).all())
    drop = measure(gap, units, options, [one for one in of_noise if len(one[0])], labels)
    two_sided = replace(options.bootstrap, level=0.9)  # its lower end is the one-sided limit
    limits = mean_difference(gap, units, two_sided).interval
    available, scored = ~np.isnan(after - before), ~np.isnan(before)
    flips = int(np.nansum(changed(joined.first, joined.second, name)))
    return GateRow(
        metric=name,
        items=len(gap),
        baseline=float(before[available].mean()) if len(gap) else 0.0,
        candidate=float(after[available].mean()) if len(gap) else 0.0,
        difference=mean_difference(gap, units, options.bootstrap),
        limit=None if limits is None else limits[0],
        p=drop.p,
        p_holm=drop.p,
        flips=Share(flips, len(gap)),
        noise=noise,
        power=drop.power,
        visible=drop.spread.visible(options.alpha),
        worst=float((np.nan_to_num(after) - before)[scored].mean()) if scored.any() else 0.0,
        verdict="cannot tell",
        why="",
    )


def _why(row: GateRow, options: GateOptions) -> str:
    """The difference in one metric, and the smallest drop that this gate detects."""
    if not row.items:
        return "no item was scored in both runs"
    seen = "no drop" if row.visible is None else f"a drop of {100 * row.visible:.1f} points"
    noise, points = row.noise, 100 * (row.difference.value or 0.0)
    what = f"worse by {-points:.1f} points" if row.verdict == "fail" else f"{points:+.1f} points"
    parts = [f"{what}, p {row.p_holm:.3g}"]
    if row.verdict == "cannot tell":
        parts.append(
            f"a drop of {100 * options.margin:g} points, the margin, would be detected with a"
            f" probability of only {row.power:.2f}"
        )
    parts.append(f"this gate sees {seen} (power .8, n {row.items})")
    parts.append(f"A/A flips {noise.flips.value:.3f}" if noise.measured else "noise not measured")
    return "; ".join(parts)


def sides(baseline: Judging, candidate: Judging, side: str) -> NDArray[np.bool_]:
    """Pairs in which answer B is the one under test.

    Args:
        baseline, candidate: the same rows.
        side: ``a``, ``b``, or ``auto``: the answer that differs between the runs; where none does,
            the system of those that do.

    Raises:
        UserError: both answers of a pair differ.
    """
    number = len(baseline)
    if side != "auto":
        return np.full(number, side == "b")
    nothing = np.zeros(number, bool)
    masks = (differs(baseline, candidate, f"answer_{s}") for s in "ab")
    in_a, in_b = (nothing if mask is None else mask for mask in masks)
    if (both := in_a & in_b).any():
        first = baseline.ids[both.argmax()]
        raise UserError(
            f"item {first!r}: both answers differ between {baseline.source} and {candidate.source};"
            " say which one is under test with --side a or --side b"
        )
    systems = [candidate.facts.get(f"system_{s}") for s in "ab"]
    if systems[0] is None or systems[1] is None:
        return in_b
    tested = {*systems[0][in_a].tolist(), *systems[1][in_b].tolist()} - {None}
    is_b = [b in tested and a not in tested for a, b in zip(*systems, strict=True)]
    return np.asarray(in_b | (~in_a & np.array(is_b, bool)))


def coverage(joined: Joined, names: Sequence[str], options: GateOptions) -> GateCoverage:
    """Items scored before and now, in the metric that lost most."""
    rows = []
    for name in names:
        before, after = (~np.isnan(points) for points in joined.points(name))
        rows.append((int(before.sum()) - int(after.sum()), name, before, after))
    lost, name, before, after = max(rows, key=lambda row: row[0])
    number = len(before)
    verdict: Verdict = "fail" if lost / number > options.coverage_drop else "pass"
    return GateCoverage(name, number, int(before.sum()), int(after.sum()), verdict)
