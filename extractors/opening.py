"""Opening a recording: by libsndfile, else by FFmpeg, and joined files as one."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
import soundfile
import soxr

from extractors.containers import (
    MissingReader,
    Unreadable,
    decoded,
    decoded_once,
    spooled,
)
from extractors.contents import HEAD, content_of
from extractors.formats import FFMPEG_SUFFIXES
from extractors.framing.extents import MOST_PARTS, extents
from extractors.framing.mpeg import mpeg
from extractors.framing.reader import Extent, Reader

#: Bytes of zeros behind which no sound is looked for: 48 s of silence of two channels
#: at 44.1 kHz.
_MOST_ZEROS = 8 << 20

#: Frames that are copied at once.
_BLOCK_FRAMES = 1 << 18

#: Sound that frames hold and a reader does not give, from which on another one is
#: asked, seconds. Encoders say how much of their first and last frames is padding:
#: under 0.1 s.
LOST_S = 0.2

#: Bytes that frames must be of a file that is only taken for MPEG audio, as a share.
_FRAMED = 0.5


#: Formats of samplers and of matrices, in libsndfile's words: whatever follows their
#: samples is dropped, or read as samples, without a word.
_OF_INSTRUMENTS = frozenset({"MAT4", "MAT5", "MPC2K", "SDS", "XI"})


class Opened(NamedTuple):
    """A recording that is open."""

    file: soundfile.SoundFile
    cut: str | None
    """What shows that its end is missing, a clause; None: nothing does."""
    framed_s: float | None = None
    """How long its frames last, where they were counted; readers estimate it."""


class NoRecording(Unreadable):
    """A file that is something else than sound; its message has the remedy."""


class Window(io.RawIOBase):
    """A stretch of an open file as a file, whose first bytes may be mended."""

    def __init__(self, file: IO[bytes], extent: Extent, size: int) -> None:
        super().__init__()
        self._file, self._extent = file, extent
        self._length = min(extent.end, size) - extent.start
        self._at = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move to a place of the stretch."""
        base = {0: 0, 1: self._at, 2: self._length}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: object) -> int:
        """Read bytes, mended ones first."""
        view = memoryview(buffer)  # type: ignore[arg-type]
        count = max(0, min(len(view), self._length - self._at))
        head = self._extent.head[self._at : self._at + count]
        self._file.seek(self._extent.start + self._at + len(head))
        data = head + self._file.read(count - len(head))
        view[: len(data)] = data
        self._at += len(data)
        return len(data)


@contextmanager
def sound_file(
    handle: str | io.BytesIO, label: str, max_seconds: float | None, for_part: bool
) -> Iterator[Opened]:
    """Open a recording; several in one file are read one behind the other.

    Raises:
        Unreadable, soundfile.LibsndfileError: it is none, or a part of it cannot be
        decoded.
    """
    with ExitStack() as stack:
        raw: IO[bytes]
        if isinstance(handle, str):
            raw = stack.enter_context(Path(handle).open("rb"))
        else:
            raw = handle
        size = raw.seek(0, io.SEEK_END)
        raw.seek(0)
        head = raw.read(HEAD)
        if not head.strip(b"\0"):
            head = _past_zeros(raw, size)
        if content := content_of(head, size):
            raise NoRecording(str(content))
        parts = extents(raw, size)
        if len(parts) > MOST_PARTS:
            raise Unreadable(
                f"it holds over {MOST_PARTS} recordings, one behind the other"
            )
        raw.seek(0)
        cut = next((part.cut for part in parts if part.cut), None)
        # Behind a tag, readers take the length of the file for that of the recording.
        is_apart = bool(parts) and (bool(parts[0].head) or parts[0].start > 0)
        if len(parts) > 1 or is_apart:
            make = partial(
                _joined,
                raw,
                size=size,
                parts=parts,
                label=label,
                max_seconds=None if for_part else max_seconds,
            )
            if len(parts) == 1:
                window = io.BufferedReader(Window(raw, parts[0], size))
                one = _one(
                    window,
                    label,
                    max_seconds=max_seconds,
                    parts=parts,
                    size=size,
                    for_part=for_part,
                )
                file = stack.enter_context(one)
                yield Opened(file, cut, framed_s=parts[0].seconds)
                return
            kept = for_part and isinstance(handle, str)
            sound = decoded_once(str(handle), make) if kept else make()
            joined = soundfile.SoundFile(stack.enter_context(sound))
            yield Opened(stack.enter_context(joined), cut)
            return
        whole = _one(
            handle,
            label,
            max_seconds=max_seconds,
            parts=parts,
            size=size,
            for_part=for_part,
        )
        framed_s = parts[0].seconds if parts else None
        yield Opened(stack.enter_context(whole), cut, framed_s=framed_s)


