"""A small converted Whisper (CTranslate2) that writes a chosen sentence."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.support.tiny_model import printable_bytes

_WIDTH, _POSITIONS, _TEXT_POSITIONS, _LANGUAGES = 64, 1500, 448, 99


def write_faster_whisper(
    folder: Path, text: str, *, end_s: float = 5.0, seed: int = 0
) -> Path:
    """Make a Hugging Face Whisper as :mod:`.tiny_whisper`, converted to ``folder``."""
    import torch
    from ctranslate2.converters import TransformersConverter
    from whisper.tokenizer import get_encoding

    source = folder.parent / f"{folder.name}-source"
    source.mkdir(parents=True)
    encoding: Any = get_encoding("multilingual", _LANGUAGES)
    _write_tokenizer(source / "tokenizer.json", encoding)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        _write_model(source, encoding, text, end_s)
    TransformersConverter(
        str(source), copy_files=["tokenizer.json", "preprocessor_config.json"]
    ).convert(str(folder), quantization="float32")
    path = folder / "config.json"
    config = json.loads(path.read_text())
    config["lang_ids"] = config.get("lang_ids") or _language_tokens(encoding)
    path.write_text(json.dumps(config))
    return folder


def _language_tokens(encoding: Any) -> list[int]:
    from whisper.tokenizer import LANGUAGES

    special = encoding._special_tokens
    return sorted(special[f"<|{code}|>"] for code in list(LANGUAGES)[:_LANGUAGES])


def _write_model(source: Path, encoding: Any, text: str, end_s: float) -> None:
    import torch
    from transformers import WhisperConfig, WhisperForConditionalGeneration
    from whisper.tokenizer import LANGUAGES

    special = encoding._special_tokens
    end, stamp = special["<|endoftext|>"], special["<|0.00|>"]
    model: Any = WhisperForConditionalGeneration(
        WhisperConfig(
            vocab_size=encoding.n_vocab,
            num_mel_bins=80,
            encoder_layers=1,
            encoder_attention_heads=1,
            decoder_layers=2,
            decoder_attention_heads=1,
            d_model=_WIDTH,
            encoder_ffn_dim=4 * _WIDTH,
            decoder_ffn_dim=4 * _WIDTH,
            max_source_positions=_POSITIONS,
            max_target_positions=_TEXT_POSITIONS,
            decoder_start_token_id=special["<|startoftranscript|>"],
            bos_token_id=end,
            eos_token_id=end,
            pad_token_id=end,
            suppress_tokens=[],
            begin_suppress_tokens=[220, end],
        )
    )
    script = [stamp, *encoding.encode(" " + text), stamp + round(end_s / 0.02), end]
    decoder = model.model.decoder
    with torch.no_grad():
        embedding = (
            torch.nn.functional.normalize(torch.randn(encoding.n_vocab, _WIDTH), dim=1)
            * 2
        )
        embedding -= embedding.mean(1, keepdim=True)
        decoder.embed_tokens.weight.copy_(embedding)
        for layer in decoder.layers:
            for attention in (layer.self_attn, layer.encoder_attn):
                attention.out_proj.weight.zero_()
                attention.out_proj.bias.zero_()
            layer.fc2.weight.zero_()
            layer.fc2.bias.zero_()
            layer.encoder_attn.q_proj.weight.normal_(0, 1)
            layer.encoder_attn.k_proj.weight.normal_(0, 1)
        positions = torch.zeros(_TEXT_POSITIONS, _WIDTH)
        positions[0] = embedding[special["<|en|>"]]
        for index in range(2, _TEXT_POSITIONS):
            positions[index] = embedding[script[min(index - 2, len(script) - 1)]]
        decoder.embed_positions.weight.copy_(100 * positions)
    model.save_pretrained(source)
    path = source / "generation_config.json"
    options = json.loads(path.read_text())
    options.pop("_from_model_config", None)  # with it, the library drops what follows
    options.update(
        alignment_heads=[[1, 0]],
        lang_to_id={
            f"<|{c}|>": special[f"<|{c}|>"] for c in list(LANGUAGES)[:_LANGUAGES]
        },
        no_timestamps_token_id=special["<|notimestamps|>"],
        prev_sot_token_id=special["<|startofprev|>"],
        task_to_id={
            "transcribe": special["<|transcribe|>"],
            "translate": special["<|translate|>"],
        },
        is_multilingual=True,
        max_length=_TEXT_POSITIONS,
        return_timestamps=False,
    )
    path.write_text(json.dumps(options))
    features = {
        "chunk_length": 30,
        "feature_extractor_type": "WhisperFeatureExtractor",
        "feature_size": 80,
        "hop_length": 160,
        "n_fft": 400,
        "n_samples": 480_000,
        "nb_max_frames": 3000,
        "padding_side": "right",
        "padding_value": 0.0,
        "return_attention_mask": False,
        "sampling_rate": 16_000,
    }
    (source / "preprocessor_config.json").write_text(json.dumps(features))


def _write_tokenizer(path: Path, encoding: Any) -> None:
    """Whisper's tiktoken vocabulary as a tokenizer.json with merges."""
    ranks: dict[bytes, int] = encoding._mergeable_ranks
    letters = printable_bytes()

    def spell(token: bytes) -> str:
        return "".join(letters[byte] for byte in token)

    vocabulary, merges = {}, []
    for token, rank in sorted(ranks.items(), key=lambda pair: pair[1]):
        vocabulary[spell(token)] = rank
        if len(token) > 1:
            merges.append([spell(part) for part in _last_merge(token, ranks)])
    added = [
        {
            "id": index,
            "content": content,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for content, index in sorted(
            encoding._special_tokens.items(), key=lambda pair: pair[1]
        )
    ]
    byte_level = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": True,
    }
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": "",
        "end_of_word_suffix": "",
        "fuse_unk": False,
        "byte_fallback": False,
        "vocab": vocabulary,
        "merges": merges,
    }
    content = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": byte_level,
        "post_processor": None,
        "decoder": {**byte_level, "add_prefix_space": True},
        "model": model,
    }
    path.write_text(json.dumps(content))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": "<|endoftext|>",
    }
    (path.parent / "tokenizer_config.json").write_text(json.dumps(settings))


def _last_merge(token: bytes, ranks: dict[bytes, int]) -> list[bytes]:
    """Return the two parts that make the token: BPE with the ranks below its own."""
    parts = [bytes([byte]) for byte in token]
    while len(parts) > 2:
        _, index = min(
            (ranks.get(left + right, len(ranks)), index)
            for index, (left, right) in enumerate(pairwise(parts))
        )
        parts[index : index + 2] = [parts[index] + parts[index + 1]]
    return parts
