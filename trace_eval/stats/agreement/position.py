"""Position bias, from the same two recordings in both orders, and from equal answers.

The test is the exact two-sided sign test (Conover 1999, ch. 3.4) of "first both times"
against "second both times" with p = 1/2. Pairs of one instruction, copies and repeated
calls are no independent trials: they change their signs together. A bootstrap of the
observed difference is not a test of it: its distribution is centred on the observation,
not on the null. A winner between two equal recordings is bias and nothing else, and
between two answers of one system it is no evidence about systems: neither may enter a
ranking.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from trace_eval.estimate.arrays import Array, Mask, Reals
from trace_eval.estimate.paired import sign_flip
from trace_eval.opinions.codes import MISSING, TIE, Codes, collapse_codes, flip
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import WholeNumbers, groups_of, index_of, joint
from trace_eval.show.table import column, p_of, share_of
from trace_eval.stats.agreement.judges import JudgeOpinions


def lean_of(codes: Codes) -> Reals:
    """Map labels to 1 for the first, -1 for the second, and 0 for ties and no label."""
    return np.asarray((codes == 0) * 1.0 - (codes == 1))


@dataclass(frozen=True)
class PositionBias:
    """Pairs of opinions on the same two recordings, once in each order.

    Attributes:
        pairs: how many were joined.
        stable: the same recording won both times.
        first, second: whatever was shown first (second) won both times.
        tied: at least one order gave a tie; ``tied_both`` of them in both orders.
        p: two-sided sign test of ``first`` against ``second``, over independent units.
    """

    pairs: int
    stable: int = field(metadata=column(shown=share_of("pairs")))
    first: int = field(metadata=column(shown=share_of("pairs")))
    second: int = field(metadata=column(shown=share_of("pairs")))
    tied: int = field(metadata=column("a tie", share_of("pairs")))
    tied_both: int
    p: float = field(metadata=column("sign test p", p_of("pairs")))

    @property
    def decided(self) -> int:
        """Pairs with a winner in both orders: the second denominator."""
        return self.pairs - self.tied


def position_bias(
    one: Codes, other: Codes, unit: WholeNumbers | None = None
) -> PositionBias:
    """Count pairs by what won in both orders, and test the difference.

    ``one`` are the labels when X was shown first, ``other`` when Y was; ``1`` is the
    one shown first, ``unit`` what each is drawn with; None: each by itself [shape=(n,)
    each].
    """
    has_both = (one != MISSING) & (other != MISSING)
    one = collapse_codes(one[has_both])
    other = collapse_codes(other[has_both])
    if unit is not None:
        unit = unit[has_both]
    same_both_times = one == other
    first = int((same_both_times & (one == 0)).sum())
    second = int((same_both_times & (one == 1)).sum())
    tied_both = int((same_both_times & (one == TIE)).sum())
    tied = int(((one == TIE) | (other == TIE)).sum())
    lean = np.where(same_both_times, lean_of(one), 0.0)
    return PositionBias(
        pairs=len(one),
        stable=len(one) - tied - first - second,
        first=first,
        second=second,
        tied=tied,
        tied_both=tied_both,
        p=sign_flip(lean, unit),
    )


def join_orders(
    clip_a: Sequence[Any] | Array,
    clip_b: Sequence[Any] | Array,
    extra: Sequence[Any] | Array | None = None,
) -> WholeNumbers:
    """Join rows that show the same two recordings in opposite order.

    Identity is the audio (hash or path), never the id. ``extra`` (the instruction) must
    be equal as well. Rows with an unknown or the same recording twice are left out.

    Returns:
        The rows of each join, every row once at most [shape=(n, 2)].
    """
    clip, distinct = index_of([*clip_a, *clip_b])
    is_known = np.array([name is not None for name in distinct], bool)
    a, b = clip.reshape(2, -1)
    same_pair = [np.minimum(a, b), np.maximum(a, b)]
    if extra is not None:
        extra_number, _ = index_of(list(extra))
        same_pair.append(extra_number)
    can_join = is_known[a] & is_known[b] & (a != b)
    rows = np.flatnonzero(can_join)
    pair = joint(*same_pair)[rows]
    is_exchanged = (a > b)[rows]
    # the first row of one order meets the first of the other, the second the second
    turn = _number_within(2 * pair + is_exchanged)
    pair_number, _ = groups_of(pair)
    meeting = joint(pair_number, turn)
    _, at_one, at_other = np.intersect1d(
        meeting[~is_exchanged],
        meeting[is_exchanged],
        assume_unique=True,
        return_indices=True,
    )
    one = rows[~is_exchanged][at_one]
    other = rows[is_exchanged][at_other]
    joined = np.sort(np.stack([one, other], axis=1), axis=1)
    by_later_row = np.argsort(joined[:, 1])
    return np.asarray(joined[by_later_row])


def _number_within(group: WholeNumbers) -> WholeNumbers:
    """Assign the rows of each group numbers from 0, in their order [shape=(n,)]."""
    number, size = groups_of(group)
    start = np.cumsum(size) - size
    order = np.argsort(number, kind="stable")
    turn = np.empty_like(number)
    turn[order] = np.arange(len(order)) - np.repeat(start, size)
    return turn


@dataclass(frozen=True)
class SelfComparisons:
    """What the judge said of them; ``p`` is the sign test of first against second."""

    pairs: int
    tied: int = field(metadata=column("tie"))
    first: int
    second: int
    p: float = field(metadata=column("sign test p", p_of("pairs")))


def self_mask(facts: Mapping[str, Array], items: int) -> Mask:
    """Mask items with the same system or recording twice [shape=(items,)]."""
    mask = np.zeros(items, bool)
    for name in ("system", "clip"):
        a = facts.get(f"{name}_a")
        b = facts.get(f"{name}_b")
        if a is not None and b is not None:
            mask |= ((a == b) & (a != None)).astype(bool)  # noqa: E711 - elementwise on objects
    return mask


def self_comparisons(
    predicted: Codes, mask: Mask, unit: WholeNumbers | None = None
) -> SelfComparisons:
    """Count the judge's labels on self-comparisons; ``unit`` is what is drawn."""
    codes = collapse_codes(predicted[mask])
    if unit is not None:
        unit = unit[mask]
    return SelfComparisons(
        pairs=len(codes),
        tied=int((codes == TIE).sum()),
        first=int((codes == 0).sum()),
        second=int((codes == 1).sum()),
        p=sign_flip(lean_of(codes), unit),
    )


