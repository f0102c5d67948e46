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

_FREQUENCIES = np.fft.rfftfreq(2 * _HOP, 1 / SPEECH_RATE)
_IN_BAND = np.zeros((len(BANDS), _HOP + 1))
for _row, _band in zip(_IN_BAND, BANDS.values(), strict=True):
    _first, _last = np.searchsorted(_FREQUENCIES, _band)
    _row[_first:_last] = 1
_WINDOW_POWER = 2 * _HOP * np.square(_WINDOW).sum()
_TO_POWER = (2 * _IN_BAND.T / _WINDOW_POWER).astype(np.float32)


@dataclass(frozen=True)
class Lane:
    """Speech probability and level of one channel, at times of the conversation."""

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
        scale = 1 + self.channel.drift_ppm / 1e6
        return self.channel.offset_s + seconds * scale

    def times(self, number: int, step_s: float) -> NDArray[np.float64]:
        """Return the start of each of a number of steps of its file."""
        scale = 1 + self.channel.drift_ppm / 1e6
        since_first = scale * step_s * np.arange(number)
        return np.asarray(self.channel.offset_s + since_first)

    def levels_at(
        self, times: NDArray[np.float64], band: str | None = None
    ) -> NDArray[np.float64]:
        """Return levels at times of the conversation.

        Outside of the file they are those of digital silence.
        """
        of_file = self.levels
        if band is not None:
            of_file = self.bands[list(BANDS).index(band)]
        scale = 1 + self.channel.drift_ppm / 1e6
        file_times = (times - self.channel.offset_s) / scale
        hops = np.rint(file_times / HOP_S).astype(np.int64)
        in_file = (hops >= 0) & (hops < len(of_file))
        levels = np.full(len(times), SILENT_DB)
        levels[in_file] = of_file[hops[in_file]]
        return levels


