"""Makes two stereo calls from the example clips, with their labels.

    python examples/make_call.py FOLDER

Writes ``call.wav`` and ``better.wav`` (16 kHz, channel 0 the caller, channel 1 the
assistant) and ``turns.csv``, who spoke when in both. In the first the caller is greeted
and answered, hums, barges in, waits, is interrupted, and at last gets no answer; in the
second nothing goes wrong.
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

#: Call -> (speaker, clip, start, longest), seconds.
PLANS = {
    "call": (
        ("agent", "loud-a.ogg", 0.8, 2.0),
        ("user", "noise-a.ogg", 4.0, 3.0),
        ("agent", "loud-a.ogg", 8.6, 6.0),
        ("user", "noise-a.ogg", 11.5, 0.6),
        ("user", "noise-a.ogg", 16.0, 3.0),
        ("agent", "narrow-band-a.ogg", 20.0, 5.0),
        ("user", "noise-a.ogg", 23.2, 4.0),
        ("agent", "loud-a.ogg", 31.0, 1.9),
        ("user", "noise-a.ogg", 33.5, 4.0),
        ("agent", "slow-a.ogg", 36.4, 3.0),
        ("user", "noise-a.ogg", 41.0, 2.0),
    ),
    "better": (
        ("agent", "loud-a.ogg", 0.8, 2.0),
        ("user", "noise-a.ogg", 4.0, 3.0),
        ("agent", "loud-a.ogg", 7.6, 6.0),
        ("user", "noise-a.ogg", 10.5, 0.6),
        ("user", "noise-a.ogg", 15.0, 3.0),
        ("agent", "narrow-band-a.ogg", 18.8, 5.0),
        ("user", "noise-a.ogg", 22.0, 4.0),
        ("agent", "slow-a.ogg", 26.7, 5.0),
        ("user", "noise-a.ogg", 34.0, 2.0),
        ("agent", "rising-pitch-a.ogg", 36.8, 5.0),
    ),
}


def spoken(name: str, longest: float) -> np.ndarray:
    """Cut a clip's first words from its first loud moment on, without a pause.

    No quiet of 0.25 s lies within them.
    """
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
    rows = ["conversation,speaker,start,end"]
    for name, plan in PLANS.items():
        sound = 0.0005 * np.random.default_rng(1).standard_normal(
            (int(SECONDS * RATE), 2)
        )
        for speaker, clip, start, longest in plan:
            part, first = spoken(clip, longest), int(start * RATE)
            sound[first : first + len(part), int(speaker == "agent")] += part
            rows.append(f"{name},{speaker},{start:.3f},{start + len(part) / RATE:.3f}")
        soundfile.write(
            folder / f"{name}.wav", sound.clip(-1, 1), RATE, subtype="PCM_16"
        )
    (folder / "turns.csv").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
