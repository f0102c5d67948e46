"""The drawings of a clip: waveform, pitch and loudness over time; its spectrogram.

Curves are SVG path data. Pitch and loudness have the same scale in every clip, so that
A and B can be compared by eye; a scale grows only for a clip that leaves it. The script
of the page gives the waveforms of a pair one scale, and both clips one axis of time.
"""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

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
from extractors import AudioError, decode
from trace_eval.conversations.sound.peaks import outline

#: Columns of a drawn waveform. A unit of the drawing is one of them across, and a
#: quarter of a pixel down, so that whole numbers are exact enough. Every lane has its
#: name above it.
POINTS = 300
WAVE, LANE, LABEL = 176, 160, 52
HEIGHT = 3 * LABEL + WAVE + 2 * LANE

#: The spectrogram in pixels: columns of time, bands of equal width from 0 to
#: ``TOP_HZ``.
COLUMNS, BANDS, TOP_HZ = 240, 48, 8_000
#: Decibels below the loudest cell at which a cell is blank, and shades down to there.
RANGE_DB, SHADES = 60.0, 8
#: Windows per column (the loudest counts), and their length: that of a vowel's period
#: or three.
WINDOWS, WINDOW_S = 4, 0.025

#: Steps that a time axis may have, seconds; the first with few enough labels is taken.
_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600)
_MOST_TICKS = 8


@dataclass(frozen=True)
class Envelope:
    """Largest absolute sample by column, relative to the clip's, or why not."""

    # 0 to 1 [shape=(POINTS,)]; empty where it cannot be drawn
    peaks: tuple[float, ...] = ()
    largest: float = 0.0  # absolute sample, 1 is full scale
    note: str = ""  # one sentence where it is empty
    spectrum: str = ""  # address of the clip's spectrogram; empty where there is none


def envelope(path: Path | None, clip: str, max_seconds: float) -> Envelope:
    """Read a recording again and outline its mono mix.

    Args:
        path: the original file; None: there is none.
        clip: hash that the judged recording had; another one means another recording.
        max_seconds: as in the run; longer files are refused.
    """
    if path is None:
        return Envelope(note="there is no file to draw the waveform from")
    try:
        decoded = decode(path, max_seconds=max_seconds)
    except AudioError as error:
        return Envelope(note=f"no waveform: {error}")
    if decoded.sha256 != clip:
        return Envelope(note=f"no waveform: {path} has changed since it was judged")
    peaks = tuple(outline(decoded.mono, POINTS).tolist())
    largest = float(np.abs(decoded.mono).max(initial=0.0))
    return Envelope(peaks, largest, spectrum=spectrogram(decoded.mono, decoded.rate))


