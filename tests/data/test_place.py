from __future__ import annotations

from pathlib import Path

import pytest

from blueprints import UserError
from trace_eval.data.place import Place

FILES = {"blueprints.jsonl": b"{}\n", "manifest.json": b"{}"}


def test_a_folder_comes_back_as_it_was_written(tmp_path: Path) -> None:
    place = Place(tmp_path / "out")
    place.write_folder("1", FILES, "manifest.json")
    assert place.read_folder("1", "manifest.json") == FILES


def test_what_a_lost_writer_left_of_a_folder_is_nothing(tmp_path: Path) -> None:
    place = Place(tmp_path / "out")
    assert place.read_folder("1", "manifest.json") == {}
    place.write("1/blueprints.jsonl", b"{}\n")
    assert place.read_folder("1", "manifest.json") == {}


def test_what_a_store_refuses_names_the_place_and_no_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("s3fs")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    place = Place("s3://KEY-OF-ONE:SeCrEt@bucket/run")
    asked = (
        lambda: place.listed("shards"),
        lambda: place.has("manifest.json"),
        lambda: place.write("manifest.json", b""),
        lambda: place.read("manifest.json"),
        lambda: place.remove("manifest.json"),
    )
    for ask in asked:
        with pytest.raises(
            UserError, match="s3://bucket/run: the store refused"
        ) as told:
            ask()
        assert "SeCrEt" not in str(told.value)
        assert "KEY-OF-ONE" not in str(told.value)
    for nowhere in ("s3://", "s3:///shards"):
        with pytest.raises(UserError, match="names no bucket"):
            Place(nowhere)
