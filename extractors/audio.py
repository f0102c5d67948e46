"""Decoding: a path or bytes -> one :class:`Clip` of finite float32 samples."""

from __future__ import annotations

import hashlib
import io
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import soundfile
import soxr

from blueprints import InputError
from extractors.containers import Unreadable
from extractors.contents import HEAD, bytes_before
from extractors.formats import (
    FULL_RATE,
    MAX_SAMPLES_PER_S,
    MAX_SECONDS,
    formats_read,
)
from extractors.framing.extents import walk_of
from extractors.framing.mpeg import mpeg
from extractors.framing.reader import LONGEST_MARK
from extractors.headerless import samples_of
from extractors.mix import cancelling, scale_problem
from extractors.opening import LOST_S, NoRecording, Opened, sound_file

Samples = npt.NDArray[np.float32]

#: Sampling rate of speech models, Hz.
SPEECH_RATE = 16_000


#: Bytes of a file that no reader takes, which are looked at.
_LOOKED_AT = 1 << 16

#: Samples that are decoded at once where they are only counted.
_COUNTED_AT_ONCE = 1 << 20


#: Sound that a header counts and a decoder does not give, from which on its end is
#: missing, seconds; and counts that say only that the program that wrote them could not
#: know.
_LEAST_LOST_S, _UNKNOWN_FRAMES = 0.05, 1 << 28


class AudioError(InputError):
    """A recording that cannot be decoded; the message names the file and the remedy."""


class Part(NamedTuple):
    """A stretch of one channel of a file.

    Attributes:
        channel: which one, from 0; it is not mixed with others.
        start_s, end_s: in the file's own time, seconds; [start, end).
    """

    channel: int
    start_s: float
    end_s: float


#: Constant part of a recording that models of speech would take for sound: -40 dBFS. A
#: second of noise has a mean of less.
OFFSET = 1e-2


@dataclass(frozen=True, eq=False)
class Clip:
    """One decoded recording.

    Attributes:
        samples: float32 [shape=(n, channels)], finite, nominally in [-1, 1].
        rate: sampling rate, Hz.
        name: in messages; it is not part of the identity.
        taken: the channel of the file that these samples are, from 0, because its
            channels cancel each other in a mix; None: all of its channels.
        cut: what shows that the end of the recording is missing, a clause; None:
            nothing does.
    """

    samples: Samples
    rate: int
    name: str = "clip"
    taken: int | None = None
    cut: str | None = None

    @property
    def seconds(self) -> float:
        """Duration, seconds."""
        return len(self.samples) / self.rate

    @property
    def channels(self) -> int:
        """Number of channels."""
        return int(self.samples.shape[1])

    @cached_property
    def sha256(self) -> str:
        """Identity: SHA-256 of rate, channels and the decoded little-endian samples."""
        digest = hashlib.sha256(struct.pack("<II", self.rate, self.channels))
        if self.taken is not None:
            digest.update(struct.pack("<I", self.taken))
        if self.cut is not None:
            digest.update(self.cut.encode())
        digest.update(np.ascontiguousarray(self.samples, dtype="<f4").data)
        return digest.hexdigest()

    @cached_property
    def mono(self) -> Samples:
        """Mean of the channels, float32 [shape=(n,)], at the clip's own rate."""
        if self.channels == 1:
            return self.samples[:, 0]
        if self.channels == 2:  # the same to the last bit, and several times as fast
            return np.asarray((self.samples[:, 0] + self.samples[:, 1]) / np.float32(2))
        return np.asarray(self.samples.mean(axis=1), dtype=np.float32)

    @cached_property
    def speech(self) -> Samples:
        """The mono mix at 16 kHz, float32 [shape=(n,)], clipped to [-1, 1].

        Speech models want exactly this; resampling can overshoot full scale slightly. A
        constant offset, which nobody hears, is taken out, for a model would.
        """
        mono = self.mono
        offset = float(mono.mean(dtype=np.float64)) if len(mono) else 0.0
        if abs(offset) >= OFFSET:  # a copy of two hours is not made for less
            mono = np.asarray(mono - offset, dtype=np.float32)
        if self.rate != SPEECH_RATE:
            mono = soxr.resample(mono, self.rate, SPEECH_RATE, quality="HQ")
        if mono.max(initial=0) <= 1 and mono.min(initial=0) >= -1:
            return mono  # a copy of two hours would be 0.5 GB
        return np.asarray(np.clip(mono, -1.0, 1.0), dtype=np.float32)


