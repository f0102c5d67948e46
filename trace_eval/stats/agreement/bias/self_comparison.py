"""Self-comparisons: two answers of one system, or one recording twice, counted apart.

A winner between two equal recordings is bias and nothing else, and between two answers of
one system it is no evidence about systems: neither may enter a ranking.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.paired import sign_test
from trace_eval.opinions.codes import TIE, Codes, collapse_codes
from trace_eval.show.table import column, p_of


@dataclass(frozen=True)
class SelfComparisons:
    """What the judge said of them; ``p`` is the exact sign test of first against second."""

    pairs: int
    tied: int = field(metadata=column("tie"))
    first: int
    second: int
    p: float = field(metadata=column("sign test p", p_of("pairs")))


def self_mask(facts: Mapping[str, NDArray[Any]], items: int) -> NDArray[np.bool_]:
    """True where system A is system B, or recording A is recording B [shape=(items,)]."""
    mask = np.zeros(items, bool)
    for name in ("system", "clip"):
        a, b = facts.get(f"{name}_a"), facts.get(f"{name}_b")
        if a is not None and b is not None:
            mask |= ((a == b) & (a != None)).astype(bool)  # noqa: E711 - elementwise on objects
    return mask


def self_comparisons(predicted: Codes, mask: NDArray[np.bool_]) -> SelfComparisons:
    """Count the judge's labels on self-comparisons."""
    codes = collapse_codes(predicted[mask])
    first, second = int((codes == 0).sum()), int((codes == 1).sum())
    return SelfComparisons(
        int(mask.sum()), int((codes == TIE).sum()), first, second, sign_test(first, second)
    )
