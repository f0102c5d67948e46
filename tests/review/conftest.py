from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import reviewed as support


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Write a run of six pairs; the judge prefers A everywhere."""
    return support.write_run(tmp_path / "run", support.pairs(tmp_path, 6))