def decode(
    source: Path | str | bytes,
    name: str | None = None,
    max_seconds: float = MAX_SECONDS,
    part: Part | None = None,
) -> Clip:
    """Decode a recording of any format of :data:`extractors.formats.FORMATS`.

    Args:
        source: a path, or the bytes of such a file.
        name: of the clip in messages; default: the path.
        max_seconds: longer clips are refused before they are read, and those with more
            samples in all channels than so much audio has at 48 kHz (of ``MAX_SECONDS``
            at least); above that rate in inverse proportion to it fewer.
        part: decode this stretch alone; the rest of the file is never held.

    Raises:
        AudioError: missing, empty, undecodable, too long, or with NaN or infinite
            samples.
    """
    label = name or ("<bytes>" if isinstance(source, bytes) else str(source))
    with opened(source, label, max_seconds, part is not None) as (file, cut, framed_s):
        counted = file.frames
        if part is None:
            samples, rate = _read(file, label, max_seconds)
        else:
            samples, rate = _read_part(file, label, part, max_seconds)
        floats = is_float(file)
    check_samples(int(samples.size - np.isfinite(samples).sum()), samples.size, label)
    if floats and (problem := scale_problem(samples)):
        raise AudioError(f"{label}: {problem}")
    taken = cancelling(samples, rate)
    counted_s, least_lost_s = counted / rate, _LEAST_LOST_S
    if framed_s is not None and counted_s > framed_s:
        counted_s, least_lost_s = framed_s, LOST_S  # by its bit rate, which varies
    if (
        part is None
        and cut is None
        and counted_s - len(samples) / rate >= least_lost_s
        and counted < _UNKNOWN_FRAMES
    ):
        cut = f"its header counts {counted_s:.2f} s"
    if cut is not None:
        cut = None if part else f"{cut}, and {len(samples) / rate:.2f} s are there"
    if taken is not None:
        samples = np.ascontiguousarray(samples[:, taken : taken + 1])
    return Clip(samples=samples, rate=rate, name=label, taken=taken, cut=cut)


@contextmanager
def opened(
    source: Path | str | bytes,
    label: str,
    max_seconds: float | None = None,
    for_part: bool = False,
) -> Iterator[Opened]:
    """Open a recording, and name it in every error of opening or reading it.

    Args:
        source: a path, or the bytes of such a file.
        label: its name in messages.
        max_seconds: of what libsndfile does not read, decode little more than this.
        for_part: a part is wanted, wherever it is: of what libsndfile does not read,
            decode everything, once for all parts that are read one after the other.

    Raises:
        AudioError: missing, empty, or undecodable.
    """
    if isinstance(source, bytes):
        handle: str | io.BytesIO = io.BytesIO(source)
        empty = not source
    else:
        handle, empty = str(source), _is_empty(Path(source), label)
    if empty:
        raise AudioError(f"{label}: 0 bytes; write the recording again")
    try:
        with sound_file(handle, label, max_seconds, for_part) as file:
            yield file
    except NoRecording as error:
        raise AudioError(f"{label}: {error}") from None
    except (soundfile.LibsndfileError, Unreadable) as error:
        if before := bytes_before(_head(source)):
            raise AudioError(
                f"{label}: is not a recording but {before} other bytes and one behind them;"
                f" cut those off by tail -c +{before + 1} IN > OUT"
            ) from None
        if form := samples_of(_middle(source)):
            raise AudioError(
                f"{label}: is not a recording but samples without a header, which look"
                f" like {form}; ffmpeg -f {form} -ar 16000 -ac 1 -i IN OUT.wav, with"
                " the rate and the channels that they were written with"
            ) from None
        if isinstance(error, soundfile.LibsndfileError):
            why = error.error_string
        else:
            why = str(error)
        raise AudioError(
            f"{label}: cannot be decoded ({why.rstrip('.')}); convert it, e.g."
            f" ffmpeg -i IN -c:a pcm_s16le OUT.wav (formats read: {formats_read()})"
        ) from error
    except OSError as error:
        raise AudioError(f"{label}: cannot be read ({error})") from error


def _head(source: Path | str | bytes) -> bytes:
    """Return the first bytes of data; none of a file that cannot be read."""
    if isinstance(source, bytes):
        return source[:HEAD]
    try:
        with Path(source).open("rb") as file:
            return file.read(HEAD)
    except OSError:
        return b""


