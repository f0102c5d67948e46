"""CUDA's libraries for CTranslate2, from wheels, and whether they can encode."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from blueprints import UserError, install_line
from extractors.weights import one_line

#: What CTranslate2 looks for by name when it first computes on a GPU, behind what that
#: needs, and the folder of the wheel ``nvidia-cublas-cu12`` that has both.
LIBRARIES, FOLDER = ("libcublasLt.so.12", "libcublas.so.12"), Path("cublas", "lib")


def preload() -> list[Path]:
    """Load the libraries that lie in wheels; returns which.

    The system looks for a library in its own folders and in ``LD_LIBRARY_PATH``, which
    it reads when a process starts, and never in Python's. One that is loaded already it
    finds by its name.
    """
    loaded = []
    spec = find_spec("nvidia")
    places = spec.submodule_search_locations if spec else None
    for place in places or ():
        for name in LIBRARIES:
            path = Path(place) / FOLDER / name
            if path.is_file():
                with suppress(OSError):  # CTranslate2 says what it lacks
                    ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
                    loaded.append(path)
    return loaded


def check_libraries(model: Any) -> None:
    """Encode silence: CTranslate2 looks for CUDA's libraries at its first pass only.

    Raises:
        UserError: they are missing, or the GPU cannot encode; else every clip would be
            without words.
    """
    bands = len(model.feature_extractor.mel_filters)
    try:
        model.encode(
            np.zeros((bands, model.feature_extractor.nb_max_frames), np.float32)
        )
    except RuntimeError as error:
        absent = "not found" in str(error)
        needed = (
            "it needs cuBLAS of CUDA 12, and torch may bring 13:"
            f" {install_line('gpu')}, or "
        )
        raise UserError(
            f"faster-whisper: the GPU cannot be used ({one_line(error)});"
            f" {needed if absent else ''}use -X device=cpu"
        ) from error
