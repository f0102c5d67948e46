"""A tiny random audio encoder and projector in GGUF: ears for the tiny llama model.

The architecture is llama.cpp's ``clip`` with the projector of Ultravox (a Whisper
encoder, frames stacked by four, two layers). Random weights understand nothing, but
what they make of a sound depends on the sound: log-probabilities of the reply change
with every sample.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.support.tiny_model import DIM

#: The encoder of one block. 1500 frames must divide by STACK, or the server aborts.
WIDTH, HEADS, FEED, MELS, FRAMES, STACK, HIDDEN = 16, 2, 32, 80, 1500, 4, 32


def build(path: Path, seed: int = 0) -> Path:
    """Write the projector for models of width ``tiny_model.DIM``."""
    import gguf

    writer = gguf.GGUFWriter(str(path), "clip")
    writer.add_name("tiny-ears")
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_bool("clip.has_audio_encoder", True)
    writer.add_bool("clip.has_vision_encoder", False)
    writer.add_bool("clip.use_gelu", True)
    writer.add_string("clip.projector_type", "ultravox")
    sizes = {
        "embedding_length": WIDTH,
        "feed_forward_length": FEED,
        "block_count": 1,
        "attention.head_count": HEADS,
        "num_mel_bins": MELS,
        "projection_dim": DIM,
        "projector.stack_factor": STACK,
    }
    for name, size in sizes.items():
        writer.add_uint32(f"clip.audio.{name}", size)
    writer.add_float32("clip.audio.attention.layer_norm_epsilon", 1e-5)
    _encoder(writer, np.random.default_rng(seed))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _encoder(writer: Any, draw: np.random.Generator) -> None:
    def random(name: str, *shape: int, kind: type = np.float32) -> None:
        values = draw.standard_normal(shape) / np.sqrt(shape[-1])
        writer.add_tensor(name, values.astype(kind))

    def constant(name: str, value: float, *shape: int) -> None:
        writer.add_tensor(name, np.full(shape, value, np.float32))

    random("a.position_embd.weight", FRAMES, WIDTH)
    random("a.conv1d.1.weight", WIDTH, MELS, 3, kind=np.float16)
    random("a.conv1d.2.weight", WIDTH, WIDTH, 3, kind=np.float16)
    for layer in ("a.conv1d.1.bias", "a.conv1d.2.bias"):
        constant(layer, 0, WIDTH, 1)
    for norm in ("a.blk.0.ln1", "a.blk.0.ln2", "a.post_ln"):
        constant(f"{norm}.weight", 1, WIDTH)
        constant(f"{norm}.bias", 0, WIDTH)
    for name in ("attn_q", "attn_k", "attn_v", "attn_out"):
        random(f"a.blk.0.{name}.weight", WIDTH, WIDTH)
        if name != "attn_k":
            constant(f"a.blk.0.{name}.bias", 0, WIDTH)
    random("a.blk.0.ffn_up.weight", FEED, WIDTH)
    constant("a.blk.0.ffn_up.bias", 0, FEED)
    random("a.blk.0.ffn_down.weight", WIDTH, FEED)
    constant("a.blk.0.ffn_down.bias", 0, WIDTH)
    constant("mm.a.norm_pre.weight", 1, WIDTH * STACK)
    random("mm.a.mlp.1.weight", 2 * HIDDEN, WIDTH * STACK)
    constant("mm.a.norm_mid.weight", 1, HIDDEN)
    random("mm.a.mlp.2.weight", DIM, HIDDEN)
