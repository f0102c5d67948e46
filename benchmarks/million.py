"""What ``agree`` and ``rank`` take for a million rows, typed as a user types them.

    python -m benchmarks.million [--items 1000000]

Three commands over CSV files, each in a process of its own: ``agree`` of verdicts with
labels, ``rank --cluster --labels`` of 13 systems with a label for every pair, and
``agree`` of scores with three ratings of each answer. All resample 10,000 times, as
they do by default.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow
from pyarrow import csv

from benchmarks.report import arguments, command, save, table_of
from fusion import DIMENSIONS, RATINGS

ITEMS = 1_000_000

#: Items of one instruction or question.
PER_INSTRUCTION = 10

SYSTEMS = 13

#: Runs a command from a small process, whose own peak of memory its child does not
#: inherit.
_MEASURED = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({
    "wall, s": round(time.perf_counter() - start, 1),
    "CPU, s": round(used.ru_utime + used.ru_stime, 1),
    "peak GiB": round(used.ru_maxrss / 2**20, 2),
}))
"""


def write(folder: Path, items: int) -> dict[str, list[Path]]:
    """Write the judge's file and the file of labels to agree and to rank."""
    rng = np.random.default_rng(0)
    rows = np.arange(items)
    ids = [f"p{row}" for row in rows]
    facts = {
        "id": ids,
        "instruction_id": [f"i{row // PER_INSTRUCTION}" for row in rows],
    }
    names = np.array(RATINGS)

    def files(
        name: str, judged: dict[str, object], labels: dict[str, object]
    ) -> list[Path]:
        paths = [folder / f"{name}-judge.csv", folder / f"{name}-labels.csv"]
        for path, columns in zip(paths, (judged, labels), strict=True):
            csv.write_csv(pyarrow.table(columns), path)
        return paths

    truth = rng.choice(4, size=(4, items), p=[0.3, 0.3, 0.15, 0.25])
    said = np.where(
        rng.random(truth.shape) < 0.6, truth, rng.integers(0, 4, truth.shape)
    )
    columns = (*DIMENSIONS, "overall")
    agree = [
        facts | dict(zip(columns, names[codes], strict=True)) for codes in (said, truth)
    ]  # about 70 % of the cells agree

    a = rng.integers(0, SYSTEMS, items)
    b = (a + rng.integers(1, SYSTEMS, items)) % SYSTEMS
    strength = np.linspace(-1, 1, SYSTEMS)
    wins = rng.random(items) < 1 / (1 + np.exp(strength[b] - strength[a]))
    ties = rng.random(items) < 0.15
    won = np.where(ties, rng.integers(2, 4, items), np.where(wins, 0, 1))
    judged = np.where(rng.random(items) < 0.7, won, rng.integers(0, 4, items))
    systems = np.array([f"s{number:02}" for number in range(SYSTEMS)])
    sides = facts | {"system_a": systems[a], "system_b": systems[b]}
    rank = [sides | {"overall": names[codes]} for codes in (judged, won)]

    easy = rng.normal(0, 0.2, rows[-1] // PER_INSTRUCTION + 1)[rows // PER_INSTRUCTION]
    level = np.clip(rng.beta(0.5, 0.6, items) + easy, 0, 1)
    seen = np.clip(level + rng.normal(0, 0.15, (3, items)), 0, 1)
    score = 1 + 4 * np.clip(level + rng.normal(0, 0.2, items), 0, 1)
    scores = [
        facts | {"system": systems[a], "score": score.round(4)},
        {
            "id": ids * 3,
            "rater": np.repeat(list("xyz"), items),
            "score": 1 + (4 * seen).round().ravel(),
        },
    ]
    return {
        "agree": files("agree", *agree),
        "rank --cluster": files("rank", *rank),
        "agree, scores": files("scores", *scores),
    }


def main() -> None:
    """Write the files, type the commands, print and save what they took."""
    items = arguments(__doc__, items=ITEMS).items
    results: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for what, (judged, labels) in write(Path(folder), items).items():
            name, *options = what.partition(",")[0].split()
            typed = command(name, judged, "--labels", labels, *options)
            measured = [sys.executable, "-c", _MEASURED, *typed]
            done = subprocess.run(measured, check=True, capture_output=True, text=True)
            results[what] = json.loads(done.stdout)
    table_of(f"{items:,} rows", "command", results)
    if items == ITEMS:
        save("million", results)


if __name__ == "__main__":
    main()
