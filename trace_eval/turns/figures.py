"""Figures of many conversations: pooled events, with intervals over conversations.

Events of one call depend on each other, so conversations are the units, or scenarios
where one has several runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from trace_eval.conversations.definitions.base import (
    DefinitionSet,
    FigureSpec,
    Measured,
)
from trace_eval.estimate.figures import (
    jackknife_interval,
    quantile_interval,
    share_interval,
)
from trace_eval.estimate.interval import JACKKNIFE, RANKS, SCORE, Range, in_a_clause
from trace_eval.turns.options import FigureOptions

#: Conversations that an interval needs at least.
MIN_CONVERSATIONS = 8

#: Why there is none otherwise.
TOO_FEW_CONVERSATIONS = f"no interval: under {MIN_CONVERSATIONS} conversations"


def brackets(figures: Iterable[TurnFigure]) -> str:
    """Say what the intervals of some figures are over, and by which methods.

    Empty: there are none.
    """
    methods = in_a_clause(one.method for one in figures)
    if not methods:
        return ""
    return f"intervals over conversations, or their scenarios: {methods}"


def limits_text(limits: Range | None, sign: str = "") -> str | None:
    """Print an interval; None where there is none."""
    if limits is None:
        return None
    low, high = limits
    return f"[{low:{sign}.3f}, {high:{sign}.3f}]"


@dataclass(frozen=True)
class TurnFigure:
    """One number, with the events and conversations behind it.

    Attributes:
        value: None where nothing was counted, or where ``reason`` says why it is
            hidden.
        unit: ``s``, ``ms``, or nothing for shares and counts.
        interval: over conversations, see :mod:`trace_eval.estimate`; ``method`` made
            it.
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
    method: str | None = None

    @property
    def text(self) -> str | None:
        """Its value in print, with the unit; None where it has none."""
        return None if self.value is None else f"{self.value:.3f} {self.unit}".strip()


def figures_of(
    definitions: DefinitionSet,
    measured: Sequence[Measured],
    clusters: Sequence[str],
    domains: Sequence[str] | None = None,
    options: FigureOptions | None = None,
) -> dict[str, TurnFigure]:
    """Compute every figure of a set over some conversations.

    Each is drawn with its cluster, e.g. its scenario. Sets whose authors average
    domains do so.
    """
    options = options or FigureOptions()
    names = {name: number for number, name in enumerate(dict.fromkeys(clusters))}
    cluster = np.array([names[name] for name in clusters], np.int64)
    groups = _groups(definitions, domains, len(measured))
    shown: dict[str, TurnFigure] = {}
    results: dict[str, TurnFigure] = {}
    for spec in definitions.specs:
        values: list[float] = []
        for group in groups:
            values.append(_value(spec, [measured[number] for number in group]))
        value = float(_mean_present(np.array(values)[:, None])[0])
        figure = _counted(spec, measured, None if np.isnan(value) else value)
        if _is_few(spec, figure, options) and definitions.hides_few:
            figure = replace(figure, value=None, reason="few")
        elif figure.value is not None and np.isfinite(value):
            shown[spec.name] = figure
        results[spec.name] = figure
    if not options.intervals:
        return results
    if len(names) < MIN_CONVERSATIONS:
        for name, figure in shown.items():
            results[name] = replace(figure, reason=TOO_FEW_CONVERSATIONS)
        return results
    parts = _Parts(
        measured=measured,
        cluster=cluster,
        groups=groups,
        clusters=len(names),
        averaged=definitions.domains,
    )
    for spec in definitions.specs:
        if spec.name in shown:
            results[spec.name] = _limited(shown[spec.name], spec, parts, options.level)
    return results


def counts_of(
    definitions: DefinitionSet, measured: Sequence[Measured]
) -> dict[str, int]:
    """Return the counts that a set reports beside its figures."""
    counts: dict[str, int] = {}
    for name, key in definitions.counts.items():
        counts[name] = int(sum(one.ratios.get(key, (0, 0))[1] for one in measured))
    return counts


def few(
    definitions: DefinitionSet, results: dict[str, TurnFigure], options: FigureOptions
) -> list[str]:
    """Name the figures that rest on few events but are shown."""
    names: list[str] = []
    for spec in definitions.specs:
        figure = results.get(spec.name)
        if figure and figure.value is not None and _is_few(spec, figure, options):
            names.append(spec.name)
    return names


def _groups(
    definitions: DefinitionSet, domains: Sequence[str] | None, number: int
) -> list[NDArray[np.int64]]:
    if not definitions.domains or domains is None:
        return [np.arange(number)]
    rows_of: dict[str, list[int]] = {}
    for row, name in enumerate(domains[:number]):
        rows_of.setdefault(name, []).append(row)
    return [np.array(rows, np.int64) for rows in rows_of.values()]


def _value(spec: FigureSpec, measured: Sequence[Measured]) -> float:
    """Compute a figure of one group of conversations; NaN where nothing was counted."""
    if spec.how == "quantile":
        values: list[float] = []
        for call in measured:
            values += call.values.get(spec.of, ())
        return _quantile(values, spec)
    if not measured:
        return float("nan")
    top, bottom = np.sum(_sums(spec, measured), axis=0)
    return float(top / bottom) if bottom > 0 else float("nan")


