from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from blueprints import UserError
from extractors import device, packaged, registry
from extractors.catalogue import CATALOGUE
from extractors.fetch import fetch, list_models, published_sha256, verify
from trace_eval.commands.models import app


@pytest.fixture
def nothing_packaged(monkeypatch: pytest.MonkeyPatch) -> None:
    """No weights come with a Python package, whatever is installed here."""
    monkeypatch.setattr(packaged, "_folder", lambda _: None)


def test_every_profile_model_is_in_the_catalogue() -> None:
    named = {
        spec for profile in registry.PROFILES.values() for spec in profile.values()
    }
    packaged = {
        "dnsmos:reference"
    }  # another reading of networks that a package carries
    fetched = {spec for spec in named if ":" in spec} - packaged
    assert fetched <= {known.spec for known in CATALOGUE}


@pytest.mark.usefixtures("nothing_packaged")
def test_listing_contacts_nobody_and_finds_what_is_here(
    whisper_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert all(row.path is None for row in list_models())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "whisper").mkdir()
    shutil.copy(whisper_file, tmp_path / "whisper" / "base.pt")
    (found,) = [row for row in list_models() if row.path]
    assert found.model.spec == "whisper:base"
    assert found.size == whisper_file.stat().st_size
    shown = CliRunner().invoke(app, ["list"])
    assert shown.exit_code == 0
    assert "whisper:base" in shown.output


def test_verify_loads_the_model(
    whisper_file: Path, emotion_folder: Path, accent_folder: Path
) -> None:
    specs = [
        f"whisper:{whisper_file}",
        f"emotion2vec:{emotion_folder}",
        f"ecapa:{accent_folder}",
    ]
    states = verify(specs)
    assert [row.ok for row in states] == [True] * 3
    assert all("0 of" in row.detail for row in states), "nobody published these"
    assert device._MODELS == {}


@pytest.mark.usefixtures("nothing_packaged")
def test_verify_tells_what_is_wrong(
    whisper_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = tmp_path / "cut.pt"
    cut.write_bytes(whisper_file.read_bytes()[:1000])
    (found,) = verify([f"whisper:{cut}"])
    assert not found.ok
    assert str(cut) in found.detail
    # Under the name of a published model, its hash is known.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "whisper").mkdir()
    shutil.copy(whisper_file, tmp_path / "whisper" / "base.pt")
    (found,) = verify()
    assert not found.ok
    assert "is not what was published" in found.detail
    done = CliRunner().invoke(app, ["verify"])
    assert done.exit_code == 1
    (found,) = verify(["whisper:small"])
    assert "run: trace-eval models fetch whisper:small" in found.detail


def test_the_hugging_face_cache_names_files_by_their_hash(tmp_path: Path) -> None:
    blob = tmp_path / ("a" * 64)
    blob.write_text("content")
    link = tmp_path / "model.ckpt"
    link.symlink_to(blob)
    assert published_sha256(link) == "a" * 64
    assert published_sha256(blob) is None


def test_what_is_here_is_not_fetched(whisper_file: Path) -> None:
    assert fetch(f"whisper:{whisper_file}") == whisper_file


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("whisper:gigantic", "model 'gigantic' is unknown; use one of tiny.en"),
        ("whisper:./nowhere.pt", "a path is not fetched"),
        ("praat", "has no model to fetch"),
    ],
)
def test_what_cannot_be_fetched(spec: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        fetch(spec)


@pytest.mark.parametrize(
    "spec", ["whisper:tiny", "ecapa:Jzuluaga/accent-id-commonaccent_ecapa"]
)
def test_without_a_network_fetch_says_so(spec: str, attempts: list[str]) -> None:
    with pytest.raises(UserError, match=f"{spec}: cannot be fetched"):
        fetch(spec)
    assert attempts, "only fetch may try"
    attempts.clear()


@pytest.mark.filterwarnings("ignore:.*checksum does not match")
def test_half_a_download_is_fetched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attempts: list[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "whisper").mkdir()
    (tmp_path / "whisper" / "tiny.pt").write_bytes(b"half")
    with pytest.raises(UserError, match="cannot be fetched"):
        fetch("whisper:tiny")
    assert attempts
    attempts.clear()


def test_offline_mode_is_honoured(
    attempts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(UserError, match="cannot be fetched"):
        fetch("ecapa:Jzuluaga/accent-id-commonaccent_ecapa")
    assert attempts == []
