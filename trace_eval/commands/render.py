"""Printing neutral tables with rich."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from trace_eval.agreement.tabular import Table

if TYPE_CHECKING:
    from rich.console import Console

    from trace_eval.agreement.checks import DataWarning


def stdout_console() -> Console:
    """A console for results; wide enough for the tables when it is not a terminal."""
    import sys

    from trace_eval.commands.console import SafeConsole

    if sys.stdout.isatty():
        return SafeConsole()
    return SafeConsole(width=240)


def print_tables(tables: Iterable[Table], console: Console) -> None:
    """Print tables one under the other; the texts are taken literally, never as markup."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    for table in tables:
        shown = RichTable(
            title=Text(table.title, style="bold"),
            title_justify="left",
            caption=Text(table.note) if table.note else None,
            caption_justify="left",
            box=SIMPLE_HEAD,
            pad_edge=False,
        )
        for column in table.columns:
            shown.add_column(Text(column), overflow="fold")
        for row in table.rows:
            shown.add_row(*(Text(cell) for cell in row))
        console.print(shown)
        console.print()


def print_warnings(warnings: Iterable[DataWarning]) -> None:
    """Findings about the data, on stderr, before any table."""
    from trace_eval.agreement.tables import warning_line
    from trace_eval.commands.console import warn

    for warning in warnings:
        warn(warning_line(warning))
