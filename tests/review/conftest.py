from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import reviewed as support


@pytest.fixture(autouse=True)
def _working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test: reviews of inputs are kept under ``runs``."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Write a run of six pairs; the judge prefers A everywhere."""
    return support.write_run(tmp_path / "run", support.pairs(tmp_path, 6))
