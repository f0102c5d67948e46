"""Judging synthetic pairs on two Ray nodes of this machine, one of them killed again and again.

    python -m benchmarks.ray_judging [--pairs 100000] [--kills 10] [--store s3] [--seed 0]

A finished run with stored blueprints is judged again by a judge that makes its verdicts of a
hash. Once on this machine alone, then on two nodes of one CPU each, whose second one is killed at
random moments and replaced; the results lie on an S3 server of this machine, or in a folder.
Prints what it took, and fails unless all files are equal but for times and the order of lines.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.report import table_of
from tests.support import blueprints as make
from tests.support.judged_on_ray import EQUAL, TIMES, UNORDERED, ByHash
from tests.support.object_store import BUCKET, object_store
from tests.support.ray_nodes import Nodes
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Pair
from trace_eval.data.manifests import Manifest
from trace_eval.data.place import Place
from trace_eval.extracting.options import ExtractOptions
from trace_eval.runs.events import RunEvent
from trace_eval.runs.job import open_again
from trace_eval.runs.options import Options
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.record import JudgeRecord, RunRecord
from trace_eval.runs.run import Run
from trace_eval.runs.standing import Standing
from trace_eval.runs.summary import Summary

#: Pairs of one instruction.
PER_INSTRUCTION = 4


def write_run(folder: Path, pairs: int) -> Path:
    """Write a run of pairs with a blueprint for each of their recordings, judged by nobody."""
    items = [
        Pair(
            id=f"p{number}",
            instruction=Instruction(text="What flows through this city?"),
            a=Answer(audio=Path(f"/audio/{number}-a.wav"), system="alto"),
            b=Answer(audio=Path(f"/audio/{number}-b.wav"), system="basso"),
            instruction_id=f"i{number // PER_INSTRUCTION}",
        )
        for number in range(pairs)
    ]
    pattern = make.answer("TEXT of a river").model_copy(update={"clip": "CLIP"})
    text = pattern.model_dump_json()
    with Run(folder) as run:
        run.start(RunRecord(judge=JudgeRecord(spec="none")), Manifest(folder / "x", items))
        with (
            run.path("clips.jsonl").open("w") as clips,
            run.path("blueprints.jsonl").open("w") as blueprints,
        ):
            for item in items:
                for side in "ab":
                    source = f"/audio/{item.id[1:]}-{side}.wav"
                    clip = hashlib.sha256(source.encode()).hexdigest()
                    clips.write(ClipRecord(source=source, clip=clip).model_dump_json() + "\n")
                    blueprints.write(text.replace("CLIP", clip).replace("TEXT", clip[:9]) + "\n")
    return folder


def killing(
    nodes: Nodes, kills: int, seed: int, work: Callable[[], Summary]
) -> tuple[Summary, int]:
    """Kill the second node at random moments and replace it, while another thread works.

    Returns what came of the work, and how often the node was killed. Nodes are started in the main
    thread alone, because Ray sets handlers of signals there.
    """
    rng, done = random.Random(seed), 0
    with ThreadPoolExecutor(1) as thread:
        result = thread.submit(work)
        while not result.done():
            moment = rng.uniform(8, 25)
            with suppress(TimeoutError):
                result.result(moment)
            if done < kills and not result.done():
                nodes.kill_second()
                done += 1
                time.sleep(rng.uniform(0, 3))
                _replace(nodes)
        return result.result(), done


def _replace(nodes: Nodes) -> None:
    """Start another second node; on a busy machine one may not be there in time."""
    for _ in range(5):
        try:
            nodes.replace_second()
        except Exception as error:
            print(f"a node did not start: {error}", file=sys.stderr)
        else:
            return


def lines_of(content: bytes) -> str:
    """Return a digest of a file's lines without times, in whatever order they are."""
    lines = sorted(TIMES.sub("", content.decode()).splitlines())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def main() -> None:
    """Judge twice, compare, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--store", choices=("s3", "folder"), default="s3")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}
    options = Options(ExtractOptions(workers=0), ByHash())
    results: dict[str, dict[str, object]] = {}
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        source = write_run(home / "source", chosen.pairs)
        started = time.monotonic()
        summary = open_again(source, home / "local", options).judge()
        results["one process"] = {"pairs": summary.scored, "s": time.monotonic() - started}

        os.environ |= stack.enter_context(object_store())
        nodes = Nodes()
        stack.callback(nodes.stop)
        out = f"{BUCKET}/run" if chosen.store == "s3" else str(home / "ray")
        extract = replace(options.extract, engine="ray", ray_address=nodes.address, workers=None)
        last = Standing()

        def listen(event: RunEvent) -> None:
            nonlocal last
            last = event.job or last
            print(f"{time.monotonic() - started:.0f} s: {last.done}", file=sys.stderr, flush=True)

        started = time.monotonic()
        job = open_again(source, out, replace(options, extract=extract))
        work = partial(job.judge, listen)
        summary, killed = killing(nodes, chosen.kills, chosen.seed, work)
        seconds = time.monotonic() - started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        results["two nodes"] = {
            "pairs": summary.scored,
            "s": seconds,
            "killed": killed,
            "done": last.done,
            "failed": last.failed,
            "peak of this process, GiB": peak,
        }
        place = Place(out)
        differing = [
            name
            for name in (*EQUAL, *UNORDERED)
            if (home / "local" / name).exists() and not _equal(home / "local" / name, place)
        ]
    for name, record in results.items():
        table_of(f"{chosen.pairs:,} pairs, results in {chosen.store}", "judged by", {name: record})
    print(json.dumps(results))
    if differing or summary.scored != chosen.pairs:
        raise SystemExit(f"these files differ: {differing}")
    print("all files are equal but for times and the order of lines")


def _equal(path: Path, place: Place) -> bool:
    ours, theirs = path.read_bytes(), place.read(path.name)
    return ours == theirs if path.name in EQUAL else lines_of(ours) == lines_of(theirs)


if __name__ == "__main__":
    main()
