"""What the model-backed extractors cost, and what our wrapper adds to the libraries.

    python -m benchmarks.models                             # tiny checkpoints, a CPU, 5 minutes
    python -m benchmarks.models --device cuda               # the same on a GPU

Each model runs in a process of its own, so peak memory is its own. Per model:

- seconds to load, and seconds per second of audio (tiny checkpoints: their networks cost
  next to nothing, so this is what decoding loops, features and our own code take);
- overhead of the extractor over the same work asked of the library directly (target: under
  5 %): median ratio of neighbouring calls, in processor time on one thread, with the half
  width of its 95 % interval;
- peak resident memory, and how much of it the imports alone take.

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
from importlib.util import find_spec
from pathlib import Path

from benchmarks.report import save, table
from benchmarks.watch import peak_mb
from extractors.guard import untouched
from extractors.model_backed import ModelExtractor
from tests.support.model_parts import SENTENCE, known, voice

SECONDS = 30.0
#: Pairs of calls: as many as fit into this many seconds, within the bounds.
BUDGET_S, LEAST, MOST = 40.0, 25, 400
NAMES = ("whisper", "faster-whisper", "emotion2vec", "ecapa")


def make(name: str, folder: Path, device: str) -> ModelExtractor:
    """An extractor with a tiny checkpoint."""
    if name == "whisper":
        from extractors.whisper import WhisperExtractor
        from tests.support.tiny_whisper import write_whisper

        path = write_whisper(folder / "tiny.pt", SENTENCE)
        return WhisperExtractor(model=str(path), device=device)
    if name == "faster-whisper":
        from extractors.faster_whisper import FasterWhisperExtractor
        from tests.support.tiny_faster_whisper import write_faster_whisper

        path = write_faster_whisper(folder / "tiny", SENTENCE)
        return FasterWhisperExtractor(model=str(path), device=device)
    if name == "emotion2vec":
        from extractors.emotion2vec import Emotion2vecExtractor
        from tests.support.tiny_emotion2vec import write_emotion2vec

        path = write_emotion2vec(folder / "tiny")
        # Without a trajectory, for which the library is asked a second time.
        return Emotion2vecExtractor(model=str(path), device=device, window_s=60)
    from extractors.voices import EcapaExtractor
    from tests.support.tiny_ecapa import write_ecapa

    path = write_ecapa(folder / "tiny")
    return EcapaExtractor(model=str(path), device=device)


def directly(name: str, extractor: ModelExtractor) -> Callable[[], object]:
    """The same work, asked of the library's own model."""
    import torch

    speech = voice(SECONDS).speech
    model = extractor.opened()
    if name == "whisper":
        from whisper.audio import log_mel_spectrogram, pad_or_trim

        def recognise() -> object:
            # transcribe() gives no probability of the language, so that is asked for first.
            mel = log_mel_spectrogram(pad_or_trim(speech), model.dims.n_mels).to(model.device)
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
            [speech], granularity="utterance", extract_embedding=False, disable_pbar=True
        )
    return lambda: model.classify_batch(torch.from_numpy(speech)[None])


def timed(call: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds that a call takes."""
    started = clock()
    call()
    return clock() - started


def side_by_side(
    ours: Callable[[], object], theirs: Callable[[], object], clock: Callable[[], float]
) -> dict[str, float]:
    """Both calls in turn; the order changes, so that neither always finds the caches warm."""
    pairs: list[tuple[float, float]] = []
    end = time.perf_counter() + BUDGET_S
    while len(pairs) < LEAST or (len(pairs) < MOST and time.perf_counter() < end):
        if len(pairs) % 2:
            other = timed(theirs, clock)
            pairs.append((timed(ours, clock), other))
        else:
            pairs.append((timed(ours, clock), timed(theirs, clock)))
    ratios = [ours_s / theirs_s for ours_s, theirs_s in pairs]
    low, _, high = statistics.quantiles(ratios, n=4)
    return {
        "s_per_s": statistics.median(pair[0] for pair in pairs) / SECONDS,
        "direct_s_per_s": statistics.median(pair[1] for pair in pairs) / SECONDS,
        "overhead": statistics.median(ratios) - 1,
        # Of a median: 1.57 interquartile ranges over the root of n (McGill et al., 1978).
        "overhead_plus_minus": 1.57 * (high - low) / math.sqrt(len(ratios)),
        "pairs": len(pairs),
    }


def measure(name: str, device: str) -> dict[str, float]:
    """Everything about one model; runs in a process of its own."""
    import torch

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        extractor = make(name, Path(folder), device)
        imports = peak_mb()
        load = timed(extractor.load)
        clip = voice(SECONDS)
        blueprint = known(clip)

        def ours() -> object:
            return extractor.extract(clip, blueprint)

        theirs = directly(name, extractor)
        with untouched():
            ours(), theirs()  # compilers and caches
        # Processor time is blind to other programs, and to a GPU, which both sides wait for.
        clock = time.process_time if device == "cpu" else time.perf_counter
        result = side_by_side(ours, theirs, clock)
        return result | {"load_s": load, "imports_mb": imports, "peak_mb": peak_mb()}


def in_child(name: str, device: str) -> dict[str, float]:
    """:func:`measure` in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.models", "--only", name, "--device", device]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    results: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return results


def show_models(device: str) -> dict[str, dict[str, float]]:
    """Measure and print every model that is installed."""
    rows = {}
    for name in NAMES:
        if name == "faster-whisper" and not (
            find_spec("faster_whisper") and find_spec("transformers")
        ):
            print("faster-whisper is skipped: it or transformers is not installed")
            continue
        rows[name] = in_child(name, device)
    seconds = "CPU s" if device == "cpu" else "s"
    table(
        f"Tiny checkpoints, {SECONDS:g} s of audio, {device}",
        ["model", "load s", f"{seconds} / s", "library", "over %", "+-", "peak MB", "of imports"],
        [
            [
                name,
                row["load_s"],
                row["s_per_s"],
                row["direct_s_per_s"],
                100 * row["overhead"],
                100 * row["overhead_plus_minus"],
                round(row["peak_mb"]),
                round(row["imports_mb"]),
            ]
            for name, row in rows.items()
        ],
    )
    return rows


def main() -> None:
    """Print the tables, or measure one model for the parent process."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", choices=NAMES, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(measure(arguments.only, arguments.device)))
        return
    save("models", {"device": arguments.device, "models": show_models(arguments.device)})


if __name__ == "__main__":
    main()
