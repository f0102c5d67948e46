"""Columns of Parquet and Arrow that unpack to much more than their file holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from blueprints import InputError
from tests.support.processes import python
from trace_eval.data.manifests import read_manifest
from trace_eval.data.parquet_sizes import column_sizes

_LARGE = 80_000_000

#: Prints how many items, or labels, each file gives, then by how many MB the peak has
#: grown.
_READ = """
import sys
from pathlib import Path
import pyarrow.parquet
from tests.support.memory import peak_kb
from trace_eval.data.manifests import read_manifest
from trace_eval.opinions.labels import read_labels
before = peak_kb()
for path in map(Path, sys.argv[1:]):
    is_of_labels = "labels" in path.name
    print(len(read_labels(path).ids if is_of_labels else read_manifest(path).items))
print((peak_kb() - before) >> 10)
"""


def _table(**columns: Any) -> pa.Table:
    own = {"id": ["p", "q"], "a": ["a.wav"] * 2, "b": ["b.wav"] * 2}
    return pa.table({**own, "instruction": ["Say it."] * 2, **columns})


def _write(path: Path, **columns: Any) -> Path:
    pq.write_table(_table(**columns), path, compression="zstd")
    assert path.stat().st_size < 50_000
    return path


def test_a_large_column_that_nobody_needs_is_not_unpacked(tmp_path: Path) -> None:
    text, zeros = "x" * _LARGE, np.zeros(_LARGE, np.int8)
    columns = {
        "text": [text] * 2,
        "struct": pa.array([{"x": text, "y": 1}] * 2),
        "list": pa.array([[text, text]] * 2),
        "dictionary": pa.array([text] * 2).dictionary_encode(),
        "numbers": pa.ListArray.from_arrays([0, _LARGE // 2, _LARGE], zeros),
        "bytes": pa.array([bytes(_LARGE)] * 2),
    }
    paths = [
        _write(tmp_path / f"{name}.parquet", extra=column)
        for name, column in columns.items()
    ]
    paths.append(tmp_path / "labels.parquet")
    numbers = [str(number) for number in range(1000)]
    logs = [text[:200_000] + number for number in numbers]
    labels = pa.table({"id": numbers, "preference": ["1", "2"] * 500, "log": logs})
    pq.write_table(labels, paths[-1], compression="zstd")
    *items, megabytes = map(int, python(_READ, *paths).split())
    assert items == [2] * len(columns) + [1000]
    assert megabytes < 80, "less than one value of one file"


def test_a_large_text_that_is_needed_is_refused_before_it_is_unpacked(
    tmp_path: Path,
) -> None:
    path = _write(tmp_path / "text.parquet", instruction=["x" * _LARGE + "1", "y"])
    assert column_sizes(path)["instruction"].held > _LARGE
    manifest = read_manifest(path)  # one of the rows can be read
    assert [item.id for item in manifest.items] == ["q"]
    assert "column 'instruction' holds 80 MB; at most 67 MB" in str(
        manifest.problems[0]
    )
    path = _write(
        tmp_path / "two.parquet", instruction=["x" * _LARGE, "y" * 2 * _LARGE]
    )
    with pytest.raises(
        InputError, match="'instruction' holds 120 MB a row; at most 67"
    ):
        read_manifest(path)


def test_a_footer_that_says_too_little_hides_nothing(tmp_path: Path) -> None:
    path = _write(tmp_path / "p.parquet", instruction=["x" * _LARGE + "1", "y"])
    held = column_sizes(path)["instruction"].held
    content = path.read_bytes()
    assert content.count(_varint(2 * held)) == 1
    path.write_bytes(content.replace(_varint(2 * held), _varint(200, 4)))
    said = pq.ParquetFile(path).metadata.row_group(0).column(3)
    assert said.total_uncompressed_size == 100
    assert column_sizes(path)["instruction"].held > _LARGE
    manifest = read_manifest(path)
    assert [item.id for item in manifest.items] == ["q"]
    assert "column 'instruction' holds 80 MB" in str(manifest.problems[0])


def test_pages_of_a_file_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Headers of pages are read one by one: a file may not hold any number of them."""
    words = [f"{number:040d}" for number in range(400)]
    path = tmp_path / "p.parquet"
    pq.write_table(
        pa.table({"id": words}),
        path,
        compression="snappy",
        use_dictionary=False,
        data_page_size=100,
        write_batch_size=1,
    )
    assert column_sizes(path)["id"].held > 400 * 40
    monkeypatch.setattr("trace_eval.data.parquet_sizes._MOST_PAGES", 50)
    with pytest.raises(InputError, match="over 50 pages; write it again with larger"):
        read_manifest(path)


