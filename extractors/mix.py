"""Whether the mix of a recording's channels is what is heard of it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt

from blueprints import counted

#: Power by channel, and of their sum behind them, by stretch, by band.
#: [shape=(channels + 1, frames, bands)]
Powers = npt.NDArray[np.float32]

#: Stretches of one channel whose spectra are held at once.
_FRAMES_AT_ONCE = 128

#: Length of the stretches that are looked at, seconds.
_FRAME_S = 0.1

#: From this length of a recording on scipy's transform is used, seconds. It takes a
#: quarter of the time of numpy's, but to import it costs as much as looking at 20
#: minutes.
_LONG_S = 120.0

#: Edges of the bands that are looked at, Hz: in each of them speech has about as much
#: to say. Above them is a last one.
_EDGES_HZ = (300.0, 700.0, 1500.0, 3000.0, 8000.0)

#: Shares of the power of a band's loudest stretch, and of that of the loudest band,
#: from which on a band is audible in a stretch; least power of any sound.
_AUDIBLE, _AUDIBLE_BAND, _LEAST_POWER = 1e-3, 1e-5, 1e-10

#: Shares of the power of the channels, from which down a band is lost of a stretch. Of
#: the mix: the power of the sum of channels over the sum of their powers, 1 for
#: channels that have nothing in common, 2 for two equal ones, 0 for one that is the
#: other inverted; .25 for a correlation of -.75. Of one channel: its power over that of
#: the strongest.
_LOST = 0.25

#: What the mix must lose within a second before one channel is taken, seconds of all
#: bands: a syllable, or the highs of a word. Rooms, two microphones and effects of
#: width lose up to .05.
_MOST_LOST_S = 0.1

#: The channel that is taken loses at most this share of what the mix loses.
_BETTER = 0.5

#: Share of the power of samples that rounding leaves of a constant.
_ROUNDING = 1e-5

_PER_SECOND = round(1 / _FRAME_S)


class Mix:
    """What the mix keeps of channels, from blocks of samples in their order."""

    def __init__(self, rate: int, channels: int) -> None:
        self._frame = max(1, round(_FRAME_S * rate))
        self._window = np.hanning(self._frame + 2)[1:-1].astype(np.float32)
        hertz = np.fft.rfftfreq(self._frame, 1 / rate)
        edges = [edge for edge in _EDGES_HZ if edge < rate / 2]
        self._edges = [*np.searchsorted(hertz, edges), len(hertz)]
        self._rest = np.zeros((0, channels), np.float32)
        self._powers: list[Powers] = []
        self._frames = 0  # looked at so far

    def add(self, block: npt.NDArray[np.float32]) -> None:
        """Look at the next samples [shape=(n, channels)]."""
        if len(self._rest):
            block = np.concatenate([self._rest, block])
        whole = len(block) // self._frame * self._frame
        self._rest = block[whole:].copy()
        frames = block[:whole].reshape(-1, self._frame, block.shape[1])
        self._frames += len(frames)
        at_once = max(1, _FRAMES_AT_ONCE // block.shape[1])
        for first in range(0, len(frames), at_once):
            self._look(frames[first : first + at_once])

    def _look(self, frames: npt.NDArray[np.float32]) -> None:
        """Keep the powers of frames [shape=(frames, n, channels)]."""
        count = frames.shape[2]
        if (frames == frames[:, :, :1]).all():
            (of_one,) = self._bands(frames[:, :, :1].transpose(2, 0, 1))[:1]
            self._powers.append(np.stack([of_one] * count + [count**2 * of_one]))
        else:
            self._powers.append(self._bands(frames.transpose(2, 0, 1)))

    def _bands(self, channels: npt.NDArray[np.float32]) -> Powers:
        """Return powers by band of frames [shape=(channels, frames, n)]."""
        channels = np.ascontiguousarray(channels)
        centred = channels - channels.mean(axis=2, keepdims=True)
        spectra = self._transformed(centred * self._window)
        # real and imaginary parts side by side
        each = spectra.view(np.float32)
        parts = np.concatenate([each, each.sum(axis=0, keepdims=True)])
        bands: list[npt.NDArray[np.float32]] = []
        for low, high in itertools.pairwise([0] + self._edges):
            band = parts[:, :, 2 * low : 2 * high]
            bands.append(np.einsum("cfk,cfk->cf", band, band))
        whole = np.sum(bands, axis=0)
        powers = np.stack([whole, *bands[1:]], axis=2) / self._frame**2
        return powers.astype(np.float32)

    def _transformed(
        self, frames: npt.NDArray[np.float32]
    ) -> npt.NDArray[np.complex64]:
        """Return the spectra of frames along their last axis."""
        if self._frames * _FRAME_S < _LONG_S:
            return np.fft.rfft(frames).astype(np.complex64, copy=False)
        from scipy.fft import rfft

        return np.asarray(rfft(frames))

    def channel(self) -> int | None:
        """Return the channel, from 0, to take instead of the mix; None: the mix."""
        if len(self._rest):
            silence = np.zeros((self._frame - len(self._rest), self._rest.shape[1]))
            self.add(silence.astype(np.float32))
        if not self._powers:
            return None
        powers = np.concatenate(self._powers, axis=1)
        self._powers = [powers]
        each, of_sum = powers[:-1], powers[-1]
        total = each.sum(axis=0)
        if not np.isfinite(total).all():
            return None
        least = np.maximum(_AUDIBLE * total.max(axis=0), _AUDIBLE_BAND * total.max())
        is_audible = total > np.maximum(least, _LEAST_POWER)
        lost = (is_audible & (of_sum < _LOST * total)).mean(axis=1) * _FRAME_S
        if _most_in_a_second(lost) < _MOST_LOST_S:
            return None
        is_weak = is_audible & (each < _LOST * each.max(axis=0))
        lost_by_stretch = is_weak.mean(axis=2) * _FRAME_S
        lost_of_each = lost_by_stretch.sum(axis=1)
        for channel, of_channel in enumerate(lost_by_stretch):
            # a talker whom the mix has, and this channel has not
            if _most_in_a_second(np.where(lost > 0, 0.0, of_channel)) >= _MOST_LOST_S:
                lost_of_each[channel] = np.inf
        if lost_of_each.min() > _BETTER * lost.sum():
            return None
        is_best = np.isclose(lost_of_each, lost_of_each.min())
        power = np.where(is_best, each[:, :, 0].sum(axis=1), 0.0)
        return int(np.argmax(power >= power.max() * (1 - _ROUNDING)))


def _most_in_a_second(lost: npt.NDArray[np.float64]) -> float:
    """Return the largest sum of the stretches of a second."""
    return float(np.convolve(lost, np.ones(_PER_SECOND)).max())


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
    mix.add(samples)
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
        self._sounding = 0
        self._over = 0

    def add(self, block: npt.NDArray[np.float32]) -> None:
        """Look at the next samples."""
        if not block.size:
            return
        highest, lowest = float(block.max()), float(block.min())
        self.peak = max(self.peak, highest, -lowest)
        self._lowest = min(self._lowest, lowest)
        self._sounding += int(np.count_nonzero(block))
        if max(highest, -lowest) > 1:
            self._over += int((np.abs(block) > 1).sum())
        if self._integers:
            self._integers = bool((block == np.rint(block)).all())

    def problem(self) -> str | None:
        """Say what samples other than sound are, with the remedy; None for sound."""
        is_scaled = self._integers or self.peak > _MOST_PEAK
        if self.peak < _LEAST_INTEGER or not is_scaled:
            return None
        if not self._integers and self._over < _STRAY * self._sounding:
            return (
                f"{counted(self._over, 'sample is', 'samples are')} stray: floats up to"
                f" {self.peak:g}, and full scale is 1; limit them, e.g. python -c"
                " \"import soundfile; x, rate = soundfile.read('IN');"
                " soundfile.write('OUT.wav', x.clip(-1, 1), rate)\""
            )
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

#: Share of the samples that sound, under which those over full scale are stray ones.
_STRAY = 0.01

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