def inside(spans: Spans, times: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say which of rising moments lie in stretches, whose ends are excluded."""
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
        in_file = [channel for channel in channels if channel.audio == audio]
        numbers = [channel.channel for channel in in_file]
        with opened(audio, str(audio), max_seconds=0.0) as (file, *_):
            rate = int(file.samplerate)
            header_s = _header_s(file)
        ears = [_Ear(detect) for _ in in_file]
        for blocks in channel_blocks(audio, numbers):
            for ear, block in zip(ears, blocks, strict=True):
                ear.hear(block)
        for channel, ear in zip(in_file, ears, strict=True):
            lane = ear.lane(channel, rate)
            lanes[channel] = replace(lane, header_s=header_s)
    return [lanes[channel] for channel in channels]


def _header_s(file: Any) -> float | None:
    """Return the length in seconds by a header that promises more than the file has.

    libsndfile logs both sizes.
    """
    sizes = _PROMISED.search(getattr(file, "extra_info", ""))
    if sizes is None:
        return None
    promised = int(sizes[1])
    actual = int(sizes[2])
    if promised <= actual:
        return None
    seconds = file.frames / file.samplerate
    return float(seconds * promised / max(1, actual))


def silent(other: Lane, name: str) -> Lane:
    """Make a lane of digital silence, as long as the other, for an unrecorded side."""
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
    """State of one channel while its file is decoded, with its own detector."""

    def __init__(self, detect: bool) -> None:
        self._speech = SpeechProbability() if detect else None
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
        behind_window = np.concatenate((self._before, part))
        bands = _band_powers(behind_window)
        self._bands.append(bands)
        self._before = behind_window[len(bands) * _HOP :].copy()
        behind_packet = np.concatenate((self._packets, part))
        self._flaws.append(_flaws(behind_packet))
        packet_from = len(behind_packet) - len(self._packets)
        self._packets = behind_packet[packet_from:].copy()

    def lane(self, channel: Channel, rate: int) -> Lane:
        """Return the lane, after the last block."""
        self._take(self._rest)
        spans = []
        if self._speech is not None:
            seconds = self._samples / SPEECH_RATE
            spans = find_spans(self._speech.end(), seconds, pad_s=0.0)
        levels = _levels(np.concatenate(self._powers), self._samples)
        peaks, *flaws = np.concatenate(self._flaws, axis=1)
        is_flawed = np.array(flaws) > 0
        lane = Lane(
            channel=channel,
            stretches=[],
            levels=levels,
            samples=self._samples,
            bands=self._band_levels(),
            peaks=peaks,
            flaws=is_flawed,
            rate=rate,
        )
        for span in spans:
            lane.stretches.append((lane.at(span.start_s), lane.at(span.end_s)))
        return lane

    def _band_levels(self) -> Levels:
        """Return the level of each band, dB, in the two windows around each hop."""
        last_window = np.concatenate((self._before, np.zeros(2 * _HOP, np.float32)))
        powers = np.concatenate((*self._bands, _band_powers(last_window)))
        of_hop = powers[: self._samples // _HOP]
        of_hop_before = np.concatenate((of_hop[:1], of_hop[:-1]))
        around = (of_hop + of_hop_before) / 2
        return _db(around.T)


def _powers(part: Samples) -> NDArray[np.float64]:
    """Return the sum of squares of each hop; the last one may be short."""
    squares = np.square(part, dtype=np.float64)
    if not len(part):
        return squares
    hop_starts = np.arange(0, len(part), _HOP)
    return np.add.reduceat(squares, hop_starts)


def _band_powers(part: Samples) -> NDArray[np.float64]:
    """Return the mean square in each band of every 20 ms that begin at a hop.

    The result has the shape (windows, 4).
    """
    from scipy.fft import rfft

    size = 2 * _HOP
    at_least_one = part if len(part) >= size else np.zeros(size, np.float32)
    of_every_sample = np.lib.stride_tricks.sliding_window_view(at_least_one, size)
    number = max(0, len(part) // _HOP - 1)
    windows = of_every_sample[::_HOP][:number]
    spectrum = rfft(windows * _WINDOW)  # float32 in, complex64 out: half the time
    power = spectrum.real**2 + spectrum.imag**2
    return np.asarray(power @ _TO_POWER, np.float64)


def _flaws(both: Samples) -> NDArray[np.float64]:
    """Return peak, silence, repetition and clipping of each 5 ms behind a packet.

    The result has the shape (4, halves).
    """
    start = max(_PACKETS)
    halves = (len(both) - start) // _HALF
    stop = start + halves * _HALF
    part = np.abs(both[start:stop]).reshape(halves, _HALF)
    peaks = part.max(axis=1, initial=0.0)
    repeats = np.zeros(halves, bool)
    loud = np.flatnonzero(peaks > _LOUD)
    firsts = start + loud * _HALF
    for size in _PACKETS:
        # One sample rules out most.
        first_change = np.abs(both[firsts] - both[firsts - size])
        may = loud[first_change <= _EQUAL * peaks[loud]]
        at = start + may[:, None] * _HALF + np.arange(_HALF)
        change = np.abs(both[at] - both[at - size]).max(axis=1, initial=0.0)
        repeats[may] |= change <= _EQUAL * peaks[may]
    clips = (part >= _CLIP).sum(axis=1) >= 3
    is_silent = peaks <= _STEP_16
    return np.array([peaks, is_silent, repeats, clips], np.float64)


def _db(power: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(10 * np.log10(np.maximum(power, 1e-12)))


def _levels(powers: NDArray[np.float64], samples: int) -> NDArray[np.float64]:
    counts = np.full(len(powers), float(_HOP))
    if len(powers):
        counts[-1] = samples - _HOP * (len(powers) - 1)
    window = np.ones(_HOPS)
    power_around = np.convolve(powers, window, "same")
    samples_around = np.convolve(counts, window, "same")
    mean = power_around / samples_around
    return _db(mean[: samples // _HOP])
