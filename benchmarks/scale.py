"""What a second worker brings.

    python -m benchmarks.scale [PAIRS]

`trace-eval judge`, profile screen, on PAIRS (default 40) pairs of distinct cuts of recordings, with
1 worker and with 2: pairs per minute, and the CPU of the command itself, which all workers share.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.memory import make_pairs
from benchmarks.report import save, table
from benchmarks.watch import judged, watch

#: Seconds of each synthetic answer.
ANSWER_S = 6.0


def measured(manifest: Path, folder: Path, pairs: int, workers: int) -> dict[str, float]:
    """Pairs per minute once the workers are up, and CPU seconds of the command itself."""
    out = folder / f"run{workers}"
    folder.mkdir(exist_ok=True)
    seen = [(0.0, 0, 0.0)]  # time, pairs judged, CPU of the command so far

    def look(process: subprocess.Popen[bytes] | None = None) -> None:
        own = cpu_seconds(process.pid) if process else 0.0
        seen.append((time.monotonic(), judged(out), max(own, seen[-1][2])))

    command = [sys.executable, "-m", "trace_eval", "judge", str(manifest), "--out", str(out)]
    command += ["--cache", f"{out}-cache", "--workers", str(workers)]
    watch(command, look)
    look()
    first, begun, own_before = next(sample for sample in seen if sample[1] > 0)
    last, done, own_after = next(sample for sample in seen if sample[1] == seen[-1][1])
    if done < pairs:
        raise SystemExit(f"{done} of {pairs} pairs were judged")
    return {
        "workers": workers,
        "pairs per minute": 60 * (done - begun) / (last - first),
        "s per clip and worker": workers * (last - first) / (2 * (done - begun)),
        "ms of the command's own CPU per pair": 1000 * (own_after - own_before) / (done - begun),
    }


def one_and_two(pairs: int) -> list[dict[str, float]]:
    """1 worker and 2, the faster of two runs each, in turns: others may use the machine, too."""
    with tempfile.TemporaryDirectory() as name:
        manifest = make_pairs(Path(name), pairs, ANSWER_S)
        runs = [
            measured(manifest, Path(name, str(turn)), pairs, workers)
            for turn in range(2)
            for workers in (1, 2)
        ]
    return [
        min(some, key=lambda run: run["s per clip and worker"]) for some in (runs[::2], runs[1::2])
    ]


def cpu_seconds(pid: int) -> float:
    """User and system time of one process, without its children."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure, print, save."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    rows = one, two = one_and_two(pairs)
    table(f"{pairs} pairs of {ANSWER_S:g} s", list(one), [list(row.values()) for row in rows])
    scaling = two["pairs per minute"] / one["pairs per minute"]
    save("scale", {"measured": rows, "scaling": scaling})


if __name__ == "__main__":
    main()
