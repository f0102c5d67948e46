"""Databases that were damaged, or are another program's."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from blueprints import UserError
from tests.support import reviewed as support
from tests.support.cli import trace_eval
from trace_eval.data.strict_json import DamagedFile
from trace_eval.extracting.cache import Cache, Stamp
from trace_eval.judges.ask.replies import ReplyCache
from trace_eval.review.store import Store


def _clips(path: Path) -> None:
    cache = Cache(path.parent)
    cache.clip_of(Stamp("/a.wav", 1, 2))
    cache.remember_clip(Stamp("/a.wav", 1, 2), "01" * 32)
    assert cache.problem is None or str(path.parent) in cache.problem
    cache.close()


def _replies(path: Path) -> None:
    cache = ReplyCache(path)
    cache.get("k")
    cache.close()


def _review(path: Path) -> None:
    store = Store(path)
    assert store.secret
    store.close()


@pytest.mark.parametrize(
    ("name", "use"),
    [("groups.sqlite", _clips), ("replies.sqlite", _replies), ("review.sqlite", _review)],
)
def test_one_bit_of_a_schema_page_is_told_with_the_file(
    name: str, use: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / name
    use(path)
    whole = path.read_bytes()
    text = whole.index(b"CREATE TABLE")
    shown: list[tuple[type, str]] = []
    for at in (*range(0, 100, 9), *range(text - 40, min(len(whole), text + 600), 19)):
        for bit in (0, 5, 7):
            for left in tmp_path.glob("*sqlite*"):
                left.unlink()
            damaged = bytearray(whole)
            damaged[at] ^= 1 << bit
            path.write_bytes(damaged)
            try:
                use(path)
            except (UserError, sqlite3.Error) as error:
                shown.append((type(error), str(error)))
    assert [text for _, text in shown if str(path) not in text or "\n" in text] == []
    assert (DamagedFile in {kind for kind, _ in shown}) == (name != "groups.sqlite")


def test_a_damaged_review_ends_with_code_3(tmp_path: Path) -> None:
    run = support.write_run(tmp_path / "run", support.pairs(tmp_path, 1))
    path = run / "review.sqlite"
    _review(path)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"CREATE TABLE views", b"CREATE TABLE vie\xf7s", 1))
    done = trace_eval("review", run, "--export", tmp_path / "labels")
    assert done.code == 3
    assert f"{path}: not usable as a review database" in done.err


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "places.sqlite"
    with closing(sqlite3.connect(path)) as theirs:
        theirs.execute("CREATE TABLE bookmarks (id INTEGER)")
        theirs.commit()
    before = path.read_bytes()
    for use in (_replies, _review):
        with pytest.raises(UserError, match=r"is a database of another program"):
            use(path)
    assert path.read_bytes() == before
    assert {one.name for one in tmp_path.iterdir()} == {path.name}
