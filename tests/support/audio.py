"""Small recordings for tests."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile

RATE = 16_000


def tone(seconds: float = 0.2, peak: float = 0.5, hz: float = 200.0) -> npt.NDArray[np.float32]:
    """A sine whose largest sample is exactly ``peak``."""
    time = np.arange(round(seconds * RATE)) / RATE
    wave = np.sin(2 * np.pi * hz * time)
    return (peak * wave / np.abs(wave).max()).astype(np.float32)


def write(path: Path, samples: npt.NDArray[np.float32], rate: int = RATE) -> Path:
    """Write a float WAV, so that the samples are read back exactly."""
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, samples, rate, subtype="FLOAT")
    return path
