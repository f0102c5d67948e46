"""Names of a Thinker's parts, as adapters of different ages have them.

Adapters that were saved with transformers 4.52 name the model's parts otherwise than
version 5 does. PEFT maps the language model's names and drops the audio tower's with a warning
(peft#2699): text then looks right and sound does not. So names are mapped here first.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from trace_eval.judges.scorer import adapters

CONFIG_FILE = adapters.CONFIG_FILE
files = adapters.files

#: Parts of a Thinker under their names of transformers 4.52 -> of transformers 5.
_RENAMED = (
    (re.compile(r"^audio_tower\."), "model.audio_tower."),
    (re.compile(r"^visual\."), "model.visual."),
    (re.compile(r"^model\.(?=layers\.|embed_tokens\.|norm\.)"), "model.language_model."),
)


def renamed(key: str) -> str:
    """The name of an adapter's weight, or of a module, as transformers 5 has it."""
    prefix = adapters.PREFIX if key.startswith(adapters.PREFIX) else ""
    name = key.removeprefix(adapters.PREFIX).removeprefix("thinker.")
    for old, new in _RENAMED:
        name, count = old.subn(new, name)
        if count:
            break
    return prefix + name


def with_adapter(thinker: Any, folder: Path) -> Any:
    """The Thinker with the adapter's layers in it; see :mod:`trace_eval.judges.scorer.adapters`."""
    return adapters.with_adapter(thinker, folder, renamed)
