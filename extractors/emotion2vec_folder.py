"""Loading an emotion2vec folder through funasr, with every tensor checked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from blueprints import UserError
from extractors.device import MEND_TORCH
from extractors.weights import check_loaded, one_line, read_state

#: The files of an emotion2vec folder; the first two must be there.
WEIGHTS, CONFIG = "model.pt", "config.yaml"
OPTIONAL = ("configuration.json", "tokens.txt", "tokens.json")

#: Prefixes under which checkpoints keep the model's tensors (see the folder's
#: scope_map).
_PREFIXES = ("module.", "d2v_model.")

#: Parts used in training only: published checkpoints lack them. They may also have
#: whole parts that the model does not (averages, training heads).
_TRAINING = "modality_encoders.AUDIO.decoder."


def load_folder(folder: Path, device: str) -> Any:
    """Load the funasr model of a folder, every tensor checked.

    funasr can run code from a folder (``trust_remote_code``, further models), and its
    configuration may ask for that; the arguments here are stronger. UserError where a
    file is missing or damaged, the folder holds another kind of model, or its weights
    do not fit its labels.
    """
    remedy = "give a complete emotion2vec folder, or fetch it again"
    check_config(folder, remedy)
    weights = folder / WEIGHTS
    result = model_tensors(read_state(weights, remedy))
    try:
        import torch
        from funasr import AutoModel
    except Exception as error:
        raise UserError(
            f"funasr does not load ({one_line(error)}); try: {MEND_TORCH}"
        ) from error
    try:
        model = AutoModel(
            model=str(folder),
            device=device,
            ncpu=torch.get_num_threads(),
            disable_update=True,
            disable_pbar=True,
            disable_log=True,
            log_level="ERROR",
            trust_remote_code=False,
            vad_model=None,
            punc_model=None,
            spk_model=None,
        )
    except Exception as error:
        raise UserError(
            f"{folder}: funasr cannot build the model ({one_line(error)}); {remedy}"
        ) from error
    state = model.model.state_dict()
    check_classes(folder, result, model.kwargs["tokenizer"].token_list, remedy)
    parts = {name.partition(".")[0] for name in state}

    def only_in_training(name: str) -> bool:
        return name.startswith(_TRAINING) or name.partition(".")[0] not in parts

    check_loaded(weights, result, model=state, remedy=remedy, optional=only_in_training)
    return model


def check_config(folder: Path, remedy: str) -> None:
    """Raise UserError for a folder that is not whole, or is of another model."""
    import yaml

    for name in (CONFIG, WEIGHTS):
        if not (folder / name).is_file():
            raise UserError(f"{folder}: {name} is missing; {remedy}")
    if not any((folder / name).is_file() for name in ("tokens.txt", "tokens.json")):
        raise UserError(f"{folder}: tokens.txt (the labels) is missing; {remedy}")
    try:
        config = yaml.safe_load((folder / CONFIG).read_text(encoding="utf-8"))
        kind = config["model"]
    except (yaml.YAMLError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise UserError(
            f"{folder / CONFIG}: names no model ({one_line(error)}); {remedy}"
        ) from error
    if kind != "Emotion2vec":
        raise UserError(f"{folder / CONFIG}: model {kind!r}, not Emotion2vec; {remedy}")


def model_tensors(content: dict[str, Any]) -> dict[str, Any]:
    """Return the tensors of a checkpoint under the model's own names."""
    for key in ("state_dict", "model_state_dict", "model"):
        if isinstance(content.get(key), dict):
            content = content[key]
    named = {}
    for name, value in content.items():
        for prefix in _PREFIXES:
            name = name.removeprefix(prefix)
        named[name] = value
    return named


def check_classes(
    folder: Path, state: dict[str, Any], labels: Sequence[str], remedy: str
) -> None:
    """Raise UserError for a checkpoint without a classifier or with other labels."""
    head = state.get("proj.weight")
    if head is None:
        raise UserError(
            f"{folder / WEIGHTS}: has no classifier (proj.weight), as models for"
            f" embeddings only; use one of emotion2vec_plus_*; {remedy}"
        )
    if len(head) != len(labels):
        raise UserError(
            f"{folder}: {WEIGHTS} has {len(head)} classes, tokens.txt names"
            f" {len(labels)}; {remedy}"
        )
