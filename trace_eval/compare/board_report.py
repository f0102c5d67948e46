"""The report on two boards, and its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from blueprints import counted
from trace_eval.compare.change_report import ChangeReport
from trace_eval.compare.conclusions import ConclusionChange, conclusions_table
from trace_eval.compare.mapping import Mapping, mapping_table
from trace_eval.show.table import Table, column, p_text, table

#: Systems that the table lists.
_ROWS = 40


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


def board_sentence(
    all_: BoardFigures,
    families: Sequence[ConclusionChange],
    rows: Sequence[BoardShift],
    items: int | None,
) -> str:
    """The result in one sentence."""
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
