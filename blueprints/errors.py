"""The error that is printed without a traceback, and late imports that end in it."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any

from blueprints.distribution import install_line

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class UserError(ValueError):
    """Something the user can mend: who, the offending value, and the remedy."""

    def _render_traceback_(self) -> list[str]:
        """Show IPython the message alone, under its kind's name, without frames."""
        kind = next(base for base in type(self).__mro__ if base.__module__ == __name__)
        return [f"{kind.__name__}: {self}"]


class InputError(UserError):
    """Input that cannot be read as what it should be: a file, table, label or URL."""


class RunFolderError(UserError):
    """A run folder or another file of ours: missing, damaged, in use or foreign."""


class DamagedFile(RunFolderError):
    """A file that this tool wrote and cannot read any more; the message names it."""


class JudgeError(UserError):
    """A judge that cannot be made: its name, options, model, key or weights fail."""


class ServerError(UserError):
    """A model server that brings no answer, so that no further call would either."""


class BudgetError(UserError):
    """A limit of spending that cannot be kept, because no price is known."""


class Advice(UserWarning):
    """Something works, but less well than it could, and one command mends it."""


def imported(entry: EntryPoint, what: str, kind: type[UserError] = UserError) -> Any:
    """Import what an installed package offers by an entry point.

    Args:
        what: calls it in the message, e.g. ``tracker 'mlflow'``.
        kind: of the error.

    Raises:
        UserError: the import fails, with whatever its code raises.
    """
    try:
        return entry.load()
    except Exception as error:
        raise kind(f"{what}: cannot import {entry.value} ({error})") from error


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