def _sums(spec: FigureSpec, measured: Sequence[Measured]) -> list[tuple[float, float]]:
    """Return numerator and denominator of a ratio or a mean, of each conversation."""
    if spec.how == "ratio":
        return [call.ratios.get(spec.of, (0.0, 0.0)) for call in measured]
    sums: list[tuple[float, float]] = []
    for call in measured:
        values = call.values.get(spec.of, ())
        sums.append((float(sum(values)), float(len(values))))
    return sums


def _quantile(values: Sequence[float], spec: FigureSpec) -> float:
    """Compute a quantile by interpolation.

    Infinite values stand for replies that never came.
    """
    if not values:
        return float("nan")
    ordered = sorted(values)
    place = spec.q * (len(values) - 1)
    low = ordered[math.floor(place)]
    high = ordered[math.ceil(place)]
    part = place - math.floor(place)
    if not part or math.isinf(high):
        return high if part else low
    return low + (high - low) * part


def _mean_present(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average over groups, those without a value left out [shape=(clusters,)]."""
    is_known = ~np.isnan(rows)
    number = is_known.sum(axis=0)
    total = np.where(is_known, rows, 0.0).sum(axis=0)
    mean = total / np.maximum(number, 1)
    return np.where(number > 0, mean, np.nan)


def _counted(
    spec: FigureSpec, measured: Sequence[Measured], value: float | None
) -> TurnFigure:
    """Make a figure with its counts; no infinity is shown."""
    top = bottom = reason = None
    if spec.how == "ratio":
        parts: list[float] = []
        wholes: list[float] = []
        for call in measured:
            part, whole = call.ratios.get(spec.of, (0, 0))
            if whole:
                parts.append(part)
                wholes.append(whole)
        top = float(sum(parts))
        bottom = float(sum(wholes))
        events = int(bottom) if spec.share or spec.least else 0
        conversations = len(wholes)
    else:
        sizes = [len(call.values.get(spec.of, ())) for call in measured]
        events = sum(sizes)
        conversations = sum(size > 0 for size in sizes)
    if value is not None and np.isinf(value):
        value = None
        reason = "over half had no reply"
    elif not conversations:
        reason = _why_unknown(spec, measured)
    return TurnFigure(
        name=spec.name,
        value=value,
        unit=spec.unit,
        events=events,
        conversations=conversations,
        numerator=top,
        denominator=bottom,
        reason=reason,
    )


def _why_unknown(spec: FigureSpec, measured: Sequence[Measured]) -> str:
    """Say why no conversation has a figure, by the first one that knows."""
    if any(call.unusable for call in measured):
        return "not usable here"
    for call in measured:
        if spec.of in call.not_known:
            return call.not_known[spec.of]
    return "none"


def _is_few(spec: FigureSpec, figure: TurnFigure, options: FigureOptions) -> bool:
    return 0 < figure.events < spec.least * options.min_events / 10


@dataclass(frozen=True)
class _Parts:
    """Conversations with the cluster of each, in groups, averaged if ``averaged``."""

    measured: Sequence[Measured]
    cluster: NDArray[np.int64]
    groups: Sequence[NDArray[np.int64]]
    clusters: int
    averaged: bool

    def sums(self, spec: FigureSpec, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Sum conversations' numerators and denominators [shape=(2, clusters)]."""
        pairs = _sums(spec, [self.measured[n] for n in rows])
        top, bottom = np.array(pairs).reshape(-1, 2).T
        cluster = self.cluster[rows]
        top_sums = np.bincount(cluster, top, self.clusters)
        bottom_sums = np.bincount(cluster, bottom, self.clusters)
        return np.stack([top_sums, bottom_sums])

    def without(self, spec: FigureSpec) -> NDArray[np.float64]:
        """Compute a ratio or a mean without each cluster [shape=(clusters,)]."""
        rows = []
        for group in self.groups:
            sums = self.sums(spec, group)
            top, bottom = sums.sum(1, keepdims=True) - sums
            unknown = np.full(len(top), np.nan)
            rows.append(np.divide(top, bottom, out=unknown, where=bottom > 0))
        return _mean_present(np.stack(rows))


def _limited(
    figure: TurnFigure, spec: FigureSpec, parts: _Parts, level: float
) -> TurnFigure:
    """Give a figure its interval, or say why it has none."""
    assert figure.value is not None
    if spec.how == "quantile" and parts.averaged:
        return replace(figure, reason="no interval: it is a mean of percentiles")
    if spec.how == "quantile":
        values = [one.values.get(spec.of, ()) for one in parts.measured]
        unit = np.repeat(parts.cluster, [len(one) for one in values])
        result = quantile_interval(np.concatenate(values), unit, spec.q, level)
        if result.interval is None:
            why = f"no interval: it needs about {result.needed} conversations"
            return replace(figure, reason=why)
        if not np.isfinite(result.interval).all():
            return replace(
                figure, reason="no interval: replies that never came are within it"
            )
        return replace(figure, interval=result.interval, method=RANKS)
    top, bottom = parts.sums(spec, np.arange(len(parts.measured)))
    if spec.share and not parts.averaged:
        limits, method = share_interval(top, bottom, level), SCORE
    else:
        method = JACKKNIFE
        limits = jackknife_interval(figure.value, parts.without(spec), bottom, level)
        if spec.how == "ratio" and not isinstance(limits, str):  # of times and counts
            limits = max(0.0, limits[0]), limits[1]
    if isinstance(limits, str):
        return replace(figure, reason=limits)
    return replace(figure, interval=limits, method=method)
