"""What a judge of naturalness in this process costs: a Thinker of the 7B's shape on a GPU.

    python -m benchmarks.reward                 # needs a CUDA device with 24 GB or more

Random weights in the published shape, bfloat16: time and memory do not depend on what they are.
Prints seconds to build, seconds per clip of 10 s and clips per second at batch 1, 4 and 8, and the
peak of the GPU's memory.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np

from benchmarks.report import save, table
from trace_eval.judges.reward.inputs import RewardTurn
from trace_eval.judges.reward.load import RewardModel
from trace_eval.judges.reward.score import rewards
from trace_eval.judges.views.pair.naturalness import NaturalnessPrompt

BATCHES = (1, 4, 8)
SECONDS = 10.0
CLIPS = 16


def big_model(device: str = "cuda:0") -> RewardModel:
    """A Thinker of the default configuration, which is the 7B's, with a head."""
    import torch
    from transformers import (
        Qwen2_5OmniThinkerConfig,
        Qwen2_5OmniThinkerForConditionalGeneration,
        WhisperFeatureExtractor,
    )

    from tests.support.tiny_omni import SPECIAL, tiny_tokenizer

    tokenizer = tiny_tokenizer()
    ids = {name: tokenizer.convert_tokens_to_ids(name) for name in SPECIAL}
    config = Qwen2_5OmniThinkerConfig(
        audio_token_index=ids["<|AUDIO|>"],
        image_token_index=ids["<|IMAGE|>"],
        video_token_index=ids["<|VIDEO|>"],
        audio_start_token_id=ids["<|audio_bos|>"],
        audio_end_token_id=ids["<|audio_eos|>"],
        vision_start_token_id=ids["<|vision_bos|>"],
        vision_end_token_id=ids["<|vision_eos|>"],
    )
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
    features = WhisperFeatureExtractor(
        feature_size=128, sampling_rate=16000, hop_length=160, chunk_length=300, n_fft=400
    )
    positions = config.text_config.max_position_embeddings
    return RewardModel(thinker, head, tokenizer, features, device, "bfloat16", positions)


def conversations(count: int) -> list[list[RewardTurn]]:
    """Clips of noise with the package's own prompt."""
    prompt = NaturalnessPrompt()
    rng = np.random.default_rng(0)
    clips = [
        (0.1 * rng.standard_normal(int(SECONDS * 16_000))).astype(np.float32) for _ in range(count)
    ]
    return [
        [
            RewardTurn("system", (prompt.system,)),
            RewardTurn("user", tuple(prompt.single("What should be said.", clip))),
        ]
        for clip in clips
    ]


def measure(model: RewardModel) -> list[dict[str, Any]]:
    """Seconds per clip by batch size, after one warm-up."""
    import torch

    requested = conversations(CLIPS)
    rewards(model, requested[:1])
    rows = []
    for batch in BATCHES:
        torch.cuda.reset_peak_memory_stats()
        torch.cuda.synchronize()
        started = time.perf_counter()
        rewards(model, requested, batch)
        torch.cuda.synchronize()
        seconds = (time.perf_counter() - started) / CLIPS
        rows.append(
            {
                "batch": batch,
                "seconds_per_clip": round(seconds, 4),
                "clips_per_second": round(1 / seconds, 2),
                "peak_gb": round(torch.cuda.max_memory_allocated() / 1e9, 2),
            }
        )
    return rows


def main() -> None:
    """Measure where there is a GPU, else say that nothing was measured."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    try:
        import torch

        there = torch.cuda.is_available()
    except ImportError:
        there = False
    if not there:
        sys.exit("benchmarks.reward: no CUDA device here; nothing was measured")
    started = time.perf_counter()
    model = big_model()
    built = time.perf_counter() - started
    rows = measure(model)
    table(
        "Thinker of the 7B's shape, random weights, bfloat16",
        list(rows[0]),
        [list(row.values()) for row in rows],
    )
    save("reward", {"build_s": round(built, 1), "clip_s": SECONDS, "rows": rows})


if __name__ == "__main__":
    main()
