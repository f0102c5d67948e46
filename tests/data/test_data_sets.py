"""Data sets of Hugging Face and data frames, read as the tables that they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.local import LocalFileSystem
from fsspec.registry import register_implementation

from blueprints import UserError
from tests.support.their_files import TABLES, recordings
from trace_eval.data.manifests import read_manifest
from trace_eval.data.sources import RecordTable


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return recordings(tmp_path)


def test_data_sets_of_hugging_face_are_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = TABLES["hub"](folder)
    whole = [pair.model_dump() for pair in read_manifest(hub).pairs]
    table = pa.parquet.read_table(next(hub.rglob("*.parquet")))
    saved = folder / "saved" / "train"
    saved.mkdir(parents=True)
    with pa.ipc.new_stream(saved / "data-00000-of-00001.arrow", table.schema) as writer:
        writer.write_table(table)
    state = {"_data_files": [{"filename": "data-00000-of-00001.arrow"}]}
    (saved / "state.json").write_text(json.dumps(state))
    (saved.parent / "dataset_dict.json").write_text('{"splits": ["train"]}')
    assert [pair.model_dump() for pair in read_manifest(saved.parent).pairs] == whole

    class Hub(DirFileSystem):
        protocol = "hf"

        def __init__(self, **_: Any) -> None:
            super().__init__(str(folder), LocalFileSystem())

        @classmethod
        def _strip_protocol(cls, path: Any) -> Any:
            return str(path).removeprefix("hf://datasets/me/").strip("/")

    register_implementation("hf", Hub, clobber=True)
    result = read_manifest("hf://datasets/me/hub")
    assert [pair.model_dump() for pair in result.pairs] == whole
    assert result.pairs[0].meta["split"] == "train"


def test_real_data_sets_and_data_frames_are_tables(folder: Path) -> None:
    path = TABLES["semicolons"](folder)
    whole = [p.id for p in read_manifest(path).pairs]
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(path, sep=";")
    frame.loc[1, "overall"] = None
    result = read_manifest(RecordTable.of(frame), audio_root=folder)
    assert [pair.id for pair in result.pairs] == whole
    assert result.pairs[1].labels is None
    datasets = pytest.importorskip("datasets")
    rows = [
        {
            "id": 1,
            "a": str(folder / "new/q1.wav"),
            "b": str(folder / "old/q1.wav"),
            "winner": 0,
        }
    ]
    dataset = datasets.Dataset.from_list(rows)
    dataset = dataset.cast_column("a", datasets.Audio()).cast_column(
        "b", datasets.Audio()
    )
    dataset = dataset.cast_column("winner", datasets.ClassLabel(names=["B", "A"]))
    dataset.save_to_disk(folder / "mine")
    for source in (RecordTable.of(dataset), folder / "mine"):
        (pair,) = read_manifest(source).pairs
        assert (pair.labels.preference, pair.id) == ("2", "1")
        assert pair.a.has_audio
    with pytest.raises(UserError, match="int is no table"):
        RecordTable.of(5)
