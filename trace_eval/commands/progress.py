"""Progress of a command: how far, how fast, at what cost, and how long it will take."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blueprints import counted
from trace_eval.commands.console import messages, warn
from trace_eval.runs.standing import Standing

if TYPE_CHECKING:
    from rich.progress import Progress

    from trace_eval.runs.events import Listener, RunEvent


#: Where there is no terminal to draw a bar on, a line is printed after so many seconds.
LINE_EVERY_S = 60.0


@dataclass
class Pace:
    """Running totals of a session.

    Attributes:
        what: the word before the numbers of a line.
        total: of what is to be done, until an event reports another number.
        standing: what is done of it, and at what cost.
    """

    what: str = "judging"
    total: int = 0
    standing: Standing = field(default_factory=Standing)
    started: float = field(default_factory=time.monotonic)
    printed: float = field(default_factory=time.monotonic)

    @property
    def done(self) -> int:
        """How much of the total is done."""
        return self.standing.clips if self.what == "extracting" else self.standing.done

    def count(self, event: RunEvent) -> None:
        """Add an event to the counts."""
        self.total = self.total if event.pending is None else event.pending
        self.standing.count(event)

    def line(self) -> str | None:
        """Return a line for a log, or None within a minute of the last one."""
        now = time.monotonic()
        if now - self.printed < LINE_EVERY_S:
            return None
        self.printed = now
        left = ""
        if 0 < self.done < self.total:
            seconds = (self.total - self.done) * (now - self.started) / self.done
            left = f", {_duration(seconds)} left"
        return f"{self.what}: {self.done} of {self.total}; {self.summary()}{left}"

    def summary(self) -> str:
        """Say, e.g., ``12 a minute, 1 failed, 24 clips, 1.2/s, 9.8 x real time``.

        The cost stands last, e.g. ``US$ 0.13``.
        """
        seconds, standing = max(time.monotonic() - self.started, 1e-9), self.standing
        parts = []
        if standing.done:
            parts.append(f"{60 * standing.done / seconds:,.0f} a minute")
        if standing.failed:
            parts.append(f"{standing.failed} failed")
        if standing.clips:
            parts.append(counted(standing.clips, "clip"))
            parts.append(f"{standing.clips / seconds:.1f}/s")
            parts.append(f"{standing.audio_s / seconds:.1f} x real time")
        if standing.calls is not None:
            parts.append(f"{counted(standing.calls, 'call')} in flight")
        if standing.cost_usd is not None:
            parts.append(f"US$ {standing.cost_usd:.2f}")
        return ", ".join(parts)


def _duration(seconds: float) -> str:
    """Write a time in words, e.g. ``12 min``, or ``3.5 h``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


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
        # Models load and caches answer first: the speed of minutes tells more than of
        # seconds.
        TimeRemainingColumn(),
    )
    hidden = not console.is_terminal
    return Progress(
        *columns,
        console=console,
        disable=hidden,
        speed_estimate_period=120,
        transient=transient,
    )


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show a bar that is gone at the end; yield a function of (done, of how many)."""
    with _bar(what, transient=True) as bar:
        task = bar.add_task(what, total=None, pace="")
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def progress(total: int, what: str = "judging") -> Iterator[Listener]:
    """Show a progress bar after the word ``what``; yield the listener that drives it.

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
            pace.count(event)
            bar.update(task, total=pace.total, completed=pace.done, pace=pace.summary())
            if not console.is_terminal and (line := pace.line()):
                console.print(line, markup=False)

        yield listen
