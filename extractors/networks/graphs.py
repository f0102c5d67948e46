"""Graphs of packaged networks: built once, kept in the cache folder, loaded once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from blueprints import UserError
from extractors import packaged
from extractors.device import loaded, release
from extractors.kept import DIGITS, kept
from extractors.models import cache_folder
from extractors.sessions import open_session

if TYPE_CHECKING:
    import onnx

Build: TypeAlias = "Callable[[Path], onnx.ModelProto]"

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
    """Release the session of a network, if there is one."""
    release(_key(network, _DEVICE.get()))


def graph(network: str, build: Build, version: int) -> bytes:
    """Return the graph of a network, from the cache where it is there and undamaged.

    A graph's file is named after the files that it was built of. Where the cache cannot
    be written, it is built each time, which takes a fifth of a second.
    """
    if reason := packaged.problem(network):
        raise UserError(f"{network}: {reason}")
    folder = packaged.folder_of(network)
    assert folder is not None  # there is no problem
    prefix = f"{network}-{version}-{packaged.revision(network)[:DIGITS]}-"
    place = cache_folder() / "graphs"
    return kept(place, prefix, ".onnx", lambda: build(folder).SerializeToString())


def _key(network: str, device: str) -> tuple[str, ...]:
    return "packaged network", network, device


@contextmanager
def on(device: str) -> Iterator[None]:
    """Let networks of this thread run on a resolved device while the block runs."""
    before = _DEVICE.set(device)
    try:
        yield
    finally:
        _DEVICE.reset(before)
