"""Memory of a command and all its processes over time, sampled from /proc.

``ru_maxrss`` does not serve: a child inherits the peak of whoever started it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median


def _children(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [child for c in text.split() for child in (int(c), *_children(int(c)))]


def _resident_mb(pid: int) -> float:
    try:
        return (
            int(Path(f"/proc/{pid}/statm").read_text().split()[1])
            * os.sysconf("SC_PAGE_SIZE")
            / 1e6
        )
    except (OSError, IndexError):
        return 0.0


def fifths(series: list[float]) -> tuple[float, float]:
    """Medians of the second and of the last fifth of a process's samples."""
    fifth = len(series) // 5
    return median(series[fifth : 2 * fifth]), median(series[-fifth:])


def long_lived(samples: dict[int, list[float]]) -> list[list[float]]:
    """Samples of the processes that were there for at least 10 s."""
    return [series for series in samples.values() if len(series) >= 20]


def judged(run: Path) -> int:
    """Pairs of a run that have a judgement on disk."""
    path = run / "judgements.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def watch(
    command: list[str], look: Callable[[subprocess.Popen[bytes]], None] = lambda _: None
) -> dict[int, list[float]]:
    """Run a command; process id -> its resident memory over time, MB.

    Args:
        command: what to run.
        look: called with the process at every sample; it may end it.
    """
    samples: dict[int, list[float]] = {}
    with subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # A shell starts background jobs deaf to Ctrl-C, and their children inherit it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        while process.poll() is None:
            for pid in (process.pid, *_children(process.pid)):
                if memory := _resident_mb(pid):
                    samples.setdefault(pid, []).append(memory)
            look(process)
            time.sleep(0.5)
    return samples


def peak_mb() -> float:
    """Largest resident memory of this process so far, MB."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1e3
