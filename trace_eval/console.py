"""Printing for people: results on stdout, everything else on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

if TYPE_CHECKING:
    from trace_eval.pipeline import Event, Listener

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


@contextmanager
def pair_progress(total: int, what: str = "judging") -> Iterator[Listener]:
    """A progress bar on a terminal; gives the listener that drives it.

    It counts pairs when ``what`` is ``judging``, else clips.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = messages()
    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[clips]} clips, {task.fields[speed]:.1f} x real time"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total, clips=0, speed=0.0)
        clips, audio = 0, 0.0

        def listen(event: Event) -> None:
            nonlocal clips, audio
            if event.clip:
                clips, audio = clips + 1, audio + event.clip.audio_s
                elapsed = bar.tasks[0].elapsed or 1e-9
                bar.update(task, clips=clips, speed=audio / elapsed)
            if event.judgement if what == "judging" else event.clip:
                bar.advance(task)

        yield listen
