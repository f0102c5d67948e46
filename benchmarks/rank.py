"""What `rank --cluster --labels` takes for a million judgements of 13 systems, all labelled.

Run: python -m benchmarks.rank [--items 1000000]
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import save, table
from fusion import RATINGS

ITEMS = 1_000_000

SYSTEMS = 13

#: Pairs per instruction.
PER_INSTRUCTION = 10


def write_files(folder: Path, items: int) -> tuple[Path, Path]:
    """Judgements and labels: systems of different strength, 15 % ties, a judge that is right in
    70 % of the pairs and guesses in the others."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, SYSTEMS, items)
    b = (a + rng.integers(1, SYSTEMS, items)) % SYSTEMS
    strength = np.linspace(-1, 1, SYSTEMS)
    wins = rng.random(items) < 1 / (1 + np.exp(strength[b] - strength[a]))
    ties = rng.random(items) < 0.15
    truth = np.where(ties, rng.integers(2, 4, items), np.where(wins, 0, 1))
    said = np.where(rng.random(items) < 0.7, truth, rng.integers(0, 4, items))
    paths = folder / "judge.csv", folder / "labels.csv"
    for path, codes in zip(paths, (said, truth), strict=True):
        _write(path, a, b, codes)
    return paths


def _write(path: Path, *columns: NDArray[np.int64]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write("id,instruction_id,system_a,system_b,overall\n")
        for row, (a, b, code) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
            file.write(f"p{row},i{row // PER_INSTRUCTION},s{a:02},s{b:02},{RATINGS[code]}\n")


def main() -> None:
    """Write the files, type the command, print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=ITEMS)
    items = parser.parse_args().items
    with tempfile.TemporaryDirectory() as folder:
        judged, labels = write_files(Path(folder), items)
        command = [sys.executable, "-m", "trace_eval", "rank", judged, "--cluster"]
        started = time.perf_counter()
        subprocess.run(
            [*map(str, command), "--labels", str(labels)], check=True, stdout=subprocess.DEVNULL
        )
        seconds = time.perf_counter() - started
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    results = {
        "judgements": items,
        "labels": items,
        "systems": SYSTEMS,
        "instructions": -(-items // PER_INSTRUCTION),
        "wall, s": round(seconds, 1),
        "CPU, s": round(used.ru_utime + used.ru_stime, 1),
        "peak GiB": round(used.ru_maxrss / 2**20, 2),
    }
    table("rank --cluster --labels", ["what", "value"], [[k, str(v)] for k, v in results.items()])
    if items == ITEMS:
        save("rank", results)


if __name__ == "__main__":
    main()
