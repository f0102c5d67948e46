"""Two boards of one benchmark: the same systems' scores under two judges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError, counted
from trace_eval.compare.change_report import ChangeReport
from trace_eval.compare.conclusions import (
    ConclusionChange,
    change,
    conclusions_table,
    z_conclusions,
    z_p,
)
from trace_eval.compare.mapping import Mapping, mapping, mapping_table
from trace_eval.compare.read_judging import split_column
from trace_eval.data.label_files import read_columns
from trace_eval.estimate.paired import holm
from trace_eval.show.table import Table, column, p_text, table
from trace_eval.stats.ranking.correlation import correlate
from trace_eval.stats.ranking.outcomes import ranks

Array = NDArray[np.float64]

_UNTESTED = "items per system are not known (--items): no errors, no conclusions tested"
_BINOMIAL = (
    "errors are binomial and take the two judgings as independent: conservative, where the same"
    " items were judged twice"
)

#: Systems that the table lists.
_ROWS = 40

#: What a win rate of a system is compared with: as good as the baseline.
EVEN = 0.5


@dataclass(frozen=True)
class Board:
    """Scores of systems.

    Attributes:
        name: of the table and column.
        systems: unique names.
        scores: as the table has them [shape=(m,)].
        baseline: row of the system that all others are compared with; None: there is none.
    """

    name: str
    systems: tuple[str, ...]
    scores: Array
    baseline: int | None


def is_board(source: str | Path) -> bool:
    """Whether ``FILE:COLUMN`` has a row per system, and none per item."""
    path, column = split_column(str(source))
    if column is None or not path.is_file():
        return False
    result = read_columns(path, {"system": "system"})
    return "system" in result and "id" not in result


def read_board(source: str | Path, keys: Sequence[str] = ("system",)) -> Board:
    """Read one column of a table with a row per system.

    Args:
        source: ``FILE:COLUMN``.
        keys: columns that together name a system.

    Raises:
        UserError: a column is missing, a score is no number, or two rows have one name.
    """
    path, column = split_column(str(source))
    requested = {str(column): "score", "baseline": "baseline"} | {key: f"key {key}" for key in keys}
    result = read_columns(path, requested)
    for name, ours in requested.items():
        if ours not in result and name != "baseline":
            raise UserError(f"{path}: no column {name!r}; name one that it has")
    parts = [[text or "" for text in result[f"key {key}"]] for key in keys]
    names = [" ".join(filter(None, row)) for row in zip(*parts, strict=True)]
    twice = next((name for row, name in enumerate(names) if name in names[:row]), None)
    if twice is not None:
        raise UserError(
            f"{path}: system {twice!r} has two rows; tell them apart by more columns, e.g."
            f" --key {' --key '.join(keys)} --key OTHER"
        )
    scores = []
    for row, text in enumerate(result["score"]):
        try:
            scores.append(float(text or ""))
        except ValueError:
            raise UserError(f"{path}, {names[row]}: {column} is {text!r}; give a number") from None
    flags = [(text or "").lower() in ("1", "true", "yes") for text in result.get("baseline", [])]
    if sum(flags) > 1:
        raise UserError(f"{path}: several rows are the baseline; mark one")
    return Board(
        f"{path.stem}:{column}",
        tuple(names),
        np.array(scores),
        flags.index(True) if True in flags else None,
    )


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
    names = [name for name in one.systems if name in other.systems]
    if len(names) < 2:
        raise UserError(f"{one.name} and {other.name} have {len(names)} systems in common; need 2")
    old, new = (
        board.scores[[board.systems.index(name) for name in names]] for board in (one, other)
    )
    base = None if one.baseline is None else one.systems[one.baseline]
    rest = np.array([name != base for name in names])
    kept = [name for name in names if name != base]
    figures = [_figures("all", names, old, new)]
    if base in names:
        figures.append(_figures(f"without the baseline {base}", kept, old[rest], new[rest]))
    families: list[ConclusionChange] = []
    p_holm: Iterator[float | None] = iter([None] * len(names))
    if items is not None:
        unit = _unit(np.concatenate([old, new]), one.name)
        rates = old[rest] / unit, new[rest] / unit
        families = [_against(kept, rates, items)] if base in names else []
        families.append(_pairs(kept, rates, items))
        p_holm = iter(_shift_tests(rates, items))
    fitted = mapping(old[rest], new[rest])
    before, after = ranks(old.tolist()), ranks(new.tolist())
    rows = [
        BoardShift(
            name,
            float(old[row]),
            float(new[row]),
            float(new[row] - old[row]),
            (before[row] or 0, after[row] or 0),
            next(p_holm) if rest[row] else None,
            *(fitted.at(float(old[row])) or (None, None)),
        )
        for row, name in enumerate(names)
    ]
    return BoardChange(
        title="judge changed (other changes are not recorded)",
        sentence=_sentence(figures[0], families, rows, items),
        first=one.name,
        second=other.name,
        only_first=len(one.systems) - len(names),
        only_second=len(other.systems) - len(names),
        notes=(_UNTESTED if items is None else _BINOMIAL,),
        items=items,
        figures=tuple(figures),
        shifts=tuple(sorted(rows, key=lambda row: (-abs(row.shift), row.system))),
        conclusions=tuple(families),
        mapping=fitted,
    )


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
    words = {1: "better", 0: "undecided", -1: "worse"}
    lines = [
        f"{name} {words[one]} to {words[other]}"
        for name, one, other in zip(names, first.signs.tolist(), second.signs.tolist(), strict=True)
    ]
    return change("every system against the baseline", lines, first, second)


def _pairs(names: Sequence[str], rates: tuple[Array, Array], items: int) -> ConclusionChange:
    i, j = np.triu_indices(len(names), 1)
    spread = [p * (1 - p) / items for p in rates]
    first, second = (
        z_conclusions(p[i] - p[j], own[i] + own[j]) for p, own in zip(rates, spread, strict=True)
    )
    lines = [f"{names[a]} and {names[b]}" for a, b in zip(i.tolist(), j.tolist(), strict=True)]
    return change("every two systems", lines, first, second)


def _shift_tests(rates: tuple[Array, Array], items: int) -> list[float]:
    variance = sum(p * (1 - p) / items for p in rates)
    return holm(z_p(rates[1] - rates[0], np.asarray(variance)).tolist())


def _sentence(
    all_: BoardFigures,
    families: Sequence[ConclusionChange],
    rows: Sequence[BoardShift],
    items: int | None,
) -> str:
    message = (
        f"scores shift by {all_.mean:+.2f} on average ({all_.mean_absolute:.2f} either way, at most"
        f" {abs(all_.largest):.2f}), Spearman {all_.spearman or 0:.3f},"
        f" {all_.reordered} of {counted(all_.pairs, 'pair')} in another order"
    )
    if items is None:
        return f"not enough data: {message}; without the number of items no shift can be tested"
    surviving = sum(row.p_holm is not None and row.p_holm <= 0.05 for row in rows)
    changed = sum(family.changed for family in families)
    size = sum(family.size for family in families)
    if changed or surviving:
        head = "ranks differ" if changed else f"shifted by {all_.mean:+.2f}"
        return (
            f"{head}: {message}; {counted(surviving, 'shift survives', 'shifts survive')} Holm,"
            f" and {changed} of {counted(size, 'conclusion changes', 'conclusions change')}"
        )
    return f"not enough data to tell the judges apart: {message}; no shift survives Holm"


def board_tables(report: BoardChange) -> Iterator[Table]:
    """Two boards: shifts, conclusions, mapping."""
    yield table(
        f"{report.first} -> {report.second}",
        report.figures,
        "rows systems spearman kendall mean_absolute mean largest of rank_move moved reordered",
    )
    yield conclusions_table(report.conclusions)
    yield mapping_table(report.mapping)
    yield table(
        "Largest shifts",
        report.shifts[:_ROWS],
        "system first second shift ranks p_holm mapped mapped_range",
    )
