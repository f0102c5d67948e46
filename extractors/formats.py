"""Which recordings are read: the one table of formats, and how long they may be."""

from __future__ import annotations

from typing import NamedTuple

#: Longest clip that is decoded unless the caller allows more, seconds. An S2S answer is
#: seconds to minutes long; hours mean a wrong file, and would cost hours of
#: recognition.
MAX_SECONDS = 1800.0

#: Samples of all channels that are decoded at most, per second that is allowed: a clip
#: of ``MAX_SECONDS`` at 48 kHz mono. Seconds alone bound nothing: 1.4 MB of FLAC can
#: hold half an hour of silence at 192 kHz in 8 channels, 11 GB of samples.
MAX_SAMPLES_PER_S = 48_000

#: Rate up to which a clip may have all of them, Hz: the product of samples and rate is
#: bounded. 170 kB of FLAC can hold two minutes of silence at 655 kHz, and took 942 MB.
FULL_RATE = 48_000


class Format(NamedTuple):
    """A kind of file."""

    name: str
    suffixes: tuple[str, ...]
    #: ``libsndfile``, which reads it bit by bit the same everywhere, or ``FFmpeg``
    #: (through PyAV), which takes what the former refuses.
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
FFMPEG_SUFFIXES = tuple(
    s for each in FORMATS if each.reader == "FFmpeg" for s in each.suffixes
)


def formats_read() -> str:
    """List the names of all formats, for messages."""
    return "; ".join(each.name for each in FORMATS)
