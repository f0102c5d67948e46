"""A tiny random-weight llama model in GGUF, with a byte-level vocabulary made here.

Purely random weights emit tabs and broken UTF-8 and never close a string. So dimension
0 of the residual stream is a constant that no layer writes to, and it carries a bias
per token in the output matrix: text is mostly letters, and quotes close early.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

CHAT_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content']"
    " }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{%"
    " endif %}"
)
SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
DIM, LAYERS, HEADS, FEED, CONTEXT = 32, 1, 2, 64, 32768


def printable_bytes() -> list[str]:
    """GPT-2's reversible map from bytes to printable characters."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    names = {byte: chr(byte) for byte in plain}
    for extra, byte in enumerate(byte for byte in range(256) if byte not in names):
        names[byte] = chr(256 + extra)
    return [names[byte] for byte in range(256)]


def merges_of(text: str, space: str) -> Iterable[tuple[str, str]]:
    """Yield merges that make one token of each word of ``text``: prompts stay short."""
    seen = set()
    for word in re.findall(r" ?[A-Za-z]+", text):
        symbols = word.replace(" ", space)
        for end in range(1, len(symbols)):
            step = (symbols[:end], symbols[end])
            if step not in seen:
                seen.add(step)
                yield step


def build(path: Path, text: str, seed: int = 0) -> Path:
    """Write the model; ``text`` decides which words are single tokens."""
    import gguf

    names = printable_bytes()
    tokens, merges = list(names), []
    for left, right in merges_of(text, names[ord(" ")]):
        merges.append(f"{left} {right}")
        tokens.append(left + right)
    kinds = [gguf.TokenType.NORMAL] * len(tokens) + [gguf.TokenType.CONTROL] * len(
        SPECIAL
    )
    ids = {name: len(tokens) + index for index, name in enumerate(SPECIAL)}
    tokens += SPECIAL
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_name("tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(DIM)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(DIM // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges(merges)
    writer.add_bos_token_id(ids["<|endoftext|>"])
    writer.add_eos_token_id(ids["<|im_end|>"])
    writer.add_pad_token_id(ids["<|endoftext|>"])
    writer.add_add_bos_token(False)
    writer.add_chat_template(CHAT_TEMPLATE)
    _weights(writer, len(tokens), ids["<|im_end|>"], seed)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _weights(writer: Any, vocabulary: int, end: int, seed: int) -> None:
    draw = np.random.default_rng(seed)

    def random(rows: int, columns: int) -> np.ndarray[Any, Any]:
        return (draw.standard_normal((rows, columns)) / np.sqrt(columns)).astype(
            np.float32
        )

    embedding = random(vocabulary, DIM) * np.sqrt(DIM).astype(np.float32)
    embedding[:, 0] = 4.0
    writer.add_tensor("token_embd.weight", embedding)
    for layer in range(LAYERS):
        at = f"blk.{layer}"
        for name in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"{at}.{name}.weight", np.ones(DIM, np.float32))
        for name in ("attn_q", "attn_k", "attn_v"):
            writer.add_tensor(f"{at}.{name}.weight", random(DIM, DIM))
        for name, shape in (("attn_output", (DIM, DIM)), ("ffn_down", (DIM, FEED))):
            matrix = random(*shape)
            matrix[0] = 0.0  # nothing writes to dimension 0
            writer.add_tensor(f"{at}.{name}.weight", matrix)
        for name in ("ffn_gate", "ffn_up"):
            writer.add_tensor(f"{at}.{name}.weight", random(FEED, DIM))
    writer.add_tensor("output_norm.weight", np.ones(DIM, np.float32))
    bias = np.full(vocabulary, -12.0)
    bias[list(b"abcdefghijklmnopqrstuvwxyz ")] = 0.0
    bias[list(b"0123456789_")] = -1.0
    bias[list(b"{}[],:.")] = 1.0
    bias[ord('"')] = 3.0
    bias[end] = 1.0
    output = random(vocabulary, DIM)
    output[:, 0] = bias / 3.0
    writer.add_tensor("output.weight", output)
