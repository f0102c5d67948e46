"""The parts of the drill, apart from ``__main__``.

New processes do not import ``__main__``.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from benchmarks.drill import faults, guided, kills, mutate, odd, sounds, surroundings
from benchmarks.drill.outcome import Outcome

#: Part -> how it is run with a share of its full size and a seed; the longest first.
PARTS: dict[str, Callable[[float, int], Outcome]] = {
    "kills": lambda share, seed: kills.drill(
        max(len(kills.KINDS), round(50 * share)), seed
    ),
    "inputs": lambda share, seed: mutate.drill(round(100_000 * share), seed),
    "guided": lambda share, seed: guided.drill(round(50_000 * share), seed),
    "surroundings": lambda share, seed: surroundings.drill(seed),
    "odd": lambda share, seed: odd.drill(share, seed),
    "sounds": lambda share, seed: sounds.drill(),
    "faults": lambda share, seed: faults.drill(round(10_000 * share), seed),
}


def run_part(name: str, share: float, seed: int) -> Outcome:
    """Run one part, and count its crash as a loss, not as the end of all."""
    started = time.monotonic()
    try:
        outcome = PARTS[name](share, seed)
    except Exception as error:
        outcome = Outcome(name)
        outcome.check(False, f"{name}: ended by {type(error).__name__}: {error}")
    outcome.seconds = time.monotonic() - started
    return outcome
