"""The shift of one metric: coverage, flips beyond noise, direction, and where it happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from trace_eval.compare.change_report import ChangeCoverage, ChangeGroup, Direction, MetricFlips
from trace_eval.compare.flips import changed, comparable, flips, repeated
from trace_eval.compare.judgings import Joined, Judging
from trace_eval.compare.options import ChangeOptions
from trace_eval.estimate.paired import mean_difference, sign_flip

Array = NDArray[np.float64]


def coverage(joined: Joined, metric: str) -> ChangeCoverage:
    """Scored items, and the shift if all unscored ones were losses, or wins."""
    x, y = joined.points(metric)
    available = ~np.isnan(x), ~np.isnan(y)
    low = np.where(available[1], y, 0.0) - np.where(available[0], x, 1.0)
    high = np.where(available[1], y, 1.0) - np.where(available[0], x, 0.0)
    both, first, second = (int(m.sum()) for m in (available[0] & available[1], *available))
    why, why_second = (
        dict(Counter(filter(None, j.reasons[metric]))) for j in (joined.first, joined.second)
    )
    limits = float(low.mean()), float(high.mean())
    return ChangeCoverage(metric, len(x), both, first, second, why, why_second, *limits)


def metric_flips(
    joined: Joined, metric: str, repeats: Sequence[Judging], options: ChangeOptions
) -> MetricFlips:
    """Flips of one metric, beside those of the judge with itself."""
    one, other = joined.first, joined.second
    per_item, noise, _ = repeated(one, repeats, metric)
    beyond = None
    if noise.measured:
        change = changed(one, other, metric)
        beyond = mean_difference(*joined.available(change - per_item), options.bootstrap)
    return MetricFlips(metric, flips(one, other, metric), noise, beyond)


def direction(joined: Joined, metric: str, options: ChangeOptions) -> Direction:
    """Where one metric moves, on the items that both judgings scored."""
    one, other = joined.points(metric)
    differences = other - one
    present = ~np.isnan(differences)
    gap, cluster = joined.available(differences)
    shift = mean_difference(gap, cluster, options.bootstrap)
    wide = mean_difference(gap, cluster, replace(options.bootstrap, level=0.9)).interval
    if wide is None and len(gap) > 1 and not gap.any():
        wide = (0.0, 0.0)
    labels = {}
    if metric in joined.first.codes:
        x, y, names = comparable(joined.first.codes[metric], joined.second.codes[metric])
        for code, name in enumerate(names):
            before, after = (x[present] == code).astype(float), (y[present] == code).astype(float)
            moved = mean_difference(after - before, cluster, options.bootstrap)
            labels[name] = (float(before.mean()), float(after.mean()), moved)
    return Direction(
        metric,
        len(gap),
        float(one[present].mean()) if len(gap) else 0.0,
        float(other[present].mean()) if len(gap) else 0.0,
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


def groups(joined: Joined, main: str, top: int) -> list[ChangeGroup]:
    """The ``top`` categories and the ``top`` length bins by flip rate."""
    one, other = joined.points(main)
    differ, gap = changed(joined.first, joined.second, main), other - one
    results, facts = [], joined.first.facts
    columns, length = {"category": facts.get("category")}, facts.get("length")
    if length is not None and np.isfinite(length).any():
        columns["length"] = _terciles(length, joined.first.length_unit)
    for by, column in columns.items():
        if column is None:
            continue
        rows = []
        for value in sorted({v for v in column.tolist() if v}):
            mask = (column == value) & ~np.isnan(differ)
            if mask.any():
                shift = float(gap[mask].mean())
                rows.append(ChangeGroup(by, value, int(mask.sum()), int(differ[mask].sum()), shift))
        rows.sort(key=lambda group: -group.flips / group.items)
        results += rows[:top]
    return results


def _terciles(length: Array, unit: str) -> NDArray[np.object_]:
    low, high = np.nanquantile(length, [1 / 3, 2 / 3])
    between = f"{low:.1f} to {high:.1f} {unit}"
    names = [f"up to {low:.1f} {unit}", between, f"over {high:.1f} {unit}"]
    result = np.empty(len(length), object)
    result[:] = [
        None if np.isnan(seconds) else names[int(seconds > low) + int(seconds > high)]
        for seconds in length.tolist()
    ]
    return result


def largest(joined: Joined, main: str, top: int) -> list[tuple[str, float, float]]:
    """The ``top`` items with the largest shift: id, points before and after."""
    one, other = joined.points(main)
    gap = np.abs(np.nan_to_num(other - one))
    order = np.argsort(-gap, kind="stable")[:top]
    return [
        (str(joined.first.ids[row]), float(one[row]), float(other[row]))
        for row in order.tolist()
        if gap[row] > 0
    ]
