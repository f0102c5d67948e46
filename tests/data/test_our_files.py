"""Files that we write: appended, replaced, torn, damaged, or another program's."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from blueprints import DamagedFile, UserError
from extractors import Stamp
from tests.support import reviewed as support
from tests.support.cli import trace_eval
from tests.support.processes import python
from trace_eval.data import jsonl
from trace_eval.extracting.cache import Cache
from trace_eval.judges.ask.replies import ReplyCache
from trace_eval.review.store import Store
from trace_eval.runs.outcomes import ClipRecord


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        (b"", b""),
        (b'{"a":1}\n', b'{"a":1}\n'),
        (b'{"a":1}\n{"b":', b'{"a":1}\n'),
        (b'{"torn', b""),
        (b'{"a":1}\n' + b"x" * 200_000, b'{"a":1}\n'),
    ],
)
def test_a_torn_last_line_is_skipped_and_cut(
    content: bytes, kept: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    assert jsonl.is_torn(path) == (content != kept)
    assert list(jsonl.read(path)) == kept.decode().splitlines(keepends=True)
    jsonl.repair(path)
    assert path.read_bytes() == kept


def test_append_and_replace(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    jsonl.append(path, ClipRecord(source="ü\n", clip="c"))
    jsonl.append(path, ClipRecord(source="2", error="e"))
    read = map(ClipRecord.model_validate_json, jsonl.read(path))
    assert [record.source for record in read] == ["ü\n", "2"]
    jsonl.write_all(path, ["{}"])
    assert path.read_text() == "{}\n"
    assert [p.name for p in tmp_path.iterdir()] == ["x.jsonl"]


def test_equal_values_have_one_spelling() -> None:
    assert (
        jsonl.canonical({"b": 1.0, "a": [2, 2.5, True]}) == '{"a":[2,2.5,true],"b":1}'
    )
    with pytest.raises(ValueError, match="not JSON compliant"):
        jsonl.canonical(float("nan"))


_FILL = """
import resource, sys
from pathlib import Path
from blueprints import UserError
from trace_eval.data import jsonl
from trace_eval.runs.outcomes import ClipRecord
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))  # as a disk that is full after 100 bytes
for number in range(5):
    try:
        jsonl.append(Path(sys.argv[1]), ClipRecord(source=str(number), clip="c" * 20))
    except UserError as error:
        print(error)
try:
    jsonl.write_all(Path(sys.argv[2]), ["x" * 200])
except UserError as error:
    print(error)
"""


def test_a_full_disk_leaves_whole_records_and_one_error_each(tmp_path: Path) -> None:
    path, other = tmp_path / "x.jsonl", tmp_path / "y.jsonl"
    other.write_text("old\n")
    *appended, replaced = python(_FILL, path, other).splitlines()
    assert len(appended) == 4
    assert all(
        f"{path}: cannot be written (File too large)" in line for line in appended
    )
    assert [
        ClipRecord.model_validate_json(line).source for line in jsonl.read(path)
    ] == ["0"]
    assert path.read_bytes().endswith(b"\n")
    assert f"{other}: cannot be written" in replaced
    assert other.read_text() == "old\n"
    assert {p.name for p in tmp_path.iterdir()} == {"x.jsonl", "y.jsonl"}


def test_a_damaged_line_in_the_middle_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    assert not jsonl.is_torn(path)
    path.write_bytes(b'{"a":1}\n\xff\n{}\n')
    assert not jsonl.is_torn(path)
    with pytest.raises(UserError, match=r"x\.jsonl, line 2: not UTF-8"):
        list(jsonl.read(path))


def _clips(path: Path) -> None:
    cache = Cache(path.parent)
    cache.clip_of(Stamp("/a.wav", 1, "2"))
    cache.remember_clip(Stamp("/a.wav", 1, "2"), "01" * 32)
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
    [
        ("groups.sqlite", _clips),
        ("replies.sqlite", _replies),
        ("review.sqlite", _review),
    ],
)
def test_flipped_bits_name_the_file(
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
    done = trace_eval("review", run, "--export", tmp_path / "labels", ends=3)
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
