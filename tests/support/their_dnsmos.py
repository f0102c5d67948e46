"""The reference of DNSMOS, and librosa, with which it computes features."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from extractors.audio import SPEECH_RATE
from extractors.kept import alone
from extractors.models import cache_folder


@cache
def librosa_compiled() -> Any:
    """Import librosa and compile what features need, one process at a time.

    It takes half a minute where no process has done it; see :mod:`extractors.pitch`.
    """
    librosa = pytest.importorskip("librosa")
    hum = np.ones(SPEECH_RATE, np.float32)
    with alone(cache_folder(), "librosa"):
        power = librosa.feature.melspectrogram(y=hum, sr=SPEECH_RATE)
        librosa.power_to_db(power)
    return librosa


def their_dnsmos() -> Any:
    """Import the reference, and what it would compile."""
    reference = pytest.importorskip("speechmos.dnsmos")
    librosa_compiled()
    return reference
