"""A random Qwen2.5-Omni Thinker of 223,000 parameters, with its adapters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SPECIAL = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|AUDIO|>",
    "<|audio_bos|>",
    "<|audio_eos|>",
    "<|IMAGE|>",
    "<|VIDEO|>",
    "<|vision_bos|>",
    "<|vision_eos|>",
)

#: Linear layers of the language model only. By bare name they would be the audio
#: tower's too.
LANGUAGE_MODEL = r".*language_model\.layers\.\d+\.(self_attn|mlp)\.\w+_proj"

#: By bare name: language model, audio tower and vision blocks.
EVERYWHERE = ("q_proj", "k_proj", "v_proj", "gate_proj")

HIDDEN = 64

#: Of the published feature extractor.
FEATURES = {
    "feature_size": 128,
    "sampling_rate": 16000,
    "hop_length": 160,
    "chunk_length": 300,
    "n_fft": 400,
}


def tiny_tokenizer() -> Any:
    """Make a byte-level tokenizer with Qwen's special tokens."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import Qwen2TokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.train_from_iterator(
        [
            (
                "Output A: 7, Output B: 8.5 the naturalness of speech prosody pacing"
                " articulation"
            )
        ]
        * 4,
        trainers.BpeTrainer(
            vocab_size=320,
            special_tokens=list(SPECIAL),
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    return Qwen2TokenizerFast(
        tokenizer_object=made,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        unk_token="<|endoftext|>",
        extra_special_tokens={
            "image_token": "<|IMAGE|>",
            "audio_token": "<|AUDIO|>",
            "video_token": "<|VIDEO|>",
            "audio_bos_token": "<|audio_bos|>",
            "audio_eos_token": "<|audio_eos|>",
            "vision_bos_token": "<|vision_bos|>",
            "vision_eos_token": "<|vision_eos|>",
        },
    )


def token_ids(tokenizer: Any) -> dict[str, int]:
    """Options of a configuration: which tokens mark sound and pictures."""
    options = {
        "audio_token_index": "<|AUDIO|>",
        "image_token_index": "<|IMAGE|>",
        "video_token_index": "<|VIDEO|>",
        "audio_start_token_id": "<|audio_bos|>",
        "audio_end_token_id": "<|audio_eos|>",
        "vision_start_token_id": "<|vision_bos|>",
        "vision_end_token_id": "<|vision_eos|>",
    }
    return {
        name: tokenizer.convert_tokens_to_ids(token) for name, token in options.items()
    }


def tiny_config(tokenizer: Any) -> Any:
    """Return the configuration of the Thinker."""
    from transformers import Qwen2_5OmniThinkerConfig

    return Qwen2_5OmniThinkerConfig(
        audio_config={
            "d_model": 32,
            "encoder_attention_heads": 2,
            "encoder_ffn_dim": 64,
            "encoder_layers": 2,
            "num_mel_bins": 128,
            "output_dim": HIDDEN,
            "max_source_positions": 1500,
            "n_window": 100,
        },
        vision_config={
            "depth": 1,
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_heads": 2,
            "out_hidden_size": HIDDEN,
            "fullatt_block_indexes": [0],
        },
        text_config={
            "hidden_size": HIDDEN,
            "intermediate_size": 128,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "vocab_size": len(tokenizer) + 2,
            "max_position_embeddings": 32768,
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 1e6,
                "mrope_section": [2, 3, 3],
            },
            "pad_token_id": tokenizer.pad_token_id,
            "eos_token_id": tokenizer.eos_token_id,
        },
        **token_ids(tokenizer),
    )


def write_thinker(folder: Path, seed: int = 0) -> Path:
    """Write a checkpoint with tokenizer and feature extractor."""
    import torch
    from transformers import (
        Qwen2_5OmniThinkerForConditionalGeneration,
        WhisperFeatureExtractor,
    )

    tokenizer = tiny_tokenizer()
    torch.manual_seed(seed)
    Qwen2_5OmniThinkerForConditionalGeneration(tiny_config(tokenizer)).save_pretrained(
        folder
    )
    tokenizer.save_pretrained(folder)
    WhisperFeatureExtractor(**FEATURES).save_pretrained(folder)
    return folder


def write_reward(
    folder: Path,
    base: Path,
    targets: str | tuple[str, ...] = EVERYWHERE,
    old_names: bool = False,
    seed: int = 0,
) -> Path:
    """Write ``lora/`` and ``reward_head.pt`` onto a base.

    Args:
        folder: to write into.
        base: of :func:`write_thinker`.
        targets: layers of the adapter.
        old_names: name the weights as transformers 4.52 did.
        seed: of the adapter and the head.
    """
    import torch
    from peft import LoraConfig, get_peft_model
    from safetensors.torch import load_file, save_file
    from transformers import Qwen2_5OmniThinkerForConditionalGeneration

    model = Qwen2_5OmniThinkerForConditionalGeneration.from_pretrained(
        base, dtype=torch.float32
    )
    listed = targets if isinstance(targets, str) else list(targets)
    torch.manual_seed(seed)
    adapted = get_peft_model(
        model, LoraConfig(r=4, lora_alpha=4, target_modules=listed)
    )
    for name, weight in adapted.named_parameters():
        if "lora_B" in name:  # else zero, and the adapter does nothing
            torch.nn.init.normal_(weight, std=0.2)
    adapted.save_pretrained(folder / "lora")
    if old_names:
        path = folder / "lora" / "adapter_model.safetensors"
        save_file(
            {old_name(key): value for key, value in load_file(path).items()}, path
        )
    torch.save(torch.nn.Linear(HIDDEN, 1).state_dict(), folder / "reward_head.pt")
    config = folder / "lora" / "adapter_config.json"
    known = json.loads(config.read_text())
    config.write_text(json.dumps({**known, "base_model_name_or_path": str(base)}))
    return folder


def old_name(key: str) -> str:
    """Return the name of a weight in transformers 4.52."""
    return (
        key.replace(".model.model.audio_tower.", ".model.audio_tower.")
        .replace(".model.model.visual.", ".model.visual.")
        .replace(".model.language_model.", ".model.")
    )
