"""Recordings too long to hold: 16 kHz samples of their channels, block by block.

Two hours are 0.46 GB at 16 kHz, and three times that while they are decoded at 48 kHz.
A measure that works through a recording once, front to back, need not hold it.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path

import numpy as np
import soundfile
import soxr

from extractors.audio import (
    SPEECH_RATE,
    AudioError,
    Samples,
    check_samples,
    is_float,
    opened,
)
from extractors.mix import Mix, StoredScale

#: Frames that are decoded at once, of files with two channels at most.
BLOCK_FRAMES = 1 << 18


def channel_blocks(
    path: Path | str, channels: Sequence[int | None]
) -> Generator[tuple[Samples, ...], None, None]:
    """Yield 16 kHz samples of a file's channels by blocks, in bounded memory.

    To the last bit what :attr:`Clip.speech` would be of each channel by itself; no
    recording is too long. Some faults of a file show at its end only, so results from
    the blocks are valid only once they have ended.

    Args:
        path: of the recording.
        channels: numbers from 0, each at its own level; None: the mix of all.

    Yields:
        For each of the channels float32 [shape=(n,)] in [-1, 1], all of one length; the
        last ones are short or empty.

    Raises:
        AudioError: as :func:`decode` does, or there is no such channel.
    """
    label = str(path)
    with opened(path, label) as (file, *_):
        rate = int(file.samplerate)
        for channel in channels:
            if channel is not None and not 0 <= channel < file.channels:
                raise AudioError(
                    f"{path}: no channel {channel}; it has {file.channels}, from 0"
                )
        taken = _taken(file, rate) if None in channels else None
        streams: list[soxr.ResampleStream | None] = [None] * len(channels)
        if rate != SPEECH_RATE:
            streams = [
                soxr.ResampleStream(rate, SPEECH_RATE, 1, quality="HQ")
                for _ in channels
            ]
        for block, last in _checked_blocks(file, label):
            results = []
            for channel, stream in zip(channels, streams, strict=True):
                one = taken if channel is None else channel
                whole = one is None and block.shape[1] > 1
                if whole:
                    mono = np.asarray(block.mean(axis=1))
                else:
                    mono = block[:, one or 0]
                if stream is not None:
                    mono = stream.resample_chunk(np.ascontiguousarray(mono), last)
                results.append(np.clip(mono, -1.0, 1.0))
            yield tuple(results)


def _taken(file: soundfile.SoundFile, rate: int) -> int | None:
    """Return the channel that stands for the whole file; None: the mix of all.

    The file is read once for it.
    """
    if file.channels == 1:
        return None
    mix = Mix(rate, file.channels)
    size = max(1, 2 * BLOCK_FRAMES // file.channels)
    while len(block := file.read(size, dtype="float32", always_2d=True)):
        mix.add(block)
    file.seek(0)
    return mix.channel()


def _checked_blocks(
    file: soundfile.SoundFile, label: str
) -> Generator[tuple[Samples, bool], None, None]:
    """Yield float32 [shape=(frames, channels)] and whether it is the last block.

    Behind the first sample that is not a number no block is handed out any more; at the
    end such samples, or that there are none, are an AudioError.
    """
    size = max(
        1, 2 * BLOCK_FRAMES // max(2, int(file.channels))
    )  # there may be 1,024 channels
    samples = bad = 0
    last = False
    scale = StoredScale() if is_float(file) else None
    while not last:
        block = file.read(size, dtype="float32", always_2d=True)
        last = len(block) < size
        samples += block.size
        bad += block.size - int(np.isfinite(block).sum())
        if scale:
            scale.add(block)
        if last:
            check_samples(bad, samples, label)
        if last and scale and (problem := scale.problem()):
            raise AudioError(f"{label}: {problem}")
        if not bad:
            yield block, last
