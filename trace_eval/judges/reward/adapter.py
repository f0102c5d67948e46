"""A PEFT adapter onto a Thinker, whole or not at all.

Adapters that were saved with transformers 4.52 name the model's parts otherwise than
version 5 does. PEFT maps the language model's names and drops the audio tower's with a warning
(peft#2699): text then looks right and sound does not. So names are mapped here first, and a
name that is left over, or a weight that stays random, is an error.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from blueprints import UserError

CONFIG_FILE = "adapter_config.json"
WEIGHT_FILES = ("adapter_model.safetensors", "adapter_model.bin")

_PREFIX = "base_model.model."

#: Parts of a Thinker under their names of transformers 4.52 -> of transformers 5.
_RENAMED = (
    (re.compile(r"^audio_tower\."), "model.audio_tower."),
    (re.compile(r"^visual\."), "model.visual."),
    (re.compile(r"^model\.(?=layers\.|embed_tokens\.|norm\.)"), "model.language_model."),
)

#: Names shown of many.
_SHOWN = 3


def renamed(key: str) -> str:
    """The name of an adapter's weight, or of a module, as transformers 5 has it."""
    prefix = _PREFIX if key.startswith(_PREFIX) else ""
    name = key.removeprefix(_PREFIX).removeprefix("thinker.")
    for old, new in _RENAMED:
        name, count = old.subn(new, name)
        if count:
            break
    return prefix + name


def files(folder: Path) -> list[Path]:
    """The files that decide the adapter; empty where it is not whole."""
    weights = next((folder / n for n in WEIGHT_FILES if (folder / n).is_file()), None)
    config = folder / CONFIG_FILE
    return [config, weights] if weights and config.is_file() else []


def with_adapter(thinker: Any, folder: Path) -> Any:
    """The model with the adapter's layers in it.

    Raises:
        UserError: a file is missing, or the adapter's weights are not exactly those that its
            configuration puts into this model.
    """
    if not files(folder):
        raise UserError(
            f"{folder}: no adapter here; it needs {CONFIG_FILE} and {' or '.join(WEIGHT_FILES)}"
        )
    from peft import PeftConfig, PeftModel, load_peft_weights, set_peft_model_state_dict

    config = PeftConfig.from_pretrained(str(folder))
    config.inference_mode = True
    targets = getattr(config, "target_modules", None)
    if targets and not isinstance(targets, str):
        config.target_modules = sorted({renamed(name) if "." in name else name for name in targets})
    weights = {renamed(k): v for k, v in load_peft_weights(str(folder), device="cpu").items()}
    try:
        model = PeftModel(thinker, config)
        loaded = set_peft_model_state_dict(model, weights)
    except (RuntimeError, ValueError) as error:  # no module matches, or a shape does not
        raise UserError(f"{folder}: does not fit this model ({error!s:.300})") from error
    prefix = model.base_model.prefix
    missing = [key for key in loaded.missing_keys if prefix in key]
    _refuse(folder, "has no weight for", missing)
    _refuse(folder, "has weights that the model has no place for:", loaded.unexpected_keys)
    return model


def _refuse(folder: Path, what: str, keys: list[str]) -> None:
    if keys:
        shown = ", ".join(keys[:_SHOWN])
        more = f" and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else ""
        raise UserError(
            f"{folder}: the adapter {what} {shown}{more}; use the adapter with the model and the"
            " version of transformers that it was made for"
        )
