from __future__ import annotations

from pathlib import Path

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
