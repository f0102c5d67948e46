"""The whole pipeline over 10,000 synthetic pairs: is it as fast, and as small, at the end?

    python -m benchmarks.stream [PAIRS]

Every answer is a clip of its own (1.5 s cuts of recordings, other gains), so nothing comes
from the cache. Extractors of signal, pitch, loudness and DNSMOS-free rate work in processes
while a judge keeps 16 calls of 0.2 s in flight to a loopback server: every stage of a real
run, without the minutes of CPU that recognition and DNSMOS would add to each of them.

Measured in one undisturbed run: pairs per minute in each tenth (target: the last at least
0.9 of the first) and the resident memory of each process (target: the last fifth at most
1.1 of the second). Then a fifth of the pairs in three sittings: Ctrl-C after a third, kill -9
after two thirds, and to the end. Every pair must be judged once, and the calls that were made
twice can be no more than were in flight.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.llm_server import calls_made, server
from benchmarks.memory import make_pairs
from benchmarks.report import save, table
from benchmarks.watch import fifths, judged, long_lived, watch
from trace_eval.runs.run import Run

LATENCY_S, IN_FLIGHT = 0.2, 16

#: Kept out, because each costs more than all else together.
NOT_EXTRACTED = ("transcript", "quality", "rate")


def command(manifest: Path, out: Path, url: str) -> list[str]:
    """The judge command of a user, with a judge that calls."""
    arguments = ["judge", manifest, "--out", out, "--cache", f"{out}-cache"]
    arguments += ["--judge", "openai:m", "--base-url", url, "-J", f"concurrency={IN_FLIGHT}"]
    arguments += ["-J", "drop=transcript"]
    for group in NOT_EXTRACTED:
        arguments += ["-x", f"{group}=none"]
    return [sys.executable, "-m", "trace_eval", *map(str, arguments)]


def tenths(seen: list[tuple[float, int]], pairs: int) -> list[float]:
    """Pairs per minute in each tenth of the run, from (seconds, pairs judged) over time."""
    ends = []
    for tenth in range(11):
        goal = pairs * tenth / 10
        later = next((i for i, (_, done) in enumerate(seen) if done >= max(goal, 1)), None)
        if later is None:
            raise SystemExit(f"the run stopped at {seen[-1][1]} of {pairs} pairs")
        ends.append(seen[later])
    return [60 * (b - a) / (u - t) for (t, a), (u, b) in pairwise(ends)]


def undisturbed(manifest: Path, out: Path, pairs: int) -> dict[str, Any]:
    """Throughput by tenth, and memory by process."""
    seen: list[tuple[float, int]] = []
    with server(LATENCY_S) as url:
        samples = watch(
            command(manifest, out, url), lambda _: seen.append((time.monotonic(), judged(out)))
        )
    seen.append((time.monotonic(), judged(out)))
    speeds = tenths(seen, pairs)
    processes = []
    for series in long_lived(samples):
        first, last = fifths(series)
        processes.append({"peak MB": max(series), "last fifth / second": last / first})
    return {
        "pairs per minute by tenth": [round(speed, 1) for speed in speeds],
        "last tenth / first": speeds[-1] / speeds[0],
        "processes": processes,
    }


def ender(run: Path, goal: float, how: signal.Signals) -> Callable[[subprocess.Popen[bytes]], None]:
    """Ends the command once so many pairs are judged."""

    def look(process: subprocess.Popen[bytes]) -> None:
        if judged(run) >= goal and process.poll() is None:
            process.send_signal(how)

    return look


def disturbed(manifest: Path, out: Path, pairs: int) -> dict[str, Any]:
    """Stopped twice and continued: what was done twice."""
    with server(LATENCY_S) as url:
        started = time.monotonic()
        watch(command(manifest, out, url), ender(out, pairs / 3, signal.SIGINT))
        after_interrupt = judged(out)
        watch(command(manifest, out, url), ender(out, 2 * pairs / 3, signal.SIGKILL))
        after_kill = judged(out)
        watch(command(manifest, out, url))
        took, calls = time.monotonic() - started, calls_made(url)
    run = Run.open(out)
    outcomes = run.outcomes()
    attempts = sum(1 for _ in run.attempts())
    return {
        "after Ctrl-C": after_interrupt,
        "after kill -9": after_kill,
        "pairs scored": sum(outcome.status == "scored" for outcome in outcomes.values()),
        "judged twice": attempts - len(outcomes),
        "calls made twice": calls - 2 * pairs,
        "in flight": IN_FLIGHT,
        "minutes": took / 60,
    }


def main() -> None:
    """Measure, print, save; exit 1 when a target is missed."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        manifest = make_pairs(folder, pairs)
        whole = undisturbed(manifest, folder / "whole", pairs)
        fewer = max(30, pairs // 5)
        parts = disturbed(make_pairs(folder / "fewer", fewer), folder / "parts", fewer)
    speeds = whole["pairs per minute by tenth"]
    table(
        f"{pairs} pairs through all stages: pairs per minute by tenth of the run",
        [*map(str, range(1, 11)), "last / first"],
        [[*speeds, whole["last tenth / first"]]],
    )
    result = whole["processes"]
    table("Memory of each process", list(result[0]), [list(row.values()) for row in result])
    table("Stopped twice and continued", list(parts), [list(parts.values())])
    save("stream", {"pairs": pairs, "undisturbed": whole, "stopped": parts})
    missed = []
    if whole["last tenth / first"] < 0.9:
        missed.append("the last tenth is slower than 0.9 of the first")
    if max(row["last fifth / second"] for row in result) > 1.1:
        missed.append("a process grows")
    if parts["pairs scored"] != fewer or parts["judged twice"]:
        missed.append("a stopped run lost or repeated pairs")
    if parts["calls made twice"] > 2 * parts["in flight"]:
        missed.append("a stopped run repeated finished calls")
    if missed:
        sys.exit("; ".join(missed))


if __name__ == "__main__":
    main()
