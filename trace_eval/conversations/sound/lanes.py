"""One channel heard in bounded memory: speech probability and level, on a common clock."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd

import numpy as np
from numpy.typing import NDArray

from extractors import (
    CHUNK,
    SPEECH_RATE,
    Samples,
    SpeechFile,
    find_spans,
    speech_probability_of_blocks,
)
from trace_eval.conversations.spans import Spans
from trace_eval.data import Channel

#: Step of levels, seconds, and in samples.
HOP_S = 0.01
_HOP = int(HOP_S * SPEECH_RATE)

#: A level is of this many hops around its own: 30 ms.
_HOPS = 3

#: What is decoded at once, seconds.
BLOCK_S = 60.0

#: Level of digital silence, dB.
SILENT_DB = -120.0


@dataclass(frozen=True)
class Lane:
    """What is known of one channel; times are those of the conversation.

    Attributes:
        channel: which one.
        stretches: where the detector hears speech, neither padded nor refined.
        levels: dB of 30 ms every 10 ms of the channel's own samples [shape=(hops,)].
        samples: of the channel at 16 kHz.
    """

    channel: Channel
    stretches: Spans
    levels: NDArray[np.float64]
    samples: int

    @property
    def end_s(self) -> float:
        """When its last sample is."""
        return self.at(self.samples / SPEECH_RATE)

    def at(self, seconds: float) -> float:
        """The conversation's time of a time in the file."""
        return self.channel.offset_s + seconds * (1 + self.channel.drift_ppm / 1e6)

    def levels_at(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Levels at times of the conversation; outside of the file digital silence."""
        scale = 1 + self.channel.drift_ppm / 1e6
        hops = np.rint((times - self.channel.offset_s) / scale / HOP_S).astype(np.int64)
        inside = (hops >= 0) & (hops < len(self.levels))
        levels = np.full(len(times), SILENT_DB)
        levels[inside] = self.levels[hops[inside]]
        return levels


def hear(channel: Channel, block_s: float = BLOCK_S) -> Lane:
    """Decode a channel once, front to back, and keep what segmentation needs of it.

    Args:
        channel: a file's channel; it is not mixed with others.
        block_s: how much is held at once; the result does not depend on it.

    Raises:
        AudioError: it cannot be decoded, or there is no such channel.
    """
    step = CHUNK * _HOP // gcd(CHUNK, _HOP)
    block = max(1, round(block_s * SPEECH_RATE / step)) * step
    powers: list[NDArray[np.float64]] = []
    with SpeechFile(channel.audio, channel.channel) as file:
        samples = len(file)

        def blocks() -> Iterator[Samples]:
            for start in range(0, samples, block):
                part = file[start : start + block]
                powers.append(_powers(part))
                yield part

        probability = speech_probability_of_blocks(blocks())
    seconds = samples / SPEECH_RATE
    spans = find_spans(probability, seconds, pad_s=0.0)
    lane = Lane(channel, [], _levels(np.concatenate(powers), samples), samples)
    stretches = [(lane.at(span.start_s), lane.at(span.end_s)) for span in spans]
    return Lane(channel, stretches, lane.levels, samples)


def _powers(part: Samples) -> NDArray[np.float64]:
    """Sum of squares of each hop; the last one may be short."""
    squares = np.square(part, dtype=np.float64)
    return np.add.reduceat(squares, np.arange(0, len(part), _HOP)) if len(part) else squares


def _levels(powers: NDArray[np.float64], samples: int) -> NDArray[np.float64]:
    counts = np.full(len(powers), float(_HOP))
    if len(powers):
        counts[-1] = samples - _HOP * (len(powers) - 1)
    window = np.ones(_HOPS)
    mean = np.convolve(powers, window, "same") / np.convolve(counts, window, "same")
    found = 10 * np.log10(np.maximum(mean, 1e-12))
    return np.asarray(found[: samples // _HOP])
