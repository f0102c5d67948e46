"""Loudness after ITU-R BS.1770-4, on the clip's own channels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from blueprints import Absent, Blueprint, Loudness, Present, Status
from extractors.audio import Clip
from extractors.base import Extractor, silent
from extractors.contours import Floats, contour, linear_trend

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

#: Of left, right, centre and two surrounds, in this order.
CHANNEL_WEIGHTS = np.array([1.0, 1.0, 1.0, 1.41, 1.41])

#: The relative gate drops blocks that lie further under the mean of the blocks, LU.
GATE_LU = 10.0

#: The two filters of the standard as functions of the sampling rate (De Man 2014,
#: "Evaluation of implementations of the EBU R128 loudness measurement", AES Convention
#: 137): a shelf and a high-pass, each with its corner, Hz, and its quality.
SHELF_HZ, SHELF_Q, SHELF_DB, SHELF_MIDDLE = (
    1681.9744509555319,
    0.7071752369554193,
    3.99984385397,
    0.499666774155,
)
HIGH_PASS_HZ, HIGH_PASS_Q = 38.13547087613982, 0.5003270373253953

#: After this long the filters' response is under 1e-18 of its start, seconds.
MEMORY_S = 0.2


@dataclass(frozen=True)
class LoudnessExtractor(Extractor):
    """Integrated and momentary loudness (LUFS), its spread, range and trend (LU).

    Conventions, all of the standard: a mono file is one channel, so it reads 3 LU under
    the same sound on two; nothing is removed before measuring, not even a DC offset;
    channels are left, right, centre, left surround, right surround. More than five have
    no weights (a 7.1 layout cannot be told from an array of microphones), so such a
    clip has no loudness: mixed silently, its figure would compare with nothing.

    The range follows EBU Tech 3342 (10th to 95th percentile of what is above -70 LUFS
    and less than 20 LU under the mean), but of the 400 ms momentary loudness instead of
    the 3 s short-term loudness, than which many answers are shorter. It reads higher
    for speech.
    """

    name: ClassVar[str] = "bs1770"
    group: ClassVar[str] = "loudness"
    version: ClassVar[str] = "2"
    limits: ClassVar[str] = (
        "gated loudness needs 0.4 s; of a clip with few words the range means little."
    )

    def extract(self, clip: Clip, blueprint: Blueprint) -> Present | Absent:
        """Measure the loudness; absent for clips under 0.4 s and for silence."""
        if absent := _unmeasurable(clip):
            return absent
        integrated, blocks = _measure(clip)
        momentary = np.where(blocks >= ABSOLUTE_GATE_LUFS, blocks, np.nan)
        if not math.isfinite(integrated) or np.isnan(momentary).all():
            reason = f"no {BLOCK_S:g} s of it reach {ABSOLUTE_GATE_LUFS:g} LUFS"
            return Absent(status=Status.SILENT, reason=reason)
        return Loudness(
            integrated_lufs=integrated,
            std_lu=float(np.nanstd(momentary)),
            range_lu=_loudness_range(momentary[~np.isnan(momentary)]),
            slope_lu_per_s=linear_trend(momentary, STEP_S),
            # A block counts for the middle of its 400 ms.
            contour=contour(momentary, BLOCK_S / 2, STEP_S),
        )


def integrated_lufs(clip: Clip) -> float | None:
    """Return the integrated loudness of a clip, LUFS; None where it has none."""
    if _unmeasurable(clip):
        return None
    integrated, _ = _measure(clip)
    return integrated if math.isfinite(integrated) else None


def _unmeasurable(clip: Clip) -> Absent | None:
    if len(clip.samples) < BLOCK_S * clip.rate:
        reason = f"{clip.seconds:.3f} s, a loudness block has {BLOCK_S:g} s"
        return Absent(status=Status.TOO_SHORT, reason=reason)
    if absent := silent(clip.samples):
        return absent
    if clip.channels > len(CHANNEL_WEIGHTS):
        reason = (
            f"{clip.channels} channels, BS.1770 has weights for {len(CHANNEL_WEIGHTS)};"
            " mix the clip down first, e.g. ffmpeg -i IN -ac 2 OUT.wav"
        )
        return Absent(status=Status.FAILED, reason=reason)
    if clip.rate <= 2 * SHELF_HZ:
        reason = (
            f"at {clip.rate} Hz there is no shelf at {SHELF_HZ:.0f} Hz; record it at 8"
            " kHz"
        )
        return Absent(status=Status.FAILED, reason=reason)
    return None


def _measure(clip: Clip) -> tuple[float, Floats]:
    """Return integrated loudness, and that of 400 ms blocks [shape=(blocks,)], LUFS."""
    rate, seconds = clip.rate, len(clip.samples) / clip.rate
    count = round((seconds - BLOCK_S) / (BLOCK_S * (STEP_S / BLOCK_S))) + 1
    edges: list[tuple[int, int]] = []
    for number in range(count):
        start = number * (STEP_S / BLOCK_S)
        edges.append((int(BLOCK_S * start * rate), int(BLOCK_S * (start + 1) * rate)))
    channels = []
    for one in clip.samples.T:
        weighted = k_weighted(one, rate)
        blocks = (
            weighted[first:stop] for first, stop in edges
        )  # the last one may be cut
        channels.append(
            np.array([np.dot(block, block) for block in blocks]) / (BLOCK_S * rate)
        )
    power = CHANNEL_WEIGHTS[: clip.channels] @ np.stack(channels)
    levels = _lufs(power)
    loud = levels >= ABSOLUTE_GATE_LUFS
    gate = _lufs(power[loud].mean()) - GATE_LU if loud.any() else math.inf
    integrated = (
        float(_lufs(power[loud & (levels > gate)].mean())) if loud.any() else -math.inf
    )
    # The number of blocks is rounded, so the last one may hang over the end.
    complete = int((seconds - BLOCK_S) / STEP_S + 1e-6) + 1
    return integrated, levels[:complete]


def _lufs(power: Floats) -> Floats:
    with np.errstate(divide="ignore"):  # of digital silence it is -inf
        return np.asarray(-0.691 + 10 * np.log10(power))


def k_weighted(samples: Floats, rate: int) -> Floats:
    """Filter a channel [shape=(n,)] by the standard's filters, float64.

    They are applied to spectra of stretches, each with the samples before it that the
    filters remember. A recursion gives the same within 1e-12, but the library that has
    one, ``scipy.signal``, takes most of a second to be imported. ``rate`` is in Hz, and
    more than twice :data:`SHELF_HZ`.
    """
    memory = int(MEMORY_S * rate)
    size = 1 << (4 * memory).bit_length()
    response = _response(rate, size)
    padded = np.zeros(memory + len(samples))
    padded[memory:] = samples
    result = np.empty(len(samples))
    for start in range(0, len(samples), size - memory):
        part = np.fft.irfft(
            np.fft.rfft(padded[start : start + size], size) * response, size
        )
        result[start : start + size - memory] = part[
            memory : memory + len(samples) - start
        ]
    return result


@lru_cache(maxsize=4)
def _response(rate: int, size: int) -> npt.NDArray[np.complex128]:
    """Return the frequency response of both filters [shape=(size // 2 + 1,)]."""
    back = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)  # one sample later

    def section(hz: float, q: float, high: float, band: float, low: float) -> Any:
        k = math.tan(math.pi * hz / rate)
        above = np.polyval(
            [high - band * k / q + low * k**2, 2 * (low * k**2 - high), 0], back
        )
        below = np.polyval([1 - k / q + k**2, 2 * (k**2 - 1), 1 + k / q + k**2], back)
        return (above + high + band * k / q + low * k**2) / below

    gain = 10 ** (SHELF_DB / 20)
    shelf = section(SHELF_HZ, SHELF_Q, gain, gain**SHELF_MIDDLE, 1)
    k = math.tan(math.pi * HIGH_PASS_HZ / rate)
    # The standard's high-pass has the numerator 1, -2, 1, whatever the rate.
    scale = 1 + k / HIGH_PASS_Q + k**2
    return np.asarray(shelf * section(HIGH_PASS_HZ, HIGH_PASS_Q, 1, 0, 0) * scale)


def _loudness_range(levels: Floats) -> float | None:
    """Return the 10th to 95th percentile of gated blocks, LU; None for too few."""
    if len(levels) < MIN_RANGE_BLOCKS:
        return None
    mean = 10 * math.log10(float(np.mean(10 ** (levels / 10))))
    low, high = np.percentile(levels[levels >= mean - RANGE_GATE_LU], RANGE_PERCENTILES)
    return float(high - low)
