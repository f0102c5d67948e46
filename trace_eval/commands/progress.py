"""What people see while they wait: how far, how fast, at what cost, and how long still."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blueprints import counted
from trace_eval.commands.console import messages, warn

if TYPE_CHECKING:
    from rich.progress import Progress

    from trace_eval.runs.pipeline import Listener, RunEvent


@dataclass
class Pace:
    """Running totals of a session.

    Attributes:
        clips: recordings extracted, or read from the cache.
        audio_s: seconds of audio in them.
        calls: to the judge's model that are in flight; None: it makes none.
        cost_usd: spent so far; None: no price is known.
    """

    clips: int = 0
    audio_s: float = 0.0
    calls: int | None = None
    cost_usd: float | None = None
    started: float = field(default_factory=time.monotonic)

    def count(self, event: RunEvent) -> None:
        """Add an event to the counts."""
        if event.clip:
            self.clips += 1
            self.audio_s += event.clip.audio_s
        self.calls, self.cost_usd = event.activity

    def summary(self) -> str:
        """One line, e.g. ``24 clips, 1.2/s, 9.8 x real time, 16 calls in flight, US$ 0.13``."""
        seconds = max(time.monotonic() - self.started, 1e-9)
        parts = [
            counted(self.clips, "clip"),
            f"{self.clips / seconds:.1f}/s",
            f"{self.audio_s / seconds:.1f} x real time",
        ]
        if self.calls is not None:
            parts.append(f"{counted(self.calls, 'call')} in flight")
        if self.cost_usd is not None:
            parts.append(f"US$ {self.cost_usd:.2f}")
        return ", ".join(parts)


#: Where there is no terminal to draw a bar on, a line is printed after so many seconds.
LINE_EVERY_S = 60.0


class Lines:
    """Progress as lines, for logs.

    Args:
        what: the word before the numbers.
        total: of what is to be done, until an event tells better.
    """

    def __init__(self, what: str, total: int) -> None:
        self._what = what
        self._total = total
        self._done = 0
        self._last = time.monotonic()

    def after(self, pending: int | None, done: object | None, pace: Pace) -> str | None:
        """The line to print after an event; None: the last one was less than a minute ago."""
        self._total = self._total if pending is None else pending
        self._done += done is not None
        now = time.monotonic()
        if now - self._last < LINE_EVERY_S:
            return None
        self._last = now
        return f"{self._what}: {self._done} of {self._total}; {pace.summary()}"


def _bar(what: str, transient: bool = False) -> Progress:
    """A bar for terminals; elsewhere it draws nothing."""
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
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("{task.fields[pace]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        # Models load and caches answer first: the speed of minutes tells more than of seconds.
        TimeRemainingColumn(),
    )
    hidden = not console.is_terminal
    return Progress(
        *columns, console=console, disable=hidden, speed_estimate_period=120, transient=transient
    )


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """A bar on a terminal, gone at the end; gives what is told (done, of how many)."""
    with _bar(what, transient=True) as bar:
        task = bar.add_task(what, total=None, pace="")
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def progress(total: int, what: str = "judging") -> Iterator[Listener]:
    """A progress bar on a terminal; gives the listener that drives it.

    Args:
        total: items, or clips where ``what`` is ``extracting``.
        what: the word before the bar.
    """
    console = messages()
    with _bar(what) as bar:
        pace = Pace()
        said, lines = False, Lines(what, total)
        task = bar.add_task(what, total=total, pace="")

        def listen(event: RunEvent) -> None:
            nonlocal said
            if event.clip and event.clip.cache_problem and not said:
                said = True
                warn(event.clip.cache_problem)
            pace.count(event)
            if event.pending is not None:
                bar.update(task, total=event.pending)
            done = event.clip if what == "extracting" else event.outcomes or None
            bar.update(task, advance=1 if done is not None else 0, pace=pace.summary())
            if not console.is_terminal and (line := lines.after(event.pending, done, pace)):
                console.print(line, markup=False)

        yield listen
