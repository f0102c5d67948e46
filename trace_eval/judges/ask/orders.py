"""In which orders a pair is shown."""

from __future__ import annotations

import hashlib

from trace_eval.data.outcome import Order
from trace_eval.judges.options.judge_options import JudgeOptions


def orders_of(options: JudgeOptions, pair: str) -> tuple[Order, ...]:
    """The orders in which a pair is shown; ``random`` is decided by seed and pair."""
    if options.swap == "both":
        return ("ab", "ba")
    if options.swap == "off":
        return ("ab",)
    coin = hashlib.sha256(f"{options.seed}\x00{pair}".encode("utf-8", "replace")).digest()
    return ("ab",) if coin[0] % 2 == 0 else ("ba",)
