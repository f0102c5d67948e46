"""A model's name is a name: never a file or folder that happens to be called so."""

from __future__ import annotations

from pathlib import Path

import pytest

from blueprints import UserError
from extractors import default_asr, is_path
from extractors.faster_whisper import FasterWhisperExtractor
from extractors.models import model_folder, whisper_file
from trace_eval.judges.scorer.checkpoint import base_folder

NAMES = ("base", "tiny.en", "large-v3", "owner/name", "iic/emotion2vec_plus_large")


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working folder in which every model has a namesake with files in it."""
    for name in NAMES:
        folder = tmp_path / name
        folder.mkdir(parents=True)
        for file in ("model.bin", "config.json", "tokenizer.json"):
            (folder / file).write_text("{}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_of_that_name_is_not_the_model(name: str, folders: Path) -> None:
    assert not is_path(name)
    assert model_folder(name, ("config.json",)) is None
    assert whisper_file(name) is None


def test_the_default_recogniser_does_not_depend_on_the_working_folder(
    folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = default_asr.choose()
    monkeypatch.chdir("/")
    assert default_asr.choose() == here


def test_a_folder_is_taken_where_it_is_written_as_a_path(folders: Path) -> None:
    for written in ("./base", str(folders / "base"), "../" + folders.name + "/base"):
        assert is_path(written)
        assert model_folder(written, ("config.json",)) is not None


def test_the_message_says_how_the_folder_is_named(folders: Path) -> None:
    lacking = FasterWhisperExtractor(model="owner/name").unavailable()
    assert lacking is None or "write ./owner/name" in lacking
    with pytest.raises(UserError, match=r"write \./large-v3"):
        base_folder("large-v3")
