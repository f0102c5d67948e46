"""Bias of a judge towards longer answers or more words, on hard pairs, and under noise.

Of words: among pairs that raters call a tie and whose transcripts differ by a margin of
tokens (5 of GPT-2's in the published test), shares of longer, shorter and tie. A
verdict that could not be read is no tie: it is left out.

Of hard pairs: quartiles by the absolute difference of mean human opinions, with
accuracy and the verdicts by place in each; over all, Spearman's correlation of the
difference with "bound to a place", that the same place won in both orders.

Of noise on one answer: a judge that judges again changes its mind as well, and the
effect of the noise is what is left beyond that. Shares are of pairs that every run
scored, by what the noise fell on: the winner of the run without noise, its loser, or
one side of a tie.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from trace_eval.estimate.arrays import Array, Mask
from trace_eval.estimate.paired import sign_flip
from trace_eval.estimate.share import quotient
from trace_eval.opinions.codes import MISSING, TIE, Codes, collapse_codes, flip
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import WholeNumbers
from trace_eval.show.table import column, p_of, share_of
from trace_eval.stats.agreement.judges import JudgeOpinions
from trace_eval.stats.agreement.position import (
    PositionBias,
    in_both_orders,
    lean_of,
    position_bias,
    self_mask,
    units_of_calls,
)


@dataclass(frozen=True)
class LengthBias:
    """Human ties, by what the judge made of them.

    Attributes:
        human_ties: pairs that annotators call a tie, with two known, different lengths.
        longer, shorter, tied: the judge's winner was the longer (shorter) answer, or
            none.
        p: two-sided sign test of ``longer`` against ``shorter``, over independent
            units.
    """

    human_ties: int
    longer: int = field(metadata=column(shown=share_of("human_ties")))
    shorter: int = field(metadata=column(shown=share_of("human_ties")))
    tied: int = field(metadata=column("tie", share_of("human_ties")))
    p: float = field(metadata=column("sign test p", p_of("human_ties")))

    @property
    def share_longer(self) -> float | None:
        """Share of the judge's winners that are the longer answer; None: no winner."""
        winners = self.longer + self.shorter
        return quotient(self.longer, winners)


def length_bias(
    truth: Codes,
    predicted: Codes,
    length_a: Array,
    length_b: Array,
    unit: WholeNumbers | None = None,
) -> LengthBias:
    """Count and test; pairs of equal or unknown length are left out.

    ``unit`` is what each pair is drawn with; None: each by itself [shape=(n,)].
    """
    differ = (length_a > length_b) | (length_b > length_a)  # False where NaN
    counts = _counted(
        truth, predicted, apart=differ, a_longer=length_a > length_b, unit=unit
    )
    total = counts.longer + counts.shorter + counts.tied
    return LengthBias(
        human_ties=total,
        longer=counts.longer,
        shorter=counts.shorter,
        tied=counts.tied,
        p=counts.p,
    )


class _Counted(NamedTuple):
    """Verdicts on pairs that annotators call a tie, and the sign test of the first two.

    Those are wins of the longer and of the shorter answer.
    """

    longer: int
    shorter: int
    tied: int
    unscored: int
    p: float


def _counted(
    truth: Codes,
    predicted: Codes,
    apart: Mask,
    a_longer: Mask,
    unit: WholeNumbers | None,
) -> _Counted:
    """Count unscored, longer, shorter and tied verdicts on annotators' ties."""
    ties = (collapse_codes(truth) == TIE) & apart
    verdicts = collapse_codes(predicted)[ties]
    tied = int((verdicts == TIE).sum())
    unscored = int((verdicts == MISSING).sum())
    # 1 where the longer answer won, -1 where the shorter one did
    lean = lean_of(verdicts) * np.where(a_longer[ties], 1.0, -1.0)
    unit_of_ties = None if unit is None else unit[ties]
    return _Counted(
        longer=int((lean > 0).sum()),
        shorter=int((lean < 0).sum()),
        tied=tied,
        unscored=unscored,
        p=sign_flip(lean, unit_of_ties),
    )


#: Tokens by which two transcripts must differ.
MARGIN = 5


