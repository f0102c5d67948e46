"""Graphs of packaged networks: built once, kept in the cache folder, loaded once."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import onnx

from blueprints import UserError
from extractors import packaged
from extractors.device import loaded, release
from extractors.models import cache_folder
from extractors.sessions import open_session

#: Digits of a hash in the name of a file.
_DIGITS = 16


Build = Callable[[Path], onnx.ModelProto]

_DEVICE = ContextVar("device of networks", default="cpu")


# onnxruntime has no types here, hence Any.
def session(network: str, build: Build, version: int) -> Any:
    """Return the onnxruntime session of a packaged network, one per process.

    Args:
        network: a name of :data:`extractors.packaged.SOURCES`.
        build: makes the graph of the folder with the package's files.
        version: of ``build``: raised whenever it would make another graph.

    Raises:
        UserError: the package is missing or damaged; says what to type.
    """
    device = _DEVICE.get()
    return loaded(
        _key(network, device),
        lambda: open_session(graph(network, build, version), device),
    )


def forget(network: str) -> None:
    """Release the session of a network; harmless where there is none."""
    release(_key(network, _DEVICE.get()))


def graph(network: str, build: Build, version: int) -> bytes:
    """Return the graph of a network, from the cache where it is there and undamaged.

    A graph's file is named after the files that it was built of and after its own
    content. Where the cache cannot be written, the graph is built each time.
    """
    if reason := packaged.problem(network):
        raise UserError(f"{network}: {reason}")
    folder = packaged.folder_of(network)
    assert folder is not None  # there is no problem
    origin = packaged.revision(network)[:_DIGITS]
    prefix = f"{network}-{version}-{origin}-"
    place = cache_folder() / "graphs"
    if (content := _cached(place, prefix)) is None:
        content = build(folder).SerializeToString()
        _keep(place, prefix, content)
    return content


def _key(network: str, device: str) -> tuple[str, ...]:
    return "packaged network", network, device


def _cached(place: Path, prefix: str) -> bytes | None:
    """Return the content of an undamaged file whose name begins so; remove others."""
    for path in sorted(place.glob(f"{prefix}*.onnx")):
        try:
            content = path.read_bytes()
        except OSError:
            continue
        if path.name == _name(prefix, content):
            return content
        path.unlink(missing_ok=True)
    return None


def _keep(place: Path, prefix: str, content: bytes) -> None:
    """Write a graph beside its place and rename it: others never see half of it."""
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place, prefix=".", delete=False) as file:
            file.write(content)
        Path(file.name).chmod(0o644)
        Path(file.name).replace(place / _name(prefix, content))
    except OSError:
        pass  # without a cache it is built again, which takes a fifth of a second


def _name(prefix: str, content: bytes) -> str:
    return f"{prefix}{hashlib.sha256(content).hexdigest()[:_DIGITS]}.onnx"


@contextmanager
def on(device: str) -> Iterator[None]:
    """Let networks of this thread run on a resolved device while the block runs."""
    before = _DEVICE.set(device)
    try:
        yield
    finally:
        _DEVICE.reset(before)
