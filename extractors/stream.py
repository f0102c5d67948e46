"""Recordings that are too long to hold: the 16 kHz mono mix of a file, read as it is needed.

Two hours are 0.46 GB at 16 kHz, and three times that while they are decoded at 48 kHz. A
measure that works through a recording once, front to back, need not hold it: as blocks of some of
its channels (:func:`channel_blocks`), or as slices of the mix (:class:`SpeechFile`).
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol

import numpy as np
import soundfile
import soxr

from extractors.audio import SPEECH_RATE, AudioError, Samples, opened, refuse_gaps

#: Frames that are decoded at once, of files with two channels at most.
BLOCK_FRAMES = 1 << 18

#: How far back from the last sample read one can still read, seconds (8 MB).
KEPT_S = 120


class SpeechSamples(Protocol):
    """Mono samples at 16 kHz that can be counted and sliced: an array, or a file."""

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice, /) -> Samples: ...


class SpeechFile:
    """What :attr:`Clip.speech` would be of a file, to the last bit, in bounded memory.

    The file is decoded twice: once to count what is really there (headers lie) and to refuse
    what is not a number, and once as slices are asked for. Slices must go forwards: a slice
    that starts more than ``KEPT_S`` before the furthest one's end is refused.

    Use it as a context manager. Opening it raises AudioError as :func:`decode` does, but no
    recording is too long.
    """

    def __init__(self, path: Path | str) -> None:
        self._label = str(path)
        with opened(path, self._label) as file:
            checked = _Checked(file, self._label)
            for _ in checked.blocks():
                pass
            # How the resampler rounds; equal to the length of its output for every length tried.
            self._length = int(checked.frames * SPEECH_RATE / file.samplerate + 0.5)
        self._blocks = channel_blocks(path, [None])
        self._kept = np.zeros(0, np.float32)
        self._start = 0  # number of the first sample kept
        self._power, self._peak = 0.0, 0.0

    def __enter__(self) -> SpeechFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._blocks.close()

    def __len__(self) -> int:
        """Samples at 16 kHz."""
        return self._length

    def __getitem__(self, part: slice, /) -> Samples:
        """Samples ``start`` to ``stop - 1`` at 16 kHz, in [-1, 1]."""
        first, stop, _ = part.indices(self._length)
        self._read_to(stop, first)
        if first < min(self._start, stop):
            raise ValueError(
                f"{self._label}: samples from {first} are gone, {self._start} is the first that"
                f" is kept; read forwards, or raise KEPT_S ({KEPT_S} s)"
            )
        result = self._kept[first - self._start : max(first, stop) - self._start]
        return result.copy()  # a view would hold on to all that is kept

    def levels(self) -> tuple[float, float]:
        """RMS and peak of the whole recording, linear; reads on to its end."""
        self._read_to(self._length, self._length)
        return float(np.sqrt(self._power / max(1, self._length))), self._peak

    def _read_to(self, stop: int, needed: int) -> None:
        """Decode up to ``stop``; what is from ``needed`` on is kept, however far back."""
        while self._start + len(self._kept) < stop:
            (block,) = next(self._blocks)
            self._power += float(np.einsum("i,i->", block, block, dtype=np.float64))
            self._peak = max(self._peak, float(np.abs(block).max(initial=0)))
            old = max(0, len(self._kept) - KEPT_S * SPEECH_RATE)
            gone = max(0, min(old, needed - self._start))
            self._kept = np.concatenate((self._kept[gone:], block))
            self._start += gone


class _Checked:
    """Blocks of a file as they are decoded; what is no sound is refused when all were read.

    Attributes:
        frames: how many were really there so far; headers lie.
    """

    def __init__(self, file: soundfile.SoundFile, label: str) -> None:
        self._file, self._label = file, label
        self.frames = 0

    def blocks(self) -> Generator[tuple[Samples, bool], None, None]:
        """Float32 [shape=(frames, channels)], and whether it is the last one (it may be empty).

        Behind the first sample that is not a number nothing is handed out any more.

        Raises:
            AudioError: there are no samples, or some are not numbers; at the end.
        """
        size = _block_frames(self._file)
        samples = bad = 0
        last = False
        while not last:
            block = self._file.read(size, dtype="float32", always_2d=True)
            last = len(block) < size
            self.frames += len(block)
            samples += block.size
            bad += block.size - int(np.isfinite(block).sum())
            if last and not self.frames:
                raise AudioError(
                    f"{self._label}: the header is valid but there are no samples; write it again"
                )
            if last:
                refuse_gaps(bad, samples, self._label)
            if not bad:
                yield block, last


def channel_blocks(
    path: Path | str, channels: Sequence[int | None]
) -> Generator[tuple[Samples, ...], None, None]:
    """The 16 kHz samples of channels of a file block by block: decoded once, in bounded memory.

    To the last bit what :attr:`Clip.speech` would be of each channel by itself; no recording is
    too long. What is wrong with a file may be known at its end only, so nothing that was made of
    the blocks holds before they end.

    Args:
        path: of the recording.
        channels: numbers from 0, each at its own level; None: the mix of all.

    Yields:
        For each of the channels float32 [shape=(n,)] in [-1, 1], all of one length; the last ones
        are short or empty.

    Raises:
        AudioError: as :func:`decode` does, or there is no such channel.
    """
    label = str(path)
    with opened(path, label) as file:
        rate = int(file.samplerate)
        for channel in channels:
            if channel is not None and not 0 <= channel < file.channels:
                raise AudioError(f"{path}: no channel {channel}; it has {file.channels}, from 0")
        streams = [
            None if rate == SPEECH_RATE else soxr.ResampleStream(rate, SPEECH_RATE, 1, quality="HQ")
            for _ in channels
        ]
        for block, last in _Checked(file, label).blocks():
            results = []
            for channel, stream in zip(channels, streams, strict=True):
                mono = _one(block, channel)
                if stream is not None:
                    mono = stream.resample_chunk(np.ascontiguousarray(mono), last)
                results.append(np.clip(mono, -1.0, 1.0))
            yield tuple(results)


def _one(block: Samples, channel: int | None) -> Samples:
    """One channel of a block, or the mix."""
    if channel is not None or block.shape[1] == 1:
        return block[:, channel or 0]
    return np.asarray(block.mean(axis=1))


def _block_frames(file: soundfile.SoundFile) -> int:
    """Frames at once: a file may have 1,024 channels."""
    return max(1, 2 * BLOCK_FRAMES // max(2, int(file.channels)))
