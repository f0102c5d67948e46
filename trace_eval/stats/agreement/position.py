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
from numpy.typing import NDArray

from trace_eval.estimate.paired import sign_flip
from trace_eval.opinions.codes import MISSING, TIE, Codes, collapse_codes, flip
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import WholeNumbers, groups_of, index_of, joint
from trace_eval.show.table import column, p_of, share_of
from trace_eval.stats.agreement.judges import JudgeOpinions


def lean_of(codes: Codes) -> NDArray[np.float64]:
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
    one, other = collapse_codes(one[has_both]), collapse_codes(other[has_both])
    lean = np.where(one == other, lean_of(one), 0.0)
    first, second, tied_both = (
        int(((one == code) & (other == code)).sum()) for code in (0, 1, TIE)
    )
    tied = int(((one == TIE) | (other == TIE)).sum())
    return PositionBias(
        pairs=len(one),
        stable=len(one) - tied - first - second,
        first=first,
        second=second,
        tied=tied,
        tied_both=tied_both,
        p=sign_flip(lean, None if unit is None else unit[has_both]),
    )


def join_orders(
    clip_a: Sequence[Any] | NDArray[Any],
    clip_b: Sequence[Any] | NDArray[Any],
    extra: Sequence[Any] | NDArray[Any] | None = None,
) -> NDArray[np.int64]:
    """Join rows that show the same two recordings in opposite order, each once [shape=(n, 2)].

    Identity is the audio (hash or path), never the id. ``extra`` (the instruction) must
    be equal as well. Rows with an unknown or the same recording twice are left out.
    """
    sides, distinct = index_of([*clip_a, *clip_b])
    has_clip = np.array([clip is not None for clip in distinct], bool)[sides]
    (a, b), (present_a, present_b) = sides.reshape(2, -1), has_clip.reshape(2, -1)
    parts = [np.minimum(a, b), np.maximum(a, b)]
    if extra is not None:
        parts.append(index_of(list(extra))[0])
    rows = np.flatnonzero(present_a & present_b & (a != b))
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
    return np.asarray(joined[np.argsort(joined[:, 1])])


@dataclass(frozen=True)
class SelfComparisons:
    """What the judge said of them; ``p`` is the sign test of first against second."""

    pairs: int
    tied: int = field(metadata=column("tie"))
    first: int
    second: int
    p: float = field(metadata=column("sign test p", p_of("pairs")))


def self_mask(facts: Mapping[str, NDArray[Any]], items: int) -> NDArray[np.bool_]:
    """Mask items where system A is system B, or recording A recording B [shape=(items,)]."""
    mask = np.zeros(items, bool)
    for name in ("system", "clip"):
        a, b = facts.get(f"{name}_a"), facts.get(f"{name}_b")
        if a is not None and b is not None:
            mask |= ((a == b) & (a != None)).astype(bool)  # noqa: E711 - elementwise on objects
    return mask


def self_comparisons(
    predicted: Codes, mask: NDArray[np.bool_], unit: WholeNumbers | None = None
) -> SelfComparisons:
    """Count the judge's labels on self-comparisons, drawn by ``unit`` [shape=(items,)]."""
    codes = collapse_codes(predicted[mask])
    first, second, tied = (int((codes == code).sum()) for code in (0, 1, TIE))
    p = sign_flip(lean_of(codes), None if unit is None else unit[mask])
    return SelfComparisons(pairs=len(codes), tied=tied, first=first, second=second, p=p)


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
    """Return all judged items where the judgements know the fact, else the labelled ones."""
    return judge.own.first if fact in judge.own.facts else judge.joined


def positions(judge: str, judged: Opinions) -> Iterator[PositionRow]:
    """Measure by audio identity, one row per item, and by order over the calls of a run."""
    a, b, instruction = map(judged.facts.get, ("clip_a", "clip_b", "instruction_id"))
    if (
        a is not None
        and b is not None
        and len(joined := join_orders(a, b, instruction))
    ):
        unit = _units_at(judged, joined[:, 0])
        for dimension, codes in judged.codes.items():
            bias = position_bias(codes[joined[:, 0]], codes[joined[:, 1]], unit)
            yield PositionRow(judge, dimension, "audio identity", bias)
    if judged.calls is None:
        return
    forth, back = in_both_orders(judged.calls)
    unit = units_of_calls(judged, judged.calls.ids[forth])
    for dimension, codes in judged.calls.codes.items() if len(forth) else ():
        # labels are in the pair's own A and B; B was shown first there
        bias = position_bias(codes[forth], flip(codes[back]), unit)
        yield PositionRow(judge, dimension, "calls", bias)


def _units_at(judged: Opinions, rows: NDArray[np.int64]) -> WholeNumbers | None:
    """Return the independent unit of some rows; None: each is one."""
    unit = judged.units()
    return None if unit is None else unit[rows]


def units_of_calls(judged: Opinions, ids: NDArray[Any]) -> WholeNumbers:
    """Return the independent unit of calls by the ids of their pairs; a pair is one at least."""
    unit, own = judged.units(), index_of(ids.tolist())[0]
    if unit is None:
        return own
    rows = judged.find(ids)
    return np.where(rows >= 0, unit[rows], own + int(unit.max(initial=-1)) + 1)


def in_both_orders(calls: Opinions, first: bool = False) -> NDArray[np.int64]:
    """Return rows of a pair with A shown first, and with B shown first [shape=(2, n)].

    With ``first`` the first call of each order of a pair; else every sample of both
    orders.
    """
    samples = (
        [""] * len(calls) if first or calls.repeat is None else calls.repeat.tolist()
    )
    rows: dict[tuple[str, str, str], int] = {}
    keys = zip(calls.ids.tolist(), calls.facts["order"].tolist(), samples, strict=True)
    for row, (item, side, sample) in enumerate(keys):
        rows.setdefault((item, side, sample.partition("/")[2]), row)
    both = [
        (row, rows[item, "ba", sample])
        for (item, side, sample), row in rows.items()
        if side == "ab" and (item, "ba", sample) in rows
    ]
    return np.array(both, np.int64).reshape(-1, 2).T


def self_rows(judge: JudgeOpinions) -> Iterator[SelfRow]:
    """Return a row per dimension over all judged items; none without self-comparisons."""
    judged = widest(judge, "system_a")
    mask = self_mask(judged.facts, len(judged))
    if mask.any():
        for dimension, codes in judged.codes.items():
            yield SelfRow(
                judge.name, dimension, self_comparisons(codes, mask, judged.units())
            )
