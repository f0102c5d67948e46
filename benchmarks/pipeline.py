"""The whole pipeline over synthetic pairs: memory, a second worker, and 10,000 pairs.

    python -m benchmarks.pipeline [--share S]     # over an hour; below 1: fewer pairs of each

Every answer is a cut of a recording at a gain of its own, so nothing comes from the
cache.

- memory: 1,000 pairs of 1.5 s, profile ``screen``: no process over 650 MB, and none
  that grows;
- scale: 40 pairs of 6 s with 1 worker and with 2; the faster of two runs each, in
  turns, for others may use the machine;
- stream: 10,000 pairs of 1.5 s without recognition, DNSMOS and rate, which cost more
  than all else together, while a judge keeps 16 calls of 0.2 s in flight to a loopback
  server: the last tenth must be as fast as the first (0.9), and no process may grow
  (1.1).
"""

from __future__ import annotations

import json
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from benchmarks.extract import default_manifest
from benchmarks.judge_overhead import server
from benchmarks.report import arguments, command, save, stored
from benchmarks.watch import Watched, watch
from tests.support.calls import manifest
from trace_eval.data.manifests import read_manifest

#: Whisper tiny.en and DNSMOS in one process, MB; growth of memory, and what is left of
#: the speed.
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
        record: dict[str, object] = {
            "id": str(number),
            "instruction": {"text": "Say it."},
        }
        for side in "ab":
            samples, rate = sources[rng.integers(len(sources))]
            start = rng.integers(max(1, len(samples) - int(seconds * rate)))
            cut = samples[start : start + int(seconds * rate)] * rng.uniform(0.3, 1)
            path = folder / f"{number}{side}.wav"
            soundfile.write(path, cut, rate)
            record[side] = {"audio": path.name}
        records.append(record)
    return manifest(folder, records, "pairs.jsonl")


def judge(listed: Path, pairs: int, *options: object, name: str = "run") -> Watched:
    """``trace-eval judge`` of all pairs, into a folder beside them."""
    out = listed.parent / name
    line = command("judge", listed, "--out", out, "--cache", f"{out}-cache", *options)
    watched = watch(line, out)
    if (judged := watched.seen[-1][1]) < pairs:
        raise SystemExit(f"the run stopped at {judged} of {pairs} pairs")
    return watched


def memory(folder: Path, pairs: int) -> dict[str, Any]:
    """Every process of a long run with all extractors."""
    watched = judge(make_pairs(folder, pairs), pairs, "--min-coverage", 0)
    return {
        "pairs": pairs,
        "minutes": watched.minutes,
        "processes": watched.processes(),
    }


def scale(folder: Path, pairs: int) -> dict[str, Any]:
    """Measure what a second worker brings."""
    listed = make_pairs(folder, pairs, 6.0)
    fastest = {1: 0.0, 2: 0.0}  # pairs per minute once the workers are up
    for turn in range(2):
        for workers, speed in fastest.items():
            watched = judge(
                listed, pairs, "--workers", workers, name=f"run{turn}{workers}"
            )
            first, begun = next(sample for sample in watched.seen if sample[1] > 0)
            last, _ = next(sample for sample in watched.seen if sample[1] == pairs)
            fastest[workers] = max(speed, 60 * (pairs - begun) / (last - first))
    return {"pairs per minute": fastest, "scaling": fastest[2] / fastest[1]}


def stream(folder: Path, pairs: int) -> dict[str, Any]:
    """Pairs per minute in each tenth of a run, and memory by process."""
    light = ("-x", "transcript=none", "-x", "quality=none", "-x", "rate=none")
    calls = ("-J", f"concurrency={IN_FLIGHT}", "-J", "drop=transcript")
    with server(0.2) as url:
        judged_by = ("--judge", "openai:m", "--base-url", url, *calls)
        watched = judge(make_pairs(folder, pairs), pairs, *judged_by, *light)
    goals = [max(pairs * tenth / 10, 1) for tenth in range(11)]
    ends = []
    for goal in goals:
        ends.append(next(one for one in watched.seen if one[1] >= goal))
    speeds = [60 * (b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(ends)]
    return {
        "pairs": pairs,
        "pairs per minute by tenth": [round(speed, 1) for speed in speeds],
        "last tenth / first": speeds[-1] / speeds[0],
        "processes": watched.processes(),
    }


def missed(results: dict[str, dict[str, Any]]) -> list[str]:
    """List the targets that do not hold."""
    screen, light = results["memory"], results["stream"]
    processes = [*screen["processes"], *light["processes"]]
    peak = max(row["peak MB"] for row in screen["processes"])
    held = {
        f"a process took {peak:.0f} MB, the limit is {LIMIT_MB}": peak <= LIMIT_MB,
        "a process grows": all(
            row["last fifth / second"] <= MOST_GROWTH for row in processes
        ),
        "the last tenth is slower than the first": light["last tenth / first"]
        >= LEAST_SPEED,
    }
    return [what for what, holds in held.items() if not holds]


def main() -> None:
    """Measure, print, save; exit 1 when a target is missed."""
    share, results = arguments(__doc__, share=1.0).share, stored("pipeline")
    with tempfile.TemporaryDirectory() as name:
        for part, pairs in {memory: 1_000, scale: 40, stream: 10_000}.items():
            result = part(Path(name, part.__name__), max(30, round(share * pairs)))
            results[part.__name__] = result
            print(json.dumps({part.__name__: result}, indent=1), flush=True)
            if share == 1:  # an hour that is broken off keeps what is done
                save("pipeline", results)
    if wrong := missed(results):
        sys.exit("; ".join(wrong))


if __name__ == "__main__":
    main()
