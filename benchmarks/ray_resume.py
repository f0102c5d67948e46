"""What it costs to resume where a Ray cluster extracted, and to add an extractor.

    python -m benchmarks.ray_resume [--clips 2000000] [--added 400]
        [--joined 200000] [--home FOLDER]

Finished clips are written as shards of 64 with a blueprint each, and the same job is
run again by a process of its own: nothing is left to do. Then an extractor joins the
plan of a small finished job on two processes of Ray, and that of a large one whose
shards are written here; the calls of each extractor are counted. Where a number is 0,
its part is left out, and its stored figures stay, as do those of the large job for
other numbers of clips. A large job that was stopped goes on where its folder is kept, its
writing too.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import soundfile

from benchmarks.passes import Passes, apart
from benchmarks.report import arguments, lines_of, save, stored, table_of
from blueprints import Blueprint
from extractors import Clip
from tests.support import blueprints as make
from tests.support.audio import RATE, tone, write
from tests.support.fakes import Counting, Derived
from tests.support.louder_wins import NOTHING
from trace_eval.data import jsonl
from trace_eval.data.outputs import claimed
from trace_eval.data.system import cores
from trace_eval.extracting.clip import Extracted
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.plan import Plan
from trace_eval.extracting.ray.shards import (
    CHUNK_CLIPS,
    SCHEMA,
    ShardFolder,
    plan_digest,
    to_parquet,
    version_of,
)
from trace_eval.extracting.source import source_from
from trace_eval.extracting.start import extractors_of
from trace_eval.runs.extraction import extract_to

#: Length of a recording that is extracted, seconds: what is shown is what is called.
SECONDS = 0.02


def options_of(home: Path) -> ExtractOptions:
    """Return options of a plan of one extractor, on a cluster of this machine."""
    overrides = {**NOTHING, "peak": Counting(home / "peaks")}
    return ExtractOptions(
        overrides=overrides, engine="ray", cache=home / "cache", workers=2
    )


def urls(clips: int) -> Iterator[str]:
    """Yield the names of recordings, which are never fetched."""
    return (f"https://example.org/answers/{number:07}.wav" for number in range(clips))


def write_shards(home: Path, clips: int) -> None:
    """Write shards of finished recordings, as a job over them leaves them."""
    options = options_of(home)
    plan = Plan(tuple(extractors_of(options)), options.cache, options.max_seconds)
    folder, digest = ShardFolder(str(home / "out" / "shards")), plan_digest(plan)
    pattern = (
        make.answer("It is a river.")
        .model_copy(update={"clip": "CLIP"})
        .model_dump_json()
    )
    names = urls(clips)
    while some := list(islice(names, CHUNK_CLIPS)):
        marks = [hashlib.sha256(name.encode()).hexdigest() for name in some]
        columns = {
            "source": some,
            "version": [None] * len(some),
            "clip": marks,
            "error": [None] * len(some),
            "blueprint": [pattern.replace("CLIP", mark) for mark in marks],
            "audio_s": [10.0] * len(some),
            "work": ["{}"] * len(some),
            "final": [True] * len(some),
        }
        sink = BytesIO()
        pq.write_table(pa.table(columns, SCHEMA), sink, compression="zstd")
        folder.write(f"{digest}-{marks[0][:16]}.parquet", sink.getvalue())


def resume(home: Path, clips: int) -> dict[str, Any]:
    """Run the finished job again in this process.

    Naming its recordings is not counted.
    """
    names, before = list(urls(clips)), _peak_mb()
    started, cpu = time.monotonic(), time.process_time()
    extract_to(f"file://{home}/out", names, options_of(home))
    return {
        "clips": clips,
        "s": round(time.monotonic() - started, 1),
        "CPU s": round(time.process_time() - cpu, 1),
        "MB": round(_peak_mb() - before, 1),
    }


def _peak_mb() -> float:
    """Return this process's peak memory in MB.

    A usage record would begin with its parent's.
    """
    lines = Path("/proc/self/status").read_text().splitlines()
    return (
        int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
    )


def add(home: Path, clips: int) -> dict[str, dict[str, Any]]:
    """Extract recordings, then again with one more extractor; count the calls."""
    paths = [
        write(home / f"{n % 1000}" / f"{n}.wav", tone(SECONDS, 0.5 + n / clips / 3))
        for n in range(clips)
    ]
    first = options_of(home)
    wider = replace(
        first,
        overrides={**first.overrides, "twice": Derived(home / "added")},
        cache=home / "another-cache",  # what is known, is known from shards
    )
    rows: dict[str, dict[str, Any]] = {}
    for what, options in (("first", first), ("with one more", wider)):
        started = time.monotonic()
        before = _lines(home / "peaks")
        extract_to(home / "out", paths, options)
        rows[what] = {
            "clips": clips,
            "s": round(time.monotonic() - started, 1),
            "calls of the first extractor": _lines(home / "peaks") - before,
            "clips of the new one": _batched(home / "added"),
        }
    return rows


def join(home: Path, clips: int) -> dict[str, Any]:
    """Extract with one more extractor where so many short recordings are finished.

    What writes them is not counted.
    """
    first = options_of(home)
    wider = replace(
        first, overrides={**first.overrides, "twice": Derived(home / "added")}
    )
    if not (home / "paths").exists():
        apart(write_finished, home, clips)
    paths = [Path(line) for line in (home / "paths").read_text().splitlines()]

    def extract() -> dict[str, Any]:
        extract_to(home / "out", paths, wider)
        return {
            "clips": clips,
            "calls of the first extractor": _lines(home / "peaks"),
            "clips of the new one": _batched(home / "added"),
        }

    row = Passes(home / "passes.json", "clips").row("with one more", extract)
    return {**row, "blueprints with both": _with_both(home / "out/blueprints.jsonl")}


def write_finished(home: Path, clips: int) -> None:
    """Write short recordings, a list of them, and the shards of a finished job."""
    write_one = partial(_write_shard, home, clips)
    starts, context = range(0, clips, CHUNK_CLIPS), multiprocessing.get_context("spawn")
    folder = claimed(home / "out", "extract", private=True)
    with folder, ProcessPoolExecutor(cores(), context) as pool:
        written = list(pool.map(write_one, starts, chunksize=16))
    lines = [f"{path}\n" for paths in written for path in paths]
    (home / "peaks").unlink()  # what is counted are the calls of the next job
    (home / "paths").write_text("".join(lines))


def _write_shard(home: Path, clips: int, start: int) -> list[Path]:
    """Write the recordings of a shard, and then the shard, unless it is there."""
    options = options_of(home)
    plan = Plan(tuple(extractors_of(options)), options.cache, options.max_seconds)
    (extractor,) = plan.extractors
    numbers = range(start, min(start + CHUNK_CLIPS, clips))
    paths = [home / f"{start // 4096}" / f"{number}.wav" for number in numbers]
    folder = ShardFolder(str(home / "out" / "shards"))
    name = f"{plan_digest(plan)}-{start:016x}.parquet"
    if folder.has(name):
        return paths
    paths[0].parent.mkdir(parents=True, exist_ok=True)
    versions: list[str | None] = []
    extracted: list[Extracted] = []
    for number, path in zip(numbers, paths, strict=True):
        samples = tone(SECONDS, 0.5 + number / clips / 3)
        sink = BytesIO()  # soundfile would wait for the disk at each file
        soundfile.write(sink, samples, RATE, subtype="FLOAT", format="WAV")
        path.write_bytes(sink.getvalue())
        clip = Clip(samples[:, None], RATE)
        blueprint = Blueprint(clip=clip.sha256)
        group = extractor.extract(clip, blueprint)
        whole = blueprint.with_group("peak", group, extractor.provenance())
        source = source_from(path)
        versions.append(version_of(source))
        extracted.append(Extracted(source.id, whole, audio_s=SECONDS))
    folder.write(name, to_parquet(extracted, versions))
    return paths


def _with_both(blueprints: Path) -> int:
    """Count the blueprints whose new group was computed from the first one's value."""
    groups = (json.loads(line)["extensions"] for line in jsonl.read(blueprints))
    return sum(
        one["twice"]["values"]["twice"] == 2 * one["peak"]["values"]["peak"]
        for one in groups
    )


