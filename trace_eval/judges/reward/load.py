"""Loading a Thinker: with adapter and reward head (BTRM), or merged to write (GRM).

A folder with ``reward_head.pt`` is a reward model: ``lora/`` holds the PEFT adapter,
whose configuration names the base model. Any other folder is a checkpoint of a Thinker
or of the whole Omni model, of which only the Thinker is loaded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from blueprints import JudgeError, install_line
from extractors import loaded, model_folder, resolve, sha256_of, untouched
from trace_eval.judges.scorer import adapters
from trace_eval.judges.scorer.checkpoint import base_folder, check_packages
from trace_eval.judges.scorer.model import (
    dtype_of,
    open_tokenizer,
    opened,
    read_head,
    sizes,
)

HEAD_FILE = "reward_head.pt"
ADAPTER_FOLDER = "lora"

PACKAGES = ("torch", "transformers", "peft")

#: Parts of a Thinker under their names of transformers 4.52 -> of 5.21 and later. PEFT
#: maps the language model's names and drops the audio tower's with a warning
#: (peft#2699): text then looks right and sound does not. So names are mapped here
#: first.
_RENAMED = (
    (re.compile(r"^audio_tower\."), "model.audio_tower."),
    (re.compile(r"^visual\."), "model.visual."),
    (
        re.compile(r"^model\.(?=layers\.|embed_tokens\.|norm\.)"),
        "model.language_model.",
    ),
)

#: Files of a base model that decide what it says.
_PATTERNS = ("*.safetensors", "*.bin", "config.json", "tokenizer*.json", "vocab.json")
_PATTERNS_TEXT = ("merges.txt", "preprocessor_config.json", "generation_config.json")


@dataclass(frozen=True)
class RewardFiles:
    """The files of a reward model."""

    base: Path  # folder of the Thinker's checkpoint, tokenizer and feature extractor
    folder: Path | None  # of the adapter and the head; None: the model writes replies

    @property
    def scores(self) -> bool:
        """True for a reward model, false for one that writes replies."""
        return self.folder is not None

    @cached_property
    def sha256(self) -> str:
        """SHA-256 over all files that decide the output; equal wherever they lie."""
        results = {
            p for pattern in _PATTERNS + _PATTERNS_TEXT for p in self.base.glob(pattern)
        }
        if self.folder is not None:
            results |= {
                self.folder / HEAD_FILE,
                *adapters.files(self.folder / ADAPTER_FOLDER),
            }
        return sha256_of(results)


@dataclass(frozen=True)
class RewardModel:
    """A loaded model."""

    thinker: Any  # ``Qwen2_5OmniThinkerForConditionalGeneration``, adapter included
    head: Any  # ``Linear(hidden, 1)``; None: the model writes replies
    tokenizer: Any  # of the base model
    features: Any  # its feature extractor
    device: str  # ``cpu`` or ``cuda:N``
    dtype: str  # ``float32`` on a CPU, ``bfloat16`` on a GPU
    positions: int  # tokens that a conversation may have, reply included


def locate(model: str, base: str | None = None) -> RewardFiles:
    """Find a model on this machine; contacts nobody.

    Args:
        model: path, or hub name of a model in the hub's cache.
        base: path or hub name of the base; default: what the adapter's configuration
            says.

    Raises:
        UserError: a folder or file is missing.
    """
    folder = model_folder(model, (HEAD_FILE,))
    if folder is None or not (folder / HEAD_FILE).is_file():
        what = "a folder with a Thinker, or with lora/ and reward_head.pt"
        return RewardFiles(base_folder(model, what), None)
    config = folder / ADAPTER_FOLDER / adapters.CONFIG_FILE
    if not adapters.files(config.parent):
        raise JudgeError(
            f"{folder}: {HEAD_FILE} is there, but {ADAPTER_FOLDER}/ is not whole"
        )
    if not (base := base or adapters.base_of(config)):
        raise JudgeError(f"{config}: names no base model; give its folder")
    return RewardFiles(base_folder(base), folder)


def renamed(key: str) -> str:
    """Return the name of an adapter's weight or module in transformers 5.21."""
    prefix = adapters.PREFIX if key.startswith(adapters.PREFIX) else ""
    name = key.removeprefix(adapters.PREFIX).removeprefix("thinker.")
    for old, new in _RENAMED:
        name, count = old.subn(new, name)
        if count:
            break
    return prefix + name


def load(files: RewardFiles, device: str = "auto") -> RewardModel:
    """Load a model, once per process, on ``auto``, ``cpu``, ``cuda`` or ``cuda:N``.

    Raises:
        UserError: a package or GPU is missing, a package is too old, or the files do
            not fit each other.
    """
    check_packages("reward", PACKAGES)
    _check_release()
    place = resolve("reward", device)
    return loaded(("reward", files.sha256, place), lambda: _open(files, place))  # type: ignore[no-any-return]


def _check_release() -> None:
    """Refuse a Thinker whose inner model is text-only, because it ignores the sound."""
    import transformers
    from transformers.models.qwen2_5_omni import modeling_qwen2_5_omni as omni

    if not hasattr(omni, "Qwen2_5OmniThinkerModel"):
        raise JudgeError(
            f"reward: transformers {transformers.__version__} is too old, since its"
            f" Thinker would not hear the recordings; run: {install_line('reward')}"
        )


def _open(files: RewardFiles, device: str) -> RewardModel:
    import torch
    from transformers import (
        Qwen2_5OmniThinkerForConditionalGeneration,
        WhisperFeatureExtractor,
    )

    dtype = dtype_of(device)
    with untouched():
        kind = {"dtype": getattr(torch, dtype), "attn_implementation": "sdpa"}
        thinker = opened(
            Qwen2_5OmniThinkerForConditionalGeneration,
            files.base,
            "Qwen2.5-Omni Thinker",
            **kind,
        )
        tokenizer = open_tokenizer(files.base)
        features = opened(WhisperFeatureExtractor, files.base, "feature extractor")
        hidden, positions = sizes(thinker)
        head = None
        if files.folder is not None:
            adapted = adapters.with_adapter(
                thinker, files.folder / ADAPTER_FOLDER, renamed
            )
            thinker = adapted.get_base_model()
            head = read_head(files.folder / HEAD_FILE, 1, hidden, "fetch it again").to(
                device, getattr(torch, dtype)
            )
        # The adapter's own type is that of its file; one type everywhere.
        thinker = thinker.to(device, getattr(torch, dtype)).eval()
    return RewardModel(
        thinker=thinker,
        head=head,
        tokenizer=tokenizer,
        features=features,
        device=device,
        dtype=dtype,
        positions=positions,
    )
