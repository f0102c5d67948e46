"""DNSMOS of 9 s windows: P.835 (personalised; SIG, BAK and OVRL) and P.808 (MOS).

P.835 sees log-power spectra of 320 samples every 160. They depend on no other sample,
so windows share all of them; its output is calibrated by published polynomials.

P.808 sees a log-mel spectrogram. The mel power of a frame is common to all windows that
hold the frame, but two things are a window's own. Its first and last frame reach over
its edges, where the model sees zeros. And levels are relative to the loudest value in
the window and cut off 80 dB below, which changes every input of the network when the
loudest value does. Overlapping windows mostly share their loudest value, though:
neighbours for which it is equal, to the last bit, share the network too, others do not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from extractors.audio import SPEECH_RATE, Samples
from extractors.dnsmos.graph import CutNetwork, split
from extractors.dnsmos.reading import network_of
from extractors.dnsmos.windows import (
    FRAME_SAMPLES,
    HOP_FRAMES,
    HOP_SAMPLES,
    WINDOW_HOPS,
    Float32s,
    Hop,
    HopStore,
    Piece,
    SplitNetwork,
    first_scores,
    front,
    hops_of,
    raw_scores,
    stretch,
)

#: Samples that a spectrum is computed from.
SPECTRUM_SAMPLES = 320

#: Calibration of the raw outputs of the personalised model (published with it): cubic
#: polynomials, highest power first.
CALIBRATION = {
    "sig": (-0.01019296, 0.02751166, 1.19576786, -0.24348726),
    "bak": (-0.04976499, 0.44276479, -0.1644611, 0.96883132),
    "ovrl": (-0.00533021, 0.005101, 1.18058466, -0.11236046),
}

MELS = 120
FFT_SAMPLES = 321
#: Frames are centred: they reach this far to either side, samples.
REACH_SAMPLES = FFT_SAMPLES // 2
#: Frames at each edge of a window that reach over it.
OWN_FRAMES = 1

#: Silence before a recording is at most this long, samples.
MOST_SILENCE = 8 * FRAME_SAMPLES

_POWER_FLOOR = 1e-10
_DYNAMIC_RANGE_DB = 80.0

T = TypeVar("T")
Decibels = Float32s


class P835Model(NamedTuple):
    """The model in pieces."""

    # frames of samples [shape=(1, frames, 320)] -> [shape=(1, 1, frames, 161)]
    spectra: Piece
    network: SplitNetwork  # what follows


def load_p835(path: Path, device: str = "cpu") -> P835Model:
    """Read and cut the model file, to run on a resolved device."""
    return _p835(network_of(path, device, _p835))


def _p835(network: CutNetwork) -> P835Model:
    spectra = network.piece(network.framed, network.layers[0].source)
    return P835Model(spectra, split(network, HOP_FRAMES))


def load_p808(path: Path, device: str = "cpu") -> SplitNetwork:
    """Read and cut the model file, to run on a resolved device."""
    return _p808(network_of(path, device, _p808))


def _p808(network: CutNetwork) -> SplitNetwork:
    return split(network, HOP_FRAMES, OWN_FRAMES)


class _Windows(Generic[T]):
    """Scores windows of one recording, mono at 16 kHz [shape=(n,)], in ascending order.

    ``period``: frames after which it repeats itself; 0: never.
    """

    def __init__(self, network: SplitNetwork, audio: Samples, period: int = 0) -> None:
        self._network = network
        self._audio = audio
        self._period = period
        self._hops: HopStore[T] = HopStore()


class P835(_Windows[Hop]):
    """SIG, BAK and OVRL."""

    def __init__(self, model: P835Model, audio: Samples, period: int = 0) -> None:
        super().__init__(model.network, audio, period)
        self._spectra = model.spectra

    def scores(self, windows: Sequence[int]) -> npt.NDArray[np.float64]:
        """Return SIG, BAK and OVRL [shape=(n, 3)] of windows by number."""
        hops = self._hops.of(windows, self._shared)
        bins = hops[windows[0]][0].shape[-1]
        none = np.empty((len(windows), 0, bins), np.float32)
        return calibrated(
            raw_scores(
                self._network,
                hops,
                windows=windows,
                first_frames=none,
                last_frames=none,
            )
        )

    def first(self, counts: Sequence[int]) -> npt.NDArray[np.float64]:
        """Return SIG, BAK and OVRL [shape=(n, 3)] of the first frames, so many each."""
        spectra = self._spectra_of(range(max(counts)))
        return calibrated(first_scores(self._network, spectra, counts))

    def _shared(self, first: int, stop: int) -> list[Hop]:
        margin = self._network.margins[0]
        frames = range(first * HOP_FRAMES - margin, stop * HOP_FRAMES + margin)
        return front(self._network, self._spectra_of(frames), self._period)

    def _spectra_of(self, frames: range) -> Float32s:
        """Return the log-power spectra of frames by number [shape=(frames, 161)]."""
        end = (frames.stop - 1) * FRAME_SAMPLES + SPECTRUM_SAMPLES
        samples = stretch(self._audio, frames.start * FRAME_SAMPLES, end)
        framed = np.lib.stride_tricks.sliding_window_view(samples, SPECTRUM_SAMPLES)
        [spectra] = self._spectra(framed[np.newaxis, ::FRAME_SAMPLES])
        of_frames: Float32s = spectra[0, 0]
        return of_frames


def calibrated(raw: Float32s) -> npt.NDArray[np.float64]:
    """Calibrate raw outputs to SIG, BAK and OVRL, both [shape=(n, 3)]."""
    columns = raw.astype(np.float64).T
    scores = []
    for polynomial, column in zip(CALIBRATION.values(), columns, strict=True):
        scores.append(np.polyval(polynomial, column))
    return np.column_stack(scores)


def _p808_frames(samples: Samples) -> Samples:
    """Return the frames of P.808 [shape=(frames, 321)]."""
    frames = np.lib.stride_tricks.sliding_window_view(samples, FFT_SAMPLES)
    return frames[::FRAME_SAMPLES]


class P808(_Windows[Decibels]):
    """The network that gives one MOS."""

    def __init__(self, network: SplitNetwork, audio: Samples, period: int = 0) -> None:
        super().__init__(network, audio, period)
        self._grids: dict[int, Decibels] = {}

    def first(self, counts: Sequence[int], silence: int = 0) -> npt.NDArray[np.float64]:
        """Return the MOS of first frames, so many each, with one loudest value.

        Args:
            counts: n numbers of frames.
            silence: samples of it before the recording, up to ``MOST_SILENCE``.

        Returns:
            [shape=(n,)].
        """
        levels = self._first_levels(max(counts), silence)
        features = scaled(levels, float(levels.max()))
        return first_scores(self._network, features, counts)[:, 0].astype(np.float64)

    def _first_levels(self, count: int, silence: int) -> Decibels:
        """Return levels of first frames, dB [shape=(count, 120)].

        Frames of two silences that differ by whole frames are computed once.
        """
        before, offset = divmod(silence, FRAME_SAMPLES)
        most_before = MOST_SILENCE // FRAME_SAMPLES
        first = most_before - before
        levels = self._grids.get(offset)
        if levels is None or len(levels) < first + count:
            centre = -most_before * FRAME_SAMPLES - offset
            last = centre + (first + count - 1) * FRAME_SAMPLES
            samples = stretch(
                self._audio, centre - REACH_SAMPLES, last + REACH_SAMPLES + 1
            )
            levels = self._grids[offset] = decibels(_p808_frames(samples))
        return levels[first : first + count]

    def scores(self, windows: Sequence[int]) -> npt.NDArray[np.float64]:
        """Return the MOS [shape=(n,)] of windows by number."""
        hops = self._hops.of(windows, self._shared)
        edges = self._own_frames(windows)
        peaks = []
        for window, edge_levels in zip(windows, edges, strict=True):
            peaks.append(_peak(hops, window, edge_levels))
        # Consecutive windows with the same peak, to the last bit, go through the
        # network together.
        starts = [0]
        for number in range(1, len(windows)):
            has_same_peak = peaks[number] == peaks[number - 1]
            follows = windows[number] == windows[number - 1] + 1
            if not has_same_peak or not follows:
                starts.append(number)
        results = []
        for start, stop in pairwise(starts + [len(windows)]):
            peak = peaks[start]
            edge_features = scaled(edges[start:stop], peak)
            group = windows[start:stop]
            results.append(self._group_scores(hops, group, peak, edge_features))
        return np.concatenate(results).astype(np.float64)

    def _shared(self, first: int, stop: int) -> list[Decibels]:
        """Compute the absolute level of every frame [shape=(100, 120)] per hop, dB."""
        samples = stretch(
            self._audio,
            first * HOP_SAMPLES - REACH_SAMPLES,
            stop * HOP_SAMPLES + REACH_SAMPLES,
        )
        return np.split(decibels(_p808_frames(samples)), stop - first)

    def _own_frames(self, windows: Sequence[int]) -> Decibels:
        """Compute levels, dB, of frames that see zeros beyond an edge.

        They have the shape (n, 2, 120).
        """
        frames = np.zeros((len(windows), 2, FFT_SAMPLES), np.float32)
        for number, window in enumerate(windows):
            begin = window * HOP_SAMPLES
            end = begin + WINDOW_HOPS * HOP_SAMPLES
            first = stretch(self._audio, begin, begin + REACH_SAMPLES + 1)
            # The last frame is centred one frame before the end.
            last = stretch(self._audio, end - FRAME_SAMPLES - REACH_SAMPLES, end)
            frames[number, 0, -len(first) :] = first
            frames[number, 1, : len(last)] = last
        return decibels(frames)

    def _group_scores(
        self,
        hops: Mapping[int, Decibels],
        group: Sequence[int],
        peak: float,
        own: Float32s,
    ) -> Float32s:
        """Return the MOS of consecutive windows with one loudest value [shape=(n,)]."""
        numbers = range(group[0], hops_of(group[-1]).stop)
        levels = scaled(np.concatenate([hops[number] for number in numbers]), peak)
        # The context beyond the group reaches only cells that its windows replace.
        margin = self._network.margins[0]
        padded = np.pad(levels, ((margin, margin), (0, 0)))
        cells = front(self._network, padded, self._period)
        shared = dict(zip(numbers, cells, strict=True))
        return raw_scores(
            self._network,
            shared,
            windows=group,
            first_frames=own[:, :1],
            last_frames=own[:, 1:],
        )[:, 0]


def _peak(hops: Mapping[int, Decibels], window: int, own: Decibels) -> float:
    """Return the loudest value of a window, dB."""
    first, *middle, last = (hops[hop] for hop in hops_of(window))
    parts = [first[OWN_FRAMES:], *middle, last[:-OWN_FRAMES], own]
    return float(max(part.max() for part in parts))


def decibels(frames: Samples) -> Decibels:
    """Compute mel power, dB, of Hann-windowed frames.

    Frames have the shape (..., 321), and their powers (..., 120).
    """
    spectrum = frames @ _transform()
    bins = spectrum.shape[-1] // 2
    power = spectrum[..., :bins] ** 2 + spectrum[..., bins:] ** 2
    mel_power = power @ mel_filters().T.astype(np.float32)
    return np.asarray(10 * np.log10(np.maximum(mel_power, _POWER_FLOOR)))


def scaled(levels: Decibels, peak: float) -> Float32s:
    """Scale levels re ``peak``, -80 to 0 dB, to the network's input, -1 to 1."""
    half = _DYNAMIC_RANGE_DB / 2
    relative = np.maximum(levels - peak, -_DYNAMIC_RANGE_DB)
    return np.asarray((relative + half) / half, dtype=np.float32)


