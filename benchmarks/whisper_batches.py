"""Throughput of a randomly initialised Whisper, by how many windows are decoded at once.

    python -m benchmarks.whisper_batches                    # large-v3's size, 1 to 16, a GPU
    python -m benchmarks.whisper_batches --device cpu --size base --tokens 48 --batches 1 2 4 8

Random weights write nonsense to the last token, so every window is decoded to the same fixed
length.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.report import save, table

BATCHES = (1, 2, 4, 8, 16)

#: Decoded in each window.
TOKENS = 64

#: Published sizes: mel bands, width, heads, layers, vocabulary.
SIZES = {
    "tiny": (80, 384, 6, 4, 51865),
    "base": (80, 512, 8, 6, 51865),
    "small": (80, 768, 12, 12, 51865),
    "large-v3": (128, 1280, 20, 32, 51866),
}


def peak_mb() -> float:
    """Largest resident memory of this process so far, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def timed(call: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds that a call takes."""
    started = clock()
    call()
    return clock() - started


def throughput(
    size: str, device: str, tokens: int, batches: Sequence[int]
) -> list[dict[str, float]]:
    """A Whisper of this size with random weights, by batch size."""
    import torch
    import whisper
    from whisper.model import ModelDimensions, Whisper

    from extractors.whisper import halve

    mels, width, heads, layers, vocabulary = SIZES[size]
    audio, text = (1500, width, heads, layers), (448, width, heads, layers)
    model: Any = Whisper(ModelDimensions(mels, *audio, vocabulary, *text)).eval()
    torch.nn.init.normal_(model.decoder.positional_embedding)  # the library leaves it empty
    on_gpu = device != "cpu"
    if on_gpu:
        halve(model)
    model = model.to(device)
    options = whisper.DecodingOptions(
        language="en",
        sample_len=tokens,
        fp16=on_gpu,
        suppress_tokens=None,
        without_timestamps=True,
    )
    clock = time.perf_counter if on_gpu else time.process_time
    rows = []
    for batch in batches:
        mel = torch.randn(batch, mels, 3000, device=device)
        mel = mel.half() if on_gpu else mel

        def decode(mel: Any = mel) -> None:
            model.decode(mel, options)
            if on_gpu:
                torch.cuda.synchronize()

        decode()
        if on_gpu:
            torch.cuda.reset_peak_memory_stats()
        seconds = statistics.median(timed(decode, clock) for _ in range(3))
        memory = torch.cuda.max_memory_allocated() / 2**20 if on_gpu else peak_mb()
        speed = 30 * batch / seconds
        rows.append({"batch": batch, "audio_s_per_s": speed, "peak_mb": round(memory)})
    return rows


def show_throughput(
    size: str, device: str, tokens: int = TOKENS, batches: Sequence[int] = BATCHES
) -> dict[str, Any]:
    """Print :func:`throughput` as a table."""
    import torch

    on_gpu = device != "cpu"
    if not on_gpu:
        torch.set_num_threads(1)
    where = torch.cuda.get_device_name(device) if on_gpu else "one thread of a CPU"
    rows = throughput(size, device, tokens, batches)
    table(
        f"Whisper of {size}'s size, random weights, {tokens} tokens a window, {where}",
        ["batch", "s of audio / s" if on_gpu else "s of audio / CPU s", "peak MB"],
        [list(row.values()) for row in rows],
    )
    return {"size": size, "tokens": tokens, "device": where, "rows": rows}


def main() -> None:
    """Measure, print, save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--size", choices=SIZES, default="large-v3")
    parser.add_argument("--tokens", type=int, default=TOKENS, help="in a window")
    parser.add_argument("--batches", type=int, nargs="+", default=BATCHES)
    chosen = parser.parse_args()
    result = show_throughput(chosen.size, chosen.device, chosen.tokens, chosen.batches)
    save(f"whisper_batches-{chosen.size}", {"throughput": result})


if __name__ == "__main__":
    main()
