"""CPU seconds of each extractor per second of audio, and pairs per minute.

    python -m benchmarks.extract [CLIPS ...]

Clips default to the real answers under $TRACE_EVAL_DATA/speakbench_pairs, else to the
example clips. CPU time of all threads is counted, after one clip of warm-up, in a
process that is set up as a worker is, and of each clip's repeats the fastest; the whole
path is timed as the command line runs it, with an empty cache. Looking for defects is
in no profile: it is measured beside the others, and not counted among all. With CLIPS
nothing is saved.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import soundfile

from benchmarks.report import ROOT, command, lines_of, restart_with, save, table, timed
from benchmarks.watch import watch
from blueprints import Blueprint
from extractors.audio import Clip, decode
from extractors.base import Extractor
from extractors.registry import create, plan_extractors
from trace_eval.data.manifests import read_manifest
from trace_eval.data.recordings import find_recordings
from trace_eval.data.system import cores
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.start import extract
from trace_eval.extracting.workers import WorkerDevice

REPEATS = 3


def default_manifest() -> Path:
    """Return the shared real pairs where they are, else the example pairs."""
    data = os.environ.get("TRACE_EVAL_DATA")
    folder = Path(data) / "speakbench_pairs" if data else ROOT / "examples"
    return folder / "pairs.jsonl"


def distinct(paths: Iterable[Path]) -> list[Clip]:
    """Decode clips, each content once."""
    return list({clip.sha256: clip for clip in map(decode, paths)}.values())


def extracted(
    sounds: Iterable[tuple[Any, int]],
    options: ExtractOptions | None = None,
    subtype: str | None = None,
) -> list[Blueprint]:
    """Blueprints of samples and their rates, as files would have them."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, (samples, rate) in enumerate(sounds):
            paths.append(Path(folder) / f"{number}.wav")
            soundfile.write(paths[-1], samples, rate, subtype=subtype)
        results = extract(paths, options or ExtractOptions())
        return [one.blueprint for one in results if one.blueprint is not None]


def filled(clip: Clip, extractors: Iterable[Extractor]) -> Blueprint:
    """Fill a blueprint by extractors, each seeing what those before measured."""
    result = Blueprint(clip=clip.sha256)
    for extractor in extractors:
        extractor.load()
        value = extractor.extract(clip, result)
        result = result.with_group(extractor.group, value, extractor.provenance())
    return result


def per_extractor(clips: list[Clip]) -> dict[str, float]:
    """Return CPU seconds per second of audio, by ``group=extractor``.

    Looking for defects is the last.
    """
    extractors = [*plan_extractors("screen", {}), create("defects")]
    filled(clips[0], extractors)
    spent: Counter[str] = Counter()
    for clip in clips:
        available = Blueprint(clip=clip.sha256)
        for extractor in extractors:
            work = partial(extractor.extract, clip, available)
            value, seconds = min(
                (timed(work) for _ in range(REPEATS)), key=lambda one: one[1]
            )
            spent[f"{extractor.group}={extractor.name}"] += seconds
            available = available.with_group(
                extractor.group, value, extractor.provenance()
            )
    audio = sum(clip.seconds for clip in clips)
    return {name: seconds / audio for name, seconds in spent.items()}


def end_to_end(manifest: Path) -> tuple[float, float]:
    """Return the judge command's pairs per minute, and its peak memory in MB.

    The memory is that of the largest process.
    """
    pairs = len(read_manifest(manifest).pairs)
    with tempfile.TemporaryDirectory() as folder:
        places = ("--out", f"{folder}/run", "--cache", f"{folder}/cache")
        watched = watch(command("judge", manifest, *places, "--min-coverage", 0))
    return pairs / watched.minutes, max(map(max, watched.memory.values()))


def main() -> None:
    """Measure and print."""
    restart_with(WorkerDevice().environment())
    manifest = default_manifest()
    paths = [Path(argument) for argument in sys.argv[1:]] or find_recordings(
        manifest.parent
    )
    clips = distinct(paths)
    audio = sum(clip.seconds for clip in clips)
    result = per_extractor(clips)
    default = {
        name: share for name, share in result.items() if not name.startswith("defects=")
    }
    rest = sum(share for name, share in default.items() if "transcript" not in name)
    result |= {"all": sum(default.values()), "all but transcript": rest}
    title = f"CPU seconds per second of audio ({len(clips)} clips, {audio:.0f} s)"
    table(title, ["extractor", "s / s"], list(result.items()))
    speed, memory = end_to_end(manifest)
    figures = {"pairs_per_minute": round(speed, 2), "peak_mb": round(memory)}
    title = (
        f"judge {manifest.parent.name}, profile screen, empty cache, {cores()} cores"
    )
    lines_of(title, [figures])
    if not sys.argv[1:]:
        shares = {name: round(value, 5) for name, value in result.items()}
        save(
            "extract",
            {"audio_s": round(audio, 1), "cpu_s_per_audio_s": shares, **figures},
        )


if __name__ == "__main__":
    main()
