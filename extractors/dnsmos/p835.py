"""DNSMOS P.835 (personalised): SIG, BAK and OVRL of 9 s windows.

The network sees log-power spectra of 320 samples every 160. They depend on no other
sample, so windows share all of them; its output is calibrated by published polynomials.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from extractors.audio import Samples
from extractors.dnsmos.windows import (
    FRAME_SAMPLES,
    HOP_FRAMES,
    Hop,
    HopStore,
    Network,
    Piece,
    front,
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


class P835Model(NamedTuple):
    """The model in pieces."""

    spectra: Piece  # frames of samples [shape=(1, frames, 320)] -> [shape=(1, 1, frames, 161)]
    network: Network  # what follows


def load(path: Path) -> P835Model:
    """Read and cut the model file."""
    from extractors.dnsmos.graph import layers_of, split  # imports onnx, 0.3 s
    from extractors.dnsmos.sections import piece, read

    model = read(path)
    framed = next(node.output[0] for node in model.graph.node if node.op_type == "Concat")
    spectra = piece(model, framed, [layers_of(model)[0].source])
    return P835Model(spectra, split(model, HOP_FRAMES))


class P835:
    """Scores windows of one recording, mono at 16 kHz [shape=(n,)], in ascending order.

    ``period``: frames after which it repeats itself; 0: never.
    """

    def __init__(self, model: P835Model, audio: Samples, period: int = 0) -> None:
        self._period = period
        self._spectra, self._network = model
        self._audio = audio
        self._hops: HopStore[Hop] = HopStore()

    def scores(self, windows: Sequence[int]) -> npt.NDArray[np.float64]:
        """SIG, BAK and OVRL [shape=(n, 3)] of windows by number."""
        hops = self._hops.of(windows, self._shared)
        bins = hops[windows[0]][0].shape[-1]
        none = np.empty((len(windows), 0, bins), np.float32)
        raw = raw_scores(self._network, hops, windows, none, none).astype(np.float64)
        return np.column_stack(
            [
                np.polyval(coefficients, column)
                for coefficients, column in zip(CALIBRATION.values(), raw.T, strict=True)
            ]
        )

    def _shared(self, first: int, stop: int) -> list[Hop]:
        margin = self._network.margins[0]
        frames = range(first * HOP_FRAMES - margin, stop * HOP_FRAMES + margin)
        end = (frames.stop - 1) * FRAME_SAMPLES + SPECTRUM_SAMPLES
        samples = stretch(self._audio, frames.start * FRAME_SAMPLES, end)
        framed = np.lib.stride_tricks.sliding_window_view(samples, SPECTRUM_SAMPLES)
        [spectra] = self._spectra(framed[np.newaxis, ::FRAME_SAMPLES])
        return front(self._network, spectra[0, 0], self._period)
