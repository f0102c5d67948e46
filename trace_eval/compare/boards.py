"""Two boards of one benchmark: the same systems' scores under two judges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError, counted
from trace_eval.compare.change_report import ChangeReport
from trace_eval.compare.conclusions import ConclusionChange, Conclusions, change, z_conclusions
from trace_eval.compare.mapping import Mapping, mapping
from trace_eval.compare.read_board import Board
from trace_eval.show.table import column, p_text
from trace_eval.stats.estimate.paired import holm
from trace_eval.stats.ranking.correlation import correlate
from trace_eval.stats.ranking.ranks import ranks

Array = NDArray[np.float64]

#: What a win rate of a system is compared with: as good as the baseline.
EVEN = 0.5


def _range(limits: tuple[float, float] | None, _: object) -> str | None:
    return None if limits is None else f"{limits[0]:.1f} to {limits[1]:.1f}"


@dataclass(frozen=True)
class BoardShift:
    """One system under both judges, in the units of the board.

    Attributes:
        ranks: 1 is best.
        p_holm: of its shift by binomial errors, over all systems: conservative, because the same
            items were judged twice; None: the number of items is not known.
        mapped: the old score on the new scale, with ``mapped_range``, 95 %; None: no mapping.
    """

    system: str
    first: float = field(metadata=column(shown="g"))
    second: float = field(metadata=column(shown="g"))
    shift: float = field(metadata=column(shown="+.2f"))
    ranks: tuple[int, int] = field(
        metadata=column("rank", lambda ranks, _: f"{ranks[0]} to {ranks[1]}")
    )
    p_holm: float | None = field(metadata=column("p (Holm)", p_text))
    mapped: float | None = field(metadata=column("first, mapped", ".2f"))
    mapped_range: tuple[float, float] | None = field(metadata=column("95 %", _range))


@dataclass(frozen=True)
class BoardFigures:
    """Two boards in numbers, over one set of systems.

    Attributes:
        rows: which systems.
        mean_absolute, mean, largest: shift, in the units of the board; ``of`` has the largest.
        rank_move: most ranks that a system moves; ``moved`` systems move at all.
        reordered: pairs of systems in another order, of ``pairs``.
    """

    rows: str = field(metadata=column("systems"))
    systems: int = field(metadata=column("n"))
    spearman: float | None = field(metadata=column("Spearman"))
    kendall: float | None = field(metadata=column("Kendall"))
    mean_absolute: float = field(metadata=column("mean |shift|", ".3f"))
    mean: float = field(metadata=column("mean shift", "+.3f"))
    largest: float = field(metadata=column(shown="+.2f"))
    of: str
    rank_move: int = field(metadata=column("largest rank move"))
    moved: int = field(metadata=column("move"))
    reordered: int = field(
        metadata=column("pairs in another order", lambda n, row: f"{n} of {row.pairs}")
    )
    pairs: int


@dataclass(frozen=True, kw_only=True)
class BoardChange(ChangeReport):
    """A judge change as two boards show it.

    Attributes:
        items: behind each score; None: unknown, then there are no tests.
        conclusions: against the baseline, and of every two systems.
    """

    items: int | None
    figures: tuple[BoardFigures, ...]
    shifts: tuple[BoardShift, ...]
    conclusions: tuple[ConclusionChange, ...]
    mapping: Mapping


def compare_boards(one: Board, other: Board, items: int | None = None) -> BoardChange:
    """Put two boards side by side.

    Args:
        one, other: of the old and the new judge.
        items: behind each win rate, for binomial errors; None: no tests.

    Raises:
        UserError: fewer than two systems in common, or scores that are no win rates.
    """
    index = {name: row for row, name in enumerate(other.systems)}
    names = [name for name in one.systems if name in index]
    if len(names) < 2:
        raise UserError(f"{one.name} and {other.name} have {len(names)} systems in common; need 2")
    mine = {name: row for row, name in enumerate(one.systems)}
    old = one.scores[[mine[name] for name in names]]
    new = other.scores[[index[name] for name in names]]
    base = None if one.baseline is None else one.systems[one.baseline]
    rest = np.array([name != base for name in names])
    figures = [_figures("all", names, old, new)]
    if base in names:
        kept = [name for name in names if name != base]
        figures.append(_figures(f"without the baseline {base}", kept, old[rest], new[rest]))
    fitted = mapping(old[rest], new[rest])
    families: list[ConclusionChange] = []
    p_holm: list[float] | None = None
    notes = []
    if items is None:
        notes.append("items per system are not known (--items): no errors, no conclusions tested")
    else:
        unit = _unit(np.concatenate([old, new]), one.name)
        kept = [name for name, keep in zip(names, rest.tolist(), strict=True) if keep]
        rates = old[rest] / unit, new[rest] / unit
        if base in names:
            families.append(_against(kept, rates, items))
        families.append(_pairs(kept, rates, items))
        p_holm = _shift_tests(rates, items)
        notes.append(
            "errors are binomial and take the two judgings as independent: conservative, where the"
            " same items were judged twice"
        )
    rows = _shifts(names, (old, new), rest, p_holm, fitted)
    return BoardChange(
        title="judge changed (nothing says what else did)",
        sentence=_sentence(figures[0], families, rows, items),
        first=one.name,
        second=other.name,
        only_first=len(one.systems) - len(names),
        only_second=len(other.systems) - len(names),
        notes=tuple(notes),
        items=items,
        figures=tuple(figures),
        shifts=tuple(rows),
        conclusions=tuple(families),
        mapping=fitted,
    )


def _shifts(
    names: Sequence[str],
    scores: tuple[Array, Array],
    rest: NDArray[np.bool_],
    p_holm: list[float] | None,
    fitted: Mapping,
) -> list[BoardShift]:
    """Every system, the largest shift first; ``rest`` are those that are tested."""
    old, new = scores
    places = ranks(old.tolist()), ranks(new.tolist())
    tested: Iterator[float | None] = iter([None] * len(names) if p_holm is None else p_holm)
    rows = [
        BoardShift(
            name,
            float(old[row]),
            float(new[row]),
            float(new[row] - old[row]),
            (places[0][row] or 0, places[1][row] or 0),
            next(tested) if rest[row] else None,
            *(fitted.at(float(old[row])) or (None, None)),
        )
        for row, name in enumerate(names)
    ]
    rows.sort(key=lambda row: (-abs(row.shift), row.system))
    return rows


def _unit(scores: Array, name: str) -> float:
    """1 of shares, 100 of percentages."""
    unit = 100.0 if scores.max() > 1 else 1.0
    if scores.min() < 0 or scores.max() > unit:
        raise UserError(
            f"{name}: {scores.min():g} to {scores.max():g} are no win rates; leave out --items"
        )
    return unit


def _figures(rows: str, names: Sequence[str], old: Array, new: Array) -> BoardFigures:
    shift = new - old
    pair = dict(zip(names, old.tolist(), strict=True)), dict(zip(names, new.tolist(), strict=True))
    both = correlate("second", pair[1], "first", pair[0])
    moves = np.array(ranks(old.tolist())) - np.array(ranks(new.tolist()))
    i, j = np.triu_indices(len(names), 1)
    reordered = (old[i] - old[j]) * (new[i] - new[j]) < 0
    most = int(np.argmax(np.abs(shift)))
    return BoardFigures(
        rows,
        len(names),
        both.spearman,
        both.kendall,
        float(np.abs(shift).mean()),
        float(shift.mean()),
        float(shift[most]),
        names[most],
        int(np.abs(moves).max()),
        int((moves != 0).sum()),
        int(reordered.sum()),
        len(i),
    )


def _against(names: Sequence[str], rates: tuple[Array, Array], items: int) -> ConclusionChange:
    first, second = (z_conclusions(p - EVEN, p * (1 - p) / items) for p in rates)
    told = [f"{n} {_of(first, r)} to {_of(second, r)}" for r, n in enumerate(names)]
    return change("every system against the baseline", told, first, second)


def _pairs(names: Sequence[str], rates: tuple[Array, Array], items: int) -> ConclusionChange:
    i, j = np.triu_indices(len(names), 1)

    def seen(p: Array) -> Conclusions:
        error = p * (1 - p) / items
        return z_conclusions(p[i] - p[j], error[i] + error[j])

    told = [
        f"{names[one]} and {names[other]}"
        for one, other in zip(i.tolist(), j.tolist(), strict=True)
    ]
    return change("every two systems", told, seen(rates[0]), seen(rates[1]))


def _of(seen: Conclusions, row: int) -> str:
    return {1: "better", 0: "undecided", -1: "worse"}[int(seen.signs[row])]


def _shift_tests(rates: tuple[Array, Array], items: int) -> list[float]:
    from scipy.special import ndtr

    variance = sum(p * (1 - p) / items for p in rates)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(variance > 0, np.abs(rates[1] - rates[0]) / np.sqrt(variance), 0.0)
    return holm((2 * ndtr(-z)).tolist())


def _sentence(
    all_: BoardFigures,
    families: Sequence[ConclusionChange],
    rows: Sequence[BoardShift],
    items: int | None,
) -> str:
    told = (
        f"scores shift by {all_.mean:+.2f} on average ({all_.mean_absolute:.2f} either way, at most"
        f" {abs(all_.largest):.2f}), Spearman {all_.spearman or 0:.3f},"
        f" {all_.reordered} of {counted(all_.pairs, 'pair')} in another order"
    )
    if items is None:
        return f"not enough data: {told}; without the number of items no shift can be tested"
    surviving = sum(row.p_holm is not None and row.p_holm <= 0.05 for row in rows)
    changed = sum(family.changed for family in families)
    size = sum(family.size for family in families)
    if changed or surviving:
        head = "ranks differ" if changed else f"shifted by {all_.mean:+.2f}"
        return (
            f"{head}: {told}; {counted(surviving, 'shift survives', 'shifts survive')} Holm,"
            f" and {changed} of {counted(size, 'conclusion changes', 'conclusions change')}"
        )
    return f"not enough data to tell the judges apart: {told}; no shift survives Holm"
