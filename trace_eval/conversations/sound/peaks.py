"""Outlines of sound in bounded memory: peaks of a clip, or of a call's channels."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from extractors import SPEECH_RATE, channel_blocks
from trace_eval.data.conversation import Channel

Peaks = NDArray[np.float64]


def outline(samples: NDArray[np.float32], points: int) -> Peaks:
    """Return each equal stretch's peak over the largest, 0 to 1 [shape=(n,)].

    Silence is 0 throughout.
    """
    if not len(samples):
        return np.zeros(points)
    starts = np.arange(points) * len(samples) // points
    # reduceat takes one sample where two starts are equal, so short clips repeat
    # samples
    peaks = np.maximum.reduceat(np.abs(samples), starts).astype(float)
    return _scaled(peaks)


#: Columns by which a sample may miss the edge that it lies on.
_EDGE = 1e-6


def channel_peaks(
    channels: Sequence[Channel], length_s: float, points: int
) -> list[Peaks]:
    """Return each column's largest sample over the channel's, 0 to 1 [shape=(points,)].

    The columns divide the conversation's length, which is above 0, evenly. A channel
    that cannot be decoded has none; a file is decoded once, however many of its
    channels are asked for.
    """
    results: dict[Channel, Peaks] = {}
    for audio in dict.fromkeys(channel.audio for channel in channels):
        in_file = [channel for channel in channels if channel.audio == audio]
        peaks = _of_file(audio, in_file, length_s, points)
        results |= zip(in_file, peaks, strict=True)
    return [results[channel] for channel in channels]


def _of_file(
    audio: Path, channels: list[Channel], length_s: float, points: int
) -> list[Peaks]:
    none = [np.empty(0) for _ in channels]
    if not os.access(audio, os.R_OK) or not audio.is_file():
        return none
    numbers = [channel.channel for channel in channels]
    peaks = [np.zeros(points) for _ in channels]
    start = 0
    try:
        for blocks in channel_blocks(audio, numbers):
            for channel, highest, block in zip(channels, peaks, blocks, strict=True):
                file_times = (start + np.arange(len(block))) / SPEECH_RATE
                scale = 1 + channel.drift_ppm / 1e6
                times = channel.offset_s + file_times * scale
                # a sample on an edge begins a column, whatever rounding makes of it
                columns = np.floor(times / length_s * points + _EDGE).astype(np.int64)
                inside = (columns >= 0) & (columns < points)
                np.maximum.at(highest, columns[inside], np.abs(block)[inside])
            start += len(blocks[0])
    except UserError:
        return none
    return list(map(_scaled, peaks))


def _scaled(peaks: Peaks) -> Peaks:
    """Return peaks whose highest is 1; silence as it is."""
    top = float(peaks.max())
    return peaks / top if top > 0 else peaks
