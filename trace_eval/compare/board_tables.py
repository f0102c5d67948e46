"""The tables of a judge change as two boards show it, for people."""

from __future__ import annotations

from collections.abc import Iterator

from trace_eval.compare.boards import BoardChange
from trace_eval.compare.shared_tables import conclusions_table, mapping_table
from trace_eval.show.table import Table, table

#: Systems that the table lists.
_ROWS = 40


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