def _varint(value: int, length: int = 1) -> bytes:
    """Write a number as Thrift does, in so many bytes at least."""
    digits = []
    while value or len(digits) < length:
        digits.append(value & 127 | 128)
        value >>= 7
    digits[-1] &= 127
    return bytes(digits)


@pytest.mark.parametrize("needed", [True, False])
def test_a_saved_data_set_is_held_to_the_same(tmp_path: Path, needed: bool) -> None:
    """A dictionary is stored once, and every row would get a text of its own."""
    places = pa.array([0, 0], pa.int8())
    large = pa.DictionaryArray.from_arrays(places, pa.array(["x" * _LARGE]))
    name = "instruction" if needed else "extra"
    columns = {name: large}
    table = _table(**columns)
    with pa.ipc.new_stream(str(tmp_path / "data.arrow"), table.schema) as writer:
        writer.write_table(table)
    manifest = read_manifest(tmp_path / "data.arrow")
    assert (len(manifest.items), len(manifest.problems)) == (
        (0, 2) if needed else (2, 0)
    )


def test_columns_of_the_user_and_small_ones_are_read(tmp_path: Path) -> None:
    table = _table(ours=["x" * 2000, "y"], note=["kept", "too"])
    pq.write_table(table.drop_columns(["instruction"]), tmp_path / "p.parquet")
    columns = {"instruction_text": "ours"}
    manifest = read_manifest(tmp_path / "p.parquet", columns=columns)
    assert [len(pair.instruction.text or "") for pair in manifest.pairs] == [2000, 1]
    assert [pair.meta["note"] for pair in manifest.pairs] == ["kept", "too"]
    path = _write(tmp_path / "q.parquet", ours=["x" * _LARGE] * 2)
    manifest = read_manifest(path, columns={"a_reference": "ours"})
    assert not manifest.items
    assert len(manifest.problems) == 2
    assert "column 'ours' holds 80 MB" in str(manifest.problems[1])