@cache
def _transform() -> Float32s:
    """Make the Fourier transform of Hann-windowed frames as a matrix.

    Its columns are the real parts of 161 bins, then the imaginary ones
    [shape=(321, 322)]. 321 has a factor of 107: a fast transform takes twice as long.
    """
    samples = np.arange(FFT_SAMPLES)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * samples / FFT_SAMPLES)
    bins = np.arange(FFT_SAMPLES // 2 + 1)
    phase = 2 * np.pi / FFT_SAMPLES * np.outer(samples, bins)
    parts = np.concatenate([np.cos(phase), np.sin(phase)], axis=1)
    return np.asarray(window[:, np.newaxis] * parts, np.float32)


@cache
def mel_filters() -> npt.NDArray[np.float64]:
    """Make triangular mel filters of equal area [shape=(120, 161)], 0 to 8 kHz.

    Slaney's scale (Auditory Toolbox, 1998): 3 mel per 200 Hz up to 1 kHz, then 27 mel
    per factor of 6.4. librosa computes the same, but its import takes seconds.
    """
    knee_hz = 1000.0
    hz_per_mel = 200 / 3
    log_step = np.log(6.4) / 27
    knee_mel = knee_hz / hz_per_mel
    top_mel = knee_mel + np.log(SPEECH_RATE / 2 / knee_hz) / log_step
    mel = np.linspace(0, top_mel, MELS + 2)
    above_knee = knee_hz * np.exp(log_step * (mel - knee_mel))
    edges = np.where(mel < knee_mel, hz_per_mel * mel, above_knee)[:, np.newaxis]
    low, centre, high = edges[:-2], edges[1:-1], edges[2:]
    bins = np.fft.rfftfreq(FFT_SAMPLES, 1 / SPEECH_RATE)
    rising = (bins - low) / (centre - low)
    falling = (high - bins) / (high - centre)
    triangles = np.maximum(0, np.minimum(rising, falling))
    return np.asarray(triangles * 2 / (high - low))
