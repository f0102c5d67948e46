"""Loading a Thinker: with adapter and reward head (BTRM), or merged, to write replies (GRM).

A folder with ``reward_head.pt`` is a reward model: ``lora/`` holds the PEFT adapter, whose
configuration names the base model. Any other folder is a checkpoint of a Thinker or of the
whole Omni model, of which only the Thinker is loaded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from blueprints import UserError, install_line, is_installed
from extractors import (
    is_path,
    loaded,
    model_folder,
    one_line,
    resolve,
    sha256_of,
    untouched,
)
from trace_eval.judges.scorer import adapters
from trace_eval.judges.scorer.model import dtype_of, read_head

HEAD_FILE = "reward_head.pt"
ADAPTER_FOLDER = "lora"
CONFIG_FILE = "config.json"

PACKAGES = {"torch": "torch", "transformers": "transformers", "peft": "peft"}
INSTALL = install_line("reward")

#: Parts of a Thinker under their names of transformers 4.52 -> of transformers 5. PEFT maps the
#: language model's names and drops the audio tower's with a warning (peft#2699): text then looks
#: right and sound does not. So names are mapped here first.
_RENAMED = (
    (re.compile(r"^audio_tower\."), "model.audio_tower."),
    (re.compile(r"^visual\."), "model.visual."),
    (re.compile(r"^model\.(?=layers\.|embed_tokens\.|norm\.)"), "model.language_model."),
)

#: Files of a base model that decide what it says.
_PATTERNS = ("*.safetensors", "*.bin", "config.json", "tokenizer*.json", "vocab.json")
_PATTERNS_TEXT = ("merges.txt", "preprocessor_config.json", "generation_config.json")


@dataclass(frozen=True)
class RewardFiles:
    """Where a model is.

    Attributes:
        base: folder of the Thinker's checkpoint, tokenizer and feature extractor.
        folder: of the adapter and the head; None: the model writes replies.
    """

    base: Path
    folder: Path | None

    @property
    def scores(self) -> bool:
        """True for a reward model, false for one that writes replies."""
        return self.folder is not None

    @cached_property
    def sha256(self) -> str:
        """SHA-256 over all files that decide the output; equal wherever they lie."""
        results = {p for pattern in _PATTERNS + _PATTERNS_TEXT for p in self.base.glob(pattern)}
        if self.folder is not None:
            results |= {self.folder / HEAD_FILE, *adapters.files(self.folder / ADAPTER_FOLDER)}
        return sha256_of(results)


@dataclass(frozen=True)
class RewardModel:
    """A loaded model.

    Attributes:
        thinker: ``Qwen2_5OmniThinkerForConditionalGeneration``, adapter included.
        head: ``Linear(hidden, 1)``; None: the model writes replies.
        tokenizer, features: of the base model.
        device: ``cpu`` or ``cuda:N``.
        dtype: ``float32`` on a CPU, ``bfloat16`` on a GPU.
        positions: tokens that a conversation may have, reply included.
    """

    thinker: Any
    head: Any
    tokenizer: Any
    features: Any
    device: str
    dtype: str
    positions: int


def unavailable() -> str | None:
    """Why no such model can run here, with the remedy."""
    missing = [name for module, name in PACKAGES.items() if not is_installed(module)]
    return f"reward needs {', '.join(missing)}; run: {INSTALL}" if missing else None


def locate(model: str, base: str | None = None) -> RewardFiles:
    """Find a model on this machine; contacts nobody.

    Args:
        model: path, or hub name of a model in the hub's cache.
        base: path or hub name of the base; default: what the adapter's configuration says.

    Raises:
        UserError: a folder or file is missing.
    """
    folder = model_folder(model, (HEAD_FILE,)) or model_folder(model, (CONFIG_FILE,))
    if folder is None:
        raise UserError(_absent(model, "a folder with a Thinker, or with lora/ and reward_head.pt"))
    if not (folder / HEAD_FILE).is_file():
        return RewardFiles(_base(str(folder)), None)
    config = folder / ADAPTER_FOLDER / adapters.CONFIG_FILE
    if not adapters.files(config.parent):
        raise UserError(f"{folder}: {HEAD_FILE} is there, but {ADAPTER_FOLDER}/ is not whole")
    if base is None:
        base = adapters.base_of(config)
    if not base:
        raise UserError(f"{config}: names no base model; give its folder")
    return RewardFiles(_base(base), folder)


def _base(model: str) -> Path:
    folder = model_folder(model, (CONFIG_FILE,))
    if folder is None or not (folder / CONFIG_FILE).is_file():
        raise UserError(_absent(model, "a folder with a Qwen2.5-Omni checkpoint"))
    return folder


def _absent(model: str, what: str) -> str:
    if is_path(model):
        return f"reward: {model} is not {what}"
    return f"reward: model {model} is not on this machine; run: hf download {model}, or give {what}"


def renamed(key: str) -> str:
    """The name of an adapter's weight, or of a module, as transformers 5 has it."""
    prefix = adapters.PREFIX if key.startswith(adapters.PREFIX) else ""
    name = key.removeprefix(adapters.PREFIX).removeprefix("thinker.")
    for old, new in _RENAMED:
        name, count = old.subn(new, name)
        if count:
            break
    return prefix + name


def load(files: RewardFiles, device: str = "auto") -> RewardModel:
    """Load a model, once per process.

    Args:
        files: where it is.
        device: ``auto``, ``cpu``, ``cuda`` or ``cuda:N``.

    Raises:
        UserError: a package or GPU is missing, or the files do not fit each other.
    """
    problem = unavailable()
    if problem:
        raise UserError(problem)
    place = resolve("reward", device)
    return loaded(("reward", files.sha256, place), lambda: _open(files, place))  # type: ignore[no-any-return]


def _open(files: RewardFiles, device: str) -> RewardModel:
    import torch
    from transformers import (
        AutoTokenizer,
        Qwen2_5OmniThinkerForConditionalGeneration,
        WhisperFeatureExtractor,
    )

    dtype = dtype_of(device)
    with untouched():
        try:
            thinker = Qwen2_5OmniThinkerForConditionalGeneration.from_pretrained(
                files.base,
                dtype=getattr(torch, dtype),
                attn_implementation="sdpa",
                local_files_only=True,
            )
            tokenizer = AutoTokenizer.from_pretrained(files.base, local_files_only=True)
            features = WhisperFeatureExtractor.from_pretrained(files.base, local_files_only=True)
        except Exception as error:  # by kind of damage
            raise UserError(
                f"{files.base}: not a Qwen2.5-Omni checkpoint that loads"
                f" ({one_line(error, 300)}); fetch it again"
            ) from error
        hidden = int(thinker.config.text_config.hidden_size)
        positions = int(thinker.config.text_config.max_position_embeddings)
        head = None
        if files.folder is not None:
            adapted = adapters.with_adapter(thinker, files.folder / ADAPTER_FOLDER, renamed)
            thinker = adapted.get_base_model()
            head = read_head(files.folder / HEAD_FILE, 1, hidden, "fetch it again").to(
                device, getattr(torch, dtype)
            )
        # The adapter's own type is that of its file; one type everywhere.
        thinker = thinker.to(device, getattr(torch, dtype)).eval()
    return RewardModel(thinker, head, tokenizer, features, device, dtype, positions)
