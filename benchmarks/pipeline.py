"""The whole pipeline over synthetic pairs: memory, a second worker, 10,000 pairs, interruptions.

    python -m benchmarks.pipeline [--share S]     # over an hour; below 1: fewer pairs of each

Every answer is a cut of a recording at a gain of its own, so nothing comes from the cache.

- memory: 1,000 pairs of 1.5 s, profile ``screen``: no process over 650 MB, and none that grows;
- scale: 40 pairs of 6 s with 1 worker and with 2, and the CPU of the command itself, which all
  workers share; the faster of two runs each, in turns, for others may use the machine;
- stream: 10,000 pairs of 1.5 s without recognition, DNSMOS and rate, which cost more than all
  else together, while a judge keeps 16 calls of 0.2 s in flight to a loopback server: the last
  tenth must be as fast as the first (0.9), and no process may grow (1.1);
- stopped: a fifth of those in three sittings, Ctrl-C after a third, ``kill -9`` after two thirds,
  and to the end: every pair is judged once, and no call twice but those that were in flight.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from benchmarks.extract import default_manifest
from benchmarks.llm_server import calls_made, server
from benchmarks.report import RESULTS, save, stored
from benchmarks.watch import Watched, judged, watch
from trace_eval.data.manifests import read_manifest
from trace_eval.runs.run import Run

#: Whisper tiny.en and DNSMOS in one process, MB; growth of memory, and what is left of the speed.
LIMIT_MB, MOST_GROWTH, LEAST_SPEED = 650, 1.1, 0.9

IN_FLIGHT = 16


def make_pairs(folder: Path, count: int, seconds: float = 1.5) -> Path:
    """Write ``count`` pairs of distinct clips, seconds long, and their manifest."""
    recordings = [pair.b.audio for pair in read_manifest(default_manifest()).pairs]
    sources = [soundfile.read(path, dtype="float32") for path in recordings if path]
    rng = np.random.default_rng(0)
    folder.mkdir()
    records = []
    for number in range(count):
        record: dict[str, object] = {"id": str(number), "instruction": {"text": "Say it."}}
        for side in "ab":
            samples, rate = sources[rng.integers(len(sources))]
            start = rng.integers(max(1, len(samples) - int(seconds * rate)))
            cut = samples[start : start + int(seconds * rate)] * rng.uniform(0.3, 1)
            path = folder / f"{number}{side}.wav"
            soundfile.write(path, cut, rate)
            record[side] = {"audio": path.name}
        records.append(record)
    manifest = folder / "pairs.jsonl"
    manifest.write_text("".join(json.dumps(record) + "\n" for record in records))
    return manifest


def judge(
    manifest: Path, out: Path, *options: str, end: tuple[float, signal.Signals] | None = None
) -> Watched:
    """``trace-eval judge`` as a user types it."""
    command = [sys.executable, "-m", "trace_eval", "judge", str(manifest), "--out", str(out)]
    return watch([*command, "--cache", f"{out}-cache", *options], out, end)


def memory(folder: Path, pairs: int) -> dict[str, Any]:
    """Every process of a long run with all extractors."""
    watched = judge(make_pairs(folder, pairs), folder / "run", "--min-coverage", "0")
    if watched.seen[-1][1] < pairs:
        raise SystemExit(f"the run stopped at {watched.seen[-1][1]} of {pairs} pairs")
    return {"pairs": pairs, "minutes": watched.minutes, "processes": watched.processes()}


def scale(folder: Path, pairs: int) -> dict[str, Any]:
    """What a second worker brings."""
    manifest = make_pairs(folder, pairs, 6.0)
    runs: dict[int, list[dict[str, float]]] = {1: [], 2: []}
    for turn in range(2):
        for workers, own in runs.items():
            out = folder / f"run{turn}{workers}"
            watched = judge(manifest, out, "--workers", str(workers))
            own.append(_steady(watched, pairs, workers))
    one, two = (max(own, key=lambda run: run["pairs per minute"]) for own in runs.values())
    scaling = two["pairs per minute"] / one["pairs per minute"]
    return {"measured": [one, two], "scaling": scaling}


def _steady(watched: Watched, pairs: int, workers: int) -> dict[str, float]:
    """Speed once the workers are up, and CPU of the command itself."""
    if (judged_in_all := watched.seen[-1][1]) < pairs:
        raise SystemExit(f"{judged_in_all} of {pairs} pairs were judged")
    first, begun, own_before = next(sample for sample in watched.seen if sample[1] > 0)
    last, _, own_after = next(sample for sample in watched.seen if sample[1] == pairs)
    return {
        "workers": workers,
        "pairs per minute": 60 * (pairs - begun) / (last - first),
        "s per clip and worker": workers * (last - first) / (2 * (pairs - begun)),
        "ms of the command's own CPU per pair": 1000 * (own_after - own_before) / (pairs - begun),
    }


def calling(url: str) -> list[str]:
    """Options of a judge that calls, and of light extractors."""
    options = ["--judge", "openai:m", "--base-url", url, "-J", f"concurrency={IN_FLIGHT}"]
    options += ["-J", "drop=transcript"]
    return [*options, "-x", "transcript=none", "-x", "quality=none", "-x", "rate=none"]


def stream(folder: Path, pairs: int) -> dict[str, Any]:
    """Pairs per minute in each tenth of a run, and memory by process."""
    with server(0.2) as url:
        watched = judge(make_pairs(folder, pairs), folder / "run", *calling(url))
    if watched.seen[-1][1] < pairs:
        raise SystemExit(f"the run stopped at {watched.seen[-1][1]} of {pairs} pairs")
    goals = [max(pairs * tenth / 10, 1) for tenth in range(11)]
    ends = [next(one for one in watched.seen if one[1] >= goal) for goal in goals]
    speeds = [60 * (b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(ends)]
    return {
        "pairs": pairs,
        "pairs per minute by tenth": [round(speed, 1) for speed in speeds],
        "last tenth / first": speeds[-1] / speeds[0],
        "processes": watched.processes(),
    }


def stopped(folder: Path, pairs: int) -> dict[str, Any]:
    """Stopped twice and continued: what was done twice."""
    manifest, out = make_pairs(folder, pairs), folder / "run"
    with server(0.2) as url:
        judge(manifest, out, *calling(url), end=(pairs / 3, signal.SIGINT))
        after_interrupt = judged(out)
        judge(manifest, out, *calling(url), end=(2 * pairs / 3, signal.SIGKILL))
        after_kill = judged(out)
        judge(manifest, out, *calling(url))
        calls = calls_made(url)
    run = Run.open(out)
    outcomes = run.outcomes()
    return {
        "pairs": pairs,
        "after Ctrl-C": after_interrupt,
        "after kill -9": after_kill,
        "pairs scored": sum(outcome.status == "scored" for outcome in outcomes.values()),
        "judged twice": sum(1 for _ in run.attempts()) - len(outcomes),
        "calls made twice": calls - 2 * pairs,
        "in flight": IN_FLIGHT,
    }


def missed(results: dict[str, dict[str, Any]]) -> list[str]:
    """The targets that do not hold."""
    screen, light, parts = results["memory"], results["stream"], results["stopped"]
    processes = [*screen["processes"], *light["processes"]]
    peak = max(row["peak MB"] for row in screen["processes"])
    held = {
        f"a process took {peak:.0f} MB, the limit is {LIMIT_MB}": peak <= LIMIT_MB,
        "a process grows": all(row["last fifth / second"] <= MOST_GROWTH for row in processes),
        "the last tenth is slower than the first": light["last tenth / first"] >= LEAST_SPEED,
        "a stopped run lost or repeated pairs": parts["pairs scored"] == parts["pairs"]
        and not parts["judged twice"],
        "a stopped run repeated finished calls": parts["calls made twice"] <= 2 * IN_FLIGHT,
    }
    return [what for what, holds in held.items() if not holds]


def main() -> None:
    """Measure, print, save; exit 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parts = {memory: 1_000, scale: 40, stream: 10_000, stopped: 2_000}
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--only", action="append", choices=[part.__name__ for part in parts])
    chosen = parser.parse_args()
    results = stored("pipeline") if (RESULTS / "pipeline.json").exists() else {}
    results.pop("machine", None)
    with tempfile.TemporaryDirectory() as name:
        for part, pairs in parts.items():
            if part.__name__ in (chosen.only or [part.__name__]):
                result = part(Path(name, part.__name__), max(30, round(chosen.share * pairs)))
                results[part.__name__] = result
                print(json.dumps({part.__name__: result}, indent=1), flush=True)
                if chosen.share == 1:
                    save("pipeline", results)
    if wrong := missed(results):
        sys.exit("; ".join(wrong))


if __name__ == "__main__":
    main()
