"""Channels heard in bounded memory: speech probability and level, on a common clock."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import lcm
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.fft import rfft

from extractors import (
    CHUNK,
    SPEECH_RATE,
    Samples,
    SpeechProbability,
    channel_blocks,
    find_spans,
    opened,
)
from trace_eval.conversations.spans import Spans
from trace_eval.data.conversation import Channel

Levels = NDArray[np.float64]
IsSpeech = NDArray[np.bool_]

#: Step of levels, seconds, and in samples.
HOP_S = 0.01
_HOP = int(HOP_S * SPEECH_RATE)

#: A level is of this many hops around its own: 30 ms.
_HOPS = 3

#: Whole decisions of the detector and whole hops, in samples.
_STEP = lcm(CHUNK, _HOP)

_PROMISED = re.compile(r"^data : (\d+) \(should be (\d+)\)", re.MULTILINE)

#: Level of digital silence, dB.
SILENT_DB = -120.0

#: The recording of a side that has none.
NOWHERE = Path("/nowhere")

#: Bands of a lane, Hz: the voice without rumble and puffs, where breath is strongest,
#: and where hissing consonants are. The last one is empty in telephone sound.
BANDS = {
    "voice": (200, 6_000),
    "middle": (1_500, 3_500),
    "high": (3_500, 8_001),
    "top": (4_200, 8_001),
}
_WINDOW = np.hanning(2 * _HOP + 1)[:-1].astype(np.float32)
#: Samples that are judged at once for lost, repeated and clipped packets: 5 ms.
_HALF = _HOP // 2

#: Lengths of packets that a recorder may repeat, in samples: 10 to 60 ms.
_PACKETS = (160, 320, 480, 640, 960)

#: A silent sample, one step of 16 bits; share to which a loud packet repeats another;
#: clipping.
_STEP_16, _EQUAL, _LOUD, _CLIP = 3.2e-5, 2e-3, 0.01, 0.985

_BINS = [
    np.searchsorted(np.fft.rfftfreq(2 * _HOP, 1 / SPEECH_RATE), b)
    for b in BANDS.values()
]
_IN_BAND = np.zeros((len(BANDS), _HOP + 1))
for _row, (_first, _last) in zip(_IN_BAND, _BINS, strict=True):
    _row[_first:_last] = 1
_TO_POWER = (2 * _IN_BAND.T / (2 * _HOP * np.square(_WINDOW).sum())).astype(np.float32)


@dataclass(frozen=True)
class Lane:
    """Speech probability and level of one channel; times are those of the conversation."""

    channel: Channel
    stretches: Spans  # where the detector hears speech, neither padded nor refined
    # dB of 30 ms every 10 ms of the channel's own samples [shape=(hops,)]
    levels: Levels
    samples: int  # of the channel at 16 kHz
    # the levels in each of BANDS [shape=(4, hops)]
    bands: Levels = field(default_factory=lambda: np.zeros((len(BANDS), 0)))
    # largest sample of every 5 ms, 0 to 1 [shape=(halves,)]
    peaks: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    # which of these are silent, repeat a packet of 10 to 60 ms, clip [shape=(3,
    # halves)]
    flaws: IsSpeech = field(default_factory=lambda: np.zeros((3, 0), bool))
    rate: int = SPEECH_RATE
    # length by the header, where that is more than there is
    header_s: float | None = None

    @property
    def end_s(self) -> float:
        """When its last sample is."""
        return self.at(self.samples / SPEECH_RATE)

    def at(self, seconds: float) -> float:
        """Convert a time in the file to the conversation's."""
        return self.channel.offset_s + seconds * (1 + self.channel.drift_ppm / 1e6)

    def times(self, number: int, step_s: float) -> NDArray[np.float64]:
        """Return when each of so many steps of its file begins."""
        scale = 1 + self.channel.drift_ppm / 1e6
        return np.asarray(self.channel.offset_s + scale * step_s * np.arange(number))

    def levels_at(
        self, times: NDArray[np.float64], band: str | None = None
    ) -> NDArray[np.float64]:
        """Return levels at times of the conversation; outside of the file digital silence."""
        available = self.levels if band is None else self.bands[list(BANDS).index(band)]
        scale = 1 + self.channel.drift_ppm / 1e6
        hops = np.rint((times - self.channel.offset_s) / scale / HOP_S).astype(np.int64)
        inside = (hops >= 0) & (hops < len(available))
        levels = np.full(len(times), SILENT_DB)
        levels[inside] = available[hops[inside]]
        return levels


