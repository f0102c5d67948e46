"""Recordings beyond libsndfile (m4a, webm, mp4, ...), read by FFmpeg through PyAV.

The sound of the first audio stream becomes a WAV file in memory or, from
:data:`_IN_MEMORY` on, on disk, so that all that reads recordings reads them alike. A
container may name other files or URLs (playlists do); none is opened.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import IO, Any

import numpy as np
import soundfile

from blueprints import InputError
from extractors.formats import MAX_SAMPLES_PER_S, MAX_SECONDS
from extractors.stamps import stamp_of

#: Bytes from which on the decoded sound is kept on disk.
_IN_MEMORY = 64 << 20

#: Demuxers that open what a file names; a recording is none of them.
_LISTS = frozenset(
    {"hls", "concat", "dash", "ffconcat", "imf", "sdp", "rtsp", "tty", "image2"}
)

#: Demuxers that know their format by a mark, or by frame after frame. Others are chosen
#: for data without a header by chance: FFmpeg knows hundreds of formats of games.
_SOUND = {
    "aac",
    "ac3",
    "aiff",
    "amr",
    "amrnb",
    "amrwb",
    "ape",
    "asf",
    "au",
    "avi",
    "caf",
    "dsf",
    "dts",
    "dtshd",
    "eac3",
    "flac",
    "flv",
    "latm",
    "loas",
    "m4a",
    "matroska",
    "mov",
    "mp2",
    "mp3",
    "mp4",
    "mpc",
    "mpc8",
    "mpeg",
    "mpegts",
    "nistsphere",
    "ogg",
    "opus",
    "rm",
    "shn",
    "tak",
    "tta",
    "voc",
    "w64",
    "wav",
    "webm",
    "wv",
    "xwma",
}

#: No protocol has this name, so nothing but the file itself is opened.
_NOTHING_ELSE = {"protocol_whitelist": "none"}


#: Shortest time between two packets that is silence, seconds: containers round their
#: times, and encoders pad the first packet.
_LEAST_GAP_S = 0.1

#: Longest such silence in formats whose clock may jump, seconds: behind more, a stream
#: begins anew.
_MOST_GAP_S = 60.0

#: All such silence of a file, seconds: a few bytes can claim days of it.
_MOST_SILENCE_S = 4 * 3600.0

#: Frames of silence that are written at once.
_SILENT_FRAMES = 1 << 18


class _Kept:
    """The last result of :func:`decoded_once`."""

    lock = threading.Lock()
    key: tuple[object, ...] = ()
    sound: IO[bytes] | None = None


def spooled() -> IO[bytes]:
    """Return a new file for decoded sound: in memory, and on disk once it is large."""
    return tempfile.SpooledTemporaryFile(_IN_MEMORY)


class Unreadable(InputError):
    """FFmpeg does not read it either; the message says why."""


class MissingReader(Unreadable):
    """PyAV is not installed."""


def decoded(
    source: str | IO[bytes], max_seconds: float | None = None, sound_bytes: int = 0
) -> IO[bytes]:
    """Decode a container to a WAV file of 32-bit floats at its own rate.

    Args:
        source: path, or the open file.
        max_seconds: stop behind more than so much sound; None: read all.
        sound_bytes: refuse what has less coded sound than that, bytes: other data are
            taken for a format by chance, and a few of their bytes for sound.

    Raises:
        Unreadable: PyAV is not installed, it is no container of sound, or it is
            damaged.
    """
    file = Path(source).open("rb") if isinstance(source, str) else source  # noqa: SIM115
    out = spooled()
    try:
        with _container(file) as container:
            coded = _copy(container, out, max_seconds)
        if coded < sound_bytes:
            raise Unreadable(f"only {coded} of its bytes look like sound")
    except Unreadable:
        out.close()
        raise
    finally:
        if isinstance(source, str):
            file.close()
    out.seek(0)
    return out


@contextmanager
def _container(file: IO[bytes]) -> Iterator[Any]:
    """Open a file's container of sound; every error of reading it is an Unreadable."""
    try:
        import av
    except ImportError:
        raise MissingReader("PyAV is not installed; run: pip install av") from None
    try:
        with av.open(file, "r", options=_NOTHING_ELSE) as container:
            lists = _LISTS & set(container.format.name.split(","))
            if lists or not container.streams.audio:
                raise Unreadable("it has no audio stream")
            if not _SOUND & set(container.format.name.split(",")):
                raise Unreadable(
                    f"it is not a format of recordings ({container.format.name})"
                )
            yield container
    except Unreadable:
        raise
    except Exception as error:  # bindings raise what their authors did not think of
        raise Unreadable(_reason(error)) from None


