"""Doors of packages whose rooms are entered when a name is first used.

``import trace_eval`` and ``trace-eval --help`` take no time that way, although a
package's names can be imported from the package itself. Names and homes stand once,
under ``if TYPE_CHECKING:`` of the package's ``__init__``, where type checkers read
them, too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def names_on_use(
    package: str, handed_out: Callable[[Any], Any] = lambda value: value
) -> Callable[[str], Any]:
    """Make a ``__getattr__`` for the package of this ``__name__``.

    It imports a name's module when the name is first asked for, and raises
    AttributeError for unknown names.

    Args:
        handed_out: makes of a name's value what the package hands out.
    """
    homes: dict[str, str] = {}

    def get(name: str) -> Any:
        if not homes:
            homes.update(_homes(package))
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = handed_out(getattr(import_module(homes[name]), name))
        setattr(sys.modules[package], name, value)
        return value

    return get


def _homes(package: str) -> dict[str, str]:
    """Map each name to its module, from the imports under ``if TYPE_CHECKING:``."""
    import ast  # a sixth of what ``import trace_eval`` would take

    spec = sys.modules[package].__spec__
    source = spec.loader.get_source(package)  # type: ignore[union-attr]
    homes: dict[str, str] = {}
    for branch in ast.parse(source).body:
        if not isinstance(branch, ast.If):
            continue
        if ast.unparse(branch.test) != "TYPE_CHECKING":
            continue
        for node in branch.body:
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    homes[alias.name] = node.module
    return homes
