"""Recognisers side by side: word errors, CPU seconds per second of audio, memory.

    TRACE_EVAL_DATA=... python -m benchmarks.hearing [PASSES]

Every recogniser that can run here reads the ten spoken prompts, whose words are known, and all
recordings of the pairs, each recogniser in a process of its own on one thread.
Beside them the same weights as the library itself would use them: all defaults, no voice activity
detection. Word errors are counted without case and punctuation, numbers spelled out; CPU time is
that of the best of PASSES (default 2), so that other work on the machine counts less.
"""

from __future__ import annotations

import json
import multiprocessing
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.extract import distinct, filled
from benchmarks.report import data_folder, lines_of, restart_with, save
from benchmarks.watch import peak_mb
from blueprints import Blueprint, Transcript
from extractors import default_asr, packaged
from extractors.audio import Clip, decode
from extractors.registry import create, plan_extractors
from trace_eval.data.recordings import find_recordings
from trace_eval.extracting.workers import WorkerDevice

#: What the others are compared with: the plain library.
_TINY = "faster-whisper:tiny.en"
LIBRARY = f"{_TINY}, the library's defaults"

#: Name of a line -> spec and options.
LINES: dict[str, tuple[str, dict[str, Any]]] = {
    f"{_TINY}, int8, beam 1 (screen)": (_TINY, {"beam_size": 1}),
    f"{_TINY}, int8, beam 5": (_TINY, {"beam_size": 5}),
    f"{_TINY}, float32, beam 1": (_TINY, {"beam_size": 1, "compute_type": "float32"}),
    **{f"faster-whisper:{size}": (f"faster-whisper:{size}", {}) for size in ("base", "small")},
    **{f"whisper:{size}": (f"whisper:{size}", {}) for size in ("base", "large-v3")},
}

_NUMBERS = {"1": "one", "10": "ten"}


def words(text: str) -> str:
    """Lower case, without punctuation, the prompts' two numbers spelled out."""
    result = re.findall(r"[a-z0-9']+", text.lower().replace("'s", "s"))
    return " ".join(_NUMBERS.get(word, word) for word in (w.strip("'") for w in result))


def reader(line: str) -> Callable[[Clip, Blueprint], str]:
    """A function that reads a clip, of which is known where speech is; its model is loaded."""
    if line == LIBRARY:
        from faster_whisper import WhisperModel

        folder = default_asr.choose().extractor.locate()  # type: ignore[attr-defined]
        model = WhisperModel(str(folder), device="cpu", local_files_only=True)
        return lambda clip, _: " ".join(part.text for part in model.transcribe(clip.speech)[0])
    spec, options = LINES[line]
    extractor = create(spec, **options, device="cpu")
    extractor.load()

    def read(clip: Clip, signal: Blueprint) -> str:
        result = extractor.extract(clip, signal)
        return result.text if isinstance(result, Transcript) else ""

    return read


def measure(line: str, data: Path, passes: int) -> dict[str, Any]:
    """One line of the table."""
    from jiwer import wer

    lines = (data / "prompts" / "texts.jsonl").read_text().splitlines()
    records = [json.loads(record) for record in lines]
    prompts = [data / "prompts" / record["audio"] for record in records]
    pairs = [path for folder in data.glob("*_pairs") for path in find_recordings(folder)]
    clips = distinct([*prompts, *pairs])
    signals = {clip.sha256: filled(clip, [create("signal")]) for clip in clips}
    read = reader(line)
    read(clips[0], signals[clips[0].sha256])
    spent = []
    for _ in range(passes):
        started = time.process_time()
        recognised = {clip.sha256: read(clip, signals[clip.sha256]) for clip in clips}
        spent.append(time.process_time() - started)
    seconds = sum(clip.seconds for clip in clips)
    written = [words(recognised[decode(path).sha256]) for path in prompts]
    return {
        "recogniser": line,
        "word error rate": float(wer([words(record["text"]) for record in records], written)),
        "CPU s / s": min(spent) / seconds,
        "peak MB": peak_mb(),
        "audio s": seconds,
    }


def at_hand() -> list[str]:
    """Lines whose recogniser can run here."""
    results = [
        line
        for line, (spec, options) in LINES.items()
        if create(spec, **options, device="cpu").unavailable() is None
    ]
    return [*results, *([LIBRARY] if packaged.folder_of(packaged.ENGLISH) else [])]


def main() -> None:
    """Measure, print, save."""
    data = data_folder()
    passes = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    restart_with(WorkerDevice().environment())
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        tasks = [(line, data, passes) for line in at_hand()]
        rows = pool.starmap(measure, tasks, chunksize=1)
    base = next((row["CPU s / s"] for row in rows if row["recogniser"] == LIBRARY), None)
    for row in rows:
        row["of the library's CPU"] = row["CPU s / s"] / base if base else None
    [default] = [e for e in plan_extractors("screen") if e.group == "transcript"]
    lines_of("Recognisers, one thread", rows)
    print(f"\nthe default here is {default.name}: {default_asr.choose().why}")
    save("hearing", {"passes": passes, "default": default.name, "lines": rows})


if __name__ == "__main__":
    main()