def _middle(source: Path | str | bytes) -> bytes:
    """Return bytes from the middle of data, from a multiple of 16 on.

    A file with a header gives none.
    """
    try:
        with (
            io.BytesIO(source)
            if isinstance(source, bytes)
            else Path(source).open("rb") as file
        ):
            if walk_of(file.read(LONGEST_MARK)) not in (None, mpeg):
                return b""
            place = file.seek(0, io.SEEK_END) // 2 // 16 * 16
            file.seek(max(0, place - _LOOKED_AT // 2))
            return file.read(_LOOKED_AT)
    except OSError:
        return b""


def _is_empty(path: Path, label: str) -> bool:
    """Whether a file is empty; a path that the system refuses raises an AudioError."""
    try:
        there = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise AudioError(
            f"{label}: no such file; check the path or --audio-root"
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL, or no UTF-8
        why = getattr(error, "strerror", None) or error
        raise AudioError(f"{label}: cannot be read ({why}); check the path") from None
    if not stat.S_ISREG(there.st_mode):
        raise AudioError(f"{label}: not a file; name one recording")
    return there.st_size == 0


def is_float(file: soundfile.SoundFile) -> bool:
    """Return whether samples are stored as floats, which have no largest value."""
    return str(file.subtype) in ("FLOAT", "DOUBLE")


def check_samples(bad: int, samples: int, label: str) -> None:
    """Raise AudioError for a recording without samples or with non-finite ones."""
    if not samples:
        raise AudioError(
            f"{label}: the header is valid but there are no samples; write it again"
        )
    if bad:
        raise AudioError(
            f"{label}: {bad} of {samples} samples are NaN or infinite; mend the"
            " system that wrote them"
        )


def _read(
    file: soundfile.SoundFile, label: str, max_seconds: float
) -> tuple[Samples, int]:
    frames = int(max_seconds * file.samplerate)
    most = int(max(max_seconds, MAX_SECONDS) * MAX_SAMPLES_PER_S)
    # Filters and resamplers work longer on a second the more samples it has, so a rate
    # above what is usual counts again.
    here = int(most * min(1.0, FULL_RATE / file.samplerate))
    limit = min(frames, here // file.channels)
    # Headers lie (streamed WAV claims 2 GiB), so frames are counted where their number
    # matters.
    there = file.frames if file.frames <= limit else _counted(file, limit)
    if there <= limit:
        return file.read(there, dtype="float32", always_2d=True), int(file.samplerate)
    if limit == frames:
        raise AudioError(
            f"{label}: longer than {max_seconds:g} s; cut it, or raise -X max_seconds"
        )
    shown = most if file.frames * file.channels > most else here
    raise AudioError(
        f"{label}: more than {shown} samples in {file.channels} channels at"
        f" {file.samplerate} Hz; mix it down, e.g. ffmpeg -i IN -ac 1 -ar 48000"
        " OUT.flac, or raise -X max_seconds"
    )


def _read_part(
    file: soundfile.SoundFile, label: str, part: Part, max_seconds: float
) -> tuple[Samples, int]:
    rate = int(file.samplerate)
    if not 0 <= part.channel < file.channels:
        raise AudioError(
            f"{label}: no channel {part.channel}; it has {file.channels}, counted"
            " from 0"
        )
    if part.end_s - part.start_s > max_seconds:
        raise AudioError(
            f"{label}: longer than {max_seconds:g} s; cut it, or raise -X max_seconds"
        )
    first = min(max(0, round(part.start_s * rate)), file.frames)
    stop = min(max(0, round(part.end_s * rate)), file.frames)
    if stop <= first:
        raise AudioError(
            f"{label}: the file has no sound from {part.start_s:g} to {part.end_s:g} s;"
            " check the clock of the turns"
        )
    file.seek(first)
    samples = file.read(stop - first, dtype="float32", always_2d=True)
    return np.ascontiguousarray(samples[:, part.channel : part.channel + 1]), rate


def _counted(file: soundfile.SoundFile, limit: int) -> int:
    """Count the frames that can be read, up to ``limit`` + 1, in bounded memory."""
    count, block = 0, max(1, _COUNTED_AT_ONCE // file.channels)
    while count <= limit and (
        read := len(file.read(block, dtype="float32", always_2d=True))
    ):
        count += read
    file.seek(0)
    return count
