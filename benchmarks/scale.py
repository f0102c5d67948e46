"""From one core to a thousand: measured here, simulated beyond.

    python -m benchmarks.scale [PAIRS]

Measured: `trace-eval judge`, profile screen, on PAIRS (default 40) pairs of distinct cuts of
recordings, with 1 worker and with 2: pairs per minute, and the CPU of the command itself,
which all workers share. The simulation (:mod:`benchmarks.cluster`) is first held against both,
then runs 1,000,000 pairs on other machines. Prices of nodes are round assumptions, to be
replaced by yours; prices per token are those of trace_eval/judges/prices.toml.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.cluster import Nodes, simulate
from benchmarks.memory import make_pairs
from benchmarks.report import RESULTS, save, table
from benchmarks.watch import judged, watch
from trace_eval.judges.ask.prices import find_price

#: Seconds of each synthetic answer.
ANSWER_S = 6.0

#: What the million pairs are assumed to be: answers of so many seconds, none in two pairs.
LENGTH_S, CLIPS_PER_PAIR = 20.0, 2

CLIPS_PER_SHARD = 64
MILLION = 1_000_000

#: US dollars per hour and core: assumptions, of a node kept and of one that may be taken away.
KEPT, SPOT = 0.04, 0.015
#: Mean hours until a spot node is taken away.
SPOT_LIFE_H = 6.0

#: A judge's calls: both orders; seconds; in flight; tokens of a prompt and of a reply.
CALLS_PER_PAIR, CALL_S, IN_FLIGHT, TOKENS = 2, 2.0, 64, (3000, 250)
MODEL = ("api.openai.com", "gpt-4.1-mini")

#: A node with one GPU: US dollars per hour, and how many seconds of audio its models work
#: through in one second. Both are assumptions: no GPU was measured.
GPU_USD, GPU_SPEEDS, GPU_COUNTS = 2.5, (50.0, 200.0), (1, 8, 32)

#: Machines that the table names: nodes, cores of each.
SIZES = {
    "1 core": (1, 1),
    "2 cores": (1, 2),
    "one machine of 64": (1, 64),
    "8 nodes of 16": (8, 16),
    "32 nodes of 32": (32, 32),
}


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


def shards(pairs: int, clip_s: float, spread: float = 0.5) -> npt.NDArray[np.float64]:
    """Seconds that shards of clips take one worker, lengths of clips log-normal."""
    clips = pairs * CLIPS_PER_PAIR
    rng = np.random.default_rng(0)
    mean = clip_s * rng.lognormal(-(spread**2) / 2, spread, size=clips)
    return np.add.reduceat(mean, np.arange(0, clips, CLIPS_PER_SHARD))


def million(clip_s: float, own_s: float) -> list[dict[str, Any]]:
    """One row per machine: hours and price of 1,000,000 pairs, and what comes first."""
    work = shards(MILLION, clip_s)
    calls = MILLION * CALLS_PER_PAIR
    judge_h = max(calls * CALL_S / IN_FLIGHT, MILLION * own_s) / 3600
    rows = []
    for name, (count, cores) in SIZES.items():
        kept = simulate(work, Nodes(count, cores, usd_per_h=KEPT * cores))
        spot = simulate(work, Nodes(count, cores, life_h=SPOT_LIFE_H, usd_per_h=SPOT * cores))
        rows.append(
            {
                "machine": name,
                "hours": kept.hours,
                "US$": kept.usd,
                "spot hours": spot.hours,
                "spot US$": spot.usd,
                "nodes lost": spot.killed,
                "done twice %": 100 * spot.repeated,
                "judge hours": judge_h,
                "first bottleneck": "extraction" if kept.hours > judge_h else "calls of the judge",
            }
        )
    return rows


def on_gpus() -> list[dict[str, Any]]:
    """One row per number of GPUs and assumed speed; their nodes' cores keep up."""
    rows = []
    for speed in GPU_SPEEDS:
        work = shards(MILLION, LENGTH_S / speed)
        for count in GPU_COUNTS:
            result = simulate(work, Nodes(count, 1, usd_per_h=GPU_USD))
            rows.append(
                {"x real time": speed, "GPUs": count, "hours": result.hours, "US$": result.usd}
            )
    return rows


def recognition_share() -> tuple[float, float]:
    """CPU s per s of audio, all and without recognition, from results/extract.json."""
    result = json.loads((RESULTS / "extract.json").read_text())["cpu_s_per_audio_s"]
    return result["all"], result["all but transcript"]


def ms_per_call() -> float:
    """CPU of one call to a model, ms, from results/judge_overhead.json."""
    result = json.loads((RESULTS / "judge_overhead.json").read_text())
    return float(result["CPU per call"]["CPU ms per call"])


def tokens_usd() -> float:
    """What the calls of 1,000,000 pairs cost, US dollars, without the provider's cache."""
    price = find_price(*MODEL)
    if price is None:
        raise SystemExit(f"{MODEL} is in no price table")
    per_call = (TOKENS[0] * price.input + TOKENS[1] * price.output) / 1e6
    return MILLION * CALLS_PER_PAIR * per_call


def main() -> None:
    """Measure, simulate, print, save."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    result = one, two = one_and_two(pairs)
    own_s = (two["ms of the command's own CPU per pair"] + CALLS_PER_PAIR * ms_per_call()) / 1000
    for row in result:
        clips = np.full(2 * pairs, one["s per clip and worker"])
        alone = simulate(clips, Nodes(1, int(row["workers"]), start_s=0.0))
        row["simulated"] = pairs / (alone.hours * 60)
    every, rest = recognition_share()
    results: dict[str, Any] = {
        "measured": result,
        "scaling": two["pairs per minute"] / one["pairs per minute"],
    }
    table(f"{pairs} pairs of {ANSWER_S:g} s", list(one), [list(row.values()) for row in result])
    for title, cost in (("screen", every), ("screen without recognition", rest)):
        rows = million(cost * LENGTH_S, own_s)
        table(
            f"1,000,000 pairs of {LENGTH_S:g} s answers, {title} ({cost:.3f} CPU s per s)",
            list(rows[0]),
            [list(row.values()) for row in rows],
        )
        results[title] = rows
    results["GPUs"] = on_gpus()
    table(
        "1,000,000 pairs, models on GPUs of an assumed speed",
        list(results["GPUs"][0]),
        [list(row.values()) for row in results["GPUs"]],
    )
    results["judge"] = {
        "calls": MILLION * CALLS_PER_PAIR,
        "seconds per call": CALL_S,
        "in flight": IN_FLIGHT,
        "hours by latency": MILLION * CALLS_PER_PAIR * CALL_S / IN_FLIGHT / 3600,
        "hours by the command's CPU": MILLION * own_s / 3600,
        f"US$ of {MODEL[1]}": tokens_usd(),
    }
    table("Its judge", list(results["judge"]), [list(results["judge"].values())])
    save("scale", results)


if __name__ == "__main__":
    main()