@dataclass(frozen=True)
class Verbosity:
    """Human ties with unequal transcripts, by what the judge made of them.

    Attributes:
        items: such pairs with a verdict; ``unscored`` more have none.
        p: two-sided sign test of ``longer`` against ``shorter``, over independent
            units.
    """

    items: int = field(metadata=column("pairs"))
    longer: int = field(metadata=column(shown=share_of("items")))
    shorter: int = field(metadata=column(shown=share_of("items")))
    tied: int = field(metadata=column("tie", share_of("items")))
    unscored: int
    p: float = field(metadata=column("sign test p", p_of("items")))


def verbosity(
    truth: Codes,
    predicted: Codes,
    tokens_a: Array,
    tokens_b: Array,
    unit: WholeNumbers | None = None,
) -> Verbosity:
    """Count and test; pairs of unknown length are left out.

    ``unit`` is as in :func:`length_bias`.
    """
    with np.errstate(invalid="ignore"):
        differ = np.abs(tokens_a - tokens_b) >= MARGIN  # False where NaN
        a_longer = tokens_a > tokens_b
    counts = _counted(truth, predicted, apart=differ, a_longer=a_longer, unit=unit)
    items = counts.longer + counts.shorter + counts.tied
    return Verbosity(
        items=items,
        longer=counts.longer,
        shorter=counts.shorter,
        tied=counts.tied,
        unscored=counts.unscored,
        p=counts.p,
    )


B = TypeVar("B")


@dataclass(frozen=True)
class BiasRow(Generic[B]):
    """A judge's preference for longer answers, or for more words."""

    judge: str
    dimension: str
    bias: B


def bias_rows(
    judge: JudgeOpinions,
    items: Opinions,
    fact: str,
    bias: Callable[[Codes, Codes, Array, Array, WholeNumbers | None], B],
    unit: WholeNumbers | None = None,
) -> Iterator[BiasRow[B]]:
    """Return a row per dimension, without self-comparisons; [] without the fact.

    ``fact`` is ``duration`` or ``tokens`` of both answers, ``bias`` takes truth,
    prediction, both lengths and the unit of every item.
    """
    a, b = (judge.joined.facts.get(f"{fact}_{side}") for side in "ab")
    if a is None or b is None:
        return
    apart = self_mask(judge.joined.facts, len(items))
    for dimension, truth in items.agreed.items():
        predicted = judge.joined.codes.get(dimension)
        if predicted is not None:
            truth_of_two = np.where(apart, MISSING, truth).astype(np.int8)
            yield BiasRow(
                judge.name, dimension, bias(truth_of_two, predicted, a, b, unit)
            )


#: Fewer pairs than this are not put into four parts.
FEWEST = 8


@dataclass(frozen=True)
class Quartile:
    """A quarter of the pairs, the hardest first.

    Attributes:
        low, high: absolute difference of the mean opinions.
        accuracy: of the first order against the sign of the difference; None: no such
            pair.
        bias: by place, over the pairs that were asked in both orders.
    """

    low: float = field(metadata=column("from", ".2f"))
    high: float = field(metadata=column("to", ".2f"))
    items: int = field(metadata=column("pairs"))
    accuracy: float | None
    bias: PositionBias


@dataclass(frozen=True)
class Difficulty:
    """All quartiles, and the correlation of ease with being bound to a place (-1 to 1).

    Its ``p`` is of the means of the independent units; None under three of them.
    """

    quartiles: tuple[Quartile, ...]
    spearman: float | None
    p: float | None


