"""Printing neutral tables with rich."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from trace_eval.agreement.tabular import Table

if TYPE_CHECKING:
    from rich.console import Console

    from trace_eval.agreement.checks import DataWarning


#: Spaces between two columns, and at both ends of a line together, as rich draws them.
_GAP, _EDGES = 3, 2


def stdout_console() -> Console:
    """A console for results; wide enough for the tables when it is not a terminal."""
    from trace_eval.commands.console import results

    return results(file_width=240)


def print_tables(tables: Iterable[Table], console: Console) -> None:
    """Print tables one under the other; the texts are taken literally, never as markup."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    for table in tables:
        parts = fitting(table, console.width)
        for number, columns in enumerate(parts):
            last = number == len(parts) - 1
            shown = RichTable(
                title=Text(table.title, style="bold") if table.title and not number else None,
                title_justify="left",
                caption=Text(table.note) if table.note and last else None,
                caption_justify="left",
                box=SIMPLE_HEAD,
                pad_edge=False,
            )
            for column in columns:
                # A name may be broken, a number never.
                shown.add_column(Text(table.columns[column]), overflow="fold", no_wrap=column > 0)
            for row in table.rows:
                shown.add_row(*(Text(row[column]) for column in columns))
            console.print(shown)
        console.print()


def fitting(table: Table, width: int) -> list[list[int]]:
    """The columns of a table in groups that fit a width, the first column in each.

    >>> fitting(Table("t", ("name", "a", "b"), [["x" * 9, "1" * 9, "2" * 9]]), 24)
    [[0, 1], [0, 2]]
    """
    sizes = [
        max(len(str(cell)) for cell in (title, *(row[column] for row in table.rows)))
        for column, title in enumerate(table.columns)
    ]
    width -= _EDGES
    if sum(sizes) + _GAP * (len(sizes) - 1) <= width or len(sizes) < 2:
        return [list(range(len(sizes)))]
    # A name is broken only where it would leave no room for the widest number.
    first = min(sizes[0], max(width // 2, width - _GAP - max(sizes[1:])))
    groups: list[list[int]] = [[0]]
    used = first
    for column in range(1, len(sizes)):
        if len(groups[-1]) > 1 and used + _GAP + sizes[column] > width:
            groups.append([0])
            used = first
        groups[-1].append(column)
        used += _GAP + sizes[column]
    return groups


def print_warnings(warnings: Iterable[DataWarning]) -> None:
    """Findings about the data, on stderr, before any table."""
    from trace_eval.agreement.tables import warning_line
    from trace_eval.commands.console import warn

    for warning in warnings:
        warn(warning_line(warning))
