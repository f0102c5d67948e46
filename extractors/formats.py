"""Which recordings are read: the one table of formats, and by what."""

from __future__ import annotations

from typing import NamedTuple


class Format(NamedTuple):
    """A kind of file.

    Attributes:
        name: as people know it.
        suffixes: endings of its files.
        reader: ``libsndfile``, which reads it bit by bit the same everywhere, or ``FFmpeg``
            (through PyAV), which takes what the former refuses.
    """

    name: str
    suffixes: tuple[str, ...]
    reader: str


FORMATS = (
    Format("WAV, RF64", (".wav",), "libsndfile"),
    Format("FLAC", (".flac",), "libsndfile"),
    Format("Ogg Vorbis, Ogg Opus", (".ogg", ".oga", ".opus"), "libsndfile"),
    Format("MP3", (".mp3",), "libsndfile"),
    Format("AIFF", (".aiff", ".aif"), "libsndfile"),
    Format("AU", (".au",), "libsndfile"),
    Format("CAF", (".caf",), "libsndfile"),
    Format("MP4, M4A, QuickTime, 3GP", (".m4a", ".mp4", ".mov", ".3gp"), "FFmpeg"),
    Format("WebM, Matroska", (".webm", ".mka", ".mkv"), "FFmpeg"),
    Format("AAC", (".aac",), "FFmpeg"),
    Format("AMR", (".amr",), "FFmpeg"),
    Format("WMA", (".wma",), "FFmpeg"),
)

#: Endings of recordings, where a folder is given.
AUDIO_SUFFIXES = tuple(suffix for each in FORMATS for suffix in each.suffixes)

#: Endings of those that FFmpeg alone reads.
FFMPEG_SUFFIXES = tuple(s for each in FORMATS if each.reader == "FFmpeg" for s in each.suffixes)


def formats_read() -> str:
    """The names of all formats, for messages."""
    return "; ".join(each.name for each in FORMATS)
