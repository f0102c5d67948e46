"""Recordings of every format, made in memory."""

from __future__ import annotations

import io
from typing import Any

import av
import numpy as np
import soundfile

RATE = 16_000


def sweep(seconds: float, rate: int = RATE, channels: int = 1, seed: int = 1) -> Any:
    """Return a voice-like sweep with a little noise [shape=(n, channels)]."""
    time = np.arange(round(seconds * rate)) / rate
    wave = (
        0.3 * np.sin(2 * np.pi * (150 + 40 * seed) * time) * (1 + np.sin(9 * time)) / 2
    )
    wave += np.random.default_rng(seed).normal(0, 0.003, len(time))
    return np.repeat(wave[:, np.newaxis], channels, axis=1).astype(np.float32)


def encoded(
    kind: str, seconds: float, rate: int = RATE, channels: int = 1, seed: int = 1
) -> bytes:
    """Encode one recording: libsndfile's ``FORMAT/SUBTYPE``, or ``container:codec``."""
    wave = sweep(seconds, rate, channels, seed)
    if ":" not in kind:
        out = io.BytesIO()
        form, _, subtype = kind.partition("/")
        soundfile.write(out, wave, rate, format=form, subtype=subtype or None)
        return out.getvalue()
    container, codec = kind.split(":")
    out = io.BytesIO()
    layout = "stereo" if channels == 2 else "mono"
    with av.open(out, "w", format=container) as made:
        stream: Any = made.add_stream(codec, rate=rate, layout=layout)
        form = stream.codec_context.format.name
        planar = np.ascontiguousarray(wave.T)
        frame = av.AudioFrame.from_ndarray(planar, format="fltp", layout=layout)
        frame.sample_rate = rate
        fitted = av.AudioResampler(
            form, layout, rate, frame_size=stream.codec_context.frame_size or 1024
        )
        for part in (frame, None):
            for piece in fitted.resample(part):
                made.mux(stream.encode(piece))
        made.mux(stream.encode(None))
    return out.getvalue()
