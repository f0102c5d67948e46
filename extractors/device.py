"""Where a model runs, which models this process holds, and the state of torch."""

from __future__ import annotations

import gc
import re
import sys
import threading
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any

from blueprints import UserError, is_installed
from extractors.base import package_version

#: The pair of torch and torchaudio that is tested, and what to type to get it.
TORCH_PAIR = "2.11.0"
MEND_TORCH = f"pip install torch=={TORCH_PAIR} torchaudio=={TORCH_PAIR}"

_DEVICE = re.compile(r"^(auto|cpu|cuda(:\d+)?)$")


def check_device(name: str, device: str) -> None:
    """Refuse all but ``auto``, ``cpu``, ``cuda`` and ``cuda:N``; torch is not asked."""
    if not _DEVICE.match(device):
        raise UserError(
            f"{name}: device {device!r} is unknown; use auto, cpu, cuda or cuda:N"
        )


def resolve(name: str, device: str) -> str:
    """Return ``cpu`` or ``cuda:N``; ``auto`` is the first GPU where there is one.

    Raises:
        UserError: a GPU is asked for that is not there.
    """
    check_device(name, device)
    count = 0 if device == "cpu" else gpu_count()
    if device == "auto":
        return "cuda:0" if count else "cpu"
    if device == "cpu":
        return "cpu"
    index = int(device.partition(":")[2] or 0)
    if index >= count:
        there = f"there are {count} GPUs" if count else "no GPU can be used here"
        raise UserError(f"{name}: device {device!r}, but {there}; use auto or cpu")
    return f"cuda:{index}"


def gpu_count() -> int:
    """Count the GPUs that torch can use, or CTranslate2 where there is no torch."""
    if is_installed("torch"):
        import torch

        return int(torch.cuda.device_count()) if torch.cuda.is_available() else 0
    if is_installed("ctranslate2"):
        import ctranslate2

        return int(ctranslate2.get_cuda_device_count())
    return 0


def expects_gpu(device: str) -> bool:
    """Tell whether a model would run on a GPU, without raising.

    Torch is asked for ``auto`` only.
    """
    if device != "auto":
        return is_gpu(device)
    try:
        return gpu_count() > 0
    except Exception:  # a torch that does not load; opening the model says so
        return False


def is_gpu(device: str) -> bool:
    """Tell whether models run in half precision on a resolved device."""
    return device.startswith("cuda")


# --- models of this process -----------------------------------------------------------

_MODELS: dict[Hashable, Any] = {}
_LOCK = threading.RLock()


def loaded(key: Hashable, make: Callable[[], Any]) -> Any:
    """Return the process's only copy of a model, by name, files and device.

    What ``make`` raises passes through, and nothing is kept.
    """
    with _LOCK:
        if key not in _MODELS:
            _MODELS[key] = make()
        return _MODELS[key]


def release(key: Hashable) -> None:
    """Drop a model and free its memory, the GPU's too; harmless when not loaded."""
    with _LOCK:
        if _MODELS.pop(key, None) is None:
            return
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.empty_cache()


# --- torch and torchaudio -------------------------------------------------------------


@lru_cache(maxsize=1)
def torch_problem() -> str | None:
    """Say why torch and torchaudio do not go together, with the command that mends it.

    Version numbers do not tell: the two must be built against the same CUDA libraries,
    and only an import shows whether they are. None when both load, or neither is
    installed.
    """
    versions = {name: package_version(name) for name in ("torch", "torchaudio")}
    missing = [name for name in versions if not is_installed(name)]
    if len(missing) == 2:
        return None
    if not missing:
        try:
            import torchaudio  # noqa: F401
        except Exception as error:
            details = " ".join(str(error).split())[:120]
            return (
                f"torchaudio {versions['torchaudio']} does not load beside torch"
                f" {versions['torch']} ({details}); run: {MEND_TORCH}"
            )
        return None
    there = next(name for name in versions if name not in missing)
    return (
        f"{missing[0]} is missing beside {there} {versions[there]}; run: {MEND_TORCH}"
    )
