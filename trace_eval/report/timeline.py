"""Waveform, pitch and loudness of one clip on one time axis, as SVG path data.

Pitch and loudness have the same scale in every clip, so that A and B can be compared by eye;
a scale grows only for a clip that leaves it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from blueprints import (
    Absent,
    Blueprint,
    Event,
    Extension,
    Loudness,
    Pitch,
    Signal,
    clip_seconds,
    resample,
)
from trace_eval.report.envelope import POINTS, Envelope

#: Size of the drawing: a unit is one column across, and a quarter of a pixel down, so that
#: whole numbers are exact enough. Every lane has its name above it.
WIDTH = POINTS
WAVE, LANE, LABEL = 176, 160, 52
HEIGHT = 3 * LABEL + WAVE + 2 * LANE

#: Steps that a time axis may have, seconds; the first with few enough labels is taken.
_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600)
_MOST_TICKS = 8


@dataclass(frozen=True)
class TimelineLane:
    """One curve: its path, where its box is, and the grid lines with their labels.

    Attributes:
        path: SVG path data; empty where there is nothing to draw.
        grid: (y, label) in drawing units.
    """

    name: str
    unit: str
    path: str
    top: int
    height: int
    grid: tuple[tuple[float, str], ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Timeline:
    """The drawing of a clip; ``speech``, ``ticks`` and ``events`` are in seconds."""

    seconds: float
    lanes: tuple[TimelineLane, ...]
    speech: tuple[tuple[float, float], ...]
    ticks: tuple[tuple[float, str], ...]
    events: tuple[Event, ...] = ()


@dataclass(frozen=True)
class _Scale:
    """How a contour is drawn: ``ends`` as they usually are, ``place`` of a value on its axis."""

    name: str
    unit: str
    ends: tuple[float, float]
    grid: tuple[float, ...]
    place: Callable[[float], float]


PITCH = _Scale("pitch", "Hz", (50.0, 500.0), (75.0, 150.0, 300.0, 600.0), math.log)
LOUDNESS = _Scale("loudness", "LUFS", (-60.0, -10.0), (-50.0, -35.0, -20.0), float)


def timeline(blueprint: Blueprint, wave: Envelope) -> Timeline | None:
    """Draw a clip; None where not even its length is known."""
    seconds = _seconds(blueprint)
    if seconds is None:
        return None
    second = HEIGHT - LANE
    first = second - LABEL - LANE
    signal = blueprint.signal if isinstance(blueprint.signal, Signal) else None
    lanes = (
        TimelineLane(
            "waveform", "", mirrored(wave.peaks, LABEL, WAVE), LABEL, WAVE, note=wave.note
        ),
        _lane(PITCH, blueprint.pitch, seconds, first),
        _lane(LOUDNESS, blueprint.loudness, seconds, second),
    )
    spans = tuple((span.start_s, span.end_s) for span in signal.speech) if signal else ()
    events = (
        event
        for group in blueprint.extensions.values()
        if isinstance(group, Extension)
        for event in group.events or ()
        if event.start_s <= seconds
    )
    return Timeline(seconds, lanes, spans, ticks(seconds), tuple(events))


def _seconds(blueprint: Blueprint) -> float | None:
    for group in (blueprint.pitch, blueprint.loudness):
        if isinstance(group, Pitch | Loudness):
            return clip_seconds(blueprint.clip_s, group.contour)
    return blueprint.clip_s


def _lane(
    scale: _Scale, group: Pitch | Loudness | Absent, seconds: float, top: int
) -> TimelineLane:
    if isinstance(group, Absent):
        note = f"no {scale.name}: {group.reason}"
        return TimelineLane(scale.name, scale.unit, "", top, LANE, note=note)
    values = resample(group.contour, POINTS, seconds)
    ends = widened(scale.ends, values)
    low, high = map(scale.place, ends)

    def height(value: float) -> float:
        return top + LANE * (1 - (scale.place(value) - low) / (high - low))

    grid = tuple((height(at), f"{at:g}") for at in scale.grid if ends[0] <= at <= ends[1])
    return TimelineLane(scale.name, scale.unit, curve(values, height), top, LANE, grid)


def widened(scale: tuple[float, float], values: Sequence[float | None]) -> tuple[float, float]:
    """The scale, with room for every value."""
    available = [value for value in values if value is not None]
    return min([scale[0], *available]), max([scale[1], *available])


def curve(values: Sequence[float | None], height: Callable[[float], float]) -> str:
    """Path data of a line with gaps where a value is None; a lone value is a dot."""
    parts: list[str] = []
    before: int | None = None
    for column, value in enumerate(values):
        if value is None:
            before = None
            continue
        y = round(height(value))
        if before is None:
            parts.append(f"M{column}.5 {y}h0")  # round caps make a dot of nothing
        else:
            parts.append(f"l1 {y - before}" if y != before else "h1")
        before = y
    return "".join(parts)


def mirrored(peaks: Sequence[float], top: int, height: int) -> str:
    """Path data of a waveform: one upright line per column, around the middle of its lane."""
    middle, parts, before = top + height // 2, [], 0
    for column, peak in enumerate(peaks):
        half = max(1, round(peak * height / 2))
        move = f"m1 {-(before + half)}" if column else f"M.5 {middle - half}"
        parts.append(f"{move}v{2 * half}")
        before = half
    return "".join(parts)


def ticks(seconds: float) -> tuple[tuple[float, str], ...]:
    """Labelled times of an axis from 0, in the finest round step with few enough labels."""
    step = next((s for s in _STEPS if seconds / s <= _MOST_TICKS), _STEPS[-1])
    count = int(seconds / step + 1e-9)
    return tuple((n * step, f"{n * step:g}") for n in range(count + 1))
