"""Printing for people: results on stdout, everything else on stderr."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.markup import escape

#: Exit codes: not everything could be scored; the call was wrong; stopped by Ctrl-C.
EXIT_INCOMPLETE = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130

#: Width of tables that are not printed on a terminal, characters.
FILE_WIDTH = 120


def results() -> Console:
    """The console of results (stdout)."""
    return Console(width=None if sys.stdout.isatty() else FILE_WIDTH, highlight=False)


def messages() -> Console:
    """The console of messages (stderr)."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def complain(text: object) -> None:
    """Print an error for people."""
    messages().print(f"[bold red]error:[/] {escape(str(text))}")


def warn(text: object) -> None:
    """Print a warning for people."""
    messages().print(f"[yellow]warning:[/] {escape(str(text))}")
