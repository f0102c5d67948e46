"""The rows of a gate: every metric tested, and how many items were scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from trace_eval.compare.flips import VerdictNoise, changed, repeated
from trace_eval.compare.judgings import Joined, Judging
from trace_eval.estimate.paired import holm, mean_difference
from trace_eval.estimate.share import Share
from trace_eval.gate.drop import Drop, decide, measure
from trace_eval.gate.options import GateOptions
from trace_eval.gate.report import GateCoverage, GateRow, Verdict
from trace_eval.gate.words import why

Array = NDArray[np.float64]


def gate_rows(
    joined: Joined,
    names: Sequence[str],
    repeats: Sequence[Judging],
    flip: NDArray[np.bool_],
    options: GateOptions,
) -> list[GateRow]:
    """One row per metric, with Holm's correction over all of them."""
    measured = [_measured(joined, name, repeats, flip, options) for name in names]
    adjusted = holm([drop.p for drop, _ in measured])
    return [
        _row(joined, name, drop, noise, p, flip, options)
        for name, (drop, noise), p in zip(names, measured, adjusted, strict=True)
    ]


def _points(judging: Judging, name: str, flip: NDArray[np.bool_]) -> Array:
    own = judging.points(name)
    return np.where(flip, 1 - own, own) if name in judging.codes else own


def _measured(
    joined: Joined,
    name: str,
    repeats: Sequence[Judging],
    flip: NDArray[np.bool_],
    options: GateOptions,
) -> tuple[Drop, VerdictNoise]:
    gap = _points(joined.second, name, flip) - _points(joined.first, name, flip)
    available, cluster = ~np.isnan(gap), joined.first.cluster
    labels = _is_verdict(joined.first, name)
    _, noise, gaps = repeated(joined.first, repeats, name)
    own = [
        (each[~np.isnan(each)], None if cluster is None else cluster[~np.isnan(each)])
        for each in gaps
    ]
    units = None if cluster is None else cluster[available]
    return measure(gap[available], units, options, [o for o in own if len(o[0])], labels), noise


def _is_verdict(judging: Judging, name: str) -> bool:
    """Labels, and scores that are 0 or 1: right and wrong."""
    own = judging.points(name)
    return name in judging.codes or bool(np.isin(own[~np.isnan(own)], (0.0, 1.0)).all())


def _row(
    joined: Joined,
    name: str,
    drop: Drop,
    noise: VerdictNoise,
    p: float,
    flip: NDArray[np.bool_],
    options: GateOptions,
) -> GateRow:
    before, after = (_points(j, name, flip) for j in (joined.first, joined.second))
    gap = after - before
    available, cluster = ~np.isnan(gap), joined.first.cluster
    units = None if cluster is None else cluster[available]
    difference = mean_difference(gap[available], units, options.bootstrap)
    one_sided = mean_difference(
        gap[available], units, replace(options.bootstrap, level=0.9)
    ).interval
    limit = None if one_sided is None else one_sided[0]
    verdict = decide(drop, p, options, limit)
    visible = drop.spread.visible(options.alpha)
    scored = ~np.isnan(before)
    worst = float((np.nan_to_num(after) - before)[scored].mean()) if scored.any() else 0.0
    differ = changed(joined.first, joined.second, name)
    return GateRow(
        name,
        drop.items,
        float(before[available].mean()) if available.any() else 0.0,
        float(after[available].mean()) if available.any() else 0.0,
        difference,
        limit,
        drop.p,
        p,
        Share(int(np.nansum(differ)), int(available.sum())),
        noise,
        drop.power,
        visible,
        worst,
        verdict,
        why(drop, p, verdict, noise, visible, options),
    )


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
