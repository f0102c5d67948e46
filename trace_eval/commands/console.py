"""Printing for people: results on stdout, everything else on stderr."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable

from rich.console import Console
from rich.markup import escape

#: Exit codes: not everything could be scored; the call was wrong; stopped by Ctrl-C.
EXIT_INCOMPLETE = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130

#: Width of tables that are not printed on a terminal, characters.
FILE_WIDTH = 120


#: What differs between problems of one cause: quoted values and numbers.
_VALUES = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")


def results() -> Console:
    """The console of results (stdout)."""
    return Console(width=None if sys.stdout.isatty() else FILE_WIDTH, highlight=False)


def messages() -> Console:
    """The console of messages (stderr)."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def complain(text: object) -> None:
    """Print an error for people."""
    messages().print(f"[bold red]error:[/] {escape(str(text))}")


#: Warnings of one cause that are printed before they are counted only.
SAME_CAUSE = 3


def warn_all(problems: Iterable[object]) -> None:
    """Print warnings; of many that differ in names and numbers only, the first and a count."""
    causes: dict[str, list[str]] = {}
    for problem in problems:
        where, _, what = str(problem).rpartition(": ")
        causes.setdefault(_VALUES.sub("?", what or where), []).append(str(problem))
    for same in causes.values():
        shown = same if len(same) <= SAME_CAUSE else same[:1]
        for text in shown:
            warn(text)
        if len(same) > len(shown):
            warn(f"... and {len(same) - len(shown)} more like that")


def warn(text: object) -> None:
    """Print a warning for people."""
    messages().print(f"[yellow]warning:[/] {escape(str(text))}")
