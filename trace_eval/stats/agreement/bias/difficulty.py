"""Does the lean to a place grow as pairs get harder?

Pairs are put into quartiles by the absolute difference of mean human opinions. In each,
the judge's accuracy and its verdicts by place; over all, Spearman's correlation of the
difference with "bound to a place": the same place won in both orders.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.opinions.codes import MISSING, TIE, Codes, collapse_codes, flip
from trace_eval.stats.agreement.bias.position import PositionBias, in_both_orders, position_bias
from trace_eval.stats.agreement.judges import JudgeOpinions

#: Fewer pairs than this are not put into four parts.
FEWEST = 8


@dataclass(frozen=True)
class Quartile:
    """A quarter of the pairs, the hardest first.

    Attributes:
        low, high: absolute difference of the mean opinions.
        accuracy: of the first order against the sign of the difference; None: no such pair.
        bias: by place, over the pairs that were asked in both orders.
    """

    low: float
    high: float
    items: int
    accuracy: float | None
    bias: PositionBias


@dataclass(frozen=True)
class Difficulty:
    """All quartiles, and the correlation of ease with being bound to a place (-1 to 1)."""

    quartiles: tuple[Quartile, ...]
    spearman: float | None
    p: float | None


def difficulty(
    there: Codes, back: Codes, mos_a: NDArray[Any], mos_b: NDArray[Any]
) -> Difficulty | None:
    """Split and count; None with fewer than :data:`FEWEST` usable pairs.

    Args:
        there: label when A was shown first, ``1`` is A [shape=(n,)].
        back: label when B was shown first, ``1`` is the one shown first, so B [shape=(n,)].
        mos_a, mos_b: mean human opinions; NaN: unknown [shape=(n,)].
    """
    gap = np.abs(mos_a - mos_b)
    available = (there != MISSING) & (back != MISSING) & ~np.isnan(gap) & (gap > 0)
    if int(available.sum()) < FEWEST:
        return None
    there, back = collapse_codes(there[available]), collapse_codes(back[available])
    gap, truth = gap[available], np.where(mos_a[available] > mos_b[available], 0, 1)
    order = np.argsort(gap, kind="stable")
    parts = np.array_split(order, 4)
    quartiles = tuple(
        Quartile(
            float(gap[rows[0]]),
            float(gap[rows[-1]]),
            len(rows),
            float((there[rows] == truth[rows]).mean()),
            position_bias(there[rows], back[rows]),
        )
        for rows in parts
    )
    bound = (there == back) & (there != TIE)
    return Difficulty(quartiles, *_spearman(gap, bound))


def _spearman(gap: NDArray[Any], bound: NDArray[np.bool_]) -> tuple[float | None, float | None]:
    from scipy.stats import spearmanr

    if bound.all() or not bound.any() or len(set(gap.tolist())) < 2:
        return None, None
    result = spearmanr(gap, bound)
    return float(result.statistic), float(result.pvalue)


@dataclass(frozen=True)
class DifficultyRow:
    """Accuracy and bias of a judge by the distance between the mean human opinions."""

    judge: str
    dimension: str
    difficulty: Difficulty


def difficulty_rows(judge: JudgeOpinions) -> Iterator[DifficultyRow]:
    """Per dimension of the calls; nothing where orders or mean opinions are not known."""
    calls, facts = judge.own.calls, judge.joined.facts
    if calls is None or not {"mos_a", "mos_b"} <= facts.keys():
        return
    forth, back = in_both_orders(calls, first=True)
    rows = judge.joined.find(calls.ids[forth])
    mos = [np.where(rows >= 0, facts[name][rows], np.nan) for name in ("mos_a", "mos_b")]
    for dimension, codes in calls.codes.items():
        # labels are in the pair's own A and B; those of the other order are mirrored to places
        parts = difficulty(codes[forth], flip(codes[back]), *mos)
        if parts is not None:
            yield DifficultyRow(judge.name, dimension, parts)
