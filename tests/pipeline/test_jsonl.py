from __future__ import annotations

from pathlib import Path

import pytest

from trace_eval.data import jsonl
from trace_eval.runs.run import ClipRecord


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
    assert list(jsonl.read(path)) == kept.decode().splitlines(keepends=True)
    jsonl.repair(path)
    assert path.read_bytes() == kept


def test_append_and_replace(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    jsonl.append(path, ClipRecord(source="ü\n", clip="c"))
    jsonl.append(path, ClipRecord(source="2", error="e"))
    assert [ClipRecord.model_validate_json(line).source for line in jsonl.read(path)] == [
        "ü\n",
        "2",
    ]
    jsonl.write_all(path, ["{}"])
    assert path.read_text() == "{}\n"
    assert [p.name for p in tmp_path.iterdir()] == ["x.jsonl"]


def test_equal_values_have_one_spelling() -> None:
    assert jsonl.canonical({"b": 1.0, "a": [2, 2.5, True]}) == '{"a":[2,2.5,true],"b":1}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        jsonl.canonical(float("nan"))
