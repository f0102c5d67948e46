"""Packages that another one imports and does not use here: imported when they are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any


class _OnUse(ModuleType):
    """Stands for a package until something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        return getattr(_imported(self), name)


@contextmanager
def on_use(package: str) -> Iterator[None]:
    """Let what is imported in the block get a package when it first uses it.

    Outside of the block the package is imported as always, also by another thread. One
    that is not there is missed as always, too.
    """
    if package in sys.modules or (spec := find_spec(package)) is None:
        yield
        return
    stand_in = _OnUse(package)
    stand_in.__spec__ = spec  # other packages ask by it whether this one is there
    if sys.modules.setdefault(package, stand_in) is not stand_in:
        yield  # another thread has just begun to import it
        return
    try:
        yield
    finally:
        _remove(stand_in)


def _imported(stand_in: _OnUse) -> ModuleType:
    _remove(stand_in)
    return import_module(stand_in.__name__)


def _remove(stand_in: _OnUse) -> None:
    """Make room for the package itself."""
    if sys.modules.get(stand_in.__name__) is stand_in:
        del sys.modules[stand_in.__name__]
