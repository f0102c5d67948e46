"""Figures of many conversations: pooled events, with intervals over whole conversations.

Events of one call depend on each other, so conversations are the units, or scenarios where one has
several runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from trace_eval.conversations.definitions import DefinitionSet, FigureSpec, Measured
from trace_eval.stats.estimate.figures import jackknife_interval, quantile_interval, share_interval
from trace_eval.stats.estimate.interval import Range
from trace_eval.stats.estimate.units import Statistic
from trace_eval.turns.options import FigureOptions

#: Conversations that an interval needs at least.
MIN_CONVERSATIONS = 8

#: Why there is none otherwise.
TOO_FEW_CONVERSATIONS = f"no interval: under {MIN_CONVERSATIONS} conversations"

#: Numbers of resampled events that are held at a time.
_BLOCK = 4_000_000


@dataclass(frozen=True)
class Figure:
    """One number, with what it rests on.

    Attributes:
        name: of the figure, without its set's.
        value: None where nothing was counted, or where ``reason`` says why it is hidden.
        unit: ``s``, ``ms``, or nothing for shares and counts.
        events: how many events it is of.
        conversations: how many conversations have any of them.
        numerator, denominator: of a ratio.
        interval: over conversations, see :mod:`trace_eval.stats.estimate`.
        reason: ``few``, ``none``, or why there is no interval.
    """

    name: str
    value: float | None
    unit: str = ""
    events: int = 0
    conversations: int = 0
    numerator: float | None = None
    denominator: float | None = None
    interval: Range | None = None
    reason: str | None = None


def figures_of(
    definitions: DefinitionSet,
    measured: Sequence[Measured],
    clusters: Sequence[str],
    domains: Sequence[str] | None = None,
    options: FigureOptions | None = None,
) -> dict[str, Figure]:
    """Every figure of a set over some conversations.

    Args:
        definitions: the set.
        measured: its conversations.
        clusters: what is drawn together, e.g. the scenario; one per conversation.
        domains: of each conversation; sets whose authors average domains do so.
        options: of intervals and hiding.
    """
    options = options or FigureOptions()
    names = {name: number for number, name in enumerate(dict.fromkeys(clusters))}
    cluster = np.array([names[name] for name in clusters], np.int64)
    groups = _groups(definitions, domains, len(measured))
    stats: dict[str, Statistic] = {}
    found: dict[str, Figure] = {}
    for spec in definitions.specs:
        parts = [([measured[n] for n in group], cluster[group]) for group in groups]
        statistic = _mean_of([_part(spec, *part, len(names)) for part in parts])
        value = float(statistic(np.ones((1, len(names))))[0])
        figure = _counted(spec, measured, None if np.isnan(value) else value)
        if _is_few(spec, figure, options) and definitions.hides_few:
            figure = replace(figure, value=None, reason="few")
        elif figure.value is not None and np.isfinite(value):
            stats[spec.name] = statistic
        found[spec.name] = figure
    return {
        **found,
        **_intervals(found, stats, definitions, cluster, len(names), measured, options),
    }


def counts_of(definitions: DefinitionSet, measured: Sequence[Measured]) -> dict[str, int]:
    """The counts that a set reports beside its figures."""
    return {
        name: int(sum(one.ratios.get(key, (0, 0))[1] for one in measured))
        for name, key in definitions.counts.items()
    }


def few(definitions: DefinitionSet, found: dict[str, Figure], options: FigureOptions) -> list[str]:
    """Names of the figures that rest on few events but are shown."""
    specs = {spec.name: spec for spec in definitions.specs}
    return [
        name
        for name, figure in found.items()
        if figure.value is not None and _is_few(specs[name], figure, options)
    ]


def _groups(
    definitions: DefinitionSet, domains: Sequence[str] | None, number: int
) -> list[NDArray[np.int64]]:
    if not definitions.domains or domains is None:
        return [np.arange(number)]
    return [
        np.array([n for n in range(number) if domains[n] == name], np.int64)
        for name in dict.fromkeys(domains)
    ]


def _part(
    spec: FigureSpec, measured: Sequence[Measured], cluster: NDArray[np.int64], clusters: int
) -> Statistic:
    """A figure of one group: weights of clusters [shape=(draws, clusters)] -> values."""
    if spec.how == "quantile":
        values = [one.values.get(spec.of, ()) for one in measured]
        sizes = [len(one) for one in values]
        every = np.array([value for one in values for value in one], np.float64)
        return quantile_of(every, np.repeat(cluster, sizes), spec.q)
    pairs = _sums(spec, measured)
    top, bottom = (
        np.bincount(cluster, [pair[side] for pair in pairs], clusters) for side in (0, 1)
    )
    return lambda weights: _divided(weights @ top, weights @ bottom)


def _sums(spec: FigureSpec, measured: Sequence[Measured]) -> list[tuple[float, float]]:
    """Numerator and denominator of a ratio or a mean, of each conversation."""
    if spec.how == "ratio":
        return [one.ratios.get(spec.of, (0.0, 0.0)) for one in measured]
    values = [one.values.get(spec.of, ()) for one in measured]
    return [(float(sum(one)), float(len(one))) for one in values]


def _divided(top: NDArray[np.float64], bottom: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0))


def quantile_of(values: NDArray[np.float64], cluster: NDArray[np.int64], q: float) -> Statistic:
    """A quantile by linear interpolation of values that count as often as their cluster.

    Args:
        values: any order [shape=(n,)].
        cluster: of each value, from 0 [shape=(n,)].
        q: which quantile, 0 to 1.

    Returns:
        A function of weights of clusters [shape=(draws, clusters)]; NaN where nothing is drawn.
    """
    order = np.argsort(values, kind="stable")
    values, cluster = values[order], cluster[order]

    def of(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        found = np.full(len(weights), np.nan)
        if not len(values):
            return found
        block = max(1, _BLOCK // len(values))
        for start in range(0, len(weights), block):
            seen = np.cumsum(weights[start : start + block][:, cluster], axis=1)
            found[start : start + block] = _interpolated(values, seen, q)
        return found

    return of


def _interpolated(
    values: NDArray[np.float64], seen: NDArray[np.float64], q: float
) -> NDArray[np.float64]:
    """Quantiles of sorted values; ``seen`` counts how many are up to each [shape=(rows, n)]."""
    position = q * (seen[:, -1] - 1)
    low, high = (
        values[np.argmax(seen > edge[:, None], axis=1)]
        for edge in (np.floor(position), np.ceil(position))
    )
    part = position - np.floor(position)
    with np.errstate(invalid="ignore"):  # infinite values stand for replies that never came
        found = np.where(part > 0, low + (high - low) * part, low)
    found = np.where((part > 0) & np.isinf(high), high, found)
    return np.where(seen[:, -1] > 0, found, np.nan)


def _mean_of(parts: Sequence[Statistic]) -> Statistic:
    """The plain mean over groups, those without a value left out."""
    if len(parts) == 1:
        return parts[0]

    def of(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        rows = np.array([part(weights) for part in parts])
        known = ~np.isnan(rows)
        return _divided(np.where(known, rows, 0).sum(axis=0), known.sum(axis=0).astype(float))

    return of


def _counted(spec: FigureSpec, measured: Sequence[Measured], value: float | None) -> Figure:
    """A figure with what it rests on; no infinity is shown."""
    reason = None
    none = "not usable here" if any(one.unusable for one in measured) else "none"
    if value is not None and np.isinf(value):
        value, reason = None, "over half had no reply"
    if spec.how == "ratio":
        pairs = [one.ratios[spec.of] for one in measured if one.ratios.get(spec.of, (0, 0))[1]]
        top, bottom = (float(sum(pair[side] for pair in pairs)) for side in (0, 1))
        events = int(bottom) if spec.share or spec.least else 0
        return Figure(
            spec.name,
            value,
            spec.unit,
            events,
            len(pairs),
            top,
            bottom,
            reason=reason or (None if pairs else none),
        )
    sizes = [len(one.values.get(spec.of, ())) for one in measured]
    return Figure(
        spec.name,
        value,
        spec.unit,
        sum(sizes),
        sum(size > 0 for size in sizes),
        reason=reason or (None if any(sizes) else none),
    )


def _is_few(spec: FigureSpec, figure: Figure, options: FigureOptions) -> bool:
    return 0 < figure.events < spec.least * options.min_events / 10


def _intervals(
    found: dict[str, Figure],
    stats: dict[str, Statistic],
    definitions: DefinitionSet,
    cluster: NDArray[np.int64],
    clusters: int,
    measured: Sequence[Measured],
    options: FigureOptions,
) -> dict[str, Figure]:
    """The figures with intervals; under :data:`MIN_CONVERSATIONS` clusters there are none."""
    shown = {name: figure for name, figure in found.items() if name in stats}
    if not options.resamples or not shown:
        return {}
    if clusters < MIN_CONVERSATIONS:
        return {
            name: replace(figure, reason=TOO_FEW_CONVERSATIONS) for name, figure in shown.items()
        }
    specs = {spec.name: spec for spec in definitions.specs}
    without, averaged = 1 - np.eye(clusters), definitions.domains
    return {
        name: _limited(
            figure, specs[name], stats[name](without), measured, cluster, options.level, averaged
        )
        for name, figure in shown.items()
    }


def _limited(
    figure: Figure,
    spec: FigureSpec,
    without: NDArray[np.float64],
    measured: Sequence[Measured],
    cluster: NDArray[np.int64],
    level: float,
    averaged: bool,
) -> Figure:
    """A figure with its interval, or why it has none; ``without`` is it without each cluster."""
    assert figure.value is not None
    if spec.how == "quantile" and averaged:
        return replace(figure, reason="no interval: it is a mean of percentiles")
    if spec.how == "quantile":
        values = [one.values.get(spec.of, ()) for one in measured]
        unit = np.repeat(cluster, [len(one) for one in values])
        found = quantile_interval(np.concatenate(values), unit, spec.q, level)
        if found.interval is None:
            why = f"no interval: it needs about {found.needed} conversations"
            return replace(figure, reason=why)
        if not np.isfinite(found.interval).all():
            return replace(figure, reason="no interval: replies that never came are within it")
        return replace(figure, interval=found.interval)
    top, bottom = (
        np.bincount(cluster, side, len(without)).astype(np.float64)
        for side in np.transpose(_sums(spec, measured))
    )
    if spec.share and not averaged:
        limits = share_interval(top, bottom, level)
    else:
        limits = jackknife_interval(figure.value, without, bottom, level)
    if isinstance(limits, str):
        return replace(figure, reason=limits)
    return replace(figure, interval=limits)
