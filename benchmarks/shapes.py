"""Time and memory of networks of published shapes with random weights.

Neither depends on what the weights are.

    python -m benchmarks.shapes                # needs a CUDA device with 24 GB or more
    python -m benchmarks.shapes --only whisper --device cpu --size base --tokens 48

- whisper: seconds of audio in a second by how many windows are decoded at once; random
  weights write nonsense to the last token, so every window is decoded to the same fixed
  length;
- reward: clips of 10 s in a second through the Thinker of the 7B's shape, bfloat16;
- scorer: rows in a second through a base in the shape of Llama-3.2-1B, bfloat16: rating
  texts of 200 tokens, and training LoRA of rank 128.

Printed beside them is the peak of the device's memory (of the process, on a CPU).
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.report import lines_of, options_of, save
from benchmarks.watch import peak_mb
from extractors.device import is_gpu
from trace_eval.judges.reward.inputs import RewardTurn
from trace_eval.judges.reward.load import RewardModel
from trace_eval.judges.views.pair.naturalness import NaturalnessPrompt

#: Whisper's sizes: mel bands, width, heads, layers, vocabulary.
SIZES = {
    "tiny": (80, 384, 6, 4, 51865),
    "base": (80, 512, 8, 6, 51865),
    "small": (80, 768, 12, 12, 51865),
    "large-v3": (128, 1280, 20, 32, 51866),
}

#: Llama-3.2-1B without its vocabulary head.
LLAMA_1B = {
    "vocab_size": 128_256,
    "hidden_size": 2048,
    "intermediate_size": 8192,
    "num_hidden_layers": 16,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "max_position_embeddings": 4096,
}
TOKENS, ROWS, RANK, STEPS = 200, 512, 128, 20

#: Length of the clips of the reward judge, seconds.
CLIP_S = 10.0

Row = dict[str, Any]


def timed(
    work: Callable[[], Any], device: str, repeats: int = 1
) -> tuple[Any, float, float]:
    """Return the result, median seconds after a warm-up, and peak MB.

    On a CPU it is CPU time.
    """
    import torch

    gpu = is_gpu(device)
    clock, seconds = time.perf_counter if gpu else time.process_time, []
    for turn in range(1 + repeats):
        if gpu and turn == 1:
            torch.cuda.reset_peak_memory_stats(device)
        started = clock()
        result = work()
        if gpu:
            torch.cuda.synchronize(device)
        seconds.append(clock() - started)
    peak = torch.cuda.max_memory_allocated(device) / 1e6 if gpu else peak_mb()
    return result, statistics.median(seconds[1:]), peak


def row(
    path: str,
    batch: int,
    work: Callable[[], Any],
    units: float,
    device: str,
    repeats: int = 1,
) -> Row:
    """One line: units of work in a second, and memory."""
    _, seconds, peak = timed(work, device, repeats)
    return {
        "path": path,
        "batch": batch,
        "per s": units / seconds,
        "peak GB": peak / 1e3,
    }


def whisper(
    device: str,
    size: str = "large-v3",
    tokens: int = 64,
    batches: Sequence[int] = (1, 2, 4, 8, 16),
) -> list[Row]:
    """Measure a Whisper of this size, by batch size."""
    import torch
    import whisper as library
    from whisper.model import ModelDimensions, Whisper

    from extractors.whisper import halve

    if not is_gpu(device):
        torch.set_num_threads(1)
    mels, width, heads, layers, vocabulary = SIZES[size]
    audio, text = (1500, width, heads, layers), (448, width, heads, layers)
    model: Any = Whisper(ModelDimensions(mels, *audio, vocabulary, *text)).eval()
    torch.nn.init.normal_(
        model.decoder.positional_embedding
    )  # the library leaves it empty
    if is_gpu(device):
        halve(model)
    model = model.to(device)
    options = library.DecodingOptions(
        language="en",
        sample_len=tokens,
        fp16=is_gpu(device),
        suppress_tokens=None,
        without_timestamps=True,
    )
    rows = []
    for batch in batches:
        mel = torch.randn(batch, mels, 3000, device=device)
        mel = mel.half() if is_gpu(device) else mel
        work = partial(model.decode, mel, options)
        rows.append(
            row(f"whisper {size}, {tokens} tokens", batch, work, 30 * batch, device, 3)
        )
    return rows


def big_thinker(device: str) -> RewardModel:
    """Make a Thinker of the default configuration, which is the 7B's, with a head."""
    import torch
    from transformers import (
        Qwen2_5OmniThinkerConfig,
        Qwen2_5OmniThinkerForConditionalGeneration,
        WhisperFeatureExtractor,
    )

    from tests.support.tiny_omni import FEATURES, tiny_tokenizer, token_ids

    tokenizer = tiny_tokenizer()
    config = Qwen2_5OmniThinkerConfig(**token_ids(tokenizer))
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.bfloat16)
    try:
        with torch.device(device):
            thinker = Qwen2_5OmniThinkerForConditionalGeneration._from_config(
                config, attn_implementation="sdpa"
            ).eval()
            head = torch.nn.Linear(config.text_config.hidden_size, 1)
    finally:
        torch.set_default_dtype(before)
    features = WhisperFeatureExtractor(**FEATURES)
    positions = config.text_config.max_position_embeddings
    return RewardModel(
        thinker, head, tokenizer, features, device, "bfloat16", positions
    )


