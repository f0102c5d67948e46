"""Bounds on processor time that hold on slow machines, too."""

from __future__ import annotations

import time
from collections.abc import Callable

#: Processor seconds that the reference loop takes on a core of 2023.
_REFERENCE_S = 0.02

_ROUNDS = 400_000

#: Seconds of wall after which what is waited for is taken for hung.
PATIENCE_S = 600

_TRIES = 4


def _reference() -> float:
    started = time.process_time()
    total = 0
    for number in range(_ROUNDS):
        total += number
    return time.process_time() - started


def slowness() -> float:
    """Return how many times slower than the reference this core is now, at least 1."""
    return max(1.0, min(_reference() for _ in range(3)) / _REFERENCE_S)


def within(used_s: float, limit_s: float) -> bool:
    """Tell whether a reference core would have used at most so many seconds.

    The core is measured only where the bound is passed, right after the work: cores
    that are shared change their speed from minute to minute.
    """
    return used_s < limit_s or used_s < limit_s * slowness()


def once(is_fast: Callable[[], bool]) -> bool:
    """Tell whether a check of time holds in one of a few tries.

    Other work on the machine adds time and takes none away, so what is fast once is
    fast, and what is quadratic is slow every time.
    """
    return any(is_fast() for _ in range(_TRIES))
