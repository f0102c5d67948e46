from __future__ import annotations

import multiprocessing
import os
import resource
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import soundfile

from blueprints import Extension, UserError
from extractors import Stamp
from extractors.models import CACHE_VARIABLE, cache_folder, file_sha256
from trace_eval.extracting.cache import Cache
from trace_eval.extracting.ray.shards import version_of
from trace_eval.extracting.source import ClipSource


def _open(folder: Path) -> str | None:
    cache = Cache(folder)
    cache.close()
    return cache.problem


def test_processes_may_create_the_cache_at_the_same_moment(tmp_path: Path) -> None:
    # Without a lock about 1 of 800 openings found the database locked.
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        for trial in range(40):
            folder = tmp_path / str(trial)
            assert pool.map(_open, [folder] * 4, chunksize=1) == [None] * 4


VALUE = Extension(values={"peak": 0.5})


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE groups SET value = substr(value, 1, 20)",
        "UPDATE groups SET value = replace(value, '0.5', '0.6')",
        "UPDATE groups SET value = NULL",
        "UPDATE groups SET digest = NULL",
        "UPDATE groups SET grp = 'other'",
    ],
)
def test_a_damaged_group_is_a_miss_and_written_anew(
    damage: str, tmp_path: Path
) -> None:
    cache = Cache(tmp_path)
    cache.put("key", "peak", VALUE)
    assert cache.get("key", "peak") == VALUE
    _run(tmp_path, damage)
    assert cache.get("key", "peak") is None
    cache.put("key", "peak", VALUE)
    assert cache.get("key", "peak") == VALUE
    assert cache.problem is None


@pytest.mark.parametrize("clip", ["'abc'", "NULL", "replace(clip, '0', '1')", "x'ff'"])
def test_a_damaged_clip_hash_is_a_miss(clip: str, tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    stamp = Stamp("/a.wav", 1, "2")
    cache.remember_clip(stamp, "01" * 32)
    assert cache.clip_of(stamp) == "01" * 32
    _run(tmp_path, f"UPDATE recordings SET clip = {clip}")
    assert cache.clip_of(stamp) is None


def _run(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "groups.sqlite")) as database, database:
        assert database.execute(statement).rowcount == 1


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "groups.sqlite").write_bytes(b"no database" * 100),
        lambda folder: (folder / "groups.sqlite").mkdir(),
        lambda folder: (folder / "locks").touch(),
    ],
    ids=["no database", "a folder", "locks are a file"],
)
def test_a_cache_that_cannot_be_used_costs_the_cache_only(
    damage: Callable[[Path], object], tmp_path: Path
) -> None:
    damage(tmp_path)
    _knows_and_keeps_nothing(Cache(tmp_path))


def test_a_lock_that_nobody_frees_costs_the_cache_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("trace_eval.extracting.cache.LOCK_TIMEOUT_S", 0.1)
    cache = Cache(tmp_path)
    with closing(
        sqlite3.connect(tmp_path / "groups.sqlite", isolation_level=None)
    ) as other:
        other.execute("BEGIN EXCLUSIVE")
        cache.put("key", "peak", VALUE)
    assert "database is locked" in str(cache.problem)
    _knows_and_keeps_nothing(cache)


def test_a_full_disk_costs_the_cache_only(tmp_path: Path) -> None:
    _, limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    cache = Cache(tmp_path)
    large = Extension(values={"text": "x" * 300_000})
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limit))
    try:
        cache.put("key", "peak", large)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    _knows_and_keeps_nothing(cache)
    assert Cache(tmp_path).get("key", "peak") is None


def _knows_and_keeps_nothing(cache: Cache) -> None:
    cache.put("key", "peak", VALUE)
    assert cache.get("key", "peak") is None
    assert cache.clip_of(Stamp("/a.wav", 1, "2")) is None
    with cache.claim("01" * 32):
        cache.remember_clip(Stamp("/a.wav", 1, "2"), "01" * 32)
    assert str(cache.problem).startswith(f"cache {cache.folder}: not used any more (")
    assert "mend or delete it, or choose another with --cache" in str(cache.problem)
    cache.close()


def test_a_file_is_no_cache(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.touch()
    for folder in (path, path / "below"):
        with pytest.raises(UserError, match="is a file; name a folder with --cache"):
            Cache(folder)


def test_the_environment_names_the_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "here"))
    assert cache_folder() == tmp_path / "here"
    monkeypatch.delenv(CACHE_VARIABLE)
    assert cache_folder().name == "trace-eval"


@pytest.mark.parametrize("way", ["another file in its place", "written over"])
def test_a_recording_of_equal_length_and_date_is_another_recording(
    way: str, tmp_path: Path
) -> None:
    """As `tar xf v1.tar` and later `tar xf v2.tar` leave it: archives set the date."""
    path, other = tmp_path / "answer.wav", tmp_path / "other.wav"
    for where, level in ((path, 0.1), (other, 0.2)):
        soundfile.write(where, np.full(1600, level), 16_000)
        os.utime(where, (1_700_000_000, 1_700_000_000))
    before = ClipSource("answer", path).stamp()
    hashed = file_sha256(path)
    if way == "written over":
        path.write_bytes(other.read_bytes())
        os.utime(path, (1_700_000_000, 1_700_000_000))
    else:
        other.replace(path)
    after = ClipSource("answer", path).stamp()
    assert before is not None
    assert after is not None
    assert before[:2] == after[:2]
    cache = Cache(tmp_path / "cache")
    cache.remember_clip(before, "01" * 32)
    assert cache.clip_of(before) == "01" * 32
    assert cache.clip_of(after) is None
    assert file_sha256(path) != hashed


def test_what_another_reading_made_of_a_file_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of a joined file was read, and its figures stayed when all of it was."""
    cache = Cache(tmp_path)
    path = tmp_path / "joined.wav"
    path.write_bytes(b"RIFF")
    source = ClipSource("answer", path)
    stamp = source.stamp()
    assert stamp is not None
    cache.remember_clip(stamp, "01" * 32)
    cache.remember_seconds(stamp, 1.6)
    before = version_of(source)
    assert (cache.clip_of(stamp), cache.seconds_of(stamp)) == ("01" * 32, 1.6)
    for module in ("cache", "ray.shards"):
        monkeypatch.setattr(f"trace_eval.extracting.{module}.READING", "of tomorrow")
    assert (cache.clip_of(stamp), cache.seconds_of(stamp)) == (None, None)
    assert version_of(source) != before


def test_a_cache_of_an_earlier_version_is_used_and_forgets_its_recordings(
    tmp_path: Path,
) -> None:
    with closing(sqlite3.connect(tmp_path / "groups.sqlite")) as database, database:
        database.execute(
            "CREATE TABLE groups (key TEXT PRIMARY KEY, grp TEXT, value TEXT, digest)"
        )
        database.execute(
            "CREATE TABLE files (path TEXT PRIMARY KEY, size INTEGER, mtime_ns INTEGER,"
            " clip TEXT, digest) WITHOUT ROWID"
        )
    cache = Cache(tmp_path)
    stamp = Stamp("/a.wav", 1, "2")
    assert cache.clip_of(stamp) is None
    cache.remember_clip(stamp, "01" * 32)
    assert cache.clip_of(stamp) == "01" * 32
    assert cache.problem is None
