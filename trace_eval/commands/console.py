"""Printing on the terminal: results on stdout, everything else on stderr."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from blueprints import Advice, counted
from blueprints.notation import cut_short
from trace_eval.commands.result_files import QUIET, unwritten
from trace_eval.commands.stopping import stopped
from trace_eval.data.urls import redact_urls

#: Exit codes; 0: all is well.
# not everything could be scored or read (--min-coverage), or a gate failed
EXIT_INCOMPLETE = 1
EXIT_USAGE = 2  # the call was wrong, or a file cannot be written
# a file of a run, a review or a cache (gate --must-tell: it cannot tell)
EXIT_DAMAGED = 3
EXIT_BUG = 70  # of ours; --debug prints the traceback
EXIT_CLOSED = 141  # whoever read the output has closed it (| head)

#: Longest error or warning that is printed, characters.
MAX_MESSAGE = 2000

#: Width of tables that are not printed on a terminal, characters.
FILE_WIDTH = 120

#: Quoted values, paths and numbers, in which problems of one cause differ.
_VALUES = re.compile(r"'[^']*'|\"[^\"]*\"|(?<!\S)[^\s/]*/\S+|\d+")

#: Characters that a terminal acts on instead of showing them: controls but tab and line
#: feed, and marks that turn the direction of the text around them.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)

#: Warnings of one cause that are printed before they are counted only.
SAME_CAUSE = 3

#: Rows of a table, and kinds of warnings or reasons, that a terminal is shown; a file
#: has all.
MAX_ROWS = 20


def visible(text: str) -> str:
    """Write out the control characters of a text, e.g. ``\\x1b``."""
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


@contextmanager
def continuable(folder: Path | str) -> Iterator[None]:
    """Say after Ctrl-C or SIGTERM that the same command continues in this folder.

    Raises:
        typer.Exit: it was interrupted.
    """
    try:
        yield
    except KeyboardInterrupt:
        how, code = stopped()
        _errors().print(f"{how}; the same command continues {folder}", markup=False)
        raise typer.Exit(code) from None


class SafeConsole(Console):
    """A console for text from outside: no control codes, secrets or emoji get through.

    ``:x:`` stays as it is.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """Render every string that is printed, also in tables."""
        return super().render_str(visible(redact_urls(text)), **options)

    def on_broken_pipe(self) -> None:
        """Raise, instead of ending with the code of pairs that were not scored."""
        raise BrokenPipeError


def results(file_width: int = FILE_WIDTH) -> Console:
    """Return the console of results (stdout).

    ``file_width`` counts where neither a terminal nor ``COLUMNS`` tells a width.
    """
    has_width = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdecimal()
    return SafeConsole(width=None if has_width else file_width, highlight=False)


def say(line: object) -> None:
    """Print a result in a line of its own."""
    say_each([line])


def say_each(lines: Iterable[object]) -> None:
    """Print results, each in a line of its own."""
    console = results()
    for line in lines:
        console.print(str(line), markup=False, soft_wrap=True)


def messages() -> Console:
    """Return the console of messages (stderr), which is silent with ``--quiet``."""
    return _errors(quiet=QUIET.get())


def _errors(*, quiet: bool = False) -> Console:
    return SafeConsole(stderr=True, highlight=False, soft_wrap=True, quiet=quiet)


def complain(text: object) -> None:
    """Print an error in one line."""
    _errors().print(f"[bold red]error:[/] {escape(_bounded(text))}")


def by_cause(
    problems: Iterable[str], of: Callable[[str], str] = str
) -> list[list[str]]:
    """Group texts that differ only in quoted values and numbers, largest groups first.

    Args:
        of: the part of a text that tells causes apart.
    """
    causes: dict[str, list[str]] = {}
    for problem in problems:
        causes.setdefault(_VALUES.sub("?", of(problem)), []).append(problem)
    return sorted(causes.values(), key=len, reverse=True)


def warn_all(problems: Iterable[object]) -> None:
    """Print warnings; of many that differ in names or numbers, one and a count."""
    causes = by_cause(
        map(str, problems), lambda problem: problem.rpartition(": ")[2] or problem
    )
    for same in causes[:MAX_ROWS]:
        shown = same if len(same) <= SAME_CAUSE else same[:1]
        for text in shown:
            warn(text)
        if len(same) > len(shown):
            warn(f"... and {len(same) - len(shown)} more like that")
    if left := sum(map(len, causes[MAX_ROWS:])):
        warn(f"... and {left} others")


def print_rows(
    titles: Sequence[str],
    rows: Iterable[Sequence[str]],
    everything: Path | None = None,
    fixed: Collection[str] | None = None,
    right: Collection[str] = (),
    width: int = FILE_WIDTH,
    most: int | None = MAX_ROWS,
) -> None:
    """Print the first rows of a plain table, and where all rows are.

    Args:
        everything: the file that has all rows; None: ``--json``.
        fixed: titles of columns whose cells are never broken; default: all but the
            first and last.
        right: titles of columns that are set to the right.
        width: of the table where it is not printed on a terminal, characters.
        most: rows that are printed; None: all, as nobody looks them up in a file.
    """
    table, count = Table(box=None, pad_edge=False), 0
    for title in titles:
        whole = (
            title not in (titles[0], titles[-1]) if fixed is None else title in fixed
        )
        justify: Literal["left", "right"] = "right" if title in right else "left"
        table.add_column(title, overflow="fold", no_wrap=whole, justify=justify)
    for row in rows:
        count += 1
        if most is None or count <= most:
            table.add_row(*map(escape, row))
    results(width).print(table)
    if most is not None:
        say_each(left_out(count, everything))


def left_out(rows: int, everything: Path | None = None) -> list[str]:
    """Say how many rows are hidden, and where to find them; empty if none is."""
    if rows <= MAX_ROWS:
        return []
    where = everything or next(iter(unwritten().get("json_file", ())), None)
    message = f"... {counted(rows - MAX_ROWS, 'more row')}"
    return [
        f"{message}; all: {where}" if where else f"{message}; --json FILE writes all"
    ]


def warn(text: object) -> None:
    """Print a warning in one line."""
    messages().print(f"[yellow]warning:[/] {escape(_bounded(text))}")


def say_note(text: object) -> None:
    """Print a note, which is no result."""
    messages().print(f"note: {text}", markup=False)


def _bounded(text: object) -> str:
    return cut_short(str(text), MAX_MESSAGE)


@contextmanager
def advice_shown() -> Iterator[None]:
    """Print advice of the library as one line; other warnings stay as they are."""
    others = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *where: Any) -> None:
        if issubclass(category, Advice):
            warn(message)
        else:
            others(message, category, *where)

    warnings.showwarning = show  # type: ignore[assignment]
    try:
        yield
    # one Python may run many commands, and none of them shall wrap those before it
    finally:
        warnings.showwarning = others
