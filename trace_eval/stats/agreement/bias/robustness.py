"""The effect of noise on one answer on verdicts, beside the effect of a mere repetition.

A judge that is asked again changes its mind as well: the effect of the noise is what is left
beyond that. All shares are of pairs that every run scored, by what the noise fell on: the
winner of the run without noise, its loser, or one side of a tie.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from trace_eval.opinions.codes import MISSING, TIE, Codes, collapse_codes
from trace_eval.show.table import column

#: What the noise can fall on.
FELL_ON = ("winner", "loser", "tie")


@dataclass(frozen=True)
class Robustness:
    """Unchanged verdicts where the noise fell on one kind of answer.

    Attributes:
        fell_on: ``winner``, ``loser`` or ``tie`` of the run without noise.
        items: such pairs.
        repeat: share unchanged in a repetition without noise; None: there is none.
        noisy: share unchanged under noise.
    """

    fell_on: str
    items: int = field(metadata=column("pairs"))
    repeat: float | None = field(metadata=column("repeat without noise"))
    noisy: float | None = field(metadata=column("with noise"))

    @property
    def net(self) -> float | None:
        """What the noise adds to a repetition's changes."""
        if self.repeat is None or self.noisy is None:
            return None
        return self.repeat - self.noisy


def robustness(
    base: Codes, repeat: Codes | None, noisy: Codes, side: NDArray[np.int64]
) -> list[Robustness]:
    """Compare a run with noise to one without, and to a repetition of that.

    Args:
        base: labels without noise [shape=(n,)].
        repeat: labels of a second run without noise; None: there is none.
        noisy: labels with noise on one answer.
        side: which answer, 0 (A) or 1 (B) [shape=(n,)].
    """
    available = (base != MISSING) & (noisy != MISSING)
    if repeat is not None:
        available &= repeat != MISSING
    first, second = collapse_codes(base[available]), collapse_codes(noisy[available])
    again = None if repeat is None else collapse_codes(repeat[available])
    on = side[available]
    groups = ((first != TIE) & (first == on), (first != TIE) & (first != on), first == TIE)
    return [
        Robustness(name, int(rows.sum()), _same(first, again, rows), _same(first, second, rows))
        for name, rows in zip(FELL_ON, groups, strict=True)
    ]


def _same(one: Codes, other: Codes | None, rows: NDArray[np.bool_]) -> float | None:
    if other is None or not rows.any():
        return None
    return float((one[rows] == other[rows]).mean())
