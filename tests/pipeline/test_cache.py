from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from blueprints import UserError
from trace_eval.extracting.cache import CACHE_VARIABLE, Cache, default_folder


def _open(folder: Path) -> str | None:
    try:
        Cache(folder).close()
    except UserError as error:
        return str(error)
    return None


def test_processes_may_create_the_cache_at_the_same_moment(tmp_path: Path) -> None:
    # Without a lock about 1 of 800 openings found the database locked.
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        for trial in range(40):
            folder = tmp_path / str(trial)
            assert pool.map(_open, [folder] * 4, chunksize=1) == [None] * 4


def test_an_unusable_folder_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "groups.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(UserError, match="delete it or choose another with --cache") as caught:
        Cache(tmp_path)
    assert str(tmp_path) in str(caught.value)


def test_the_environment_names_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "here"))
    assert default_folder() == tmp_path / "here"
    monkeypatch.delenv(CACHE_VARIABLE)
    assert default_folder().name == "trace-eval"
