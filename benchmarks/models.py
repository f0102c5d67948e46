"""What the model-backed extractors cost, and what our wrapper adds to the libraries.

    python benchmarks/models.py                 # tiny checkpoints, CPU, about two minutes
    python benchmarks/models.py --device cuda   # the same on a GPU, and large-v3 throughput

Each model runs in a process of its own, so peak memory is its own. Printed per model:

- seconds to load, and seconds per second of audio (tiny checkpoints: their networks cost
  next to nothing, so this is what decoding loops, features and our own code take);
- overhead of the extractor over the same work asked of the library directly: processor
  time on one thread, alternating calls, ratio of the fastest (target: under 5 %);
- peak resident memory, and how much of it the imports alone take.

With a GPU: audio seconds per second of a randomly initialised Whisper of large-v3's size at
batch sizes 1 to 16. Random weights write nonsense to the last token, so every clip is
decoded to the same fixed length.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from extractors.guard import untouched
from extractors.model_backed import ModelExtractor
from tests.models.parts import SENTENCE, known, voice

SECONDS = 30.0
CALLS = 25
BATCHES = (1, 2, 4, 8, 16)
TOKENS = 64
NAMES = ("whisper", "faster-whisper", "emotion2vec", "ecapa")

#: Published sizes of large-v3.
LARGE_V3 = {
    "n_mels": 128,
    "n_audio_ctx": 1500,
    "n_audio_state": 1280,
    "n_audio_head": 20,
    "n_audio_layer": 32,
    "n_vocab": 51866,
    "n_text_ctx": 448,
    "n_text_state": 1280,
    "n_text_head": 20,
    "n_text_layer": 32,
}


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
    from extractors.accent import EcapaExtractor
    from tests.support.tiny_ecapa import write_ecapa

    return EcapaExtractor(model=str(write_ecapa(folder / "tiny")), device=device)


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


def peak_mb() -> float:
    """Largest resident memory of this process so far, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def timed(call: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds that a call takes."""
    started = clock()
    call()
    return clock() - started


def measure(name: str, device: str) -> dict[str, float]:
    """Everything about one model; runs in a process of its own."""
    import torch

    with tempfile.TemporaryDirectory() as folder:
        torch.set_num_threads(1)
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
        times: dict[str, list[float]] = {"ours": [], "theirs": []}
        for _ in range(CALLS):
            times["ours"].append(timed(ours, clock))
            times["theirs"].append(timed(theirs, clock))
        # The fastest: whatever else the machine does can only add.
        ours_s, theirs_s = min(times["ours"]), min(times["theirs"])
        return {
            "load_s": load,
            "s_per_s": ours_s / SECONDS,
            "direct_s_per_s": theirs_s / SECONDS,
            "overhead": ours_s / theirs_s - 1,
            "imports_mb": imports,
            "peak_mb": peak_mb(),
        }


def throughput(device: str) -> None:
    """Whisper of large-v3's size, random weights, by batch size."""
    import torch
    import whisper
    from whisper.model import ModelDimensions, Whisper

    from extractors.whisper import halve

    print(f"\nWhisper of large-v3's size on {torch.cuda.get_device_name(device)}, {TOKENS} tokens")
    model: Any = Whisper(ModelDimensions(**LARGE_V3)).eval()
    halve(model)
    model = model.to(device)
    options = whisper.DecodingOptions(
        language="en", sample_len=TOKENS, fp16=True, suppress_tokens=None, without_timestamps=True
    )
    for batch in BATCHES:
        mel = torch.randn(batch, LARGE_V3["n_mels"], 3000, device=device, dtype=torch.float16)

        def decode(mel: Any = mel) -> None:
            model.decode(mel, options)
            torch.cuda.synchronize()

        torch.cuda.reset_peak_memory_stats()
        decode()
        seconds = statistics.median(timed(decode) for _ in range(3))
        memory = torch.cuda.max_memory_allocated() / 2**30
        print(f"  batch {batch:2d}: {30 * batch / seconds:7.1f} s/s, {memory:5.1f} GiB at most")


def main() -> None:
    """Print the tables, or measure one model for the parent process."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", choices=NAMES, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(measure(arguments.only, arguments.device)))
        return
    print(f"{SECONDS:g} s of audio, tiny checkpoints, {arguments.device}, {CALLS} calls each")
    print(f"{'model':15s} {'load s':>7s} {'s/s':>8s} {'direct':>8s} {'over':>7s} {'peak MB':>8s}")
    for name in NAMES:
        if name == "faster-whisper" and not (
            find_spec("faster_whisper") and find_spec("transformers")
        ):
            print(f"{name:15s} skipped: faster-whisper or transformers is not installed")
            continue
        command = [sys.executable, __file__, "--only", name, "--device", arguments.device]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
        row = json.loads(done.stdout.splitlines()[-1])
        print(
            f"{name:15s} {row['load_s']:7.2f} {row['s_per_s']:8.5f} {row['direct_s_per_s']:8.5f}"
            f" {row['overhead']:+7.1%} {row['peak_mb']:8.0f} (imports {row['imports_mb']:.0f})"
        )
    import torch

    if torch.cuda.is_available():
        throughput("cuda:0" if arguments.device in ("cpu", "auto", "cuda") else arguments.device)
    else:
        print("\nthroughput of a large-v3-sized Whisper: skipped, there is no CUDA device")


if __name__ == "__main__":
    main()
