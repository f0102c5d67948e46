"""What a scorer on a base of 1B parameters costs on a GPU: rows per second and memory.

    python -m benchmarks.scorer_gpu            # needs a CUDA device with 16 GB or more

Random weights in the shape of Llama-3.2-1B, bfloat16: time and memory do not depend on what
they are. Prints rows per second of rating texts of 200 tokens at batch 1, 8 and 32, and of
training LoRA of rank 128 at batch 8, with the peak of the GPU's memory. Without a GPU it says
so and ends.
"""

from __future__ import annotations

import random
import sys
import time
from typing import Any

from benchmarks.report import save, table

#: Llama-3.2-1B without its vocabulary head.
SHAPE = {
    "vocab_size": 128_256,
    "hidden_size": 2048,
    "intermediate_size": 8192,
    "num_hidden_layers": 16,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "max_position_embeddings": 4096,
}
TOKENS, ROWS, RANK, STEPS = 200, 512, 128, 20


class Padding:
    """All that a scorer asks of a tokenizer once texts are encoded."""

    pad_token_id = 0
    eos_token_id = 0


def scorer_of(shape: dict[str, int], device: str, rank: int) -> Any:
    """A scorer with random weights and an adapter."""
    import torch
    from transformers import LlamaConfig, LlamaModel

    from extractors.device import is_gpu
    from trace_eval.judges.scorer.model import Scorer, new_head
    from trace_eval.judges.scorer.train import _with_lora

    config = LlamaConfig(**shape)
    kind = torch.bfloat16 if is_gpu(device) else torch.float32
    with torch.device(device):
        backbone = _with_lora(LlamaModel(config).to(kind), rank)
    head = new_head("multinomial", config.hidden_size).to(device)
    limit = config.max_position_embeddings
    return Scorer(backbone, head, "multinomial", Padding(), device, limit)


def rating(scorer: Any, vocabulary: int, batch: int, rows: int) -> float:
    """Rows per second."""
    rng = random.Random(0)
    texts = [([rng.randrange(2, vocabulary) for _ in range(TOKENS)], False) for _ in range(rows)]
    scorer.backbone.eval()
    scorer.predict(texts[:batch])  # first-use costs
    started = time.perf_counter()
    for start in range(0, rows, batch):
        scorer.predict(texts[start : start + batch])
    return rows / (time.perf_counter() - started)


def training(scorer: Any, vocabulary: int, batch: int, steps: int) -> float:
    """Rows per second of forward, backward and the optimiser's step."""
    import torch

    from trace_eval.judges.scorer.train import collated
    from trace_eval.judges.scorer.trainer import ScorerModule

    rng = random.Random(1)
    module = ScorerModule(scorer, "rows").train()
    weights = [p for p in module.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(weights, lr=5e-5, weight_decay=0.0)
    started = time.perf_counter()
    for step in range(steps + 2):
        if step == 2:  # after first-use costs
            _wait(scorer.device)
            started = time.perf_counter()
        ids = [[rng.randrange(2, vocabulary) for _ in range(TOKENS)] for _ in range(batch)]
        rows = [{"input_ids": row, "ratings": [rng.randrange(5) / 4]} for row in ids]
        provided = {name: value.to(scorer.device) for name, value in collated(rows, 0).items()}
        module(**provided)["loss"].backward()
        optimiser.step()
        optimiser.zero_grad()
    _wait(scorer.device)
    return steps * batch / (time.perf_counter() - started)


def _wait(device: str) -> None:
    import torch

    if device.startswith("cuda"):
        torch.cuda.synchronize(device)


def unavailable() -> str | None:
    """Why this cannot be measured here."""
    try:
        import peft
        import torch
        import transformers
    except ImportError as error:
        return f"{error.name} is not installed; run: pip install '.[scorer]'"
    del peft, transformers
    return None if torch.cuda.is_available() else "there is no CUDA device"


def measure(device: str = "cuda:0") -> list[list[Any]]:
    """What, batch, rows per second, peak GiB."""
    import torch

    scorer = scorer_of(SHAPE, device, RANK)
    rows: list[list[Any]] = []
    for batch in (1, 8, 32):
        torch.cuda.reset_peak_memory_stats(device)
        speed = rating(scorer, SHAPE["vocab_size"], batch, ROWS)
        rows.append(["rating", batch, speed, torch.cuda.max_memory_allocated(device) / 2**30])
    torch.cuda.reset_peak_memory_stats(device)
    speed = training(scorer, SHAPE["vocab_size"], 8, STEPS)
    rows.append(
        [f"training, LoRA {RANK}", 8, speed, torch.cuda.max_memory_allocated(device) / 2**30]
    )
    return rows


def main() -> None:
    """Measure where there is a GPU, else say that nothing was measured."""
    if reason := unavailable():
        sys.exit(f"benchmarks.scorer_gpu: {reason}; nothing was measured")
    import torch

    name, rows = torch.cuda.get_device_name(), measure()
    header = ["", "batch", "rows per s", "peak GiB"]
    table(f"Llama of 1.2 billion parameters on {name}", header, rows)
    named = [dict(zip(["what", *header[1:]], row, strict=True)) for row in rows]
    save("scorer_gpu", {"gpu": name, "tokens": TOKENS, "rows": named})


if __name__ == "__main__":
    main()
