"""Small recordings for tests."""

from __future__ import annotations

import io
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import soundfile

RATE = 16_000


def tone(
    seconds: float = 0.2, peak: float = 0.5, hz: float = 200.0
) -> npt.NDArray[np.float32]:
    """Return a sine whose largest sample is exactly ``peak``."""
    time = np.arange(round(seconds * RATE)) / RATE
    wave = np.sin(2 * np.pi * hz * time)
    return (peak * wave / np.abs(wave).max()).astype(np.float32)


def write(path: Path, samples: npt.NDArray[np.float32], rate: int = RATE) -> Path:
    """Write a float WAV, so that the samples are read back exactly."""
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, samples, rate, subtype="FLOAT")
    return path


def container(
    codec: str, form: str, samples: npt.NDArray[np.float32], rate: int = RATE
) -> bytes:
    """Encode one channel in a container; Opus takes samples as if of 48 kHz."""
    import av

    held = io.BytesIO()
    with av.open(held, "w", format=form) as file:
        stream: Any = file.add_stream(
            codec, rate=48_000 if codec == "libopus" else rate
        )
        stream.layout = "mono"
        kind, rate = stream.codec_context.format.name, stream.rate
        whole = {"s16": np.int16, "s32": np.int32}.get(kind.rstrip("p"))
        scaled = (
            samples if whole is None else (samples * np.iinfo(whole).max).astype(whole)
        )
        size = stream.codec_context.frame_size or len(scaled)
        for start in range(0, len(scaled), size):
            part = np.ascontiguousarray(scaled[None, start : start + size])
            frame = av.AudioFrame.from_ndarray(part, format=kind, layout="mono")
            frame.sample_rate, frame.pts, frame.time_base = (
                rate,
                start,
                Fraction(1, rate),
            )
            file.mux(stream.encode(frame))
        file.mux(stream.encode(None))
    return held.getvalue()
