from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from extractors import device
from extractors.device import loaded, release, resolve, torch_problem
from extractors.model_backed import GPU_BATCH
from extractors.voices import EcapaExtractor
from tests.support.processes import python


def test_auto_is_the_cpu_without_a_gpu() -> None:
    assert resolve("whisper", "auto") == "cpu"
    assert resolve("whisper", "cpu") == "cpu"


@pytest.mark.gpu
def test_on_a_gpu_every_path_says_what_the_cpu_says() -> None:
    from benchmarks.devices import TOLERANCES, measured

    assert resolve("whisper", "auto") == "cuda:0"
    rows = measured("cuda:0", [name for name in TOLERANCES if name != "faster-whisper"])
    assert len(rows) == 2 * (len(TOLERANCES) - 1)
    assert [row for row in rows if not row.within] == []


@pytest.mark.parametrize("name", ["cuda:99", "cuda:7"])
def test_a_gpu_that_is_not_there_is_refused(name: str) -> None:
    with pytest.raises(
        UserError, match=f"whisper: device '{name}', but .*; use auto or cpu"
    ):
        resolve("whisper", name)


def test_a_model_is_made_once_and_not_kept_when_that_fails() -> None:
    devices: list[int] = []

    def make() -> int:
        devices.append(1)
        if len(devices) == 1:
            raise UserError("damaged")
        return len(devices)

    with pytest.raises(UserError, match="damaged"):
        loaded("key", make)
    assert [loaded("key", make), loaded("key", make)] == [2, 2]
    release("key")
    release("key")
    assert device._MODELS == {}


def test_the_installed_pair_goes_together() -> None:
    assert torch_problem() is None


def test_a_pair_that_does_not_is_named_with_the_command(tmp_path: Path) -> None:
    # What an import says when the two were built against different CUDA libraries.
    (tmp_path / "torchaudio").mkdir()
    (tmp_path / "torchaudio" / "__init__.py").write_text(
        'raise OSError("libcudart.so.13: cannot open shared object file")\n'
    )
    told = python(
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from extractors.device import torch_problem\n"
        "sys.stdout.write(str(torch_problem()))"
    )
    assert "does not load beside torch" in told
    assert "libcudart.so.13" in told
    assert told.endswith("run: pip install torch==2.11.0 torchaudio==2.11.0")


@pytest.mark.parametrize(
    ("options", "size"),
    [
        ({"device": "cpu"}, 1),
        ({"device": "cuda:7"}, GPU_BATCH),  # whether it is there, loading says
        ({"device": "cuda:7", "batch": 3}, 3),
        ({"device": "cpu", "batch": 16}, 16),
    ],
)
def test_a_batch_is_as_given_or_by_device(options: dict[str, Any], size: int) -> None:
    told = python(
        "import sys; from extractors.whisper import WhisperExtractor\n"
        f"print(WhisperExtractor(**{options!r}).batch_size, 'torch' in sys.modules)"
    )
    assert told == f"{size} False\n"


def test_a_batch_changes_neither_key_nor_record(accent_folder: Path) -> None:
    one, many = (
        EcapaExtractor(model=str(accent_folder), batch=batch) for batch in (1, 8)
    )
    assert one.provenance() == many.provenance()
    assert one.opened() is many.opened()
    assert pickle.loads(pickle.dumps(many)).batch_size == 8


@pytest.mark.parametrize(("gpus", "batch"), [(0, 1), (2, GPU_BATCH)])
def test_a_batch_by_the_device_that_is_found(
    gpus: int, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "gpu_count", lambda: gpus)
    assert EcapaExtractor().batch_size == batch


def test_a_torch_that_does_not_load_does_not_raise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken() -> int:
        raise OSError("libcudart.so.13: cannot open shared object file")

    monkeypatch.setattr(device, "gpu_count", broken)
    assert EcapaExtractor().batch_size == 1


@pytest.mark.parametrize("batch", [0, -3])
def test_a_batch_holds_a_clip(batch: int) -> None:
    with pytest.raises(UserError, match=f"ecapa: batch {batch}; give 1 or more"):
        EcapaExtractor(batch=batch)
