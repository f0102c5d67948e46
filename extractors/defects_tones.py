"""Tones that no voice makes: hum and buzz under the speech."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from blueprints import Event
from extractors.audio import SPEECH_RATE
from extractors.contours import Floats
from extractors.defects_frames import Bools, Frames, decibels_of, joined, runs

#: Hum is looked for in frames of 4,096 samples at 16 kHz, half overlapping, in lines from 45 to
#: 1,000 Hz: their bins are 4 Hz wide.
LONG, LONG_STEP = 4096, 1024
HUM_HZ = (45.0, 1000.0)

#: Frames in which a line must stand all the time (1 s), and by how much over what lies 12 to 32 Hz
#: beside it, dB: a multiple of 50 or 60 Hz, and another one, which may be a voice's that drones;
#: and at most so far under the speech, dB.
HUM_FRAMES, MAINS_DB, HUM_DB, HUM_UNDER_DB = 16, 10.0, 15.0, 50.0

#: A line is one of the mains that lies so near a multiple, Hz.
MAINS_HZ = 3.0

#: And it stands so still, dB from its lowest to its 80th percentile.
HUM_MOVES_DB = 5.0

#: Longest gap that speech tears into a line, frames of 64 ms.
HUM_GAP = 3

#: Its ends are those of so many lines.
HUM_LINES = 4

#: Windows of ``HUM_FRAMES`` begin every so many frames.
HUM_STEP = 4


def hums(frames: Frames) -> list[Event]:
    """Lines that stand still for a second and more, as mains hum and buzzes do."""
    db = _lines(frames)
    if len(db) < HUM_FRAMES:
        return []
    first, last = (round(hz * LONG / SPEECH_RATE) for hz in HUM_HZ)
    windows = np.lib.stride_tricks.sliding_window_view(db, HUM_FRAMES, axis=0)[::HUM_STEP]
    low, high = np.percentile(windows, (20, 80), axis=2)
    bins = np.arange(first, last)
    sides = np.concatenate([np.arange(-8, -2), np.arange(3, 9)])
    over = low[:, bins] - np.median(low[:, bins[:, None] + sides], axis=2)
    still = (high - windows.min(axis=2))[:, bins] < HUM_MOVES_DB
    over[~still | (low[:, bins] < frames.speech_db - HUM_UNDER_DB)] = 0
    hz = bins * SPEECH_RATE / LONG
    off = np.min([np.abs(hz - mains * np.round(hz / mains)) for mains in (50, 60)], axis=0)
    over /= np.where(off < MAINS_HZ, MAINS_DB, HUM_DB)
    strongest = over.max(axis=1)
    results = [
        _hum(db, bins, over[start:end], start, frames.seconds)
        for start, end in runs(strongest >= 1)
    ]
    return joined(results, gap_s=1.0)


def _hum(db: Floats, bins: npt.NDArray[np.int_], over: Floats, start: int, seconds: float) -> Event:
    """The event of the windows from ``start`` on, by its strongest lines."""
    window, column = np.unravel_index(int(over.argmax()), over.shape)
    top = HUM_STEP * (start + int(window))
    strongest = np.argsort(over[window])[-HUM_LINES:]
    lines = db[:, bins[strongest[over[window, strongest] > over[window, column] / 2]]]
    # A frame whose middle lies on the edge of a tone holds half of its amplitude. Speech covers
    # one line or another, so that the lowest of them tells.
    least = np.median(lines[top : top + HUM_FRAMES], axis=0) - 6
    there: Bools = np.all(lines > least, axis=1)
    for first, last in runs(~there):
        if first > 0 and last < len(there) and last - first <= HUM_GAP:
            there[first:last] = True
    middle = top + HUM_FRAMES // 2
    begin, stop = next((one for one in runs(there) if one[0] <= middle < one[1]), (top, top + 1))
    step, edge = LONG_STEP / SPEECH_RATE, LONG / 2 / SPEECH_RATE
    return Event(
        kind="hum",
        start_s=begin * step + edge if begin else 0.0,
        end_s=(stop - 1) * step + edge if stop < len(there) else seconds,
        strength=float(over.max()),
    )


def _lines(frames: Frames) -> Floats:
    """Level of the bins up to ``HUM_HZ`` in long frames, dB [shape=(frames, bins)]."""
    last = round(HUM_HZ[1] * LONG / SPEECH_RATE) + 10
    if len(frames.wave) < LONG:
        return np.zeros((0, last), np.float32)
    rows = np.lib.stride_tricks.sliding_window_view(frames.wave, LONG)[::LONG_STEP]
    window = np.hanning(LONG + 1)[:-1].astype(np.float32)
    window *= 2 / window.sum()
    parts = (
        np.square(np.abs(np.fft.rfft(part * window, axis=1)[:, :last]))
        for part in np.array_split(rows, len(rows) // 200 + 1)
    )
    return decibels_of(np.concatenate(list(parts)))
