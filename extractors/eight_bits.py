"""Weights of a packaged recogniser in 8-bit integers, made once and kept in our cache.

Packages have them in half precision. CTranslate2 makes integers of them whenever it
opens them, which takes a process three times as long as to read integers. Here the same
ones are made, to the last bit, and the folder that it opens is kept.
"""

from __future__ import annotations

import shutil
import struct
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blueprints import UserError
from extractors.kept import DIGITS, alone
from extractors.models import cache_folder, sha256_of

#: Version of CTranslate2's files that is understood here, and the file of the weights.
FORMAT, WEIGHTS = 6, "model.bin"

#: What CTranslate2 calls its kinds of numbers.
_KINDS: tuple[Any, ...] = (np.float32, np.int8, np.int16, np.int32, np.float16)
_FLOATS = (np.float32, np.float16)

#: The largest number that weights are scaled to.
_LARGEST = np.float32(127)

#: Raised whenever other files would be made.
_VERSION = 1


class _Variable(NamedTuple):
    name: bytes  # a zero ends it
    values: npt.NDArray[Any]

    @property
    def is_weight(self) -> bool:
        """Whether CTranslate2 makes integers of it."""
        floats = self.values.dtype in _FLOATS and self.values.ndim == 2
        return floats and self.name.endswith(b"weight\0") and b"conv" not in self.name


class _Reader:
    """Reads what a file holds, from its start on."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def number(self, kind: str) -> int:
        """Read an integer of a size of :mod:`struct`."""
        [value] = struct.unpack(f"<{kind}", self.take(struct.calcsize(f"<{kind}")))
        return int(value)

    def take(self, size: int) -> bytes:
        """Read some bytes."""
        taken = self._content[self._at : self._at + size]
        if len(taken) < size:
            raise ValueError("the file ends early")
        self._at += size
        return taken

    def variable(self) -> _Variable:
        """Read a variable."""
        name = self.take(self.number("H"))
        shape = [self.number("I") for _ in range(self.number("B"))]
        kind = self.number("B")
        if kind >= len(_KINDS):
            raise ValueError(f"{name!r}: numbers of an unknown kind {kind}")
        data = self.take(self.number("I"))
        return _Variable(name, np.frombuffer(data, _KINDS[kind]).reshape(shape))

    def rest(self) -> bytes:
        """Return what was not read."""
        return self._content[self._at :]


def eight_bits(content: bytes) -> bytes:
    """Return a file of a Whisper model with integers for its weights.

    Raises:
        ValueError: it is none that is understood here.
    """
    reader = _Reader(content)
    version = reader.number("I")
    kind = reader.take(reader.number("H"))
    if version != FORMAT or kind != b"WhisperSpec\0":
        raise ValueError(f"a file of version {version} of {kind!r} is not understood")
    revision = reader.number("I")
    made: list[_Variable] = []
    for _ in range(reader.number("I")):
        made += _integers(reader.variable())
    head = struct.pack("<IH", version, len(kind)) + kind
    head += struct.pack("<II", revision, len(made))
    return b"".join([head, *map(_written, made), reader.rest()])


def _integers(variable: _Variable) -> Iterator[_Variable]:
    """Return a variable as it is, or a weight's integers and the scales of its rows."""
    if not variable.is_weight:
        yield variable
        return
    values = variable.values.astype(np.float32)
    largest = np.abs(values).max(axis=1)
    scales = np.ones_like(largest)
    np.divide(_LARGEST, largest, out=scales, where=largest > 0)
    integers = np.rint(values * scales[:, np.newaxis]).astype(np.int8)
    yield _Variable(variable.name, integers)
    yield _Variable(variable.name[:-1] + b"_scale\0", scales)


def _written(variable: _Variable) -> bytes:
    name, values = variable
    head = struct.pack("<H", len(name)) + name + struct.pack("<B", values.ndim)
    head += struct.pack(f"<{values.ndim}I", *values.shape)
    head += struct.pack("<BI", _KINDS.index(values.dtype.type), values.nbytes)
    return head + values.tobytes()


def kept_folder(folder: Path, names: Sequence[str], revision: str) -> Path:
    """Return a folder with a model's integers, made if need be; else the model's own.

    Its name says what its files hold, so one that was cut or changed is made again.

    Args:
        folder: of the model.
        names: its files.
        revision: the SHA-256 of these.
    """
    prefix = f"integers-{_VERSION}-{revision[:DIGITS]}-"
    try:
        place = cache_folder() / "weights"
        if found := _undamaged(place, prefix, names):
            return found
        with alone(place, "integers"):
            return _undamaged(place, prefix, names) or _make(
                place, prefix, folder=folder, names=names
            )
    except (OSError, ValueError, UserError):  # such as a user without a home folder
        return folder


def _undamaged(place: Path, prefix: str, names: Sequence[str]) -> Path | None:
    """Return the folder whose files are as its name says; remove others."""
    for found in sorted(place.glob(f"{prefix}*")):
        try:
            digest = sha256_of([found / name for name in names])
        except OSError:
            digest = ""
        if found.name == prefix + digest[:DIGITS]:
            return found
        shutil.rmtree(found, ignore_errors=True)
    return None


def _make(place: Path, prefix: str, folder: Path, names: Sequence[str]) -> Path:
    """Write a folder beside its place and rename it: others never see half of it."""
    integers = eight_bits((folder / WEIGHTS).read_bytes())
    with tempfile.TemporaryDirectory(dir=place, prefix=".") as holder:
        made = Path(holder, "made")
        made.mkdir()
        for name in names:
            if name == WEIGHTS:
                (made / name).write_bytes(integers)
            else:
                shutil.copyfile(folder / name, made / name)
        kept = place / (prefix + sha256_of([made / name for name in names])[:DIGITS])
        return made.rename(kept)
