"""Our extraction beside a plain loop over the same libraries: CPU seconds, by part.

    TRACE_EVAL_DATA=... python -m benchmarks.naive short [--passes 2]

The loop is what a script would do: faster-whisper with the same weights and numbers,
greedy and with word times; DNSMOS P.835 and P.808 by ``speechmos``; pYIN by librosa
over the default range of ours; loudness by pyloudnorm. It has no voice activity
detection, no syllables and no findings. Ours is the profile ``screen``. Either runs in
a fresh process on one thread, in turns, and all of the process counts: imports and
loading stand in a line of their own. Of the passes the cheapest counts, so that other
work on the machine counts less.

The ratio is one of these lengths: ``speechmos`` doubles what is shorter than 9 s, so
that it scores 8 s as 16 s, and of recordings of 9 to 11 s the loop costs half as much.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from benchmarks.report import (
    data_folder,
    lines_of,
    options_of,
    people_folder,
    save,
    timed,
)
from extractors.audio import Clip, decode
from extractors.base import Extractor, Item
from trace_eval.extracting.workers import WorkerDevice

#: How many clips are extracted of either kind.
PROMPTS, CODECS = 24, 40

#: Length of the stretches of prompts, seconds.
PROMPT_S = 8.0

#: Which part of the loop does what an extractor of ours does.
PART_OF = {
    "faster-whisper": "words",
    "dnsmos": "DNSMOS",
    "praat": "pitch",
    "bs1770": "loudness",
    "nuclei": "syllables",
    "signal": "level and speech",
}

LOADING = "imports and loading"


def prompts(folder: Path) -> list[Path]:
    """Write stretches of the spoken prompts one after the other, at even steps."""
    files = sorted((data_folder() / "prompts").glob("*.wav"))
    sounds = [soundfile.read(file, dtype="float32") for file in files]
    rate = sounds[0][1]
    joined, length = (
        np.concatenate([samples for samples, _ in sounds]),
        round(PROMPT_S * rate),
    )
    starts = np.linspace(0, len(joined) - length, PROMPTS).astype(int)
    paths = [folder / f"prompt{number}.wav" for number in range(PROMPTS)]
    for path, start in zip(paths, starts, strict=True):
        soundfile.write(path, joined[start : start + length], rate)
    return paths


def codecs(_: Path) -> list[Path]:
    """List the first codec clips."""
    return sorted((people_folder() / "codecs" / "audio").iterdir())[:CODECS]


def plain_loop(paths: Sequence[Path]) -> Counter[str]:
    """Measure clips as a script would; returns CPU seconds by part."""
    import librosa
    import pyloudnorm
    from faster_whisper import WhisperModel
    from speechmos import dnsmos

    from extractors import packaged

    folder = packaged.folder_of(packaged.ENGLISH)
    model = WhisperModel(
        str(folder),
        device="cpu",
        compute_type="int8",
        cpu_threads=1,
        local_files_only=True,
    )
    spent: Counter[str] = Counter()

    def add(
        part: str, work: Callable[..., Any], *arguments: Any, **options: Any
    ) -> Any:
        result, seconds = timed(partial(work, *arguments, **options))
        spent[part] += seconds
        return result

    def recognised(speech: Any) -> list[Any]:
        segments, _ = model.transcribe(
            speech, language="en", beam_size=1, word_timestamps=True
        )
        return list(segments)

    for path in paths:
        samples, rate = add("decoding", librosa.load, path, sr=None, mono=False)
        mono = librosa.to_mono(samples)
        speech = add("decoding", librosa.resample, mono, orig_sr=rate, target_sr=16000)
        speech = np.clip(speech, -1, 1)
        add("words", recognised, speech)
        add("DNSMOS", dnsmos.run, speech, 16000, model_type="dnsmos_personalized")
        add("pitch", librosa.pyin, speech, fmin=50, fmax=1000, sr=16000)
        add("loudness", pyloudnorm.Meter(rate).integrated_loudness, samples.T)
    return spent


def ours(paths: Sequence[Path]) -> Counter[str]:
    """Measure clips by the profile ``screen``; returns CPU seconds by part."""
    from threadpoolctl import threadpool_limits

    from blueprints import Blueprint
    from extractors.registry import plan_extractors

    plan = plan_extractors("screen", {})
    for extractor in plan:
        extractor.load()
    spent: Counter[str] = Counter()
    size = max(extractor.batch_size for extractor in plan)
    with threadpool_limits(1, user_api="blas"):
        for start in range(0, len(paths), size):
            some = partial(map, decoded, paths[start : start + size])
            clips, seconds = timed(lambda some=some: list(some()))
            spent["decoding"] += seconds
            items = [Item(clip, Blueprint(clip=clip.sha256)) for clip in clips]
            for extractor in plan:
                values, seconds = timed(partial(measured, extractor, items))
                spent[PART_OF[extractor.name]] += seconds
                source = extractor.provenance()
                items = [
                    Item(clip, known.with_group(extractor.group, value, source))
                    for (clip, known), value in zip(items, values, strict=True)
                ]
    return spent


def decoded(path: Path) -> Clip:
    """Decode a clip, and resample it for those that measure speech."""
    clip = decode(path)
    assert len(clip.speech)
    return clip


def measured(extractor: Extractor, items: Sequence[Item]) -> list[Any]:
    """Measure clips as a worker does: as many together as the extractor takes."""
    size = extractor.batch_size
    parts = [items[start : start + size] for start in range(0, len(items), size)]
    return [value for part in parts for value in extractor.extract_batch(part)]


SIDES: dict[str, Callable[[Sequence[Path]], Counter[str]]] = {
    "loop": plain_loop,
    "ours": ours,
}


def process(side: str, paths: Sequence[Path]) -> dict[str, float]:
    """CPU seconds of one side in a fresh process, by part and in all."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    line = [sys.executable, "-m", "benchmarks.naive", side, *map(str, paths)]
    environment = {**os.environ, **WorkerDevice().environment()}
    text = subprocess.run(line, env=environment, check=True, capture_output=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    parts: dict[str, float] = json.loads(text.splitlines()[-1])
    whole = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {**parts, LOADING: whole - sum(parts.values()), "all": whole}


def compared(paths: Sequence[Path], passes: int) -> list[dict[str, Any]]:
    """Both sides in turns; a line for each part."""
    runs: dict[str, list[dict[str, float]]] = {side: [] for side in SIDES}
    for _ in range(passes):
        for side, kept in runs.items():
            kept.append(process(side, paths))
    loop, own = (min(runs[side], key=lambda run: run["all"]) for side in SIDES)
    lines = []
    for part in sorted(
        {*loop, *own}, key=lambda part: (part == "all", -loop.get(part, 0.0))
    ):
        line: dict[str, Any] = {"part": part, "the loop, CPU s": loop.get(part, 0.0)}
        line["ours, CPU s"] = own.get(part, 0.0)
        line["times"] = line["the loop, CPU s"] / max(line["ours, CPU s"], 1e-3)
        lines.append(line)
    return lines


def short(passes: int) -> dict[str, Any]:
    """Compare both sides on the two sets of short clips."""
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        for write in (prompts, codecs):
            paths = write(Path(name))
            seconds = sum(soundfile.info(path).duration for path in paths) / len(paths)
            lines = compared(paths, passes)
            lines_of(
                f"{len(paths)} {write.__name__}, {seconds:.1f} s in the mean", lines
            )
            print(
                f"\n{lines[-1]['times']:.1f} times less CPU than the loop", flush=True
            )
            figures[write.__name__] = lines
    return figures


def main() -> None:
    """Measure, print, save."""
    if sys.argv[1:2] and sys.argv[1] in SIDES:  # a process of :func:`process`
        print(
            json.dumps(
                SIDES[sys.argv[1]]([Path(argument) for argument in sys.argv[2:]])
            )
        )
        return
    parser: argparse.ArgumentParser = options_of(__doc__)
    parser.add_argument("clips", choices=["short"])
    parser.add_argument("--passes", type=int, default=2)
    arguments = parser.parse_args()
    save("naive", {"passes": arguments.passes, **short(arguments.passes)})


if __name__ == "__main__":
    main()
