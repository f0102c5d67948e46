from __future__ import annotations

from pathlib import Path

import pytest

from blueprints import UserError
from tests.support.processes import python
from trace_eval.data import jsonl
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
def test_a_torn_last_line_is_not_read_and_can_be_cut(
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
    assert jsonl.canonical({"b": 1.0, "a": [2, 2.5, True]}) == '{"a":[2,2.5,true],"b":1}'
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
    assert all(f"{path}: cannot be written (File too large)" in line for line in appended)
    assert [ClipRecord.model_validate_json(line).source for line in jsonl.read(path)] == ["0"]
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
