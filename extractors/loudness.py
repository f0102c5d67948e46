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
    seconds = len(clip.samples) / clip.rate
    edges = _block_edges(seconds, clip.rate)
    powers = [_block_powers(channel, clip.rate, edges) for channel in clip.samples.T]
    power = CHANNEL_WEIGHTS[: clip.channels] @ np.stack(powers)
    levels = _lufs(power)
    # The number of blocks is rounded, so the last one may hang over the end.
    complete = int((seconds - BLOCK_S) / STEP_S + 1e-6) + 1
    return _gated(power, levels), levels[:complete]


def _block_edges(seconds: float, rate: int) -> list[tuple[int, int]]:
    """Return the first sample of each gating block, and the one behind its last."""
    step = STEP_S / BLOCK_S  # in blocks
    count = round((seconds - BLOCK_S) / (BLOCK_S * step)) + 1
    edges: list[tuple[int, int]] = []
    for number in range(count):
        start = number * step
        first = int(BLOCK_S * start * rate)
        behind = int(BLOCK_S * (start + 1) * rate)
        edges.append((first, behind))
    return edges


def _block_powers(
    channel: Floats, rate: int, edges: list[tuple[int, int]]
) -> npt.NDArray[np.float64]:
    """Return the mean square of each block of a channel; the last one may be cut."""
    weighted = k_weighted(channel, rate)
    energies: list[float] = []
    for first, behind in edges:
        block = weighted[first:behind]
        energies.append(np.dot(block, block))
    return np.array(energies) / (BLOCK_S * rate)


def _gated(power: Floats, levels: Floats) -> float:
    """Return the loudness of the blocks that pass both gates, LUFS; -inf: none does."""
    is_loud = levels >= ABSOLUTE_GATE_LUFS
    if not is_loud.any():
        return -math.inf
    gate = _lufs(power[is_loud].mean()) - GATE_LU
    return float(_lufs(power[is_loud & (levels > gate)].mean()))


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
    step = size - memory
    response = _response(rate, size)
    padded = np.zeros(memory + len(samples))
    padded[memory:] = samples
    result = np.empty(len(samples))
    for start in range(0, len(samples), step):
        stretch = padded[start : start + size]
        spectrum = np.fft.rfft(stretch, size) * response
        filtered = np.fft.irfft(spectrum, size)
        left = len(samples) - start
        result[start : start + step] = filtered[memory : memory + left]
    return result


@lru_cache(maxsize=4)
def _response(rate: int, size: int) -> npt.NDArray[np.complex128]:
    """Return the frequency response of both filters [shape=(size // 2 + 1,)]."""
    back = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)  # one sample later

    def section(hz: float, q: float, high: float, band: float, low: float) -> Any:
        """Return the response of a filter of second order, by its gains."""
        k = math.tan(math.pi * hz / rate)
        zeros = [high - band * k / q + low * k**2, 2 * (low * k**2 - high), 0]
        poles = [1 - k / q + k**2, 2 * (k**2 - 1), 1 + k / q + k**2]
        above = np.polyval(zeros, back)
        below = np.polyval(poles, back)
        return (above + high + band * k / q + low * k**2) / below

    gain = 10 ** (SHELF_DB / 20)
    shelf = section(SHELF_HZ, SHELF_Q, high=gain, band=gain**SHELF_MIDDLE, low=1)
    # The standard's high-pass has the numerator 1, -2, 1, whatever the rate.
    k = math.tan(math.pi * HIGH_PASS_HZ / rate)
    scale = 1 + k / HIGH_PASS_Q + k**2
    # Of a product with a temporary array numpy rounds otherwise than with a named one.
    return np.asarray(
        shelf * section(HIGH_PASS_HZ, HIGH_PASS_Q, high=1, band=0, low=0) * scale
    )


def _loudness_range(levels: Floats) -> float | None:
    """Return the 10th to 95th percentile of gated blocks, LU; None for too few."""
    if len(levels) < MIN_RANGE_BLOCKS:
        return None
    powers = 10 ** (levels / 10)
    mean = 10 * math.log10(float(np.mean(powers)))
    gated = levels[levels >= mean - RANGE_GATE_LU]
    low, high = np.percentile(gated, RANGE_PERCENTILES)
    return float(high - low)