@dataclass(frozen=True)
class PositionRow:
    """Position bias of a judge; ``basis`` says how the two orders were joined."""

    judge: str
    dimension: str
    basis: str
    bias: PositionBias


@dataclass(frozen=True)
class SelfRow:
    """Self-comparisons of a judge."""

    judge: str
    dimension: str
    counts: SelfComparisons


def widest(judge: JudgeOpinions, fact: str) -> Opinions:
    """Return all judged items where the judgements know the fact.

    Else return the labelled ones.
    """
    return judge.own.first if fact in judge.own.facts else judge.joined


def positions(judge: str, judged: Opinions) -> Iterator[PositionRow]:
    """Measure by audio identity, and by order over the calls of a run.

    By audio identity an item has one row.
    """
    yield from _by_audio_identity(judge, judged)
    if judged.calls is None:
        return
    a_first, b_first = in_both_orders(judged.calls)
    if not len(a_first):
        return
    unit = units_of_calls(judged, judged.calls.ids[a_first])
    for dimension, codes in judged.calls.codes.items():
        # labels are in the pair's own A and B; B was shown first there
        bias = position_bias(codes[a_first], flip(codes[b_first]), unit)
        yield PositionRow(judge=judge, dimension=dimension, basis="calls", bias=bias)


def _by_audio_identity(judge: str, judged: Opinions) -> Iterator[PositionRow]:
    """Measure over pairs of items that hold the same two recordings."""
    clip_a = judged.facts.get("clip_a")
    clip_b = judged.facts.get("clip_b")
    if clip_a is None or clip_b is None:
        return
    joined = join_orders(clip_a, clip_b, judged.facts.get("instruction_id"))
    if not len(joined):
        return
    one, other = joined.T
    unit = judged.units()
    if unit is not None:
        unit = unit[one]
    for dimension, codes in judged.codes.items():
        bias = position_bias(codes[one], codes[other], unit)
        yield PositionRow(
            judge=judge, dimension=dimension, basis="audio identity", bias=bias
        )


def units_of_calls(judged: Opinions, ids: Array) -> WholeNumbers:
    """Return the independent unit of calls by the ids of their pairs.

    The calls of a pair are one unit at least.
    """
    pair, _ = index_of(ids.tolist())
    unit = judged.units()
    if unit is None:
        return pair
    rows = judged.find(ids)
    number_of_units = int(unit.max(initial=-1)) + 1
    return np.where(rows >= 0, unit[rows], pair + number_of_units)


def in_both_orders(calls: Opinions, first: bool = False) -> WholeNumbers:
    """Return rows of a pair with A shown first, and with B shown first [shape=(2, n)].

    With ``first`` they are the first call of each order of a pair; else every sample of
    both orders.
    """
    repeats = [""] * len(calls)
    if not first and calls.repeat is not None:
        repeats = calls.repeat.tolist()
    ids = calls.ids.tolist()
    orders = calls.facts["order"].tolist()
    rows: dict[tuple[str, str, str], int] = {}
    for row, (item, order, repeat) in enumerate(zip(ids, orders, repeats, strict=True)):
        _, _, sample = repeat.partition("/")
        rows.setdefault((item, order, sample), row)
    both: list[tuple[int, int]] = []
    for (item, order, sample), row in rows.items():
        row_of_ba = rows.get((item, "ba", sample))
        if order == "ab" and row_of_ba is not None:
            both.append((row, row_of_ba))
    return np.array(both, np.int64).reshape(-1, 2).T


def self_rows(judge: JudgeOpinions) -> Iterator[SelfRow]:
    """Yield a row per dimension over the judged items that meet themselves."""
    judged = widest(judge, "system_a")
    mask = self_mask(judged.facts, len(judged))
    if not mask.any():
        return
    for dimension, codes in judged.codes.items():
        counts = self_comparisons(codes, mask, judged.units())
        yield SelfRow(judge.name, dimension, counts)
