"""A command over time: memory of all its processes, and the pairs it judged.

``ru_maxrss`` does not serve: a child inherits the peak of whoever started it.
"""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

#: Seconds between two samples.
STEP_S = 0.5


@dataclass
class Watched:
    """Samples of a command, every half second.

    Attributes:
        seen: (time in s, pairs judged).
        memory: process id -> its resident memory, MB.
    """

    seen: list[tuple[float, int]] = field(default_factory=list)
    memory: dict[int, list[float]] = field(default_factory=dict)

    @property
    def minutes(self) -> float:
        """From the first sample to the last."""
        return (self.seen[-1][0] - self.seen[0][0]) / 60

    def processes(self) -> list[dict[str, float]]:
        """Peak and growth of those that were there for at least 10 s."""
        results = []
        for series in (one for one in self.memory.values() if len(one) * STEP_S >= 10):
            # Medians of the second and of the last fifth, so that start and end do not
            # count.
            fifth = len(series) // 5
            ratio = median(series[-fifth:]) / median(series[fifth : 2 * fifth])
            results.append({"peak MB": max(series), "last fifth / second": ratio})
        return results


def watch(command: list[str], run: Path | None = None) -> Watched:
    """Run a command, and count the judgements in the folder of its run."""
    watched = Watched()
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet) as process:
        while process.poll() is None:
            for pid in (process.pid, *children(process.pid)):
                if memory := resident_mb(pid):
                    watched.memory.setdefault(pid, []).append(memory)
            watched.seen.append((time.monotonic(), judged(run)))
            time.sleep(STEP_S)
    watched.seen.append((time.monotonic(), judged(run)))
    return watched


def judged(run: Path | None) -> int:
    """Pairs of a run that have a judgement on disk."""
    path = run / "judgements.jsonl" if run else None
    return path.read_bytes().count(b"\n") if path and path.exists() else 0


def children(pid: int) -> list[int]:
    """List the processes below one."""
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [child for c in text.split() for child in (int(c), *children(int(c)))]


def resident_mb(pid: int) -> float:
    """Resident memory now, MB; 0 of a process that has ended."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def peak_mb() -> float:
    """Largest resident memory of this process so far, MB."""
    status = Path("/proc/self/status").read_text().splitlines()
    return (
        next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1e3
    )