@contextmanager
def decoded_once(path: str, decode: Callable[[], IO[bytes]]) -> Iterator[IO[bytes]]:
    """Keep what a file is decoded to for its next part: a call has many turns.

    One file is kept in a process, and one thread at a time reads it.
    """
    # a forked process makes its own: it would share the position in the file
    key = (os.getpid(), stamp_of(Path(path)))
    with _Kept.lock:
        if _Kept.sound is None or key != _Kept.key:
            if _Kept.sound is not None:
                _Kept.sound.close()
            _Kept.sound = None
            _Kept.sound, _Kept.key = decode(), key
        _Kept.sound.seek(0)
        yield _Kept.sound


def _copy(container: Any, out: Any, max_seconds: float | None) -> float:
    """Write the sound; return the bytes that coded it.

    Their end is missing where not all was read.
    """
    from av.format import Flags  # late: an optional package

    stream = container.streams.audio[0]
    if stream.codec_context is None:
        raise Unreadable("its codec is unknown to this FFmpeg")
    rate, channels = stream.codec_context.sample_rate, stream.codec_context.channels
    if not rate or not channels:
        raise Unreadable("its rate or channels are unknown")
    layout = stream.codec_context.layout.name
    converter = _Converter(layout, rate)
    with soundfile.SoundFile(
        out,
        mode="w",
        samplerate=rate,
        channels=channels,
        subtype="FLOAT",
        format="W64",
    ) as sound:
        written = 0
        most = None
        if max_seconds is not None:
            samples_in_all = max(max_seconds, MAX_SECONDS) * MAX_SAMPLES_PER_S
            most = int(min(max_seconds * rate, samples_in_all / channels))
        coded = 0
        may_jump = bool(container.format.flags & Flags.ts_discont.value)
        clock = _Clock(_MOST_GAP_S if may_jump else inf)
        for packet in container.demux(stream):
            coded += packet.size
            frames = packet.decode()
            gap = round(clock.gap_s(frames) * rate)
            if most is not None:
                gap = min(gap, most + 1)
            for first in range(0, gap, _SILENT_FRAMES):
                count = min(_SILENT_FRAMES, gap - first)
                sound.write(np.zeros((count, channels), np.float32))
            written += gap
            for block in converter.blocks(frames):
                samples = block.reshape(-1, channels)
                sound.write(samples)
                written += len(samples)
            if most is not None and written > most:
                return inf
        for block in converter.rest():
            sound.write(block.reshape(-1, channels))
    return coded


class _Clock:
    """The times of the frames of a stream, which say where sound is missing.

    A recorder leaves out what nobody said, and a server loses fragments: whoever plays
    the file hears silence there, and what follows comes at its own time.
    """

    def __init__(self, most_s: float) -> None:
        self._most_s = most_s
        self._next_s: float | None = None
        self._silent_s = 0.0

    def gap_s(self, frames: Sequence[Any]) -> float:
        """Return the silence before the frames of a packet, seconds.

        Raises:
            Unreadable: no recording has so much of it.
        """
        gap_s = 0.0
        for number, frame in enumerate(frames):
            if frame.time is None or not frame.sample_rate:
                self._next_s = None
                continue
            if not number and self._next_s is not None:
                gap_s = frame.time - self._next_s
            self._next_s = frame.time + frame.samples / frame.sample_rate
        if not _LEAST_GAP_S <= gap_s <= self._most_s:
            return 0.0
        self._silent_s += gap_s
        if self._silent_s > _MOST_SILENCE_S:
            hours = _MOST_SILENCE_S / 3600
            raise Unreadable(f"over {hours:g} h are missing between its packets")
        return gap_s


class _Converter:
    """Frames of a stream in one format, though the stream may change its own."""

    def __init__(self, layout: str, rate: int) -> None:
        self._layout, self._rate = layout, rate
        self._form: object = None
        self._now: Any = None

    def blocks(self, frames: Iterable[Any]) -> Iterator[np.ndarray[Any, Any]]:
        """Yield the samples of some frames, float32."""
        import av

        for frame in frames:
            form = frame.format.name, frame.layout.name, frame.sample_rate
            if form != self._form:
                yield from self.rest()
                self._now = av.AudioResampler(
                    format="flt", layout=self._layout, rate=self._rate
                )
                self._form = form
            yield from (made.to_ndarray() for made in self._now.resample(frame))

    def rest(self) -> Iterator[np.ndarray[Any, Any]]:
        """Yield what is held back of the frames so far."""
        if self._now is not None:
            yield from (made.to_ndarray() for made in self._now.resample(None))
            self._now = None


def _reason(error: Exception) -> str:
    why = getattr(error, "strerror", None) or str(error)
    return f"FFmpeg: {why or type(error).__name__}"


def has_sound(path: Path) -> str | None:
    """Say from a file's header why FFmpeg reads no recording in it; None: it does."""
    try:
        with path.open("rb") as file, _container(file):
            return None
    except Exception as error:
        return str(error) if isinstance(error, Unreadable) else _reason(error)


def seconds_of(path: Path) -> float | None:
    """Return the duration that a container states, seconds; None: it states none."""
    try:
        import av

        with path.open("rb") as file, _container(file) as container:
            return float(container.duration) / av.time_base
    except Exception:
        return None
