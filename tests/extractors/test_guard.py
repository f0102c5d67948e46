from __future__ import annotations

from pathlib import Path

import pytest

from extractors.guard import untouched


def test_a_folder_called_torch_is_no_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A namespace package has neither generators nor threads to restore."""
    if pytest.importorskip("importlib.util").find_spec("torch"):
        pytest.skip("torch is installed here")
    (tmp_path / "torch").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    with untouched(seed=1):
        pass