def conversations(count: int) -> list[list[RewardTurn]]:
    """Clips of noise with the package's own prompt."""
    prompt = NaturalnessPrompt()
    rng = np.random.default_rng(0)
    clips = (0.1 * rng.standard_normal((count, int(CLIP_S * 16_000)))).astype(
        np.float32
    )
    return [
        [
            RewardTurn("system", (prompt.system,)),
            RewardTurn("user", tuple(prompt.single("What should be said.", clip))),
        ]
        for clip in clips
    ]


def reward(device: str) -> list[Row]:
    """Measure a judge of naturalness in this process, by batch size."""
    from trace_eval.judges.reward.outputs import rewards

    model, requested = big_thinker(device), conversations(16)
    return [
        row(
            "reward",
            batch,
            partial(rewards, model, requested, batch),
            len(requested),
            device,
        )
        for batch in (1, 4, 8)
    ]


def scorer_of(shape: dict[str, int], device: str, rank: int) -> Any:
    """Make a scorer with random weights and an adapter."""
    import torch
    from transformers import LlamaConfig, LlamaModel

    from trace_eval.judges.scorer.model import Scorer, new_head
    from trace_eval.judges.scorer.train import _with_lora

    config = LlamaConfig(**shape)
    kind = torch.bfloat16 if is_gpu(device) else torch.float32
    with torch.device(device):
        backbone = _with_lora(LlamaModel(config).to(kind), rank)
    head = new_head("multinomial", config.hidden_size).to(device)
    limit = config.max_position_embeddings
    # All that a scorer asks of a tokenizer once texts are encoded.
    padding: Any = SimpleNamespace(pad_token_id=0, eos_token_id=0)
    return Scorer(backbone, head, "multinomial", padding, device, limit)


def drawn(rng: random.Random, vocabulary: int, count: int) -> list[list[int]]:
    """Texts of random tokens."""
    texts = []
    for _ in range(count):
        texts.append([rng.randrange(2, vocabulary) for _ in range(TOKENS)])
    return texts


def rate(scorer: Any, vocabulary: int, batch: int, rows: int) -> None:
    """Rate a number of texts."""
    texts = [(ids, False) for ids in drawn(random.Random(0), vocabulary, rows)]
    scorer.backbone.eval()
    for start in range(0, rows, batch):
        scorer.predict(texts[start : start + batch])


def train(scorer: Any, vocabulary: int, batch: int, steps: int) -> None:
    """Train for a number of steps: forward, backward, and the optimiser."""
    import torch

    from trace_eval.judges.scorer.train import collated
    from trace_eval.judges.scorer.trainer import ScorerModule

    rng = random.Random(1)
    module = ScorerModule(scorer, "rows").train()
    weights = [p for p in module.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(weights, lr=5e-5, weight_decay=0.0)
    for _ in range(steps):
        ids = drawn(rng, vocabulary, batch)
        rows = [{"input_ids": row, "ratings": [rng.randrange(5) / 4]} for row in ids]
        provided = {
            name: value.to(scorer.device) for name, value in collated(rows, 0).items()
        }
        module(**provided)["loss"].backward()
        optimiser.step()
        optimiser.zero_grad()


def scorer(device: str) -> list[Row]:
    """Rating by batch size, and training."""
    made, vocabulary = scorer_of(LLAMA_1B, device, RANK), LLAMA_1B["vocab_size"]
    rows = [
        row("rating", batch, partial(rate, made, vocabulary, batch, ROWS), ROWS, device)
        for batch in (1, 8, 32)
    ]
    work = partial(train, made, vocabulary, 8, STEPS)
    return [*rows, row(f"training, LoRA {RANK}", 8, work, 8 * STEPS, device)]


def main() -> None:
    """Measure where there is the device, else say that nothing was measured."""
    parser = options_of(__doc__)
    parser.add_argument(
        "--only", action="append", choices=["whisper", "reward", "scorer"]
    )
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--size", choices=SIZES, default="large-v3", help="of Whisper")
    parser.add_argument("--tokens", type=int, default=64, help="in a window of Whisper")
    parser.add_argument("--batches", type=int, nargs="+", default=(1, 2, 4, 8, 16))
    chosen = parser.parse_args()
    try:
        import torch
    except ImportError:
        sys.exit(
            "benchmarks.shapes: torch is not installed; run: pip install '.[models]'"
        )
    if is_gpu(chosen.device) and not torch.cuda.is_available():
        sys.exit("benchmarks.shapes: there is no CUDA device; nothing was measured")
    name = torch.cuda.get_device_name(chosen.device) if is_gpu(chosen.device) else "CPU"
    decoded = partial(
        whisper, size=chosen.size, tokens=chosen.tokens, batches=chosen.batches
    )
    networks = {"whisper": decoded, "reward": reward, "scorer": scorer}
    for network in chosen.only or networks:
        try:
            rows = networks[network](chosen.device)
        except ImportError as error:
            print(f"{network} is skipped: {error.name} is not installed")
            continue
        lines_of(f"{network} on {name}", rows)
        named = f"{network}-{chosen.size}" if network == "whisper" else network
        if network == "whisper" or is_gpu(
            chosen.device
        ):  # a CPU's figures are of no use there
            save(f"shapes_{named}", {"device": name, "rows": rows})


if __name__ == "__main__":
    main()
