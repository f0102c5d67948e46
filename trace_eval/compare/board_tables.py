"""The tables of a judge change as two boards show it, for people."""

from __future__ import annotations

from collections.abc import Iterator

from trace_eval.compare.boards import BoardChange
from trace_eval.compare.shared_tables import conclusions_table, mapping_table
from trace_eval.show.table import NOTHING, Table, grid, p_value

#: Systems that the table lists.
_ROWS = 40


def board_tables(report: BoardChange) -> Iterator[Table]:
    """Two boards: shifts, conclusions, mapping."""
    yield grid(
        f"{report.first} -> {report.second}",
        (
            "systems",
            "n",
            "Spearman",
            "Kendall",
            "mean |shift|",
            "mean shift",
            "largest",
            "of",
            "largest rank move",
            "move",
            "pairs in another order",
        ),
        (
            (
                f.rows,
                f.systems,
                f.spearman,
                f.kendall,
                f"{f.mean_absolute:.3f}",
                f"{f.mean:+.3f}",
                f"{f.largest:+.2f}",
                f.of,
                f.rank_move,
                f.moved,
                f"{f.reordered} of {f.pairs}",
            )
            for f in report.figures
        ),
    )
    yield conclusions_table(report.conclusions)
    yield mapping_table(report.mapping)
    yield grid(
        "Largest shifts",
        ("system", "first", "second", "shift", "rank", "p (Holm)", "first, mapped", "95 %"),
        (
            (
                row.system,
                f"{row.first:g}",
                f"{row.second:g}",
                f"{row.shift:+.2f}",
                f"{row.ranks[0]} to {row.ranks[1]}",
                p_value(row.p_holm),
                NOTHING if row.mapped is None else f"{row.mapped:.2f}",
                NOTHING
                if row.mapped_range is None
                else f"{row.mapped_range[0]:.1f} to {row.mapped_range[1]:.1f}",
            )
            for row in report.shifts[:_ROWS]
        ),
    )