def inside(spans: Spans, times: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say which of rising moments lie in stretches; ends excluded."""
    mask = np.zeros(len(times), bool)
    for span in spans:
        first, last = np.searchsorted(times, span)
        mask[first:last] = True
    return mask


def hear(channels: Sequence[Channel], detect: bool = True) -> list[Lane]:
    """Decode channels front to back and keep what segmentation needs of each.

    A file is decoded once, however many of its channels are heard. Without ``detect``
    nobody listens for speech, which takes most of the time, and lanes have no
    stretches.

    Raises:
        AudioError: one cannot be decoded, or there is no such channel.
    """
    lanes: dict[Channel, Lane] = {}
    for audio in dict.fromkeys(channel.audio for channel in channels):
        mine = [channel for channel in channels if channel.audio == audio]
        with opened(audio, str(audio), max_seconds=0.0) as (file, _):
            rate, header_s = int(file.samplerate), _header_s(file)
        ears = [_Ear(number if detect else None) for number in range(len(mine))]
        for blocks in channel_blocks(audio, [channel.channel for channel in mine]):
            for ear, block in zip(ears, blocks, strict=True):
                ear.hear(block)
        for channel, ear in zip(mine, ears, strict=True):
            lanes[channel] = replace(ear.lane(channel, rate), header_s=header_s)
    return [lanes[channel] for channel in channels]


def _header_s(file: Any) -> float | None:
    """Return the seconds that a header promises beyond the file's, as libsndfile logs it."""
    data = _PROMISED.search(getattr(file, "extra_info", ""))
    if data is None or int(data[1]) <= int(data[2]):
        return None
    return float(file.frames / file.samplerate * int(data[1]) / max(1, int(data[2])))


def silent(other: Lane, name: str) -> Lane:
    """Make the lane of a side without a recording, as long as the other: digital silence."""
    hops = len(other.levels)
    return Lane(
        channel=Channel(name=name, audio=NOWHERE, offset_s=other.channel.offset_s),
        stretches=[],
        levels=np.full(hops, SILENT_DB),
        samples=other.samples,
        bands=np.full((len(BANDS), hops), SILENT_DB),
        peaks=np.zeros_like(other.peaks),
        flaws=np.zeros_like(other.flaws),
        rate=other.rate,
    )


class _Ear:
    """State of one channel while its file is decoded, with the detector of that number."""

    def __init__(self, number: int | None) -> None:
        self._speech = None if number is None else SpeechProbability(number)
        self._powers: list[NDArray[np.float64]] = []
        self._bands: list[NDArray[np.float64]] = []
        self._before = np.zeros(0, np.float32)
        self._packets = np.zeros(max(_PACKETS), np.float32)
        self._flaws: list[NDArray[np.float64]] = []
        self._rest = np.zeros(0, np.float32)
        self._samples = 0

    def hear(self, block: Samples) -> None:
        self._samples += len(block)
        samples = np.concatenate((self._rest, block))
        whole = len(samples) // _STEP * _STEP
        self._take(samples[:whole])
        self._rest = samples[whole:].copy()  # a view would hold on to the block

    def _take(self, part: Samples) -> None:
        self._powers.append(_powers(part))
        if self._speech is not None:
            self._speech.add(part)
        self._bands.append(_band_powers(both := np.concatenate((self._before, part))))
        self._before = both[len(self._bands[-1]) * _HOP :].copy()
        self._flaws.append(_flaws(both := np.concatenate((self._packets, part))))
        self._packets = both[len(both) - len(self._packets) :].copy()

    def lane(self, channel: Channel, rate: int) -> Lane:
        """Return the lane, after the last block."""
        self._take(self._rest)
        spans = []
        if self._speech is not None:
            spans = find_spans(
                self._speech.end(), self._samples / SPEECH_RATE, pad_s=0.0
            )
        last = np.concatenate((self._before, np.zeros(2 * _HOP, np.float32)))
        bands = np.concatenate((*self._bands, _band_powers(last)))[
            : self._samples // _HOP
        ]
        around = (bands + np.concatenate((bands[:1], bands[:-1]))) / 2
        levels = _levels(np.concatenate(self._powers), self._samples)
        peaks, *flaws = np.concatenate(self._flaws, axis=1)
        bands = _db(around.T)
        flawed = np.array(flaws) > 0
        lane = Lane(
            channel=channel,
            stretches=[],
            levels=levels,
            samples=self._samples,
            bands=bands,
            peaks=peaks,
            flaws=flawed,
            rate=rate,
        )
        lane.stretches.extend(
            (lane.at(span.start_s), lane.at(span.end_s)) for span in spans
        )
        return lane


def _powers(part: Samples) -> NDArray[np.float64]:
    """Sum of squares of each hop; the last one may be short."""
    squares = np.square(part, dtype=np.float64)
    return (
        np.add.reduceat(squares, np.arange(0, len(part), _HOP))
        if len(part)
        else squares
    )


def _band_powers(part: Samples) -> NDArray[np.float64]:
    """Mean square in each band of every 20 ms that begin at a hop [shape=(windows, 4)]."""
    windows = np.lib.stride_tricks.sliding_window_view(
        part if len(part) >= 2 * _HOP else np.zeros(2 * _HOP, np.float32), 2 * _HOP
    )[::_HOP][: max(0, len(part) // _HOP - 1)]
    spectrum = rfft(windows * _WINDOW)  # float32 in, complex64 out: half the time
    return np.asarray((spectrum.real**2 + spectrum.imag**2) @ _TO_POWER, np.float64)


def _flaws(both: Samples) -> NDArray[np.float64]:
    """Return peak, silence, repetition, clipping of 5 ms behind a packet [shape=(4, halves)]."""
    start, halves = max(_PACKETS), (len(both) - max(_PACKETS)) // _HALF
    stop = start + halves * _HALF

    def of(values: Samples) -> Samples:
        return values.reshape(halves, _HALF)

    part = of(np.abs(both[start:stop]))
    peaks = part.max(axis=1, initial=0.0)
    repeats = np.zeros(halves, bool)
    loud = np.flatnonzero(peaks > _LOUD)
    for size in _PACKETS:
        first = start + loud * _HALF  # one sample rules out most
        may = loud[np.abs(both[first] - both[first - size]) <= _EQUAL * peaks[loud]]
        at = start + may[:, None] * _HALF + np.arange(_HALF)
        change = np.abs(both[at] - both[at - size]).max(axis=1, initial=0.0)
        repeats[may] |= change <= _EQUAL * peaks[may]
    clips = (part >= _CLIP).sum(axis=1) >= 3
    return np.array([peaks, peaks <= _STEP_16, repeats, clips], np.float64)


def _db(power: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(10 * np.log10(np.maximum(power, 1e-12)))


def _levels(powers: NDArray[np.float64], samples: int) -> NDArray[np.float64]:
    counts = np.full(len(powers), float(_HOP))
    if len(powers):
        counts[-1] = samples - _HOP * (len(powers) - 1)
    window = np.ones(_HOPS)
    mean = np.convolve(powers, window, "same") / np.convolve(counts, window, "same")
    return _db(mean[: samples // _HOP])