@pytest.mark.parametrize("is_file", [True, False])
def test_a_compressed_arrow_file_is_unpacked_only_where_it_is_needed(
    tmp_path: Path, is_file: bool
) -> None:
    """pyarrow unpacks a batch at once: its headers say before how much that is."""
    large, count = "x" * (_LARGE // 2), 50_000_000
    columns = {
        "texts": [large] * 2,
        "views": pa.array([large] * 2, pa.string_view()),
        "struct": pa.array([{"x": large, "y": 1}] * 2),
        "nulls": pa.FixedSizeListArray.from_arrays(pa.nulls(2 * count), count),
        "numbers": pa.ListArray.from_arrays([0, 5, count], np.zeros(count, np.int8)),
        "several": pa.array([{"x": "x" * 15_000_000, "y": "y" * 15_000_000}] * 2),
    }
    paths = []
    for name, column in columns.items():
        more = {"note": ["kept", "too"], "extra": column}
        if name == "several":
            more |= {f"extra{number}": column for number in range(4)}
        table = _table(**more)
        paths.append(tmp_path / f"{name}.arrow")
        codec = "lz4" if name == "texts" else "zstd"
        options = pa.ipc.IpcWriteOptions(compression=codec)
        create = pa.ipc.new_file if is_file else pa.ipc.new_stream
        with create(str(paths[-1]), table.schema, options=options) as writer:
            writer.write_table(table)
    *items, megabytes = map(int, python(_READ, *paths).split())
    assert items == [2] * len(columns)
    assert megabytes < 130, "what a single column of long values may hold, twice"
    manifest = read_manifest(paths[0])
    assert [pair.meta["note"] for pair in manifest.pairs] == ["kept", "too"]


def test_a_compressed_column_that_is_needed_is_refused_before_it_is_unpacked(
    tmp_path: Path,
) -> None:
    """Also where only the stated length of a buffer is large, and that is false."""
    path = tmp_path / "data.arrow"
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    table = _table(instruction=["x" * _LARGE] * 2)
    with pa.ipc.new_stream(str(path), table.schema, options=options) as writer:
        writer.write_table(table)
    with pytest.raises(InputError, match="'instruction' holds 80 MB a row; at most 67"):
        read_manifest(path)
    begin = bytes.fromhex("28b52ffd")  # of what zstd packs
    stated = (2 * _LARGE).to_bytes(8, "little") + begin
    data = path.read_bytes()
    assert data.count(stated) == 1
    path.write_bytes(data.replace(stated, (1 << 50).to_bytes(8, "little") + begin))
    with pytest.raises(InputError, match="'instruction' holds 562949953 MB a row"):
        read_manifest(path)


@pytest.mark.parametrize("megabytes", [50, 140, 600])
def test_compressed_dictionaries_are_bounded_for_they_are_always_unpacked(
    tmp_path: Path, megabytes: int
) -> None:
    path = tmp_path / "data.arrow"
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    half = megabytes * 500_000
    places = pa.array([0, 1], pa.int8())
    shared = pa.array(["x" * half, "y" * half])
    table = _table(extra=pa.DictionaryArray.from_arrays(places, shared))
    with pa.ipc.new_stream(str(path), table.schema, options=options) as writer:
        writer.write_table(table)
    if megabytes == 50:
        assert len(read_manifest(path).items) == 2
        return
    with pytest.raises(InputError, match=f"{megabytes} MB once it is unpacked"):
        read_manifest(path)


def test_the_headers_of_every_type_are_understood(tmp_path: Path) -> None:
    texts = pa.array(["x", "y" * 40])
    coded, tags = texts.dictionary_encode(), pa.array([0, 1], pa.int8())
    columns = {
        "null": pa.nulls(2),
        "view": texts.cast(pa.string_view()),
        "views": pa.ListArray.from_arrays([0, 1, 2], texts.cast(pa.string_view())),
        "list_view": pa.array([[1, 2], [3]], pa.list_view(pa.int8())),
        "fixed": pa.array([[1, 2], [3, 4]], pa.list_(pa.int8(), 2)),
        "map": pa.array([[("a", 1)], []], pa.map_(pa.string(), pa.int8())),
        "union": pa.UnionArray.from_sparse(tags, [pa.array([1, 2]), texts]),
        "dense": pa.UnionArray.from_dense(
            tags, pa.array([0, 1], pa.int32()), [pa.array([1]), texts]
        ),
        "runs": pa.RunEndEncodedArray.from_arrays([1, 2], texts),
        "coded": coded,
        "coded_list": pa.ListArray.from_arrays([0, 1, 2], coded),
        "tensor": pa.FixedShapeTensorArray.from_numpy_ndarray(np.zeros((2, 2, 2))),
        "decimal": pa.array([1, None], pa.decimal128(5)),
    }
    table = _table(**columns)
    old, new = pa.ipc.MetadataVersion.V4, pa.ipc.MetadataVersion.V5
    for version, codec in [(old, None), (new, None), (new, "lz4"), (new, "zstd")]:
        path = tmp_path / "data.arrow"
        options = pa.ipc.IpcWriteOptions(metadata_version=version, compression=codec)
        with pa.ipc.new_stream(str(path), table.schema, options=options) as writer:
            writer.write_table(table)
        meta = read_manifest(path).pairs[1].meta
        assert meta["view"] == meta["coded"] == meta["dense"] == "y" * 40
        assert meta["list_view"] == [3]
