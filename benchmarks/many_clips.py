"""Extraction of many short clips from a folder or a tar, tenth by tenth of them.

    TRACE_EVAL_DATA=... python -m benchmarks.many_clips [--clips 10000] [--tar] [--light]

Clips of 3 s are cuts of the spoken prompts, each at a gain of its own, so that nothing
comes from the cache. ``trace-eval extract`` reads all of them in one call. Printed per
tenth of the clips: their number in a second, CPU milliseconds for each, resident memory
and open files of all of its processes. ``--light`` leaves the networks and the pitch
out: what could grow with the number of clips is not theirs, and 10,000 clips take
minutes.

Exit code 1: CPU time of a clip, memory or files of the last tenths are more than those
of the first by a tenth. CPU time, not speed, because other work on the machine slows
down; the median of three tenths, because for the length of one it can double what a
clip takes. The very first tenth has the loading and is left out.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import soundfile

from benchmarks.report import (
    RESULTS,
    arguments,
    command,
    data_folder,
    lines_of,
    save,
    stored,
)
from benchmarks.watch import children, resident_mb

SECONDS, MOST_GROWTH = 3.0, 1.1

#: Tenths at either end whose median counts.
COMPARED = 3

#: Arguments that leave out all networks and the pitch.
LIGHT = (
    "-x",
    "transcript=none",
    "-x",
    "quality=none",
    "-x",
    "rate=none",
    "-x",
    "pitch=none",
)

#: Seconds between two samples.
STEP_S = 0.5


class Sample(NamedTuple):
    """A command and its processes at one time."""

    at_s: float
    done: int
    cpu_s: float
    memory_mb: float
    files: int


def write_clips(folder: Path, count: int) -> None:
    """Write ``count`` distinct clips."""
    folder.mkdir()
    files = sorted((data_folder() / "prompts").glob("*.wav"))
    sounds = [soundfile.read(file, dtype="float32") for file in files]
    rng = np.random.default_rng(0)
    for number in range(count):
        samples, rate = sounds[rng.integers(len(sounds))]
        length = round(SECONDS * rate)
        start = rng.integers(len(samples) - length)
        cut = samples[start : start + length] * rng.uniform(0.3, 1)
        soundfile.write(folder / f"{number:06d}.wav", cut, rate)


def packed(folder: Path) -> Path:
    """Write the clips of a folder into one tar."""
    path = folder.with_suffix(".tar")
    with tarfile.open(path, "w") as tar:
        for clip in sorted(folder.iterdir()):
            tar.add(clip, clip.name)
    return path


def cpu_s(pid: int) -> float:
    """CPU seconds of a process so far; 0 of one that has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def open_files(pid: int) -> int:
    """Count the open files of a process; 0 of one that has ended."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208 - iterdir would open one more
    except OSError:
        return 0


def lines(path: Path) -> int:
    """Count the lines of a file that may not be there yet."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


def watched(source: Path, out: Path, options: Sequence[str] = ()) -> list[Sample]:
    """Extract, and look at it every half second.

    Args:
        options: further arguments of the command.

    Raises:
        SystemExit: the command failed.
    """
    line = command(
        "extract", source, "--out", out, "--cache", f"{out}-cache", "--quiet", *options
    )
    samples = []
    with subprocess.Popen(line) as process:
        while process.poll() is None:
            pids = (process.pid, *children(process.pid))
            samples.append(
                Sample(
                    at_s=time.monotonic(),
                    done=lines(out / "blueprints.jsonl"),
                    cpu_s=sum(map(cpu_s, pids)),
                    memory_mb=sum(map(resident_mb, pids)),
                    files=sum(map(open_files, pids)),
                )
            )
            time.sleep(STEP_S)
    if process.returncode:
        sys.exit(f"extract {source.name} ended with {process.returncode}")
    return samples


def by_tenth(samples: list[Sample], count: int) -> list[dict[str, Any]]:
    """Make a line for each tenth of the clips."""
    rows = []
    start = samples[0]
    for tenth in range(1, 11):
        goal = min(count * tenth / 10, samples[-1].done)
        end = next(sample for sample in samples if sample.done >= goal)
        within = [sample for sample in samples if start.at_s <= sample.at_s <= end.at_s]
        clips = max(1, end.done - start.done)
        rows.append(
            {
                "tenth": tenth,
                "clips a second": clips / max(end.at_s - start.at_s, STEP_S),
                "CPU ms a clip": 1000 * (end.cpu_s - start.cpu_s) / clips,
                "memory, MB": max(sample.memory_mb for sample in within),
                "open files": max(sample.files for sample in within),
            }
        )
        start = end
    return rows


def growth(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the last tenths over the first, by kind; the very first is left out."""
    early, late = rows[1 : 1 + COMPARED], rows[-COMPARED:]

    def middle(some: Sequence[Mapping[str, Any]], what: str) -> float:
        return statistics.median(row[what] for row in some)

    kinds = ("CPU ms a clip", "memory, MB", "open files")
    return {what: middle(late, what) / middle(early, what) for what in kinds}


def main() -> None:
    """Measure, print, save; exit 1 where something grows."""
    options = arguments(
        __doc__,
        clips=(300, "how many"),
        tar=(False, "read them from one tar, not a folder"),
        light=(False, "without the networks and the pitch"),
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "clips")
        write_clips(folder, options.clips)
        source = packed(folder) if options.tar else folder
        further = LIGHT if options.light else ()
        rows = by_tenth(watched(source, Path(name, "out"), further), options.clips)
    kind = "tar" if options.tar else "folder"
    lines_of(f"{options.clips} clips of {SECONDS:g} s from one {kind}", rows)
    if options.clips >= 10_000:
        result = {"clips": options.clips, "light": options.light, "rows": rows}
        before = stored("many_clips") if (RESULTS / "many_clips.json").exists() else {}
        save("many_clips", {**before, kind: result})
    if grown := [what for what, ratio in growth(rows).items() if ratio > MOST_GROWTH]:
        sys.exit(f"grew by more than a tenth: {', '.join(grown)}")


if __name__ == "__main__":
    main()
