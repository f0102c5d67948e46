"""What this process and all that descend from it use, as the kernel's tables say."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

_TICK_S, _PAGE = 1 / os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")

#: Seconds between two looks: what a process uses after its last one is missed.
_LOOK_S = 0.5


class _Seen(NamedTuple):
    parent: int
    cpu_s: float
    resident: int


class _Used(NamedTuple):
    cpu_s: float
    read_mb: float


class ProcessTree:
    """A watch over a process tree while a block runs, killed processes included.

    Attributes:
        cpu_s: of all processes while the block ran.
        read_mb: what all of them read, from files and pipes, cached or not.
        largest_gib: the most memory of one process at any look.
        together_gib: the most memory of all at one look; pages that they share count
            several times.
    """

    def __init__(self) -> None:
        self.largest_gib = self.together_gib = 0.0
        self._known = {os.getpid()}
        self._used: dict[int, _Used] = {}
        self._before: dict[int, _Used] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._look()
        self._before = dict(self._used)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()
        self._look()

    @property
    def cpu_s(self) -> float:
        """Return the seconds that all have used since the block began."""
        before = sum(used.cpu_s for used in self._before.values())
        return sum(used.cpu_s for used in self._used.values()) - before

    @property
    def read_mb(self) -> float:
        """Return the megabytes that all have read since the block began."""
        before = sum(used.read_mb for used in self._before.values())
        return sum(used.read_mb for used in self._used.values()) - before

    def _watch(self) -> None:
        while not self._stop.wait(_LOOK_S):
            self._look()

    def _look(self) -> None:
        processes = _processes()
        grown = True
        while grown:  # a process may be listed before its parent
            children = {
                pid for pid, seen in processes.items() if seen.parent in self._known
            }
            grown = not children <= self._known
            self._known |= children
        alive = [processes[pid] for pid in self._known if pid in processes]
        for pid in self._known & processes.keys():
            earlier = self._used.get(pid, _Used(0.0, 0.0))
            cpu_s = max(processes[pid].cpu_s, earlier.cpu_s)
            self._used[pid] = _Used(cpu_s, max(_read_mb(pid), earlier.read_mb))
        sizes = [seen.resident / 2**30 for seen in alive]
        self.largest_gib = max(self.largest_gib, *sizes)
        self.together_gib = max(self.together_gib, sum(sizes))


def _read_mb(pid: int) -> float:
    """Return what a process has read so far; 0 where it has ended."""
    try:
        lines = Path(f"/proc/{pid}/io").read_text().splitlines()
    except OSError:
        return 0.0
    return int(lines[0].removeprefix("rchar:")) / 1e6


def _processes() -> dict[int, _Seen]:
    """Read all processes of the machine."""
    processes = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        cpu_s = (int(fields[11]) + int(fields[12])) * _TICK_S
        processes[int(folder.name)] = _Seen(
            int(fields[1]), cpu_s, int(fields[21]) * _PAGE
        )
    return processes
