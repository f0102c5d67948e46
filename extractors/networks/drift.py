"""Whether a voice drifts over a long recording, as synthesisers do over a call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from extractors.audio import Samples
from extractors.networks.campplus import Vectors
from extractors.signal import bandwidth

#: A voice is followed over pieces of so much speech, seconds; fewer pieces say nothing.
PIECE_S, LEAST_PIECES = 3.0, 12

#: A voice drifts where its likeness to the first quarter falls in rank and by so much.
#: Of one voice both happen together in no clip of :mod:`benchmarks.voices`.
TREND, DROP = -0.46, 0.067

#: Noise, or the upper edge of the band, that moves by so much moves the likeness as
#: well, dB and share. Noise this far under the speech is not heard.
_NOISE_DB, _BAND, _INAUDIBLE_DB = 6.0, 0.15, 40.0

_FRAME_S = 0.032

#: Percentiles of the level of frames that are noise and speech.
_QUIET, _LOUD = 5, 90


class Drift(NamedTuple):
    """How the voice of later pieces is like that of the first quarter."""

    pieces: int
    trend: float  # rank correlation of likeness and time
    drop: float  # mean likeness of the second quarter less that of the last

    @property
    def drifts(self) -> bool:
        """Whether the voice moves away from where it began."""
        return self.trend < TREND and self.drop > DROP


def drift_of(vectors: Vectors) -> Drift | None:
    """Return the drift of a voice; None where there are too few pieces.

    Args:
        vectors: directions of pieces in order of time [shape=(pieces, 192)].
    """
    pieces = len(vectors)
    if pieces < LEAST_PIECES:
        return None
    quarter = pieces // 4
    first = vectors[:quarter].mean(axis=0)
    likeness = vectors[quarter:] @ first / np.linalg.norm(first)
    drop = likeness[:quarter].mean() - likeness[-quarter:].mean()
    return Drift(pieces=pieces, trend=_rank_trend(likeness), drop=float(drop))


def what_else_moves(sound: Samples, rate: int) -> str | None:
    """Return what moves in a recording beside the voice, so that no drift is known.

    Args:
        sound: mono, pauses included.
    """
    size = len(sound) // 4
    first, last = sound[:size], sound[-size:]
    noises = [_noise(part, rate) for part in (first, last)]
    if abs(noises[0] - noises[1]) > _NOISE_DB:
        return (
            f"its noise goes from {noises[0]:.0f} to {noises[1]:.0f} dB under the"
            " speech, which moves the likeness as well"
        )
    edges = [bandwidth(part, rate) or 0.0 for part in (first, last)]
    if abs(edges[0] - edges[1]) > _BAND * max(edges):
        return (
            f"its band goes from {edges[0] / 1000:.1f} to {edges[1] / 1000:.1f} kHz,"
            " which moves the likeness as well"
        )
    return None


def _noise(sound: Samples, rate: int) -> float:
    """Return how far under the speech the quietest frames lie, dB, as far as heard."""
    size = round(_FRAME_S * rate)
    frames = sound[: len(sound) // size * size].reshape(-1, size)
    power = np.square(frames, dtype=np.float64).mean(axis=1)
    quiet, loud = np.percentile(power, (_QUIET, _LOUD))
    floor = loud * 10 ** (-_INAUDIBLE_DB / 10)
    return float(10 * np.log10(loud / max(quiet, floor))) if loud > 0 else 0.0


def _rank_trend(values: npt.NDArray[np.float32]) -> float:
    """Return Spearman's correlation of values with their order; ties hardly occur."""
    ranks = values.argsort().argsort()
    return float(np.corrcoef(ranks, np.arange(len(values)))[0, 1])
