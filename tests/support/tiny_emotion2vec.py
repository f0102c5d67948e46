"""A small emotion2vec folder with random weights, in funasr's format."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

#: The labels of emotion2vec_plus, in its order.
LABELS = (
    "生气/angry",
    "厌恶/disgusted",
    "恐惧/fearful",
    "开心/happy",
    "中立/neutral",
    "其他/other",
    "难过/sad",
    "吃惊/surprised",
    "<unk>",
)

#: Logit of the label that a folder favours.
_LOGIT = 4.0


def config(width: int = 32, heads: int = 2, depth: int = 1) -> dict[str, Any]:
    """Return a ``config.yaml`` of the published options and small widths."""
    decoder = {
        "decoder_dim": 16,
        "decoder_groups": 4,
        "decoder_kernel": 7,
        "decoder_layers": 1,
        "input_dropout": 0.1,
        "add_positions_masked": False,
        "add_positions_all": False,
        "decoder_residual": True,
        "projection_layers": 1,
        "projection_ratio": 2.0,
    }
    audio = {
        "type": "AUDIO",
        "prenet_depth": 1,
        "prenet_layerdrop": 0.0,
        "prenet_dropout": 0.1,
        "start_drop_path_rate": 0.0,
        "end_drop_path_rate": 0.0,
        "num_extra_tokens": 10,
        "init_extra_token_zero": True,
        "mask_noise_std": 0.01,
        "mask_prob_min": None,
        "mask_prob": 0.55,
        "inverse_mask": False,
        "mask_prob_adjust": 0.1,
        "keep_masked_pct": 0.0,
        "mask_length": 5,
        "add_masks": False,
        "remove_masks": False,
        "mask_dropout": 0.0,
        "encoder_zero_mask": True,
        "mask_channel_prob": 0.0,
        "mask_channel_length": 64,
        "ema_local_encoder": False,
        "local_grad_mult": 1.0,
        "use_alibi_encoder": True,
        "alibi_scale": 1.0,
        "learned_alibi": False,
        "alibi_max_pos": None,
        "learned_alibi_scale": True,
        "learned_alibi_scale_per_head": True,
        "learned_alibi_scale_per_layer": False,
        "num_alibi_heads": heads,
        "model_depth": depth,
        "decoder": decoder,
        "extractor_mode": "layer_norm",
        "feature_encoder_spec": "[(16, 10, 5)] + [(16, 3, 2)] * 4 + [(16,2,2)] + [(16,2,2)]",
        "conv_pos_width": 95,
        "conv_pos_groups": 4,
        "conv_pos_depth": 5,
        "conv_pos_pre_ln": False,
    }
    model = {
        "loss_beta": 0.0,
        "loss_scale": None,
        "depth": depth,
        "start_drop_path_rate": 0.0,
        "end_drop_path_rate": 0.0,
        "num_heads": heads,
        "norm_eps": 1e-5,
        "norm_affine": True,
        "encoder_dropout": 0.1,
        "post_mlp_drop": 0.1,
        "attention_dropout": 0.1,
        "activation_dropout": 0.0,
        "dropout_input": 0.0,
        "layerdrop": 0.0,
        "embed_dim": width,
        "mlp_ratio": 2.0,
        "layer_norm_first": False,
        "average_top_k_layers": depth,
        "end_of_block_targets": False,
        "clone_batch": 1,
        "normalize": True,
        "modalities": {"audio": audio},
    }
    return {
        "model": "Emotion2vec",
        "model_conf": model,
        "tokenizer": "CharTokenizer",
        "tokenizer_conf": {"unk_symbol": "<unk>", "split_with_space": True},
        "scope_map": ["d2v_model.", "none"],
    }


def write_emotion2vec(
    folder: Path,
    *,
    labels: Sequence[str] = LABELS,
    favours: str | None = "开心/happy",
    classes: int | None = None,
    without_decoder: bool = True,
    seed: int = 0,
) -> Path:
    """Write config.yaml, configuration.json, tokens.txt and model.pt.

    Args:
        folder: made if need be.
        labels: lines of tokens.txt.
        favours: the label that every clip gets; None: what the random weights say.
        classes: classes of the checkpoint; default: as many as labels.
        without_decoder: leave out the tensors that only training needs, as the
            published checkpoints do.
        seed: of the weights.
    """
    import torch
    import yaml
    from funasr.models.emotion2vec.model import Emotion2vec

    folder.mkdir(parents=True, exist_ok=True)
    options = config()
    (folder / "config.yaml").write_text(yaml.safe_dump(options), encoding="utf-8")
    (folder / "tokens.txt").write_text("\n".join(labels), encoding="utf-8")
    metas = {
        "init_param": "model.pt",
        "tokenizer_conf": {"token_list": "tokens.txt"},
        "config": "config.yaml",
    }
    (folder / "configuration.json").write_text(
        json.dumps({"model": {"type": "funasr"}, "file_path_metas": metas})
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Emotion2vec(
            model_conf=options["model_conf"], vocab_size=classes or len(labels)
        )
    state = model.state_dict()
    if favours is not None:
        state["proj.weight"] = state["proj.weight"] * 0.1
        state["proj.bias"] = torch.zeros(len(state["proj.bias"]))
        state["proj.bias"][labels.index(favours)] = _LOGIT
    if without_decoder:
        state = {
            name: value for name, value in state.items() if ".decoder." not in name
        }
    torch.save(state, folder / "model.pt")
    return folder
