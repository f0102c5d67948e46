"""The outline and the spectrogram of a clip, small enough for a page, from its recording."""

from __future__ import annotations

import base64
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.fft import rfft

from extractors import AudioError, decode
from trace_eval.conversations.sound.peaks import outline

#: Columns of a drawn waveform.
POINTS = 300

#: Size in pixels: columns of time, bands of equal width from 0 to ``TOP_HZ``.
COLUMNS, BANDS, TOP_HZ = 240, 48, 8_000
#: Decibels below the loudest cell at which a cell is blank, and shades down to there.
RANGE_DB, SHADES = 60.0, 8
#: Windows per column (the loudest counts), and their length: that of a vowel's period or three.
WINDOWS, WINDOW_S = 4, 0.025


@dataclass(frozen=True)
class Envelope:
    """Largest absolute sample per column, relative to the clip's largest, or why not.

    Attributes:
        peaks: 0 to 1 [shape=(POINTS,)]; empty where it cannot be drawn.
        note: one sentence where it is empty.
        spectrum: address of the clip's spectrogram; empty where there is none.
    """

    peaks: tuple[float, ...] = ()
    note: str = ""
    spectrum: str = ""


def envelope(path: Path | None, clip: str, max_seconds: float) -> Envelope:
    """Read a recording again and outline its mono mix.

    Args:
        path: the original file; None: there is none.
        clip: hash that the judged recording had; another one means another recording.
        max_seconds: as in the run; longer files are refused.
    """
    if path is None:
        return Envelope(note="there is no file to draw the waveform from")
    try:
        decoded = decode(path, max_seconds=max_seconds)
    except AudioError as error:
        return Envelope(note=f"no waveform: {error}")
    if decoded.sha256 != clip:
        return Envelope(note=f"no waveform: {path} has changed since it was judged")
    drawn = spectrogram(decoded.mono, decoded.rate)
    return Envelope(tuple(outline(decoded.mono, POINTS).tolist()), spectrum=drawn)


def spectrogram(samples: npt.NDArray[np.float32], rate: int) -> str:
    """A PNG as a ``data:`` address, at most 7 KB; empty where nothing sounds.

    Its shades are opacities of black, so that a page gives it the colour of its ink.

    Args:
        samples: of one channel, -1 to 1 [shape=(n,)].
        rate: samples a second.
    """
    length = max(16, round(rate * WINDOW_S))
    if len(samples) < length:
        return ""
    starts = np.linspace(0, len(samples) - length, COLUMNS * WINDOWS).astype(int)
    edges = np.arange(BANDS) * TOP_HZ / BANDS
    bins = np.minimum(np.round(edges * length / rate).astype(int), length // 2)
    frames = samples[starts[:, None] + np.arange(length)] * np.hanning(length).astype(np.float32)
    spectra = rfft(frames)
    power = spectra.real**2 + spectra.imag**2
    power = power.reshape(COLUMNS, WINDOWS, -1).max(axis=1)[:, : round(TOP_HZ * length / rate) + 1]
    # A band without a bin of its own takes the next; above half the rate there is nothing.
    cells = np.where(bins < length // 2, np.maximum.reduceat(power, bins, axis=1), 0.0).T
    if not cells.max() > 0:
        return ""
    decibels = 10 * np.log10(np.maximum(cells / cells.max(), 1e-12))
    shades = np.clip(np.round((1 + decibels / RANGE_DB) * (SHADES - 1)), 0, SHADES - 1)
    return "data:image/png;base64," + base64.b64encode(_png(shades[::-1].astype(np.uint8))).decode()


def _png(shades: npt.NDArray[np.uint8]) -> bytes:
    """Four bits a pixel, each an entry of a black palette with rising opacity."""
    height, width = shades.shape
    rows = (shades[:, ::2] << 4) | shades[:, 1::2]
    raw = b"".join(b"\0" + row.tobytes() for row in rows)
    opacity = bytes(round(255 * n / (SHADES - 1)) for n in range(SHADES))
    header = struct.pack(">IIBBBBB", width, height, 4, 3, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"PLTE", bytes(3 * SHADES)), (b"tRNS", opacity)]
    chunks += [(b"IDAT", zlib.compress(raw, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
