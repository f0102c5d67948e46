"""Seconds of compute per second of audio of each extractor, and pairs per minute end to end.

    python -m benchmarks.extract [CLIPS ...]

Clips default to the real answers under $TRACE_EVAL_DATA/speakbench_pairs, else to the
example clips. CPU time of all threads is counted, after one clip of warm-up, in a process that
is set up as a worker is, and of each clip's repeats the fastest; the whole path is timed as the
command line runs it, with an empty cache.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.report import restart_with, save, table
from benchmarks.watch import watch
from blueprints import Blueprint
from extractors.audio import Clip, decode
from extractors.registry import plan_extractors
from trace_eval.data.manifests import read_manifest
from trace_eval.data.recordings import find_recordings
from trace_eval.data.system import cores
from trace_eval.extracting.workers import WorkerDevice

REPEATS = 3

ROOT = Path(__file__).resolve().parent.parent


def default_manifest() -> Path:
    """The shared real pairs where they are, else the example pairs."""
    data = os.environ.get("TRACE_EVAL_DATA")
    if data:
        return Path(data) / "speakbench_pairs" / "pairs.jsonl"
    return ROOT / "examples" / "pairs.jsonl"


def distinct(paths: list[Path]) -> list[Clip]:
    """Decoded clips, each content once."""
    return list({clip.sha256: clip for clip in map(decode, paths)}.values())


def per_extractor(clips: list[Clip]) -> dict[str, float]:
    """Group=extractor -> seconds of CPU per second of audio."""
    extractors = plan_extractors("screen", {})
    spent = dict.fromkeys((f"{extractor.group}={extractor.name}" for extractor in extractors), 0.0)
    for number, clip in enumerate([clips[0], *clips]):
        available = Blueprint(clip=clip.sha256)
        for extractor in extractors:
            extractor.load()
            timings = []
            for _ in range(REPEATS if number else 1):
                started = time.process_time()
                value = extractor.extract(clip, available)
                timings.append(time.process_time() - started)
            if number:
                spent[f"{extractor.group}={extractor.name}"] += min(timings)
            available = available.with_group(extractor.group, value, extractor.provenance())
    audio = sum(clip.seconds for clip in clips)
    return {name: seconds / audio for name, seconds in spent.items()}


def end_to_end(manifest: Path) -> tuple[float, float]:
    """(pairs per minute, peak memory of the largest process in MB) of the judge command."""
    pairs = len(read_manifest(manifest).pairs)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "trace_eval", "judge", str(manifest)]
        command += ["--out", f"{folder}/run", "--cache", f"{folder}/cache", "--min-coverage", "0"]
        watched = watch(command)
    return pairs / watched.minutes, max(map(max, watched.memory.values()))


def main() -> None:
    """Measure and print."""
    restart_with(WorkerDevice().environment())
    manifest = default_manifest()
    paths = [Path(argument) for argument in sys.argv[1:]] or find_recordings(manifest.parent)
    clips = distinct(paths)
    audio = sum(clip.seconds for clip in clips)
    result = per_extractor(clips)
    rows = [[name, share] for name, share in result.items()]
    rows.append(["all", sum(result.values())])
    rows.append(["all but transcript", sum(v for k, v in result.items() if "transcript" not in k)])
    table(
        f"CPU seconds per second of audio ({len(clips)} clips, {audio:.0f} s)",
        ["extractor", "s / s"],
        rows,
    )
    speed, memory = end_to_end(manifest)
    table(
        f"judge {manifest.parent.name}, profile screen, empty cache, {cores()} cores",
        ["pairs/min", "peak MB of the largest process"],
        [[speed, memory]],
    )
    save(
        "extract",
        {
            "audio_s": round(audio, 1),
            "cpu_s_per_audio_s": {name: round(value, 5) for name, value in rows},
            "pairs_per_minute": round(speed, 2),
            "peak_mb": round(memory),
        },
    )


if __name__ == "__main__":
    main()
