"""The default recogniser beside the plain library: word errors and CPU time.

    TRACE_EVAL_DATA=... python -m benchmarks.hearing [--passes 2]

Each reads the ten spoken prompts, whose words are known, and all recordings of the
pairs, on one thread. The library has the same weights and all its defaults, and no
voice activity detection. Word errors are counted without case and punctuation, numbers
spelled out; CPU time is that of the best of the passes, so that other work on the
machine counts less.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.extract import distinct, filled
from benchmarks.report import (
    arguments,
    data_folder,
    lines_of,
    restart_with,
    save,
    timed,
)
from blueprints import Blueprint, Transcript
from extractors import default_asr, packaged
from extractors.audio import Clip, decode
from extractors.registry import create
from trace_eval.data.recordings import find_recordings
from trace_eval.extracting.workers import WorkerDevice

#: Reads a clip, of which is known where speech is.
Reader = Callable[[Clip, Blueprint], str]

_NUMBERS = {"1": "one", "10": "ten"}


def words(text: str) -> str:
    """Lower case, without punctuation, the prompts' two numbers spelled out."""
    quoted = re.findall(r"[a-z0-9']+", text.lower().replace("'s", "s"))
    plain = [word.strip("'") for word in quoted]
    return " ".join(_NUMBERS.get(word, word) for word in plain)


def _ours() -> Reader:
    extractor = create("faster-whisper:tiny.en", beam_size=1, device="cpu")
    extractor.load()

    def read(clip: Clip, signal: Blueprint) -> str:
        result = extractor.extract(clip, signal)
        return result.text if isinstance(result, Transcript) else ""

    return read


def _library() -> Reader:
    from faster_whisper import WhisperModel

    folder = packaged.folder_of(packaged.ENGLISH)
    model = WhisperModel(str(folder), device="cpu", local_files_only=True)
    return lambda clip, _: " ".join(
        part.text for part in model.transcribe(clip.speech)[0]
    )


LINES = {
    "faster-whisper:tiny.en, int8, beam 1 (screen)": _ours,
    "faster-whisper:tiny.en, the library's defaults": _library,
}


def measure(line: str, data: Path, passes: int) -> dict[str, Any]:
    """One line of the table."""
    from jiwer import wer

    lines = (data / "prompts" / "texts.jsonl").read_text().splitlines()
    records = [json.loads(record) for record in lines]
    prompts = [data / "prompts" / record["audio"] for record in records]
    pairs = [
        path for folder in data.glob("*_pairs") for path in find_recordings(folder)
    ]
    clips = distinct([*prompts, *pairs])
    signals = {clip.sha256: filled(clip, [create("signal")]) for clip in clips}
    read = LINES[line]()
    read(clips[0], signals[clips[0].sha256])
    spent = []
    for _ in range(passes):
        recognised, seconds = timed(
            lambda: {clip.sha256: read(clip, signals[clip.sha256]) for clip in clips}
        )
        spent.append(seconds)
    written = [words(recognised[decode(path).sha256]) for path in prompts]
    return {
        "recogniser": line,
        "word error rate": float(
            wer([words(record["text"]) for record in records], written)
        ),
        "CPU s / s": min(spent) / sum(clip.seconds for clip in clips),
    }


def main() -> None:
    """Measure, print, save."""
    data, passes = data_folder(), arguments(__doc__, passes=2).passes
    restart_with(WorkerDevice().environment())
    rows = [measure(line, data, passes) for line in LINES]
    lines_of("Recognisers, one thread", rows)
    print(f"\nthe default here: {default_asr.choose().why}")
    save("hearing", {"passes": passes, "lines": rows})


if __name__ == "__main__":
    main()
