"""Everything that is tried to break trace-eval, at full size.

    python -m benchmarks.drill [PART ...] [--seed N] [--share S]

Each part leaves benchmarks/results/drill_PART.json, of which ``python -m
benchmarks.readme`` makes the table; ``--share`` below 1 tries less of each. Two parts
run at once, one of which waits while the other computes. A part with fixed seeds runs
with the tests (tests/drill).
"""

from __future__ import annotations

import dataclasses
import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed

from benchmarks.drill.parts import PARTS, run_part
from benchmarks.report import options_of, save

#: Parts at once.
LANES = 2


def main() -> int:
    """Run parts; the exit code is 1 where anything was lost."""
    options = options_of(__doc__)
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
            print(
                " | ".join(outcome.row()), *outcome.lost, sep="\n  lost: ", flush=True
            )
            lost = lost or bool(outcome.lost)
            save(
                f"drill_{parts[done]}",
                {"seed": provided.seed, **dataclasses.asdict(outcome)},
            )
    print(f"{time.monotonic() - started:.0f} s in all", flush=True)
    return int(lost)


if __name__ == "__main__":
    sys.exit(main())
