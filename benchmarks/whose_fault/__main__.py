"""Calls that fail in known ways, and whom ``turns`` blames.

    python -m benchmarks.whose_fault [--number 10] [--seed 0] [--save]

Each call is written as a record folder of EVA: a recording of each side, rendered of
example clips, an event log whose times are up to half a second off, what the agent's
recogniser wrote, and the reason of the end. One thing goes wrong in it; whose fault
that is, is known. In calls of a third dialogue the caller's text and the recogniser's
have different scripts.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.report import arguments, save, table
from benchmarks.whose_fault.calls import planned, write
from benchmarks.whose_fault.kinds import KINDS, WHOSE
from trace_eval.turns.report import time_turns


def main() -> None:
    """Write the calls, name whose fault each was, and print both tables."""
    args = arguments(
        __doc__,
        number=(10, "calls of each kind"),
        seed=(0, "of lengths, gaps and words that are drawn"),
        save=False,
    )
    named: dict[str, Counter[str]] = {}
    for kind in KINDS:
        named[kind] = Counter(
            blamed(kind, args.seed, number) for number in range(args.number)
        )
        print(kind, dict(named[kind]), file=sys.stderr, flush=True)
    each = [[KINDS[kind].whose, kind, *_counts(named[kind])] for kind in KINDS]
    header = ["whose", "what goes wrong", *WHOSE]
    table(f"{args.number} calls of each kind", header, each)
    whole = confusion(named)
    table("true against named", ["true", *WHOSE], whole)
    print(
        f"\n{right(named)} of {args.number * len(KINDS)} calls have the name that"
        " they should"
    )
    if args.save:
        about = {"number": args.number, "seed": args.seed, "columns": header}
        save("whose_fault", {**about, "kinds": each, "confusion": whole})


def blamed(kind: str, seed: int, number: int) -> str:
    """Return whom the product blames for a call of a kind, or ``nobody``."""
    rng = np.random.default_rng([seed, number, [*KINDS].index(kind)])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "record"
        write(folder, KINDS[kind].change(planned(rng, seed + number), rng), rng)
        (timed,) = time_turns(folder).conversations
    return timed.fault.whose if timed.fault else "nobody"


def confusion(named: dict[str, Counter[str]]) -> list[list[object]]:
    """Return a row for each true name: how many calls of it have each name."""
    rows: list[list[object]] = []
    for true in WHOSE:
        counts = sum(
            (named[k] for k in KINDS if KINDS[k].whose == true), Counter[str]()
        )
        rows.append([true, *_counts(counts)])
    return rows


def right(named: dict[str, Counter[str]]) -> int:
    """Count the calls whose name is the true one."""
    return sum(counts[KINDS[kind].whose] for kind, counts in named.items())


def _counts(counts: Counter[str]) -> Sequence[int]:
    return [counts[name] for name in WHOSE]


if __name__ == "__main__":
    main()
