"""A small openai-whisper checkpoint that writes a chosen sentence for any sound."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

#: Widths that keep the file small; the number of audio positions is fixed by the
#: library.
_STATE, _LAYERS, _AUDIO_POSITIONS, _TEXT_POSITIONS = 64, 2, 1500, 448


def write_whisper(
    path: Path,
    text: str,
    *,
    end_s: float = 5.0,
    language: str = "en",
    multilingual: bool = True,
    strength: float = 100,
    seed: int = 0,
) -> Path:
    """Write a ``.pt`` whose transcript of any clip is ``text``, without training.

    The residual branches are zero, so a decoder position passes through unchanged, and
    each position is set to the embedding of the token that shall come next: first the
    language, then the text between two time stamps, then the end.

    Args:
        path: of the file.
        text: what it hears.
        end_s: time stamp after the text, seconds.
        language: what it detects.
        multilingual: else the vocabulary is that of an English-only model.
        strength: how much stronger a position is than the token in it; 100 decides
            alone, a few leave a distribution to sample from.
        seed: of the weights.
    """
    import torch
    from whisper.model import ModelDimensions, Whisper

    vocabulary = 51865 if multilingual else 51864
    dims = ModelDimensions(
        n_mels=80,
        n_audio_ctx=_AUDIO_POSITIONS,
        n_audio_state=_STATE,
        n_audio_head=2,
        n_audio_layer=1,
        n_vocab=vocabulary,
        n_text_ctx=_TEXT_POSITIONS,
        n_text_state=_STATE,
        n_text_head=2,
        n_text_layer=_LAYERS,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Whisper(dims)
        _script(model, text, end_s, language, strength)
    torch.save({"dims": asdict(dims), "model_state_dict": model.state_dict()}, path)
    return path


def _script(
    model: Any, text: str, end_s: float, language: str, strength: float
) -> None:
    import torch
    from whisper.tokenizer import get_tokenizer

    tokenizer: Any = get_tokenizer(
        model.is_multilingual,
        num_languages=model.num_languages,
        language=language,
        task="transcribe",
    )
    stamp = tokenizer.timestamp_begin
    script = [
        stamp,
        *tokenizer.encode(" " + text),
        stamp + round(end_s / 0.02),
        tokenizer.eot,
    ]
    prompt = len(tokenizer.sot_sequence)
    with torch.no_grad():
        embedding = torch.randn(model.dims.n_vocab, _STATE)
        embedding = torch.nn.functional.normalize(embedding, dim=1) * 2
        embedding -= embedding.mean(1, keepdim=True)
        model.decoder.token_embedding.weight.copy_(embedding)
        for block in model.decoder.blocks:
            for attention in (block.attn, block.cross_attn):
                attention.out.weight.zero_()
                attention.out.bias.zero_()
            block.mlp[2].weight.zero_()
            block.mlp[2].bias.zero_()
            # Word times come from these; a constant would give none.
            block.cross_attn.query.weight.normal_(0, 1)
            block.cross_attn.key.weight.normal_(0, 1)
        positions = torch.zeros(_TEXT_POSITIONS, _STATE)
        if model.is_multilingual:
            positions[0] = embedding[tokenizer.to_language_token(language)]
        for index in range(prompt - 1, _TEXT_POSITIONS):
            step = index - (prompt - 1)
            positions[index] = embedding[
                script[step] if step < len(script) else tokenizer.eot
            ]
        model.decoder.positional_embedding.copy_(strength * positions)
