"""Commands in their own processes, killed or run in hostile surroundings."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from tests.support import forked
from tests.support.audio import RATE, write
from tests.support.calls import manifest


class Done(forked.Done):
    """The outcome of a command; a code under 0 is the signal that ended it."""

    @property
    def clean(self) -> bool:
        """Ended with a code of ours, and without a traceback."""
        return (
            self.code in (0, 1, 2, 3, 130, 141)
            and "Traceback" not in self.out + self.err
        )


def run(
    line: Sequence[str],
    cwd: Path,
    kill_after: float | None = None,
    variables: Mapping[str, str] | None = None,
) -> Done:
    """Run a command without a terminal, and kill its whole group after some seconds."""
    process = subprocess.Popen(
        line,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**forked.environment(), **(variables or {})},
        start_new_session=True,
    )
    try:
        out, err = process.communicate(
            timeout=600 if kill_after is None else kill_after
        )
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
    return Done(
        process.returncode, *(text.decode("utf-8", "replace") for text in (out, err))
    )


def make_pairs(folder: Path, pairs: int, seed: int) -> Path:
    """Write a manifest of short noises, one pair each, and one of singles."""
    folder.mkdir(parents=True, exist_ok=True)
    noise = np.random.default_rng(seed)
    rows, singles = [], []
    for number in range(pairs):
        for side in "ab":
            samples = noise.normal(0, 0.05, RATE // 2).astype(np.float32)
            write(folder / f"{number}{side}.wav", samples)
        row = {"id": f"p{number}", "instruction": {"text": f"Say {number}."}}
        rows.append({**row, "a": f"{number}a.wav", "b": f"{number}b.wav"})
        answer = {"text": f"the answer is {number}"}
        singles.append({**row, "answer": answer, "reference": f"{number}"})
    manifest(folder, singles, "singles.jsonl")
    return manifest(folder, rows, "pairs.jsonl")