def _lines(log: Path) -> int:
    return len(log.read_text().splitlines()) if log.exists() else 0


def _batched(log: Path) -> int:
    return (
        sum(int(line.split()[1]) for line in log.read_text().splitlines())
        if log.exists()
        else 0
    )


def main() -> None:
    """Write, go on, add, and print."""
    if sys.argv[1:2] == ["resume"]:
        print(json.dumps(resume(Path(sys.argv[2]), int(sys.argv[3]))))
        return
    chosen = arguments(__doc__, clips=2_000_000, added=400, joined=200_000, home="")
    os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}
    results = stored("ray_resume")
    results.pop("machine")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        if chosen.clips:
            results["resumed"] = _resumed(home / "many", chosen.clips)
        if chosen.added:
            results["added"] = add(home / "few", chosen.added)
        if chosen.joined:
            kept = Path(chosen.home or home / "joined")
            results["joined"][f"{chosen.joined:,}"] = join(kept, chosen.joined)
    table_of("a finished job again", "job", {"nothing is left": results["resumed"]})
    table_of("an extractor joins a finished job", "job", results["added"])
    joined = list(results["joined"].values())
    lines_of("an extractor joins a finished job of many clips", joined)
    save("ray_resume", results)


def _resumed(home: Path, clips: int) -> dict[str, Any]:
    """Resume a job of so many finished clips in a process of its own."""
    write_shards(home, clips)
    print(f"{clips:,} clips are finished", file=sys.stderr)
    command = [sys.executable, "-m", "benchmarks.ray_resume", "resume"]
    command += [str(home), str(clips)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


if __name__ == "__main__":
    main()
