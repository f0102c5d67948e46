"""The error that is printed without a traceback, and late imports that end in it."""

from __future__ import annotations

import importlib
from types import ModuleType

from blueprints.distribution import install_line


class UserError(ValueError):
    """Something the user can mend: who, the offending value, and the remedy."""

    def _render_traceback_(self) -> list[str]:
        """For IPython: the line alone, without our frames."""
        return [f"UserError: {self}"]


class Advice(UserWarning):
    """Something works, but less well than it could, and one command mends it."""


def require(module: str, package: str, extra: str, purpose: str) -> ModuleType:
    """Import an optional module late, or say how to get it.

    Args:
        module: import name.
        package: its distribution, as an installer knows it.
        extra: the extra of ours that brings it.
        purpose: what needs it, the subject of the message.

    Raises:
        UserError: its package is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise UserError(
            f"{purpose} needs the package {package}; run: {install_line(extra)}"
        ) from error
