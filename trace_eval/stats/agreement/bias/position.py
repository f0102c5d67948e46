"""Position bias: the same two recordings in both orders.

The test is the exact two-sided sign test (Conover 1999, ch. 3.4) of "first both times"
against "second both times" with p = 1/2. A bootstrap of the observed difference is not a
test of it: its distribution is centred on the observation, not on the null.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.paired import sign_test
from trace_eval.opinions.codes import MISSING, TIE, Codes, collapse_codes
from trace_eval.opinions.units import groups_of, index_of, joint


@dataclass(frozen=True)
class PositionBias:
    """Pairs of opinions on the same two recordings, once in each order.

    Attributes:
        pairs: how many were joined.
        stable: the same recording won both times.
        first, second: whatever was shown first (second) won both times.
        tied: at least one order gave a tie; ``tied_both`` of them in both orders.
        p: exact two-sided sign test of ``first`` against ``second``.
    """

    pairs: int
    stable: int
    first: int
    second: int
    tied: int
    tied_both: int
    p: float

    @property
    def decided(self) -> int:
        """Pairs with a winner in both orders: the second denominator."""
        return self.pairs - self.tied


def position_bias(one: Codes, other: Codes) -> PositionBias:
    """Count pairs by what won in both orders, and test the difference.

    Args:
        one: label when X was shown first, ``1`` is X [shape=(n,)].
        other: label when Y was shown first, ``1`` is Y (each in its own order) [shape=(n,)].
    """
    available = (one != MISSING) & (other != MISSING)
    one, other = collapse_codes(one[available]), collapse_codes(other[available])
    tie_one, tie_other = one == TIE, other == TIE
    decided = ~(tie_one | tie_other)
    first = int((decided & (one == 0) & (other == 0)).sum())
    second = int((decided & (one == 1) & (other == 1)).sum())
    return PositionBias(
        pairs=len(one),
        stable=int(decided.sum()) - first - second,
        first=first,
        second=second,
        tied=int((~decided).sum()),
        tied_both=int((tie_one & tie_other).sum()),
        p=sign_test(first, second),
    )


def join_orders(
    clip_a: Sequence[Any] | NDArray[Any],
    clip_b: Sequence[Any] | NDArray[Any],
    extra: Sequence[Any] | NDArray[Any] | None = None,
) -> list[tuple[int, int]]:
    """Rows that show the same two recordings in opposite order, each row at most once.

    Identity is the audio (hash or path), never the id. ``extra`` (the instruction) must be
    equal as well. Rows with an unknown or the same recording twice are left out.
    """
    sides, distinct = index_of([*clip_a, *clip_b])
    available = np.array([clip is not None for clip in distinct], bool)[sides]
    (a, b), (known_a, known_b) = sides.reshape(2, -1), available.reshape(2, -1)
    parts = [np.minimum(a, b), np.maximum(a, b)]
    if extra is not None:
        parts.append(index_of(list(extra))[0])
    rows = np.flatnonzero(known_a & known_b & (a != b))
    key, exchanged = joint(*parts)[rows], (a > b)[rows]
    # the first row of one order meets the first of the other, the second the second
    number, size = groups_of(2 * key + exchanged)
    order = np.argsort(number, kind="stable")
    turn = np.empty_like(number)
    turn[order] = np.arange(len(order)) - np.repeat(np.cumsum(size) - size, size)
    meeting = joint(groups_of(key)[0], turn)
    one, other = (rows[exchanged == side] for side in (False, True))
    _, at_one, at_other = np.intersect1d(
        meeting[~exchanged], meeting[exchanged], assume_unique=True, return_indices=True
    )
    joined = np.sort(np.stack([one[at_one], other[at_other]], 1), 1)
    return [tuple(pair) for pair in joined[np.argsort(joined[:, 1])].tolist()]
