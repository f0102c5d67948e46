"""Makes a stereo call from the example clips, with its labels: what trace-eval turns can read.

    python examples/make_call.py FOLDER

Writes ``call.wav`` (16 kHz, channel 0 the caller, channel 1 the assistant) and ``turns.csv``, who
spoke when. The caller is greeted and answered, hums, barges in, is interrupted, and at last gets
no answer.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import soundfile
import soxr

RATE = 16_000
CLIPS = Path(__file__).resolve().parent / "clips"

#: Length of the call, seconds.
SECONDS = 48.0

#: (speaker, clip, start, longest): seconds.
PLAN = (
    ("agent", "loud-a.ogg", 0.8, 2.0),
    ("user", "noise-a.ogg", 4.0, 3.0),
    ("agent", "loud-a.ogg", 8.6, 6.0),
    ("user", "noise-a.ogg", 11.5, 0.6),
    ("user", "noise-a.ogg", 16.0, 3.0),
    ("agent", "narrow-band-a.ogg", 20.0, 5.0),
    ("user", "noise-a.ogg", 23.2, 4.0),
    ("agent", "loud-a.ogg", 29.0, 3.0),
    ("user", "noise-a.ogg", 33.5, 4.0),
    ("agent", "loud-a.ogg", 36.4, 3.0),
    ("user", "noise-a.ogg", 41.0, 2.0),
)


def spoken(name: str, longest: float) -> np.ndarray:
    """The first words of a clip: from its first loud moment, no pause of 0.25 s in it."""
    samples, rate = soundfile.read(CLIPS / name, dtype="float32", always_2d=True)
    speech = soxr.resample(samples.mean(axis=1), rate, RATE)
    loud = np.flatnonzero(np.abs(speech) > 0.03 * np.abs(speech).max())
    loud = loud[loud < loud[0] + longest * RATE]
    part = speech[loud[0] : loud[-1] + 1]
    return 0.5 * part / np.abs(part).max()


def main() -> None:
    """Write the call and its tables."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("call")
    folder.mkdir(parents=True, exist_ok=True)
    sound = 0.0005 * np.random.default_rng(1).standard_normal((int(SECONDS * RATE), 2))
    rows = ["speaker,start,end"]
    for speaker, name, start, longest in PLAN:
        part, first = spoken(name, longest), int(start * RATE)
        sound[first : first + len(part), int(speaker == "agent")] += part
        rows.append(f"{speaker},{start:.3f},{start + len(part) / RATE:.3f}")
    soundfile.write(folder / "call.wav", sound.clip(-1, 1), RATE, subtype="PCM_16")
    (folder / "turns.csv").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
