from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.synthetic_run import Recipe, make_run


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make 40 labelled pairs, judged thrice in both orders; every 20th is unrated."""
    recipe = Recipe(40, seconds=0.2, samples=3, failing=20)
    return make_run(tmp_path_factory.mktemp("conclude"), recipe)
