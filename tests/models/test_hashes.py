from __future__ import annotations

import hashlib
import os
import pickle
from pathlib import Path

import pytest

from extractors import models
from extractors.models import file_sha256, known_hashes, prime_hashes


@pytest.fixture(autouse=True)
def _forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget all hashes, as in a new process."""
    monkeypatch.setattr(models, "_HASHES", {})


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_hashes_travel_and_spare_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.pt"
    path.write_bytes(b"weights")
    assert file_sha256(path) == sha256(b"weights")
    sent = pickle.dumps(known_hashes())
    # As in another process, where the file cannot even be read.
    monkeypatch.setattr(models, "_HASHES", {})
    monkeypatch.setattr(hashlib, "file_digest", None)
    prime_hashes(pickle.loads(sent))
    assert file_sha256(path) == sha256(b"weights")
    monkeypatch.chdir(tmp_path)
    assert file_sha256(Path("model.pt")) == sha256(b"weights")


def test_a_changed_file_is_hashed_again(tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    path.write_bytes(b"weights")
    file_sha256(path)
    sent = known_hashes()
    path.write_bytes(b"other weights")
    prime_hashes(sent)
    assert file_sha256(path) == sha256(b"other weights")
    # Of the same size, but another time.
    path.write_bytes(b"OTHER WEIGHTS")
    os.utime(path, ns=(1, 1))
    assert file_sha256(path) == sha256(b"OTHER WEIGHTS")


def test_what_is_handed_out_is_a_copy(tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    path.write_bytes(b"weights")
    file_sha256(path)
    known_hashes().clear()
    assert len(known_hashes()) == 1
