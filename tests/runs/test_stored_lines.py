"""Records that stay in their files: found by key, in order, joined from folders."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from blueprints import DamagedFile
from trace_eval.runs.joined_lines import JoinedLines
from trace_eval.runs.stored_lines import LineIndex, StoredMapping, StoredRecords

#: Bytes in memory for a record in a file: its mark, its place, and room to sort them.
MOST_BYTES = 100


def written(path: Path, records: Sequence[dict[str, Any]], torn: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(record) + "\n" for record in records)
    path.write_text(lines + torn)
    return path


def records_of(names: Sequence[str], text: str = "") -> list[dict[str, Any]]:
    return [
        {"id": name, "n": number, "text": text} for number, name in enumerate(names)
    ]


def test_the_last_complete_line_of_a_key_counts(tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", records_of("abca"), torn='{"id": "b", "n": 9')
    mapping = StoredMapping(path, "id", json.loads)
    assert {name: record["n"] for name, record in mapping.items()} == {
        "b": 1,
        "c": 2,
        "a": 3,
    }
    assert [record["n"] for record in mapping.values()] == [1, 2, 3]
    assert (len(mapping), mapping.get("d"), "a" in mapping) == (3, None, True)
    assert len(StoredMapping(tmp_path / "none.jsonl", "id", json.loads)) == 0


@pytest.mark.parametrize("length", [0, 1 << 14, (1 << 14) - 40, 100_000])
def test_a_line_of_any_length_is_read_whole(tmp_path: Path, length: int) -> None:
    path = written(tmp_path / "x.jsonl", records_of("ab", "x" * length))
    line = LineIndex(path, "id").line("a")
    assert line is not None
    assert line.endswith(b"}\n")
    assert len(json.loads(line)["text"]) == length


def test_a_line_without_its_key_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", [{"id": "a"}, {"other": "b"}])
    with pytest.raises(DamagedFile, match=r"x.jsonl, line 2: .*no 'id'"):
        LineIndex(path, "id")


def test_a_sequence_reads_what_is_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", records_of("abcd"), torn="{")
    records = StoredRecords(path, json.loads)
    assert [record["id"] for record in records] == list("abcd")
    assert [record["id"] for record in records[1:3]] == ["b", "c"]
    assert (records[-1]["id"], len(records)) == ("d", 4)
    with pytest.raises(IndexError):
        records[4]


def test_memory_does_not_grow_with_what_a_record_holds(tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(3000)]
    path = written(tmp_path / "x.jsonl", records_of(names, "x" * 1000))
    LineIndex(path, "id")  # brings numpy
    tracemalloc.start()
    mapping = StoredMapping(path, "id", json.loads)
    records = StoredRecords(path, json.loads)
    assert sum(1 for _ in mapping.values()) == sum(1 for _ in records) == len(names)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MOST_BYTES * len(names) + 100_000


def test_lines_of_one_name_in_several_folders(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    written(folders[0] / "x.jsonl", records_of("aba"))
    written(folders[1] / "x.jsonl", records_of("cb"))
    lines = JoinedLines(folders, "x.jsonl")
    for number in range(2):
        for place, line in lines.read(number):
            lines.add(number, place, json.loads(line)["id"], line)
    groups = sorted(lines.repeated())
    assert groups == [[0, 2], [1, 4]]
    assert lines.latest(groups[0]) == [2]
    assert not lines.same(0, 2)
    assert lines.same(1, 4)
    lines.drop(4)
    assert [json.loads(line)["n"] for line in lines.kept()] == [1, 2, 0]
    assert [json.loads(line)["id"] for line in lines.kept_by([0, 9, 5, 2, 0])] == list(
        "cab"
    )
    owners = lines.owners()
    assert [owners.find(name) for name in "abcd"] == [0, 0, 1, None]
    assert lines.kept_count == 3
