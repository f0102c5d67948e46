"""The outline of a waveform: few enough points to draw, taken from the original recording."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from extractors import AudioError, decode
from trace_eval.report.spectrogram import spectrogram

#: Columns of a drawn waveform.
POINTS = 300


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
    return Envelope(outline(decoded.mono, POINTS), spectrum=drawn)


def outline(samples: npt.NDArray[np.float32], points: int) -> tuple[float, ...]:
    """Peak of each of ``points`` equal stretches over the largest peak; all 0 when silent."""
    if not len(samples):
        return (0.0,) * points
    starts = np.arange(points) * len(samples) // points
    # reduceat takes one sample where two starts are equal, so short clips repeat samples
    peaks = np.maximum.reduceat(np.abs(samples), starts)
    top = float(peaks.max())
    return tuple((peaks / top).tolist()) if top > 0 else (0.0,) * points
