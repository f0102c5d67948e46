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

#: The likeness moves as well where noise moves by this share of the speech's amplitude,
#: or the upper edge of the band by this share of itself. In decibels faint noise would
#: count as much as loud noise, which moves it more.
_NOISE, _BAND = 0.03, 0.15

#: Fainter noise is written as this, dB under the speech.
_INAUDIBLE_DB = 40.0

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
    noise_before, noise_after = _noise(first, rate), _noise(last, rate)
    if abs(noise_before - noise_after) > _NOISE:
        return (
            f"its noise goes from {_under_speech(noise_before):.0f} to"
            f" {_under_speech(noise_after):.0f} dB under the speech, which moves the"
            " likeness as well"
        )
    edge_before = bandwidth(first, rate) or 0.0
    edge_after = bandwidth(last, rate) or 0.0
    if abs(edge_before - edge_after) > _BAND * max(edge_before, edge_after):
        return (
            f"its band goes from {edge_before / 1000:.1f} to"
            f" {edge_after / 1000:.1f} kHz, which moves the likeness as well"
        )
    return None


def _noise(sound: Samples, rate: int) -> float:
    """Return the amplitude of the quietest frames as a share of the speech's."""
    size = round(_FRAME_S * rate)
    whole = len(sound) // size * size
    frames = sound[:whole].reshape(-1, size)
    power = np.square(frames, dtype=np.float64).mean(axis=1)
    quiet, loud = np.percentile(power, (_QUIET, _LOUD))
    if loud <= 0:
        return 0.0
    return float(np.sqrt(quiet / loud))


def _under_speech(share: float) -> float:
    """Return decibels from a share of the speech's amplitude up to the speech."""
    heard = max(share, 10 ** (-_INAUDIBLE_DB / 20))
    return float(-20 * np.log10(heard))


def _rank_trend(values: npt.NDArray[np.float32]) -> float:
    """Return Spearman's correlation of values with their order; ties hardly occur."""
    ranks = values.argsort().argsort()
    return float(np.corrcoef(ranks, np.arange(len(values)))[0, 1])
