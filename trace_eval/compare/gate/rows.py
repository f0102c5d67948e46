"""The rows of a gate: every metric tested for a drop, and how many items were scored.

A drop is tested one-sided and paired, and beside it stands the power of that test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from trace_eval.compare.comparable import differs
from trace_eval.compare.flips import VerdictNoise, changed, repeated
from trace_eval.compare.gate.power import Spread, spread, wider
from trace_eval.compare.gate.report import GateCoverage, GateRow
from trace_eval.compare.judgings import Joined, Judging
from trace_eval.compare.options import GateOptions
from trace_eval.data.outcome import GateVerdict
from trace_eval.estimate.arrays import Array
from trace_eval.estimate.paired import holm, mean_difference, sign_flip
from trace_eval.estimate.share import Share

#: A drop that is the margin but for rounding does not exceed it.
_SAME = 1e-9

#: Power for the margin under which a gate cannot tell.
CAN_TELL = 0.5


class Drop(NamedTuple):
    """The test of one metric."""

    difference: float  # candidate minus baseline, points from 0 to 1
    p: float  # one-sided, of "the candidate is worse"
    # chance that it sees a drop of the margin, by the upper limit of the noise
    power: float
    spread: Spread  # of the noise: what else the test can see


def measure(
    differences: Array,
    cluster: NDArray[np.int64] | None,
    options: GateOptions,
    noise: Sequence[tuple[Array, NDArray[np.int64] | None]] = (),
    labels: bool = True,
) -> Drop:
    """Test paired differences for a drop, and compute the power of the test.

    Differences are candidate minus baseline of the items that both scored [shape=(n,)],
    those of noise are of A/A, each with its clusters (None: independent); the power
    follows from the wider ones. ``labels``: they are of verdicts, not of scores.
    """
    number = len(differences)
    result = spread(differences, cluster, labels)
    if not number:
        return Drop(0.0, 1.0, 0.0, result)
    sure = spread(differences, cluster, labels, sure=True)
    for gaps, units in noise:
        result = wider(result, spread(gaps, units, labels))
        sure = wider(sure, spread(gaps, units, labels, sure=True))
    seen = replace(
        result, items=number, units=round(result.units * number / result.items)
    )
    surely = replace(sure, items=number, units=round(sure.units * number / sure.items))
    return Drop(
        float(differences.mean()),
        sign_flip(differences, cluster, "less"),
        surely.at(options.margin, options.alpha),
        seen,
    )


def decide(
    difference: float,
    power: float,
    p: float,
    options: GateOptions,
    limit: float | None = None,
) -> GateVerdict:
    """Decide on one metric, see :class:`Drop`, by p after Holm's correction.

    ``limit`` is the one-sided 95 % lower limit of the difference, for ``strict``.
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
    """Test every metric, a row each, with Holm's correction over all of them."""
    rows = [
        _tested(joined, name, repeats=repeats, flip=flip, options=options)
        for name in names
    ]
    results = []
    for row, p in zip(rows, holm([row.p for row in rows]), strict=True):
        verdict = decide(
            row.difference.value or 0.0,
            row.power,
            p=p,
            options=options,
            limit=row.limit,
        )
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
    """Make the row of a metric before Holm's correction, without its verdict."""
    before, after = joined.points(name)
    labels = name in joined.first.codes
    if labels:
        before, after = (
            np.where(flip, 1 - points, points) for points in (before, after)
        )
    _, noise, gaps = repeated(joined.first, repeats, name)
    (gap, units), *of_noise = [joined.available(one) for one in (after - before, *gaps)]
    # scores that are 0 or 1 are right and wrong, as labels are
    labels |= bool(np.isin(before[~np.isnan(before)], (0.0, 1.0)).all())
    drop = measure(
        gap,
        units,
        options=options,
        noise=[one for one in of_noise if len(one[0])],
        labels=labels,
    )
    two_sided = replace(
        options.bootstrap, level=0.9
    )  # its lower end is the one-sided limit
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
        worst=float((np.nan_to_num(after) - before)[scored].mean())
        if scored.any()
        else 0.0,
        verdict="cannot tell",
        why="",
    )


def _why(row: GateRow, options: GateOptions) -> str:
    """State the difference in a metric, and the smallest drop that the gate detects."""
    if not row.items:
        return "no item was scored in both runs"
    seen = (
        "no drop"
        if row.visible is None
        else f"a drop of {100 * row.visible:.1f} points"
    )
    noise, points = row.noise, 100 * (row.difference.value or 0.0)
    what = (
        f"worse by {-points:.1f} points"
        if row.verdict == "fail"
        else f"{points:+.1f} points"
    )
    parts = [f"{what}, p {row.p_holm:.3g}"]
    if row.verdict == "cannot tell":
        parts.append(
            f"a drop of {100 * options.margin:g} points, the margin, would be seen with"
            f" a probability of only {row.power:.2f} (n {row.items})"
        )
    else:
        parts.append(f"this gate sees {seen} (power .8, n {row.items})")
    parts.append(_noise_in_words(noise))
    return "; ".join(parts)


def _noise_in_words(noise: VerdictNoise) -> str:
    if noise.measured:
        return f"A/A flips {noise.flips.value:.3f}"
    return noise.counts if noise.deterministic else "noise not measured"


def sides(baseline: Judging, candidate: Judging, side: str) -> NDArray[np.bool_]:
    """Mark the pairs in which answer B is the one under test.

    ``auto`` is the answer that differs between the runs; where none does, the system of
    those that do. Raises UserError where both answers of a pair differ.
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
            f"item {first!r}: both answers differ between {baseline.source} and"
            f" {candidate.source}; say which one is under test with --side a or --side"
            " b"
        )
    systems = [candidate.facts.get(f"system_{s}") for s in "ab"]
    if systems[0] is None or systems[1] is None:
        return in_b
    tested = {*systems[0][in_a].tolist(), *systems[1][in_b].tolist()} - {None}
    is_b = [b in tested and a not in tested for a, b in zip(*systems, strict=True)]
    return np.asarray(in_b | (~in_a & np.array(is_b, bool)))


def coverage(
    joined: Joined, names: Sequence[str], options: GateOptions
) -> GateCoverage:
    """Count the items scored before and now, in the metric that lost most."""
    rows = []
    for name in names:
        before, after = (~np.isnan(points) for points in joined.points(name))
        rows.append((int(before.sum()) - int(after.sum()), name, before, after))
    lost, name, before, after = max(rows, key=lambda row: row[0])
    number = len(before)
    verdict: GateVerdict = "fail" if lost / number > options.coverage_drop else "pass"
    return GateCoverage(
        metric=name,
        items=number,
        baseline=int(before.sum()),
        candidate=int(after.sum()),
        verdict=verdict,
    )
