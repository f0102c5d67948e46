"""Applies a PEFT adapter to a model, completely or not at all.

Libraries load an adapter whose names do not fit with a warning, and the weights that
found no place stay random. Here a name that is left over, or a weight that is missing,
is an error.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from blueprints import JudgeError
from extractors import one_line
from trace_eval.data import strict_json

CONFIG_FILE = "adapter_config.json"
WEIGHT_FILES = ("adapter_model.safetensors", "adapter_model.bin")

#: What PEFT puts before the names of the model's own weights.
PREFIX = "base_model.model."

#: Names shown of many.
_SHOWN = 3


def files(folder: Path) -> list[Path]:
    """List the files that decide the adapter, or none where one is missing."""
    weights = next((folder / n for n in WEIGHT_FILES if (folder / n).is_file()), None)
    config = folder / CONFIG_FILE
    return [config, weights] if weights and config.is_file() else []


def base_of(config: Path) -> str | None:
    """Return the base that an adapter's configuration names, if any.

    Raises:
        UserError: the configuration cannot be read.
    """
    try:
        result = strict_json.read_file(config)
    except (OSError, strict_json.BadJson) as error:
        raise JudgeError(
            f"{config}: cannot be read ({error}); copy the adapter again"
        ) from None
    named = result.get("base_model_name_or_path") if isinstance(result, dict) else None
    return named if isinstance(named, str) and named else None


def with_adapter(
    model: Any,
    folder: Path,
    renamed: Callable[[str], str] = str,
    trainable: bool = False,
) -> Any:
    """Put the adapter's layers into a model.

    Args:
        renamed: name of a weight or module in the file -> its name in this model.
        trainable: to go on training it; else it is frozen.

    Raises:
        UserError: a file is missing, or the adapter's weights are not exactly those
            that its configuration puts into this model.
    """
    if not files(folder):
        raise JudgeError(
            f"{folder}: no adapter here; it needs {CONFIG_FILE} and"
            f" {' or '.join(WEIGHT_FILES)}"
        )
    from peft import PeftConfig, PeftModel, load_peft_weights, set_peft_model_state_dict

    try:
        config = PeftConfig.from_pretrained(str(folder))
        weights: dict[str, Any] = {}
        for k, v in load_peft_weights(str(folder), device="cpu").items():
            weights[renamed(k)] = v
    except Exception as error:  # by kind of damage
        raise JudgeError(
            f"{folder}: the adapter cannot be read ({one_line(error)}); copy it again"
        ) from error
    config.inference_mode = not trainable
    targets = getattr(config, "target_modules", None)
    if targets and not isinstance(targets, str):
        config.target_modules = sorted(
            {renamed(name) if "." in name else name for name in targets}
        )
    try:
        adapted = PeftModel(model, config)
        loaded = set_peft_model_state_dict(adapted, weights)
    except (
        RuntimeError,
        ValueError,
    ) as error:  # no module matches, or a shape does not
        raise JudgeError(
            f"{folder}: does not fit this model ({one_line(error, 300)})"
        ) from error
    prefix = adapted.base_model.prefix
    missing = [key for key in loaded.missing_keys if prefix in key]
    _refuse(folder, "has no weight for", missing)
    _refuse(
        folder, "has weights that the model has no place for:", loaded.unexpected_keys
    )
    return adapted


def _refuse(folder: Path, what: str, keys: list[str]) -> None:
    if keys:
        shown = ", ".join(keys[:_SHOWN])
        more = f" and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else ""
        raise JudgeError(
            f"{folder}: the adapter {what} {shown}{more}; use the adapter with the"
            " model and the version of transformers that it was made for"
        )
