"""Torch files that are written without torch, as ``torch.save`` lays them out."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

#: numpy's kinds of numbers and torch's names of them.
_STORAGES = {
    "float32": "FloatStorage",
    "float64": "DoubleStorage",
    "int64": "LongStorage",
}


def write_torch(path: Path, content: Mapping[str, Any]) -> Path:
    """Write arrays and mappings of arrays; return the path."""
    storages: list[bytes] = []
    program = b"\x80\x02" + _mapping(content, storages) + b"."
    return write_program(path, program, storages)


def write_program(
    path: Path, program: bytes, storages: list[bytes] | None = None
) -> Path:
    """Write a torch file with any pickle in it; return the path."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", program)
        for number, storage in enumerate(storages or []):
            archive.writestr(f"archive/data/{number}", storage)
    return path


def tensor(
    storage: str, key: str, offset: int, shape: tuple[int, ...], size: int
) -> bytes:
    """Return the instructions that build a tensor whose rows lie together."""
    strides = tuple(int(np.prod(shape[axis + 1 :])) for axis in range(len(shape)))
    reference = (
        _text("storage") + f"ctorch\n{storage}\n".encode() + _text(key) + _text("cpu")
    )
    return (
        b"ctorch._utils\n_rebuild_tensor_v2\n(("
        + reference
        + _whole(size)
        + b"tQ"
        + _whole(offset)
        + _tuple(shape)
        + _tuple(strides)
        + b"\x89ccollections\nOrderedDict\n)RtR"
    )


def _mapping(content: Mapping[str, Any], storages: list[bytes]) -> bytes:
    parts = []
    for name, value in content.items():
        if isinstance(value, Mapping):
            parts.append(_text(name) + _mapping(value, storages))
            continue
        array = np.ascontiguousarray(value)
        key, size = str(len(storages)), array.size
        storages.append(array.tobytes())
        kind = _STORAGES[array.dtype.name]
        parts.append(_text(name) + tensor(kind, key, 0, np.shape(value), size))
    return b"}(" + b"".join(parts) + b"u"


def _text(text: str) -> bytes:
    encoded = text.encode()
    return b"X" + struct.pack("<I", len(encoded)) + encoded


def _whole(number: int) -> bytes:
    return b"J" + struct.pack("<i", number)


def _tuple(numbers: tuple[int, ...]) -> bytes:
    return b"(" + b"".join(map(_whole, numbers)) + b"t"
