"""What the model-backed extractors cost, and what our wrapper adds to the libraries.

    python -m benchmarks.models                             # tiny checkpoints, a CPU, 5 minutes
    python -m benchmarks.models --device cuda               # the same on a GPU

Each model runs in a process of its own, so peak memory is its own. Per model:

- seconds per second of audio (tiny checkpoints: their networks cost next to nothing, so
  this is what decoding loops, features and our own code take);
- overhead of the extractor over the same work asked of the library directly (target:
  under 5 %): median ratio of neighbouring calls, in processor time on one thread, with
  the half width of its 95 % interval;
- peak resident memory.

What batches and a GPU bring: :mod:`benchmarks.devices` and :mod:`benchmarks.shapes`.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from benchmarks.report import options_of, save, table_of, timed
from benchmarks.watch import peak_mb
from extractors.guard import untouched
from extractors.model_backed import ModelExtractor
from tests.support.model_parts import SENTENCE, known, voice

SECONDS = 30.0
#: Pairs of calls: as many as fit into this many seconds, within the bounds.
BUDGET_S, LEAST, MOST = 40.0, 25, 400

#: Model -> extractor, what writes a tiny checkpoint, its file, what it says, and
#: options.
MODELS: dict[str, tuple[str, str, str, tuple[str, ...], dict[str, Any]]] = {
    "whisper": (
        *(
            "whisper:WhisperExtractor",
            "tiny_whisper:write_whisper",
            "tiny.pt",
            (SENTENCE,),
            {},
        ),
    ),
    "faster-whisper": (
        *(
            "faster_whisper:FasterWhisperExtractor",
            "tiny_faster_whisper:write_faster_whisper",
        ),
        *("tiny", (SENTENCE,), {}),
    ),
    # Without a trajectory, for which the library is asked a second time.
    "emotion2vec": (
        *("emotion2vec:Emotion2vecExtractor", "tiny_emotion2vec:write_emotion2vec"),
        *("tiny", (), {"window_s": 60}),
    ),
    "ecapa": ("voices:EcapaExtractor", "tiny_ecapa:write_ecapa", "tiny", (), {}),
}


def make(name: str, folder: Path, device: str) -> ModelExtractor:
    """Make an extractor with a tiny checkpoint."""
    kind, writer, file, words, options = MODELS[name]
    extractor = resolve_name(f"extractors.{kind}")
    path = resolve_name(f"tests.support.{writer}")(folder / file, *words)
    model: ModelExtractor = extractor(model=str(path), device=device, **options)
    return model


def directly(name: str, extractor: ModelExtractor) -> Callable[[], object]:
    """Return the same work by the library's own model."""
    import torch

    speech = voice(SECONDS).speech
    model = extractor.opened()
    if name == "whisper":
        from whisper.audio import log_mel_spectrogram, pad_or_trim

        def recognise() -> object:
            # transcribe() gives no probability of the language, so that is asked for
            # first.
            mel = log_mel_spectrogram(pad_or_trim(speech), model.dims.n_mels).to(
                model.device
            )
            _, shares = model.detect_language(mel.half() if mel.is_cuda else mel)
            return model.transcribe(
                speech,
                language=max(shares, key=shares.__getitem__),
                word_timestamps=True,
                condition_on_previous_text=False,
                fp16=mel.is_cuda,
            )

        return recognise
    if name == "faster-whisper":
        return lambda: list(
            model.transcribe(
                speech,
                beam_size=1,
                best_of=1,
                word_timestamps=True,
                condition_on_previous_text=False,
            )[0]
        )
    if name == "emotion2vec":
        return lambda: model.model.generate(
            [speech],
            granularity="utterance",
            extract_embedding=False,
            disable_pbar=True,
        )
    return lambda: model.classify_batch(torch.from_numpy(speech)[None])


def side_by_side(
    ours: Callable[[], object], theirs: Callable[[], object], clock: Callable[[], float]
) -> dict[str, float]:
    """Time both calls in turn, swapping their order, so that caches favour none."""
    seconds: dict[Callable[[], object], list[float]] = {ours: [], theirs: []}
    end, count = time.perf_counter() + BUDGET_S, 0
    while count < LEAST or (count < MOST and time.perf_counter() < end):
        for call in (theirs, ours) if count % 2 else (ours, theirs):
            seconds[call].append(timed(call, clock)[1])
        count += 1
    ratios = [a / b for a, b in zip(seconds[ours], seconds[theirs], strict=True)]
    low, _, high = statistics.quantiles(ratios, n=4)
    return {
        "s_per_s": statistics.median(seconds[ours]) / SECONDS,
        "direct_s_per_s": statistics.median(seconds[theirs]) / SECONDS,
        "overhead": statistics.median(ratios) - 1,
        # Of a median: 1.57 interquartile ranges over the root of n (McGill et al.,
        # 1978).
        "overhead_plus_minus": 1.57 * (high - low) / math.sqrt(count),
        "pairs": count,
    }


def measure(name: str, device: str) -> dict[str, float]:
    """Everything about one model; runs in a process of its own."""
    import torch

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        extractor = make(name, Path(folder), device)
        extractor.load()
        clip = voice(SECONDS)
        blueprint = known(clip)

        ours, theirs = (
            partial(extractor.extract, clip, blueprint),
            directly(name, extractor),
        )
        with untouched():
            ours(), theirs()  # compilers and caches
        # Processor time is blind to other programs, and to a GPU, which both sides wait
        # for.
        clock = time.process_time if device == "cpu" else time.perf_counter
        return side_by_side(ours, theirs, clock) | {"peak_mb": peak_mb()}


def show_models(device: str) -> dict[str, dict[str, float]]:
    """Measure and print every model that is installed, each in a process of its own."""
    rows = {}
    for name in MODELS:
        needed = ("faster_whisper", "transformers") if name == "faster-whisper" else ()
        if not all(map(find_spec, needed)):
            print("faster-whisper is skipped: it or transformers is not installed")
            continue
        command = [
            sys.executable,
            "-m",
            "benchmarks.models",
            "--only",
            name,
            "--device",
            device,
        ]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
        rows[name] = json.loads(done.stdout.splitlines()[-1])
    seconds = "CPU s" if device == "cpu" else "s"
    shown = {
        name: {
            f"{seconds} / s": row["s_per_s"],
            "library": row["direct_s_per_s"],
            "over %": 100 * row["overhead"],
            "+-": 100 * row["overhead_plus_minus"],
            "peak MB": round(row["peak_mb"]),
        }
        for name, row in rows.items()
    }
    table_of(f"Tiny checkpoints, {SECONDS:g} s of audio, {device}", "model", shown)
    return rows


def main() -> None:
    """Print the tables, or measure one model for the parent process."""
    parser = options_of(__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", choices=[*MODELS], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(measure(arguments.only, arguments.device)))
        return
    save(
        "models", {"device": arguments.device, "models": show_models(arguments.device)}
    )


if __name__ == "__main__":
    main()
