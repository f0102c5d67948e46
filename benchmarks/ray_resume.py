"""What it costs to go on where a Ray cluster has extracted, and to add an extractor then.

    python -m benchmarks.ray_resume [--clips 2000000] [--added 400]

Finished clips are written as shards of 64 with a blueprint each, and the same job is
run again by a process of its own: nothing is left to do. Then an extractor joins the
plan of a small finished job on two processes of Ray, and the calls of each extractor
are counted.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.report import arguments, save, table_of
from tests.support import blueprints as make
from tests.support.audio import tone, write
from tests.support.fakes import Counting, Derived
from tests.support.louder_wins import NOTHING
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.plan import Plan
from trace_eval.extracting.ray.shards import (
    CHUNK_CLIPS,
    SCHEMA,
    ShardFolder,
    plan_digest,
)
from trace_eval.extracting.start import extractors_of
from trace_eval.runs.extraction import extract_to


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
    """Run the finished job again in this process; the names of its recordings are not counted."""
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
    """Return the most memory of this process; a usage record would begin with its parent's."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return (
        int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
    )


def add(home: Path, clips: int) -> dict[str, dict[str, Any]]:
    """Extract some recordings, then once more with one more extractor; count what is called."""
    paths = [
        write(home / f"{n}.wav", tone(peak=0.5 + n / 10_000, seconds=0.3))
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
    chosen = arguments(__doc__, clips=2_000_000, added=400)
    os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        write_shards(home / "many", chosen.clips)
        print(f"{chosen.clips:,} clips are finished", file=sys.stderr)
        command = [sys.executable, "-m", "benchmarks.ray_resume", "resume"]
        command += [str(home / "many"), str(chosen.clips)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        resumed = json.loads(done.stdout)
        table_of("a finished job again", "job", {"nothing is left": resumed})
        added = add(home / "few", chosen.added)
        table_of("an extractor joins a finished job", "job", added)
    save("ray_resume", {"resumed": resumed, "added": added})


if __name__ == "__main__":
    main()
