"""Whisper through windows that are as long as what is in them.

Whisper's encoder takes 30 s at a time, and what is shorter is padded: a prompt of 8 s costs as
much as one of 30. Here the padding is cut to a margin behind the speech, which the model needs to
find the end.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import numpy.typing as npt
from faster_whisper import WhisperModel

from extractors.window_checks import MARGIN_S, MIN_WINDOW_S


class ShortWindows(WhisperModel):  # type: ignore[misc]  # the library has no types
    """A ``WhisperModel`` whose windows are cut, see :func:`cut`."""

    def encode(self, features: npt.NDArray[np.float32]) -> Any:
        """Features [shape=(bands, frames)] of one window to the encoder's output."""
        return super().encode(cut(features, self.frames_per_second))


def shortened(model: WhisperModel) -> ShortWindows:
    """The same loaded model with short windows; nothing is loaded twice."""
    short = copy.copy(model)
    short.__class__ = ShortWindows
    return short  # type: ignore[no-any-return]


def cut(features: npt.NDArray[np.float32], frames_per_s: int) -> npt.NDArray[np.float32]:
    """A window without most of its padding, in whole seconds, and what is left of it made silent.

    The library pads with 0, which to the model is a loud hiss; OpenAI's own code pads with silence,
    the lowest energy that a clip can have. In a whole window it makes no difference, in a short one
    words get lost beside it.

    Args:
        features: log-mel energies [shape=(bands, frames)]; padding is exactly 0 in all bands.
        frames_per_s: 100 for Whisper.
    """
    used = np.flatnonzero(features.any(axis=0))
    recognised = int(used[-1]) + 1 if len(used) else 0
    window_s = max(MIN_WINDOW_S, np.ceil(recognised / frames_per_s + MARGIN_S))
    short = np.ascontiguousarray(features[:, : int(window_s) * frames_per_s])
    if recognised:
        short[:, recognised:] = features[:, :recognised].min()
    return short