def difficulty(
    there: Codes,
    back: Codes,
    mos_a: Array,
    mos_b: Array,
    unit: WholeNumbers | None = None,
) -> Difficulty | None:
    """Split and count; None with fewer than :data:`FEWEST` usable pairs.

    Args:
        there, back: label when A and when B was shown first; ``1`` is the one shown
            first [shape=(n,)].
        mos_a, mos_b: mean human opinions; NaN: unknown [shape=(n,)].
        unit: what each pair is drawn with; None: each by itself [shape=(n,)].
    """
    gap = np.abs(mos_a - mos_b)
    usable = (there != MISSING) & (back != MISSING) & ~np.isnan(gap) & (gap > 0)
    if int(usable.sum()) < FEWEST:
        return None
    there = collapse_codes(there[usable])
    back = collapse_codes(back[usable])
    drawn = None if unit is None else unit[usable]
    gap = gap[usable]
    truth = np.where(mos_a[usable] > mos_b[usable], 0, 1)
    order = np.argsort(gap, kind="stable")
    fourths: list[Quartile] = []
    for rows in np.array_split(order, 4):
        unit_of_rows = None if drawn is None else drawn[rows]
        fourth = Quartile(
            low=float(gap[rows[0]]),
            high=float(gap[rows[-1]]),
            items=len(rows),
            accuracy=float((there[rows] == truth[rows]).mean()),
            bias=position_bias(there[rows], back[rows], unit_of_rows),
        )
        fourths.append(fourth)
    quartiles = tuple(fourths)
    bound = (there == back) & (there != TIE)
    if bound.all() or not bound.any() or len(set(gap.tolist())) < 2:
        return Difficulty(quartiles, None, None)
    from scipy.stats import spearmanr

    statistic = float(spearmanr(gap, bound).statistic)
    return Difficulty(
        quartiles, statistic, _p_over_units(gap, bound.astype(float), drawn)
    )


def _p_over_units(x: Array, y: Array, unit: WholeNumbers | None) -> float | None:
    """Test a rank correlation of units' means; None for few or equal ones."""
    from scipy.stats import spearmanr

    if unit is not None:
        _, index, rows = np.unique(unit, return_inverse=True, return_counts=True)
        x, y = (np.bincount(index, side) / rows for side in (x, y))
    if len(x) < 3 or not np.ptp(x) or not np.ptp(y):
        return None
    return float(spearmanr(x, y).pvalue)


@dataclass(frozen=True)
class DifficultyRow:
    """Accuracy and bias of a judge by the distance between the mean human opinions."""

    judge: str
    dimension: str
    difficulty: Difficulty


def difficulty_rows(judge: JudgeOpinions) -> Iterator[DifficultyRow]:
    """Return a row per dimension; none where orders or mean opinions are not known."""
    calls = judge.own.calls
    facts = judge.joined.facts
    if calls is None or not {"mos_a", "mos_b"} <= facts.keys():
        return
    forth, back = in_both_orders(calls, first=True)
    rows = judge.joined.find(calls.ids[forth])
    mos_a, mos_b = (
        np.where(rows >= 0, facts[f"mos_{side}"][rows], np.nan) for side in "ab"
    )
    unit = units_of_calls(judge.joined, calls.ids[forth])
    for dimension, codes in calls.codes.items():
        # labels are in the pair's own A and B; those of the other order are mirrored to
        # places
        parts = difficulty(
            codes[forth], flip(codes[back]), mos_a=mos_a, mos_b=mos_b, unit=unit
        )
        if parts is not None:
            yield DifficultyRow(judge.name, dimension, parts)


#: What the noise can fall on.
FELL_ON = ("winner", "loser", "tie")


@dataclass(frozen=True)
class Robustness:
    """Shares of unchanged verdicts, in a repetition without noise and under noise.

    The first is None where nothing was repeated. Noise fell on the winner or loser of
    the run without noise, or on one side of a tie.
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
    base: Codes, repeat: Codes | None, noisy: Codes, side: WholeNumbers
) -> list[Robustness]:
    """Compare a run with noise to one without, and to a repetition of that.

    Args:
        base, repeat, noisy: labels without noise, of a second such run (None: there is
            none), and with noise on one answer [shape=(n,)].
        side: which answer, 0 (A) or 1 (B) [shape=(n,)].
    """
    has_both = (base != MISSING) & (noisy != MISSING)
    if repeat is not None:
        has_both &= repeat != MISSING
    first = collapse_codes(base[has_both])
    second = collapse_codes(noisy[has_both])
    again = None if repeat is None else collapse_codes(repeat[has_both])
    on = side[has_both]
    groups = (
        (first != TIE) & (first == on),
        (first != TIE) & (first != on),
        first == TIE,
    )
    results: list[Robustness] = []
    for name, rows in zip(FELL_ON, groups, strict=True):
        result = Robustness(
            fell_on=name,
            items=int(rows.sum()),
            repeat=_same(first, again, rows),
            noisy=_same(first, second, rows),
        )
        results.append(result)
    return results


def _same(one: Codes, other: Codes | None, rows: Mask) -> float | None:
    if other is None or not rows.any():
        return None
    return float((one[rows] == other[rows]).mean())
