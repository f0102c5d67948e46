"""A Llama of about 330,000 random parameters with a tokenizer, in the real format."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

TEXT = (
    "the speaker sounds calm because a dog barks behind her and music plays softly"
    " while rain falls on the roof of an old house where two children laugh about a"
    " broken violin"
)
WORDS = TEXT.split()


def sentences(count: int, seed: int = 0) -> list[str]:
    """Texts to train the tokenizer on."""
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=rng.randint(5, 25))) for _ in range(count)]


def write_base(
    folder: Path,
    causal: bool = False,
    seed: int = 0,
    texts: Sequence[str] = (),
    positions: int = 512,
) -> Path:
    """Write a base model's folder: configuration, weights, tokenizer.

    Args:
        folder: is made.
        causal: with vocabulary head, as hubs have them.
        seed: of the weights.
        texts: that the tokenizer is trained on; default: :func:`sentences`.
        positions: tokens that the model takes.
    """
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import (
        LlamaConfig,
        LlamaForCausalLM,
        LlamaModel,
        PreTrainedTokenizerFast,
    )

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    bpe.train_from_iterator(
        texts or sentences(300),
        trainers.BpeTrainer(
            vocab_size=2000,
            special_tokens=["<s>", "</s>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        ),
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bpe, bos_token="<s>", eos_token="</s>"
    )
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=2000,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=positions,
        bos_token_id=0,
        eos_token_id=1,
    )
    model = (LlamaForCausalLM if causal else LlamaModel)(config)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
