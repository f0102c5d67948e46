"""Tiny checkpoints in the real formats, made once; and no network for anybody."""

from __future__ import annotations

import random
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from extractors.base import Extractor
from tests.support.model_parts import SENTENCE
from tests.support.netguard import refuse_network

PACKAGES = ("torch", "torchaudio", "whisper", "funasr", "speechbrain")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything here; without the extra, say so once per test."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    here = Path(__file__).parent
    for item in items:
        if here not in item.path.parents:
            continue
        item.add_marker(pytest.mark.models)
        if missing:
            reason = f"{', '.join(missing)} not installed; run: make test-models"
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(autouse=True)
def attempts(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[str]]:
    """Record connections that a test tries, and fail on any; hub caches are empty."""
    home = tmp_path_factory.mktemp("hub")
    for name in ("XDG_CACHE_HOME", "MODELSCOPE_CACHE", "HF_HOME", "HF_HUB_CACHE"):
        monkeypatch.setenv(name, str(home / name))
    tried = refuse_network(monkeypatch)
    yield tried
    assert tried == []


@pytest.fixture(autouse=True)
def _device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Show a GPU to its own tests alone; exact values are then equal everywhere."""
    if request.node.get_closest_marker("gpu") is None:
        monkeypatch.setattr("extractors.device.gpu_count", lambda: 0)
        monkeypatch.setenv(
            "CUDA_VISIBLE_DEVICES", ""
        )  # for the processes that a test starts
        return
    import torch

    if not torch.cuda.is_available():
        pytest.skip("no CUDA device here")


@pytest.fixture(autouse=True)
def _release() -> Iterator[None]:
    """No test sees a model that another one loaded."""
    from extractors import device

    yield
    device._MODELS.clear()


@pytest.fixture(autouse=True)
def _seed() -> None:
    """Seed the generators anew: tests must not lean on them."""
    random.seed()


@pytest.fixture(scope="session")
def whisper_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a Whisper checkpoint that hears :data:`SENTENCE` in everything."""
    from tests.support.tiny_whisper import write_whisper

    return write_whisper(
        tmp_path_factory.mktemp("whisper") / "tiny-sentence.pt", SENTENCE
    )


@pytest.fixture(scope="session")
def emotion_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write an emotion2vec folder that hears happiness in everything."""
    from tests.support.tiny_emotion2vec import write_emotion2vec

    return write_emotion2vec(tmp_path_factory.mktemp("emotion") / "happy")


@pytest.fixture(scope="session")
def accent_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write an ECAPA folder of random weights, its accents in alphabetical order."""
    from tests.support.tiny_ecapa import write_ecapa

    return write_ecapa(tmp_path_factory.mktemp("accent") / "alphabetical")


@pytest.fixture(params=["whisper", "emotion2vec", "ecapa"])
def extractor(
    request: pytest.FixtureRequest,
    whisper_file: Path,
    emotion_folder: Path,
    accent_folder: Path,
) -> Extractor:
    """Each extractor with a model, on the tiny one."""
    from extractors import registry

    models = {
        "whisper": whisper_file,
        "emotion2vec": emotion_folder,
        "ecapa": accent_folder,
    }
    return registry.create(f"{request.param}:{models[request.param]}")
