"""Faults that recorders make, simulated on calls: how many the audit of ``turns`` finds.

    python -m benchmarks.faults CALLS [CALLS]...

CALLS are folders of two-channel recordings. The faults are those that users of open recorders
report: lost and repeated packets, one sound on both channels, a channel that breaks off, 8 kHz
in a wider file, clipping, and, where a voice echoes on the other channel, an offset and drift.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import soxr

from extractors.formats import AUDIO_SUFFIXES
from trace_eval.turns.options import TurnsOptions
from trace_eval.turns.report import time_turns

Change = Callable[[Any, int, np.random.Generator], Any]


def _loud(sound: Any, size: int, rng: np.random.Generator) -> tuple[int, int]:
    """(sample, channel) of a loud moment."""
    channel = int(rng.integers(2))
    power = np.convolve(np.square(sound[:, channel]), np.ones(size), "valid")[:: size // 4]
    loud = np.flatnonzero(power > 0.1 * power.max())
    return int(rng.choice(loud)) * (size // 4), channel


def _lost(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    for _ in range(5):
        size = int(rng.choice([10, 20, 40, 60])) * rate // 1000
        at, channel = _loud(sound, size, rng)
        sound[at : at + size, channel] = 0
    return sound


def _repeated(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    for _ in range(5):
        size = int(rng.choice([20, 40, 60])) * rate // 1000
        at, channel = _loud(sound, size, rng)
        if at >= size:
            sound[at : at + size, channel] = sound[at - size : at, channel]
    return sound


def _mixed(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    return np.repeat(sound.mean(axis=1, keepdims=True), 2, axis=1)


def _broken(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    sound[-max(6 * rate, len(sound) // 3) :, int(rng.integers(2))] = 0
    return sound


def _narrow(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    return soxr.resample(soxr.resample(sound, rate, 8_000), 8_000, rate)[: len(sound)]


def _clipped(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    return np.clip(8 * sound / np.abs(sound).max(), -1, 1)


def _offset(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    """The agent's voice leaks at -25 dB; then its channel is written 0.1 s late."""
    late = rate // 10
    sound[:, 0] += 10 ** (-25 / 20) * sound[:, 1]
    sound[late:, 1] = sound[:-late, 1].copy()
    return sound


FAULTS: dict[str, Change] = {
    "none": lambda sound, rate, rng: sound,
    "lost packets": _lost,
    "repeated packets": _repeated,
    "one sound on both channels": _mixed,
    "a channel that breaks off": _broken,
    "no sound above 4 kHz": _narrow,
    "clipping": _clipped,
    "an echo before its voice": _offset,
}


def found_faults(folder: Path, name: str, seed: int) -> Iterator[tuple[str, list[str]]]:
    """(call, names of the faults found) of every call of a folder with one fault."""
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as made:
        for file in sorted(one for one in folder.iterdir() if one.suffix in AUDIO_SUFFIXES):
            sound, rate = soundfile.read(file, always_2d=True)
            if name == "a channel that breaks off" and len(sound) < 20 * rate:
                continue  # too short to break off and be known from silence
            changed = FAULTS[name](sound.copy(), rate, rng)
            soundfile.write(Path(made) / f"{file.stem}.wav", np.clip(changed, -1, 1), rate)
        if not any(Path(made).iterdir()):
            return
        for one in time_turns(made, TurnsOptions(layout="stereo")).conversations:
            faults: Any = one.item.conversation.meta["faults"]
            yield one.item.id, [fault["name"] for fault in faults]


def main() -> int:
    """Print how many of each fault were found; the exit code says whether 95 % were."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("calls", type=Path, nargs="+")
    holds = True
    for folder in parser.parse_args().calls:
        for name in FAULTS:
            if not (found := [*found_faults(folder, name, 1)]):
                continue
            right = sum(not one if name == "none" else name in one for _, one in found)
            share = right / len(found)
            enough = share >= (0.98 if name == "none" else 0.95)
            holds &= enough
            print(f"{folder.name:20} {name:30} {right}/{len(found)}{'' if enough else '  NO'}")
    return int(not holds)


if __name__ == "__main__":
    sys.exit(main())
