from __future__ import annotations

from pathlib import Path

import pytest

from blueprints import is_installed
from extractors.device import gpu_count
from extractors.guard import untouched


def test_a_folder_called_torch_is_no_torch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A namespace package has neither generators nor threads to restore."""
    if is_installed("torch"):
        pytest.skip("torch is installed here")
    (tmp_path / "torch").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert not is_installed("torch")
    with untouched(seed=1):
        assert gpu_count() >= 0  # CTranslate2's
