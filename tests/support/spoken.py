"""Speech of a given length, from an example clip."""

from __future__ import annotations

import numpy as np

from extractors.audio import SPEECH_RATE, decode
from tests.support.cli import ROOT


def voice(seconds: float) -> np.ndarray:
    """Speech that lasts so long, between digital silence, at 16 kHz."""
    speech = decode(ROOT / "examples" / "clips" / "loud-a.ogg").speech
    loud = np.flatnonzero(np.abs(speech) > 0.05)
    part = speech[loud[0] :][: round(seconds * SPEECH_RATE)]
    return 0.5 * part / np.abs(part).max()