@contextmanager
def _one(
    handle: str | IO[bytes],
    label: str,
    max_seconds: float | None,
    parts: Sequence[Extent],
    size: int,
    for_part: bool = False,
) -> Iterator[soundfile.SoundFile]:
    """Open one recording by libsndfile, else what FFmpeg makes of it."""
    error: soundfile.LibsndfileError | None = None
    try:
        file = soundfile.SoundFile(handle)
    except soundfile.LibsndfileError as refused:
        error = refused
    else:
        with file:
            if file.format in _OF_INSTRUMENTS:
                raise NoRecording(
                    f"is not a recording but samples of an instrument or a matrix"
                    f' ({file.format}); write them as WAV: python -c "import soundfile;'
                    " soundfile.write('OUT.wav', *soundfile.read('IN'))\""
                )
            if _is_whole(file, handle, parts, size):
                yield file
                return
    if not isinstance(handle, str):
        handle.seek(0)
    kept = for_part and isinstance(handle, str)
    limit = None if for_part else max_seconds
    make = partial(decoded, handle, limit, 0 if parts else int(_FRAMED * size))
    with ExitStack() as stack:
        try:
            made = decoded_once(str(handle), make) if kept else make()
            sound = stack.enter_context(made)
        except MissingReader:
            raise
        except Unreadable:  # of a file that is called like its own, it says more
            if error is None or label.lower().endswith(FFMPEG_SUFFIXES):
                raise
            raise error from None
        with soundfile.SoundFile(sound) as file:
            yield file


def _is_whole(
    file: soundfile.SoundFile,
    handle: str | IO[bytes],
    parts: Sequence[Extent],
    size: int,
) -> bool:
    """Tell whether libsndfile reads as much as the frames of a file hold.

    Raises:
        Unreadable: it takes other data for MPEG audio.
    """
    if file.format == "MP3" and not parts:
        parts = _frames_of(handle, size)
    if file.format == "MP3":
        framed = sum(part.framed or 0 for part in parts)
        span = sum(min(part.end, size) - part.start for part in parts)
        if framed < _FRAMED * max(span, 1):
            raise Unreadable(
                f"only {framed} of its {size} bytes are frames of MPEG audio"
            )
    seconds = sum(part.seconds or 0.0 for part in parts)
    return bool(file.frames / file.samplerate >= seconds - LOST_S)


def _past_zeros(raw: IO[bytes], size: int) -> bytes:
    """Return what stands behind a file's zeros; zeros where there are very many."""
    raw.seek(min(Reader(raw, min(size, _MOST_ZEROS)).past_tags(0), size - HEAD))
    return raw.read(HEAD)


def _frames_of(handle: str | IO[bytes], size: int) -> list[Extent]:
    with _reading(handle) as raw:
        return mpeg(Reader(raw, size), 0)


@contextmanager
def _reading(handle: str | IO[bytes]) -> Iterator[IO[bytes]]:
    """Give the bytes of a recording; an open file keeps its place."""
    if isinstance(handle, str):
        with Path(handle).open("rb") as raw:
            yield raw
        return
    place = handle.tell()
    try:
        yield handle
    finally:
        handle.seek(place)


def _joined(
    raw: IO[bytes],
    size: int,
    parts: Sequence[Extent],
    label: str,
    max_seconds: float | None,
) -> IO[bytes]:
    """Decode recordings that stand one behind the other, at the highest rate of all."""
    out = spooled()
    try:
        with ExitStack() as stack:
            files: list[soundfile.SoundFile] = []
            seconds = 0.0
            for number, part in enumerate(parts, start=1):
                with _named(number, parts):
                    window = io.BufferedReader(Window(raw, part, size))
                    one = _one(
                        window,
                        label,
                        max_seconds=max_seconds,
                        parts=[part],
                        size=part.end - part.start,
                    )
                    files.append(stack.enter_context(one))
                seconds += files[-1].frames / files[-1].samplerate
                if max_seconds is not None and seconds > max_seconds:
                    break
            rate = max(file.samplerate for file in files)
            channels = max(file.channels for file in files)
            form = {"subtype": "FLOAT", "format": "W64"}
            sound = stack.enter_context(
                soundfile.SoundFile(out, "w", rate, channels, **form)
            )
            for number, file in enumerate(files, start=1):
                with _named(number, parts):
                    _copy(file, sound)
    except BaseException:
        out.close()
        raise
    out.seek(0)
    return out


@contextmanager
def _named(number: int, parts: Sequence[Extent]) -> Iterator[None]:
    """Name the part of a file in errors of reading it."""
    try:
        yield
    except (Unreadable, soundfile.LibsndfileError) as error:
        why = getattr(error, "error_string", None) or str(error)
        raise Unreadable(
            f"it is {len(parts)} recordings, one behind the other, and of number"
            f" {number}, from byte {parts[number - 1].start} on: {why}"
        ) from None


def _copy(file: soundfile.SoundFile, sound: soundfile.SoundFile) -> None:
    """Write a recording behind others, at their rate and with their channels."""
    stream = None
    if file.samplerate != sound.samplerate:
        rates = file.samplerate, sound.samplerate
        stream = soxr.ResampleStream(*rates, sound.channels, quality="HQ")
    last = False
    while not last:
        block = file.read(_BLOCK_FRAMES, dtype="float32", always_2d=True)
        last = len(block) < _BLOCK_FRAMES
        if file.channels != sound.channels:
            # What is mono is heard on all sides.
            block = np.repeat(block.mean(axis=1, keepdims=True), sound.channels, axis=1)
        if stream is not None:
            block = stream.resample_chunk(np.ascontiguousarray(block), last)
        sound.write(block)
