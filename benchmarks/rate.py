"""What rating costs beside the model: CPU per call against ``judge``'s, and memory over a run.

    python -m benchmarks.rate                  # 20,000 items x 5 samples, a quarter of an hour
    python -m benchmarks.rate --items 2000     # a tenth

A loopback server in a process of its own answers every chat completion at once, so all CPU
that this process spends is ours. Printed:

- CPU per call of a run of ``rate`` (five samples of written answers by ``correctness``) and of
  ``judge`` (two orders of pairs), both through the openai package, HTTP and a reply cache, one
  after the other in one process (target: rate within 10 % of judge, or below);
- resident memory of the rating run after each tenth of its items (target: flat);
- items per second of ``lexical``, which asks nobody.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.judge_overhead import count, made, making, resident_mb
from benchmarks.llm_server import server
from benchmarks.report import save, table
from trace_eval.data.manifests import Manifest, read_items
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.options import RateOptions
from trace_eval.runs.job import rate_manifest
from trace_eval.runs.pipeline import Event

SAMPLES = 5
IN_FLIGHT = 8
REPLY = json.dumps({"reasoning": "as measured " * 36, "score": 4})
WORDS = "the tower of pisa began to lean while it was being built because the soil is soft"


def manifest_of(folder: Path, items: int) -> Manifest:
    """Written answers, no two alike."""
    path = folder / "items.jsonl"
    with path.open("w") as file:
        for number in range(items):
            record = {
                "id": f"i{number}",
                "question_id": f"q{number // 4}",
                "question": f"Why does tower number {number} lean?",
                "reference": f"Because soil number {number} is soft.",
                "candidate": f"I think that {WORDS}, and so does number {number}.",
                "rationale": f"In the recording it is said that {WORDS} {number}.",
                "system": f"s{number % 4}",
            }
            file.write(json.dumps(record) + "\n")
    return read_items(path)


class Memory:
    """Resident memory after each tenth of a run, MB."""

    def __init__(self, items: int) -> None:
        self.seen: list[float] = []
        self._every, self._done = max(1, items // 10), 0

    def __call__(self, event: Event) -> None:
        """Count a finished item."""
        if event.outcomes:
            self._done += 1
            if self._done % self._every == 0:
                self.seen.append(resident_mb())


def rating(items: int) -> tuple[float, list[float], float]:
    """(CPU seconds per call, memory by tenths, calls per second) of a run of ``rate``."""
    with tempfile.TemporaryDirectory() as name, server(0.0, REPLY) as url:
        folder = Path(name)
        manifest = manifest_of(folder, items)
        judging = JudgeOptions(
            base_url=url,
            samples=SAMPLES,
            retries=0,
            concurrency=IN_FLIGHT,
            cache=folder / "replies.sqlite",
        )
        options = RateOptions(judge=("openai:m",), judging=judging)
        memory = Memory(items)
        cpu, clock = time.process_time(), time.monotonic()
        summary = rate_manifest(manifest, folder / "run", options, memory)
        cpu, clock = time.process_time() - cpu, time.monotonic() - clock
    assert summary.scored == items, summary.unscored
    calls = items * SAMPLES
    return cpu / calls, memory.seen, calls / clock


def judging(pairs: int) -> float:
    """CPU seconds per call of judging pairs in both orders."""
    with server(0.0) as url, tempfile.TemporaryDirectory() as folder:
        baseline = making(pairs)
        started = time.process_time()
        calls = asyncio.run(count(made(url, folder, IN_FLIGHT), pairs, IN_FLIGHT))
        return (time.process_time() - started - baseline) / calls


def lexical(items: int) -> float:
    """Items per second of the embedded judge, its run written to disk."""
    with tempfile.TemporaryDirectory() as name:
        manifest = manifest_of(Path(name), items)
        started = time.monotonic()
        rate_manifest(manifest, Path(name) / "run")
        return items / (time.monotonic() - started)


def main() -> None:
    """Run all three."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--items", type=int, default=20_000)
    items = parser.parse_args().items
    rating(20)  # imports and first-use costs
    judging(20)
    pairs_ms = 1000 * judging(max(50, items // 50))
    per_call, seen, speed = rating(items)
    found: dict[str, dict[str, Any]] = {
        "CPU per call": {
            "calls": items * SAMPLES,
            "rate, ms": 1000 * per_call,
            "judge, ms": pairs_ms,
            "ratio": 1000 * per_call / pairs_ms,
            "target, at most": 1.1,
            "calls per s": speed,
        },
        "memory": {
            "items": items,
            "MB after a tenth": seen[0],
            "MB at the end": seen[-1],
            "ratio": seen[-1] / seen[0],
            "target, under": 1.1,
        },
        "lexical": {"items": items, "items per s": lexical(items)},
    }
    for title, row in found.items():
        table(title, list(row), [list(row.values())])
    save("rate", found)


if __name__ == "__main__":
    main()
