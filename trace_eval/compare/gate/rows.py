"""The rows of a gate: every metric tested for a drop, and how many items were scored.

A drop is tested one-sided and paired, and beside it stands the power of that test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from blueprints import UserError
from blueprints.decimals import written_apart
from trace_eval.compare.comparable import differs
from trace_eval.compare.flips import VerdictNoise, changed, repeated
from trace_eval.compare.gate.power import Spread, spread, wider
from trace_eval.compare.gate.report import GateCoverage, GateRow
from trace_eval.compare.judgings import Joined, Judging
from trace_eval.compare.options import GateOptions
from trace_eval.data.outcome import GateVerdict
from trace_eval.estimate.arrays import Array, Mask
from trace_eval.estimate.paired import holm, mean_difference, sign_flip
from trace_eval.estimate.share import Share
from trace_eval.opinions.units import WholeNumbers

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
    cluster: WholeNumbers | None,
    options: GateOptions,
    noise: Sequence[tuple[Array, WholeNumbers | None]] = (),
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
    flip: Mask,
    options: GateOptions,
) -> list[GateRow]:
    """Test every metric, a row each, with Holm's correction over all of them."""
    rows: list[GateRow] = []
    for name in names:
        rows.append(_tested(joined, name, repeats=repeats, flip=flip, options=options))
    corrected = holm([row.p for row in rows])
    results: list[GateRow] = []
    for row, p in zip(rows, corrected, strict=True):
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
    flip: Mask,
    options: GateOptions,
) -> GateRow:
    """Make the row of a metric before Holm's correction, without its verdict."""
    before, after = joined.points(name)
    is_verdict = name in joined.first.codes
    if is_verdict:
        before = np.where(flip, 1 - before, before)
        after = np.where(flip, 1 - after, after)
    gap, units = joined.available(after - before)
    _, noise, gaps_of_noise = repeated(joined.first, repeats, name)
    of_noise = list(map(joined.available, gaps_of_noise))
    # scores that are 0 or 1 are right and wrong, as labels are
    is_verdict |= bool(np.isin(before[~np.isnan(before)], (0.0, 1.0)).all())
    drop = measure(
        gap,
        units,
        options=options,
        noise=[one for one in of_noise if len(one[0])],
        labels=is_verdict,
    )
    # the lower end of a two-sided interval of 90 % is the one-sided limit
    two_sided = replace(options.bootstrap, level=0.9)
    limits = mean_difference(gap, units, two_sided).interval
    has_both = ~np.isnan(after - before)
    was_scored = ~np.isnan(before)
    worst = 0.0
    if was_scored.any():
        worst = float((np.nan_to_num(after) - before)[was_scored].mean())
    flips = int(np.nansum(changed(joined.first, joined.second, name)))
    mean_before = mean_after = 0.0
    if len(gap):
        mean_before = float(before[has_both].mean())
        mean_after = float(after[has_both].mean())
    return GateRow(
        metric=name,
        items=len(gap),
        baseline=mean_before,
        candidate=mean_after,
        difference=mean_difference(gap, units, options.bootstrap),
        limit=None if limits is None else limits[0],
        p=drop.p,
        p_holm=drop.p,
        flips=Share(flips, len(gap)),
        noise=noise,
        power=drop.power,
        visible=drop.spread.visible(options.alpha),
        worst=worst,
        verdict="cannot tell",
        why="",
    )


def _why(row: GateRow, options: GateOptions) -> str:
    """State the difference in a metric, and the smallest drop that the gate detects."""
    if not row.items:
        return "no item was scored in both runs"
    points = round(100 * (row.difference.value or 0.0), 9)
    margin = round(100 * options.margin, 9)
    difference = f"{points:+.1f} points"
    if points < 0:  # the margin is of drops
        difference = f"-{written_apart(-points, [margin], digits=1)} points"
    if row.verdict == "fail":
        difference = f"worse by {written_apart(-points, [margin], digits=1)} points"
    if row.verdict == "cannot tell":
        power = (
            f"a drop of {margin:g} points, the margin, would be seen with a probability"
            f" of only {written_apart(row.power, [CAN_TELL], digits=2)} (n {row.items})"
        )
    else:
        visible = "no drop"
        if row.visible is not None:
            visible = f"a drop of {100 * row.visible:.1f} points"
        power = f"this gate sees {visible} (power .8, n {row.items})"
    noise = _noise_in_words(row.noise)
    p = f"{row.p_holm:.3g}"
    if float(p) == options.alpha:
        p = written_apart(row.p_holm, [options.alpha], digits=4)
    return f"{difference}, p {p}; {power}; {noise}"


def _noise_in_words(noise: VerdictNoise) -> str:
    if noise.measured:
        return f"A/A flips {noise.flips.value:.3f}"
    return noise.counts if noise.deterministic else "noise not measured"


def sides(baseline: Judging, candidate: Judging, side: str) -> Mask:
    """Mark the pairs in which answer B is the one under test.

    ``auto`` is the answer that differs between the runs; where none does, the system of
    those that do. Raises UserError where both answers of a pair differ.
    """
    number = len(baseline)
    if side != "auto":
        return np.full(number, side == "b")
    in_a = differs(baseline, candidate, "answer_a")
    in_b = differs(baseline, candidate, "answer_b")
    if in_a is None:
        in_a = np.zeros(number, bool)
    if in_b is None:
        in_b = np.zeros(number, bool)
    in_both = in_a & in_b
    if in_both.any():
        first = baseline.ids[in_both.argmax()]
        raise UserError(
            f"item {first!r}: both answers differ between {baseline.source} and"
            f" {candidate.source}; say which one is under test with --side a or --side"
            " b"
        )
    systems_a = candidate.facts.get("system_a")
    systems_b = candidate.facts.get("system_b")
    if systems_a is None or systems_b is None:
        return in_b
    tested = set(systems_a[in_a].tolist() + systems_b[in_b].tolist()) - {None}
    is_b: list[bool] = []
    for a, b in zip(systems_a, systems_b, strict=True):
        is_b.append(b in tested and a not in tested)
    return np.asarray(in_b | (~in_a & np.array(is_b, bool)))


def coverage(
    joined: Joined, names: Sequence[str], options: GateOptions
) -> GateCoverage:
    """Count the items scored before and now, in the metric that lost most."""
    scored: dict[str, tuple[int, int]] = {}
    for name in names:
        before, after = joined.points(name)
        scored_before = int(np.count_nonzero(~np.isnan(before)))
        scored_after = int(np.count_nonzero(~np.isnan(after)))
        scored[name] = scored_before, scored_after
    metric = max(names, key=lambda name: scored[name][0] - scored[name][1])
    baseline, candidate = scored[metric]
    number = len(joined.first)
    drop = (baseline - candidate) / number
    return GateCoverage(
        metric=metric,
        items=number,
        baseline=baseline,
        candidate=candidate,
        verdict="fail" if drop > options.coverage_drop else "pass",
    )
