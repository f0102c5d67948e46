"""Recordings that libsndfile does not know (m4a, webm, mp4, ...), read by FFmpeg through PyAV.

The sound of the first audio stream becomes a WAV file in memory or, from :data:`_IN_MEMORY` on,
on disk, so that all that reads recordings reads them alike. A container may name other files or
URLs (playlists do); none is opened.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import soundfile

from blueprints import UserError
from extractors.formats import MAX_SAMPLES_PER_S, MAX_SECONDS
from extractors.stamps import stamp_of

#: Bytes from which on the decoded sound is kept on disk.
_IN_MEMORY = 64 << 20

#: Demuxers that open what a file names; a recording is none of them.
_LISTS = frozenset({"hls", "concat", "dash", "ffconcat", "imf", "sdp", "rtsp", "tty", "image2"})

#: No protocol has this name, so nothing but the file itself is opened.
_NOTHING_ELSE = {"protocol_whitelist": "none"}


class _Kept:
    """The last result of :func:`decoded_once`."""

    lock = threading.Lock()
    key: tuple[object, ...] = ()
    sound: IO[bytes] | None = None


class Unreadable(UserError):
    """FFmpeg does not read it either; the message says why."""


class MissingReader(Unreadable):
    """PyAV is not installed."""


def decoded(source: str | IO[bytes], max_seconds: float | None = None) -> IO[bytes]:
    """The sound of a container as a WAV file of 32-bit floats at its own rate.

    Args:
        source: path, or the open file.
        max_seconds: stop behind more than so much sound; None: read all.

    Raises:
        Unreadable: PyAV is not installed, it is no container of sound, or it is damaged.
    """
    file = Path(source).open("rb") if isinstance(source, str) else source  # noqa: SIM115
    out = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - the caller closes it
    try:
        with _container(file) as container:
            _copy(container, out, max_seconds)
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
    """The container of sound in an open file; every error of reading it is an Unreadable."""
    try:
        import av
    except ImportError:
        raise MissingReader("PyAV is not installed; run: pip install av") from None
    try:
        with av.open(file, "r", options=_NOTHING_ELSE) as container:
            lists = _LISTS & set(container.format.name.split(","))
            if lists or not container.streams.audio:
                raise Unreadable("it has no audio stream")
            yield container
    except Unreadable:
        raise
    except Exception as error:  # bindings raise what their authors did not think of
        raise Unreadable(_reason(error)) from None


@contextmanager
def decoded_once(path: str) -> Iterator[IO[bytes]]:
    """As :func:`decoded`, and kept for the next part of the same file: a call has many turns.

    One file is kept in a process, and one thread at a time reads it.
    """
    # a forked process makes its own: it would share the position in the file
    key = (os.getpid(), stamp_of(Path(path)))
    with _Kept.lock:
        if _Kept.sound is None or key != _Kept.key:
            if _Kept.sound is not None:
                _Kept.sound.close()
            _Kept.sound = None
            _Kept.sound, _Kept.key = decoded(path), key
        _Kept.sound.seek(0)
        yield _Kept.sound


def _copy(container: Any, out: Any, max_seconds: float | None) -> None:
    import av

    stream = container.streams.audio[0]
    if stream.codec_context is None:
        raise Unreadable("its codec is unknown to this FFmpeg")
    rate, channels = stream.codec_context.sample_rate, stream.codec_context.channels
    if not rate or not channels:
        raise Unreadable("its rate or channels are unknown")
    layout = stream.codec_context.layout.name
    converter = av.AudioResampler(format="flt", layout=layout, rate=rate)
    with soundfile.SoundFile(out, "w", rate, channels, "FLOAT", format="W64") as sound:
        written = 0
        most = None
        if max_seconds is not None:
            samples_in_all = max(max_seconds, MAX_SECONDS) * MAX_SAMPLES_PER_S
            most = int(min(max_seconds * rate, samples_in_all / channels))
        for block in _blocks(container, stream, converter):
            samples = block.reshape(-1, channels)
            sound.write(samples)
            written += len(samples)
            if most is not None and written > most:
                return


def _blocks(container: Any, stream: Any, converter: Any) -> Iterator[np.ndarray[Any, Any]]:
    for frame in container.decode(stream):
        for made in converter.resample(frame):
            yield made.to_ndarray()
    for made in converter.resample(None):
        yield made.to_ndarray()


def _reason(error: Exception) -> str:
    why = getattr(error, "strerror", None) or str(error)
    return f"FFmpeg: {why or type(error).__name__}"


def has_sound(path: Path) -> str | None:
    """Why a file is no recording that FFmpeg reads, from its header alone; None: it is one."""
    try:
        with path.open("rb") as file, _container(file):
            return None
    except Exception as error:
        return str(error) if isinstance(error, Unreadable) else _reason(error)


def seconds_of(path: Path) -> float | None:
    """Duration that a container states, seconds; None: it does not, or it is none."""
    try:
        import av

        with path.open("rb") as file, _container(file) as container:
            return float(container.duration) / av.time_base
    except Exception:
        return None
