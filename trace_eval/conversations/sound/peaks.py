"""The outline of a channel over a conversation's time, in bounded memory."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from extractors import SPEECH_RATE, SpeechFile
from trace_eval.data import Channel

#: What is decoded at once, seconds.
_BLOCK_S = 60


def channel_peaks(channel: Channel, length_s: float, points: int) -> NDArray[np.float64]:
    """Largest sample of each column over the largest of all [shape=(points,)].

    Args:
        channel: of a conversation.
        length_s: the conversation's, above 0; the columns divide it evenly.
        points: columns.

    Returns:
        0 to 1; empty where the channel cannot be decoded.
    """
    peaks = np.zeros(points)
    if not os.access(channel.audio, os.R_OK) or not Path(channel.audio).is_file():
        return np.empty(0)
    try:
        with SpeechFile(channel.audio, channel.channel) as file:
            step = _BLOCK_S * SPEECH_RATE
            for start in range(0, len(file), step):
                part = np.abs(file[start : start + step])
                at = (start + np.arange(len(part))) / SPEECH_RATE
                at = channel.offset_s + at * (1 + channel.drift_ppm / 1e6)
                index = np.floor(at / length_s * points).astype(np.int64)
                inside = (index >= 0) & (index < points)
                np.maximum.at(peaks, index[inside], part[inside])
    except UserError:
        return np.empty(0)
    top = float(peaks.max())
    return peaks / top if top > 0 else peaks
