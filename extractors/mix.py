"""Whether the mix of a recording's channels is what is heard of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

#: Length of the stretches that are looked at, seconds.
_FRAME_S = 0.25

#: Samples a second that are looked at: the power of a few tells that of all.
_LOOKED_AT_HZ = 4000

#: The power of the sum of channels, as a share of the sum of their powers, from which
#: down they cancel each other: 1 for channels that have nothing in common, 2 for two
#: equal ones, 0 for one that is the other inverted; .25 for a correlation of -.75.
_CANCELLED = 0.25

#: Share of the power of samples that rounding leaves of a constant.
_ROUNDING = 1e-5

#: Share of the power that must cancel before one channel is taken.
_SHARE = 0.2


class Mix:
    """What the mix keeps of channels, from blocks of samples in their order."""

    def __init__(self, rate: int, channels: int) -> None:
        self._frame = max(1, round(_FRAME_S * rate))
        self._step = max(1, rate // _LOOKED_AT_HZ) | 1
        self._rest = np.zeros((0, channels), np.float32)
        self._power = np.zeros(channels)
        self._lost = 0.0

    def add(self, block: npt.NDArray[np.float32]) -> None:
        """Look at the next samples [shape=(n, channels)]."""
        if len(self._rest):
            block = np.concatenate([self._rest, block])
        whole = len(block) // self._frame * self._frame
        self._rest = block[whole:].copy()
        self._look(block[:whole].reshape(-1, self._frame, block.shape[1]))

    def _look(self, frames: npt.NDArray[np.float32]) -> None:
        """Add the power of frames [shape=(frames, n, channels)] about their mean."""
        if not frames.size:
            return
        channels = np.ascontiguousarray(frames[:, :: self._step].transpose(2, 0, 1))
        powers = np.stack([_power(channel) for channel in channels])
        total = powers.sum(axis=0)
        of_sum = _power(channels.sum(axis=0))
        is_cancelled = of_sum < _CANCELLED * total
        self._power += powers.sum(axis=1)
        self._lost += float(total[is_cancelled].sum())

    def channel(self) -> int | None:
        """Return the channel, from 0, to take instead of the mix; None: the mix."""
        self._look(self._rest[np.newaxis])
        self._rest = self._rest[:0]
        total = float(self._power.sum())
        if total <= 0 or not np.isfinite(total) or self._lost < _SHARE * total:
            return None
        return int(np.argmax(self._power))


def _power(frames: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Return the power of frames [shape=(frames, n)] about their mean."""
    squares = np.einsum("fn,fn->f", frames, frames).astype(np.float64)
    means = frames.mean(axis=1, dtype=np.float64)
    power = squares - frames.shape[1] * np.square(means)
    return np.where(power < _ROUNDING * squares, 0.0, power)


def cancelling(samples: npt.NDArray[np.float32], rate: int) -> int | None:
    """Return the channel to take of [shape=(n, channels)], or None for the mix."""
    channels = samples.shape[1]
    if channels == 1:
        return None
    mix = Mix(rate, channels)
    block = max(1, round(_FRAME_S * rate)) * 64
    for start in range(0, len(samples), block):
        mix.add(samples[start : start + block])
    return mix.channel()


#: Length of the stretches in which a channel is silent or not, and how far they may lie
#: under the channel's own loudest one, dB, and under full scale.
_TURN_FRAME_S, _QUIET_DB, _FLOOR_DBFS = 0.05, 40.0, -60.0

#: Sound of both channels at once that may be a breath or an echo, seconds.
_BOTH_S = 0.1


def handover(samples: npt.NDArray[np.float32], rate: int) -> tuple[int, float] | None:
    """Return the channel that begins for good behind the other one's end, and when.

    None: there are not two of them, one is silent, or they sound at the same time. The
    channels of a recording of a question and its answer do so, those of one voice do
    not.
    """
    frame = max(1, round(_TURN_FRAME_S * rate))
    count = len(samples) // frame
    if samples.shape[1] != 2 or count < 2:
        return None
    begins: list[int] = []
    ends: list[int] = []
    for channel in samples[: count * frame].T:
        power = _power(channel.reshape(count, frame)) / frame
        quiet = power.max() * 10 ** (-_QUIET_DB / 10)
        places = np.flatnonzero(power >= max(quiet, 10 ** (_FLOOR_DBFS / 10)))
        if not len(places):
            return None
        begins.append(int(places[0]))
        ends.append(int(places[-1]))
    later = int(begins[1] > begins[0])
    begin = begins[later]
    end_of_other = ends[1 - later]
    if end_of_other - begin > _BOTH_S / _TURN_FRAME_S:
        return None
    return later, round(begin * _TURN_FRAME_S, 2)


class StoredScale:
    """Whether samples that are stored as floats are sound of full scale 1."""

    def __init__(self) -> None:
        self.peak = 0.0
        self._lowest = 0.0
        self._integers = True

    def add(self, block: npt.NDArray[np.float32]) -> None:
        """Look at the next samples."""
        if not block.size:
            return
        highest, lowest = float(block.max()), float(block.min())
        self.peak = max(self.peak, highest, -lowest)
        self._lowest = min(self._lowest, lowest)
        if self._integers:
            self._integers = bool((block == np.rint(block)).all())

    def problem(self) -> str | None:
        """Return what the samples are instead, with the remedy; None for sound."""
        is_scaled = self._integers or self.peak > _MOST_PEAK
        if self.peak < _LEAST_INTEGER or not is_scaled:
            return None
        is_unsigned = self._integers and self._lowest >= 0 and self.peak <= 255
        bits = 8 if is_unsigned else _bits_of(self.peak)
        if is_unsigned:
            divided = "(x - 128) / 128"
        else:
            divided = f"x / {2 ** ((bits or 32) - 1)}"
        what = f"integers of {bits} bits" if bits else "integers"
        return (
            f"its samples are floats up to {self.peak:g}, and full scale is 1: {what} that"
            " were written as floats; divide them, e.g. python -c"
            " \"import soundfile; x, rate = soundfile.read('IN');"
            f" soundfile.write('OUT.wav', {divided}, rate)\""
        )


def _bits_of(peak: float) -> int | None:
    """Return the bits of the smallest integers that reach a peak, or None."""
    for bits in (8, 16, 24, 32):
        if peak <= _OVER * 2.0 ** (bits - 1):
            return bits
    return None


#: Whole numbers up to this magnitude may be a test signal.
_LEAST_INTEGER = 2.0

#: Resampled samples may pass the largest integer by so much.
_OVER = 1.2

#: Largest magnitude of floats that are sound, +40 dBFS: what a mix of many tracks
#: reaches before it is turned down is +20 dBFS.
_MOST_PEAK = 100.0


def scale_problem(samples: npt.NDArray[Any]) -> str | None:
    """Return what floats are instead of sound, with the remedy; None for sound."""
    scale = StoredScale()
    scale.add(samples)
    return scale.problem()
