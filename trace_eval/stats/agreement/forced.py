"""Accuracy where raters name a winner, reported with every choice that was made.

Published figures on such benchmarks often leave out replies that could not be read, and do
not say what became of the judge's ties. Here all three ways to count a tie stand side by
side, over all items (an unscored one is wrong) and over the scored ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from trace_eval.opinions.codes import MISSING, TIE, Codes, collapse_codes
from trace_eval.show.table import column


@dataclass(frozen=True)
class Forced:
    """A judge against winners; shares from 0 to 1, None where nothing is left to count.

    Attributes:
        group: subset of the items.
        items: items whose truth is a winner.
        scored: those that the judge scored, ``ties`` where it said tie.
        accuracy: right over all items: a tie and an unscored item are wrong.
        accuracy_scored: right over the scored items: a tie is wrong.
        tie_half: over the scored items, a tie is half right.
        ties_out: over the scored items on which the judge names a winner.
    """

    judge: str
    dimension: str
    group: str = field(metadata=column("items of"))
    items: int
    scored: int
    ties: int
    coverage: float
    accuracy: float = field(metadata=column("all, unscored and ties wrong"))
    accuracy_scored: float | None = field(metadata=column("scored, ties wrong"))
    tie_half: float | None = field(metadata=column("ties half"))
    ties_out: float | None


def forced(
    judge: str,
    dimension: str,
    truth: Codes,
    predicted: Codes,
    groups: Mapping[str, NDArray[np.bool_]],
) -> list[Forced]:
    """One row per group that has an item with a winner."""
    truth, predicted = collapse_codes(truth), collapse_codes(predicted)
    winner = (truth != MISSING) & (truth < TIE)
    rows = []
    for name, mask in groups.items():
        chosen = winner & mask
        items = int(chosen.sum())
        if items:
            said = predicted[chosen]
            scored, ties = int((said != MISSING).sum()), int((said == TIE).sum())
            right = int((said == truth[chosen]).sum())
            rows.append(
                Forced(
                    judge,
                    dimension,
                    name,
                    items,
                    scored,
                    ties,
                    scored / items,
                    right / items,
                    right / scored if scored else None,
                    (right + ties / 2) / scored if scored else None,
                    right / (scored - ties) if scored > ties else None,
                )
            )
    return rows
