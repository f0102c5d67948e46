"""What the detectors of defects share: frames of a clip, runs of them, and events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from blueprints import Event
from extractors.audio import SPEECH_RATE, Samples
from extractors.contours import Floats, true_runs

Bools = npt.NDArray[np.bool_]

#: What is looked for.
KINDS = (
    "loop",
    "drop_out",
    "click",
    "clipped",
    "stretched",
    "abrupt_begin",
    "abrupt_end",
    "pitch_jump",
    "long_pause",
    "hum",
    "silence",
)

#: Step between frames, seconds and samples at 16 kHz, and their length.
STEP_S = 0.01
STEP = round(STEP_S * SPEECH_RATE)
SIZE = 512

#: Bands of a frame, and the lowest and highest edge, Hz.
BANDS, LOW_HZ, HIGH_HZ = 20, 100.0, 3800.0

#: Frames are transformed so many at a time.
_AT_ONCE = 2000


@dataclass(frozen=True)
class Frames:
    """A clip at 16 kHz in frames of 32 ms, each centred on a multiple of ``STEP``."""

    wave: Samples  # mono, without its mean [shape=(samples,)]
    # level in bands that are equally wide to the ear, dB [shape=(frames, BANDS)]
    bands: Floats
    level: Floats  # dB [shape=(frames,)]
    # level of the loud frames: the 90th percentile of those that sound
    speech_db: float

    @property
    def seconds(self) -> float:
        """Length of the clip."""
        return len(self.wave) / SPEECH_RATE


def framed(wave: Samples) -> Frames:
    """Cut a mono clip at 16 kHz into frames."""
    wave = wave - _offset(wave)
    margin = np.zeros(SIZE // 2, np.float32)
    padded = np.concatenate((margin, wave, margin))
    count = len(wave) // STEP + 1
    rows = np.lib.stride_tricks.sliding_window_view(padded, SIZE)[::STEP][:count]
    window, bank = _bank()
    bands = np.empty((len(rows), BANDS), np.float32)
    level = np.empty(len(rows), np.float32)
    for first in range(0, len(rows), _AT_ONCE):
        block = slice(first, first + _AT_ONCE)
        spectrum = np.fft.rfft(rows[block] * window, axis=1)
        power = (np.square(spectrum.real) + np.square(spectrum.imag)).astype(np.float32)
        bands[block] = decibels_of(power @ bank)
        level[block] = decibels_of(power[:, 3:].mean(axis=1))
    audible = level[level > level.max() - 50]
    speech_db = float(np.percentile(audible, 90))
    return Frames(wave=wave, bands=bands, level=level, speech_db=speech_db)


def _offset(wave: Samples) -> np.float32:
    """Estimate a recorder's offset where the clip is quietest.

    A hole lies beside zero.
    """
    whole = len(wave) // 32 * 32
    rows = wave[:whole].reshape(-1, 32)
    if not len(rows):
        return np.float32(0)
    swing = rows.max(axis=1) - rows.min(axis=1)
    quiet = swing <= np.percentile(swing, 5)
    means = rows[quiet].mean(axis=1)
    return np.float32(np.median(means))


def decibels_of(power: Floats) -> Floats:
    """Compute 10 log10, from -120 dB on."""
    return np.asarray(10 * np.log10(power + 1e-12))


@lru_cache(maxsize=1)
def _bank() -> tuple[Floats, Floats]:
    """Return a window [shape=(SIZE,)] and mel bands [shape=(SIZE // 2 + 1, BANDS)]."""
    lowest = 1 + LOW_HZ / 700
    highest = 1 + HIGH_HZ / 700
    edges = 700 * (np.geomspace(lowest, highest, BANDS + 2) - 1)
    left, centre, right = edges[:-2], edges[1:-1], edges[2:]
    hz = (np.arange(SIZE // 2 + 1) * SPEECH_RATE / SIZE)[:, None]
    rising = (hz - left) / (centre - left)
    falling = (right - hz) / (right - centre)
    triangles = np.maximum(0, np.minimum(rising, falling))
    bank = triangles / triangles.sum(axis=0)
    window = np.hanning(SIZE + 1)[:-1]
    window = window / (window.sum() / 2)
    return window.astype(np.float32), bank.astype(np.float32)


def runs(where: Bools) -> Iterator[tuple[int, int]]:
    """Find stretches of True as half-open ranges, in order."""
    starts, ends = true_runs(where)
    return zip(starts.tolist(), ends.tolist(), strict=True)


def joined(events: list[Event], gap_s: float) -> list[Event]:
    """Join events of a kind up to ``gap_s`` apart; the strongest gives the strength."""
    out: list[Event] = []
    for event in sorted(events, key=lambda event: event.start_s):
        last = out[-1] if out else None
        if last is not None and event.start_s - last.end_s <= gap_s:
            both = {
                "end_s": max(last.end_s, event.end_s),
                "strength": max(last.strength, event.strength),
            }
            out[-1] = last.model_copy(update=both)
        else:
            out.append(event)
    return out
