"""Comparisons that a judge decided by place: exchange the answers, and it contradicts itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blueprints import counted
from trace_eval.opinions.codes import MISSING
from trace_eval.opinions.opinions import Opinions
from trace_eval.runs.first_position import ALPHA
from trace_eval.stats.agreement.bias.position import position_bias
from trace_eval.stats.agreement.mirrored import mirrored_rows


@dataclass(frozen=True)
class Contradicted:
    """What a judge that answers by position says by position.

    Attributes:
        rows: those comparisons [shape=(n,)].
        why: how it was found out, a clause.
    """

    rows: NDArray[np.bool_]
    why: str

    @property
    def text(self) -> str:
        """How many are left out, and why."""
        of = f"of {counted(len(self.rows), 'comparison')}"
        return (
            f"{counted(int(self.rows.sum()), f'{of} is', f'{of} are')} left out: {self.why}, and"
            " its two orders contradict each other there; --keep-inconsistent keeps them"
        )


def contradicted(source: Opinions, table: Opinions, column: str) -> Contradicted | None:
    """Contradictions of a judge that answers by position; None of any other judge.

    Of a run it is the test of its own two orders, and a label rests on every dimension that it
    is fused from; of a file it is the rows that show the same two answers in both orders. A
    judge that contradicts itself without preferring a place is noisy, and noise is no bias.

    Args:
        source: where the table comes from.
        table: one judge, one row per comparison.
        column: the labels that are ranked.
    """
    codes = table.codes[column]
    details = table.facts.get(f"consistent_{column}", table.facts.get("consistent"))
    if details is not None and any(warning.check == "place" for warning in source.warnings):
        rows = (details == 0) & (codes != MISSING)
        why = "this judge answers by position, not by content"
    else:
        joined = mirrored_rows(table.facts)
        one, other = codes[joined.T]
        test = position_bias(one, other)
        if test.p >= ALPHA:
            return None
        rows = np.zeros(len(table), bool)
        rows[joined[(one == other) & ((one == 0) | (one == 1))]] = True
        first = test.first > test.second
        why = (
            f"this judge answers by position, not by content ({'first' if first else 'second'}"
            f" wins in both orders of {test.first if first else test.second} of"
            f" {counted(test.pairs, 'pair')}, p = {test.p:.2g})"
        )
    return Contradicted(rows, why) if rows.any() else None
