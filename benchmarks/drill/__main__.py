"""Everything that is tried to break trace-eval, at full size; writes its table of docs/results.

    python -m benchmarks.drill [PART ...] [--seed N] [--share S]

Each part leaves benchmarks/results/drill_PART.json, of which the table is made; ``--share``
below 1 tries less of each. Two parts run at once, one of which waits while the other computes.
A part with fixed seeds runs with the tests (tests/drill).
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import multiprocessing
import platform
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from benchmarks.drill.outcome import Outcome
from benchmarks.drill.parts import PARTS, run_part

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs" / "results" / "measurements.md"
RESULTS = ROOT / "benchmarks" / "results"

#: The table stands between these lines.
BEGIN, END = "<!-- drill -->", "<!-- /drill -->"

#: Parts at once.
LANES = 2


def main() -> int:
    """Run parts; the exit code is 1 where anything was lost."""
    options = argparse.ArgumentParser()
    options.add_argument("parts", nargs="*", choices=[[], *PARTS], default=[])
    options.add_argument("--seed", type=int, default=15)
    options.add_argument("--share", type=float, default=1.0)
    provided = options.parse_args()
    print(f"seed {provided.seed}", flush=True)
    started = time.monotonic()
    lost = False
    with ProcessPoolExecutor(LANES, multiprocessing.get_context("spawn")) as lanes:
        parts = {
            lanes.submit(run_part, name, provided.share, provided.seed): name
            for name in provided.parts or PARTS
        }
        for done in as_completed(parts):
            outcome = done.result()
            print(outcome.row(), *outcome.lost, sep="\n  lost: ", flush=True)
            lost = lost or bool(outcome.lost)
            record = {"seed": provided.seed, **dataclasses.asdict(outcome)}
            text = json.dumps(record, indent=2, ensure_ascii=False)
            (RESULTS / f"drill_{parts[done]}.json").write_text(text + "\n", encoding="utf-8")
    print(f"{time.monotonic() - started:.0f} s in all", flush=True)
    write_table()
    return int(lost)


def write_table() -> None:
    """Put what the parts left into the page."""
    lines = ["| tried | cases | lost | of which | s |", "| --- | --- | --- | --- | --- |"]
    seeds = set()
    for name in PARTS:
        path = RESULTS / f"drill_{name}.json"
        if path.exists():
            record = json.loads(path.read_text(encoding="utf-8"))
            seeds.add(record.pop("seed"))
            lines.append(Outcome(**record).row())
    version, machine = platform.python_version(), platform.machine()
    lines.append(f"\nSeed {', '.join(map(str, seeds))}; Python {version}, {machine}.")
    before, rest = DOCS.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    table = "\n".join(lines)
    DOCS.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
