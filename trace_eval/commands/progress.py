"""Progress of a command: how far it is, how fast, at what cost, and how long it still takes."""

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


#: Where there is no terminal to draw a bar on, a line is printed after so many seconds.
LINE_EVERY_S = 60.0


@dataclass
class Pace:
    """Running totals of a session.

    Attributes:
        what: the word before the numbers of a line.
        total: of what is to be done, until an event reports another number; ``done`` of it.
        clips: recordings extracted, or read from the cache, with so many seconds of audio.
        calls: to the judge's model that are in flight; None: it makes none.
        cost_usd: spent so far; None: no price is known.
    """

    what: str = "judging"
    total: int = 0
    done: int = 0
    clips: int = 0
    audio_s: float = 0.0
    calls: int | None = None
    cost_usd: float | None = None
    started: float = field(default_factory=time.monotonic)
    printed: float = field(default_factory=time.monotonic)

    def count(self, event: RunEvent) -> bool:
        """Add an event to the counts; True: one more of the total is done."""
        done = bool(event.clip) if self.what == "extracting" else bool(event.outcomes)
        self.done += done
        self.total = self.total if event.pending is None else event.pending
        if event.clip:
            self.clips += 1
            self.audio_s += event.clip.audio_s
        self.calls, self.cost_usd = event.activity
        return done

    def line(self) -> str | None:
        """Return a line for a log, or None within a minute of the last one."""
        now = time.monotonic()
        if now - self.printed < LINE_EVERY_S:
            return None
        self.printed = now
        return f"{self.what}: {self.done} of {self.total}; {self.summary()}"

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


def _bar(what: str, transient: bool = False) -> Progress:
    """Make a bar for terminals, which draws nothing elsewhere."""
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
    """Show a bar that is gone at the end, and yield a function of (done, of how many)."""
    with _bar(what, transient=True) as bar:
        task = bar.add_task(what, total=None, pace="")
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def progress(total: int, what: str = "judging") -> Iterator[Listener]:
    """Show a progress bar after the word ``what``, and yield the listener that drives it.

    ``total`` counts items, or clips where ``what`` is ``extracting``.
    """
    console, pace, warned = messages(), Pace(what, total), False
    with _bar(what) as bar:
        task = bar.add_task(what, total=total, pace="")

        def listen(event: RunEvent) -> None:
            nonlocal warned
            if event.clip and event.clip.cache_problem and not warned:
                warned = True
                warn(event.clip.cache_problem)
            done = pace.count(event)
            bar.update(task, total=pace.total, advance=int(done), pace=pace.summary())
            if not console.is_terminal and (line := pace.line()):
                console.print(line, markup=False)

        yield listen
