"""Loudness after ITU-R BS.1770-4 with pyloudnorm, on the clip's own channels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from blueprints import Absent, Blueprint, Loudness, Present, Status
from extractors.audio import Clip
from extractors.base import SILENCE_DBFS, Extractor
from extractors.contours import Floats, contour, linear_trend, swing_dbfs

#: Gating block and its step (75 % overlap), seconds; BS.1770-4, annex 1.
BLOCK_S = 0.4
STEP_S = 0.1

#: Absolute gate, LUFS; quieter blocks are silence.
ABSOLUTE_GATE_LUFS = -70.0

#: Relative gate of the loudness range, LU under the mean of the blocks; EBU Tech 3342.
RANGE_GATE_LU = 20.0
RANGE_PERCENTILES = (10, 95)

#: Percentiles of fewer blocks say nothing: 1 s of sound has 7 blocks.
MIN_RANGE_BLOCKS = 7

#: BS.1770 weights left, right, centre and two surrounds, in this order.
MAX_CHANNELS = 5


@dataclass(frozen=True)
class LoudnessExtractor(Extractor):
    """Integrated and momentary loudness, its spread, range and trend.

    Conventions, all of the standard: a mono file is one channel, so it reads 3 LU under the
    same sound on two; nothing is removed before measuring, not even a DC offset. Channels
    are taken as left, right, centre, left surround, right surround. More than five have no
    weights (a 7.1 layout cannot be told from an array of microphones), so such a clip has
    no loudness; mixing it silently would give a figure that compares with nothing.

    The range follows EBU Tech 3342 (10th to 95th percentile of what is above -70 LUFS and
    less than 20 LU under the mean), but of the 400 ms momentary loudness instead of the
    3 s short-term loudness: many answers are shorter than that. It reads higher for speech.
    """

    name: ClassVar[str] = "bs1770"
    group: ClassVar[str] = "loudness"
    version: ClassVar[str] = "1"
    limits: ClassVar[str] = (
        "gated loudness needs 0.4 s; of a clip with few words the range means little."
    )
    packages: ClassVar[dict[str, str]] = {"pyloudnorm": "pyloudnorm"}

    def extract(self, clip: Clip, known: Blueprint) -> Present | Absent:
        """Measure the loudness; absent for clips under 0.4 s and for silence."""
        absent = _unmeasurable(clip)
        if absent:
            return absent
        integrated, blocks = _measure(clip)
        momentary = np.where(blocks >= ABSOLUTE_GATE_LUFS, blocks, np.nan)
        if not math.isfinite(integrated) or np.isnan(momentary).all():
            reason = f"no {BLOCK_S:g} s of it reach {ABSOLUTE_GATE_LUFS:g} LUFS"
            return Absent(status=Status.SILENT, reason=reason)
        return Loudness(
            integrated_lufs=integrated,
            std_lu=float(np.nanstd(momentary)),
            range_lu=_loudness_range(momentary),
            slope_lu_per_s=linear_trend(momentary, STEP_S),
            # A block counts for the middle of its 400 ms.
            contour=contour(momentary, BLOCK_S / 2, STEP_S),
        )


def _unmeasurable(clip: Clip) -> Absent | None:
    if len(clip.samples) < BLOCK_S * clip.rate:
        reason = f"{clip.seconds:.3f} s, a loudness block has {BLOCK_S:g} s"
        return Absent(status=Status.TOO_SHORT, reason=reason)
    level = swing_dbfs(clip.samples)
    if level < SILENCE_DBFS:
        reason = f"the peak is {level:.1f} dBFS, silence is under {SILENCE_DBFS:g}"
        return Absent(status=Status.SILENT, reason=reason)
    if clip.channels > MAX_CHANNELS:
        reason = (
            f"{clip.channels} channels, BS.1770 has weights for {MAX_CHANNELS}; mix the clip"
            " down first, e.g. ffmpeg -i IN -ac 2 OUT.wav"
        )
        return Absent(status=Status.FAILED, reason=reason)
    return None


def _measure(clip: Clip) -> tuple[float, Floats]:
    """Integrated loudness, and that of every complete 400 ms block [shape=(blocks,)], LUFS."""
    import pyloudnorm  # late: imports scipy.signal, 1 s

    # "DeMan" are the coefficients that BS.1770 prints, carried to any rate. The library's
    # default filters are further from ffmpeg's reading (0.16 against 0.11 LU at most).
    meter = pyloudnorm.Meter(clip.rate, filter_class="DeMan", block_size=BLOCK_S)
    integrated = float(meter.integrated_loudness(clip.samples.astype(np.float64)))
    # The library rounds the number of blocks, so the last one may hang over the end.
    complete = int((len(clip.samples) / clip.rate - BLOCK_S) / STEP_S + 1e-6) + 1
    return integrated, np.asarray(meter.blockwise_loudness[:complete], dtype=np.float64)


def _loudness_range(momentary: Floats) -> float | None:
    """10th to 95th percentile of the gated blocks, LU; None for too few blocks."""
    kept = momentary[~np.isnan(momentary)]
    if len(kept) < MIN_RANGE_BLOCKS:
        return None
    mean = 10 * math.log10(float(np.mean(10 ** (kept / 10))))
    low, high = np.percentile(kept[kept >= mean - RANGE_GATE_LU], RANGE_PERCENTILES)
    return float(high - low)