def spectrogram(samples: npt.NDArray[np.float32], rate: int) -> str:
    """Draw a clip's spectrogram, a PNG as a ``data:`` address of at most 7 KB.

    Returns an empty text for a silent clip.

    Samples are of one channel, -1 to 1 [shape=(n,)]. Shades are opacities of black, so
    that a page gives them the colour of its ink.
    """
    from scipy.fft import rfft  # four times as fast as numpy's, after .2 s of imports

    length = max(16, round(rate * WINDOW_S))
    if len(samples) < length:
        return ""
    starts = np.linspace(0, len(samples) - length, COLUMNS * WINDOWS).astype(int)
    edges = np.arange(BANDS) * TOP_HZ / BANDS
    bins = np.minimum(np.round(edges * length / rate).astype(int), length // 2)
    window = np.hanning(length).astype(np.float32)
    frames = samples[starts[:, None] + np.arange(length)] * window
    spectra = rfft(frames)
    power = spectra.real**2 + spectra.imag**2
    loudest = power.reshape(COLUMNS, WINDOWS, -1).max(axis=1)
    highest_bin = round(TOP_HZ * length / rate)
    loudest = loudest[:, : highest_bin + 1]
    # A band without a bin of its own takes the next.
    bands = np.maximum.reduceat(loudest, bins, axis=1)
    # Above half the rate there is nothing.
    cells = np.where(bins < length // 2, bands, 0.0).T
    if not cells.max() > 0:
        return ""
    decibels = 10 * np.log10(np.maximum(cells / cells.max(), 1e-12))
    darkest = SHADES - 1
    shades = np.round((1 + decibels / RANGE_DB) * darkest)
    shades = np.clip(shades, 0, darkest)
    picture = _png(shades[::-1].astype(np.uint8))
    return f"data:image/png;base64,{base64.b64encode(picture).decode()}"


def _png(shades: npt.NDArray[np.uint8]) -> bytes:
    """Draw four bits a pixel, each an entry of a black palette with rising opacity."""
    height, width = shades.shape
    rows = (shades[:, ::2] << 4) | shades[:, 1::2]
    raw = b"".join(b"\0" + row.tobytes() for row in rows)
    opacity = bytes(round(255 * n / (SHADES - 1)) for n in range(SHADES))
    header = struct.pack(">IIBBBBB", width, height, 4, 3, 0, 0, 0)
    chunks = [
        _chunk(b"IHDR", header),
        _chunk(b"PLTE", bytes(3 * SHADES)),
        _chunk(b"tRNS", opacity),
        _chunk(b"IDAT", zlib.compress(raw, 9)),
        _chunk(b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    """Write a part of a PNG between its length and its checksum."""
    length = struct.pack(">I", len(data))
    checksum = struct.pack(">I", zlib.crc32(kind + data))
    return length + kind + data + checksum


@dataclass(frozen=True)
class TimelineLane:
    """One curve: its path, where its box is, and the grid lines with their labels."""

    name: str
    unit: str
    path: str  # SVG path data; empty where there is nothing to draw
    top: int
    height: int
    grid: tuple[tuple[float, str], ...] = ()  # (y, label) in drawing units
    note: str = ""


@dataclass(frozen=True)
class Timeline:
    """The drawing of a clip; ``speech``, ``ticks`` and ``events`` are in seconds."""

    seconds: float
    lanes: tuple[TimelineLane, ...]
    speech: tuple[tuple[float, float], ...]
    ticks: tuple[tuple[float, str], ...]
    events: tuple[Event, ...] = ()
    largest: float = 0.0  # sample of the waveform, by which two clips get one scale


@dataclass(frozen=True)
class _Scale:
    """The scale of a contour: its usual ``ends``, and the ``place`` of a value."""

    name: str
    unit: str
    ends: tuple[float, float]
    grid: tuple[float, ...]
    place: Callable[[float], float]


PITCH = _Scale(
    name="pitch",
    unit="Hz",
    ends=(50.0, 500.0),
    grid=(75.0, 150.0, 300.0, 600.0),
    place=math.log,
)
LOUDNESS = _Scale(
    name="loudness",
    unit="LUFS",
    ends=(-60.0, -10.0),
    grid=(-50.0, -35.0, -20.0),
    place=float,
)


def timeline(blueprint: Blueprint, wave: Envelope) -> Timeline | None:
    """Draw a clip; None where not even its length is known."""
    seconds = _seconds(blueprint)
    if seconds is None:
        return None
    top_of_loudness = HEIGHT - LANE
    top_of_pitch = top_of_loudness - LABEL - LANE
    waveform = TimelineLane(
        name="waveform",
        unit="",
        path=mirrored(wave.peaks, LABEL, WAVE),
        top=LABEL,
        height=WAVE,
        note=wave.note,
    )
    speech: tuple[tuple[float, float], ...] = ()
    if isinstance(blueprint.signal, Signal):
        speech = tuple((span.start_s, span.end_s) for span in blueprint.signal.speech)
    return Timeline(
        seconds=seconds,
        lanes=(
            waveform,
            _lane(PITCH, blueprint.pitch, seconds, top_of_pitch),
            _lane(LOUDNESS, blueprint.loudness, seconds, top_of_loudness),
        ),
        speech=speech,
        ticks=ticks(seconds),
        events=tuple(_events(blueprint, seconds)),
        largest=wave.largest,
    )


def _events(blueprint: Blueprint, seconds: float) -> Iterator[Event]:
    """Yield the events of extensions that begin before the clip ends."""
    for group in blueprint.extensions.values():
        if not isinstance(group, Extension):
            continue
        for event in group.events or ():
            if event.start_s <= seconds:
                yield event


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
        return TimelineLane(
            name=scale.name, unit=scale.unit, path="", top=top, height=LANE, note=note
        )
    values = resample(group.contour, POINTS, seconds)
    ends = widened(scale.ends, values)
    low, high = map(scale.place, ends)

    def height(value: float) -> float:
        return top + LANE * (1 - (scale.place(value) - low) / (high - low))

    grid = tuple(
        (height(at), f"{at:g}") for at in scale.grid if ends[0] <= at <= ends[1]
    )
    return TimelineLane(
        name=scale.name,
        unit=scale.unit,
        path=curve(values, height),
        top=top,
        height=LANE,
        grid=grid,
    )


def widened(
    scale: tuple[float, float], values: Sequence[float | None]
) -> tuple[float, float]:
    """Widen the scale to have room for every value."""
    low, high = scale
    for value in values:
        if value is not None:
            low = min(low, value)
            high = max(high, value)
    return low, high


def curve(values: Sequence[float | None], height: Callable[[float], float]) -> str:
    """Write a line as path data, with gaps for None; a lone value becomes a dot."""
    parts: list[str] = []
    before: int | None = None
    for column, value in enumerate(values):
        if value is None:
            before = None
            continue
        y = round(height(value))
        if before is None:
            parts.append(f"M{column}.5 {y}h0")  # round caps make a dot of nothing
        elif y == before:
            parts.append("h1")
        else:
            parts.append(f"l1 {y - before}")
        before = y
    return "".join(parts)


def mirrored(peaks: Sequence[float], top: int, height: int) -> str:
    """Write a waveform as path data: upright lines, around the middle of its lane."""
    middle = top + height // 2
    parts = []
    before = 0
    for column, peak in enumerate(peaks):
        half = max(1, round(peak * height / 2))
        if column == 0:
            parts.append(f"M.5 {middle - half}")
        else:
            parts.append(f"m1 {-(before + half)}")
        parts.append(f"v{2 * half}")
        before = half
    return "".join(parts)


def ticks(seconds: float) -> tuple[tuple[float, str], ...]:
    """Label an axis from 0 on, in the finest round step that needs few labels."""
    step = next((s for s in _STEPS if seconds / s <= _MOST_TICKS), _STEPS[-1])
    count = int(seconds / step + 1e-9)
    return tuple((n * step, f"{n * step:g}") for n in range(count + 1))
