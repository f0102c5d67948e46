"""Makes the spoken labels of ``trace_eval/judges/views/sound/spoken`` by flite.

    python examples/make_signals.py

Needs the program ``flite`` (apt-get install flite). Each label is spoken by the voice
slt, trimmed to its speech, shortened where it is longer than 0.7 s, brought to one peak
level and written as 24 kHz mono FLAC.
"""

from __future__ import annotations

import subprocess
from io import BytesIO
from pathlib import Path

import numpy as np
import soundfile
import soxr

from trace_eval.judges.views.sound.signals import SIGNAL_RATE, SPOKEN, WORDS

#: Longest label, seconds.
LONGEST_S = 0.7

#: Samples this far below the peak are not speech.
EDGE_DB = -40.0

#: Peak of every label, linear.
PEAK = 0.5


def speak(words: str, stretch: float) -> tuple[np.ndarray, int]:
    """Speech of some words; ``stretch`` below 1 is faster."""
    command = [
        "flite",
        "-voice",
        "slt",
        "--setf",
        f"duration_stretch={stretch}",
        "-t",
        f"{words}.",
    ]
    wav = subprocess.run(
        [*command, "-o", "/dev/stdout"], capture_output=True, check=True
    ).stdout
    samples, rate = soundfile.read(BytesIO(wav), dtype="float32")
    return samples, rate


def trim(samples: np.ndarray) -> np.ndarray:
    """Without the silence at both ends."""
    loud = np.flatnonzero(
        np.abs(samples) > np.abs(samples).max() * 10 ** (EDGE_DB / 20)
    )
    return samples[loud[0] : loud[-1] + 1]


def label(words: str) -> np.ndarray:
    """Return the slowest rendition that is no longer than :data:`LONGEST_S`."""
    for stretch in np.arange(0.9, 0.3, -0.05):
        samples, rate = speak(words, round(float(stretch), 2))
        made = soxr.resample(trim(samples), rate, SIGNAL_RATE, quality="VHQ")
        if len(made) <= LONGEST_S * SIGNAL_RATE:
            return made * (PEAK / np.abs(made).max())
    raise SystemExit(f"{words!r} cannot be said in {LONGEST_S} s")


def main() -> None:
    """Write all labels."""
    SPOKEN.mkdir(exist_ok=True)
    for name, words in WORDS.items():
        path: Path = SPOKEN / f"{name}.flac"
        soundfile.write(path, label(words), SIGNAL_RATE, subtype="PCM_16")


if __name__ == "__main__":
    main()
