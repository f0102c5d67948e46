"""``--json FILE`` and ``--quiet`` of every command.

The option is added to each command where the commands are looked up, and the command hands over
its result by :func:`give`; the document is made from the result's own type, whose schema
``trace-eval schema`` prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any

import typer

from blueprints import UserError
from trace_eval.commands.figures_option import COMMANDS, check_figures, figure_options

#: Commands without ``--json``, and why.
WITHOUT = {"schema": "what it prints is JSON"}

#: Set by ``--quiet``: neither progress nor warnings nor notes are printed.
QUIET: ContextVar[bool] = ContextVar("quiet", default=False)

#: The file that ``--json`` names; None: none.
_FILE: ContextVar[Path | None] = ContextVar("json_file", default=None)

#: Whether that file has been written.
_WRITTEN: ContextVar[bool] = ContextVar("json_written", default=False)


def json_file() -> Path | None:
    """The file that ``--json`` names, written or not; None: none."""
    return _FILE.get()


def _set_file(path: Path | None) -> None:
    _FILE.set(path)


def _set_quiet(quiet: bool) -> None:
    QUIET.set(quiet)


def _options(
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json",
            callback=_set_file,
            expose_value=False,
            help="Write the result to this JSON file; trace-eval schema COMMAND describes it.",
        ),
    ] = None,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            callback=_set_quiet,
            expose_value=False,
            help="Print results and errors alone, without progress and warnings.",
        ),
    ] = False,
) -> None:
    """The options alone; they are added to commands."""


def with_json(command: Any, name: str) -> Any:
    """A command, or a group with its commands, that takes ``--json`` and ``--quiet``."""
    below = getattr(command, "commands", None)
    if below is not None:
        for inner in below.values():
            with_json(inner, f"{name} {inner.name}")
    elif name not in WITHOUT:
        for options in (_options, figure_options) if name in COMMANDS else (_options,):
            app = typer.Typer(add_completion=False)
            app.command()(options)
            command.params += typer.main.get_command(app).params
    return command


def give(result: Any, sentences: Sequence[str] | None = None) -> None:
    """Write a command's result if ``--json`` was given.

    Args:
        result: a dataclass, a pydantic model, or a list or mapping of them.
        sentences: what it comes to in words; written first.

    Raises:
        UserError: the file cannot be written.
    """
    path = _FILE.get()
    if path is None:
        return
    from trace_eval.decide.answers import answered
    from trace_eval.show.records import write_json

    write_json(path, result if sentences is None else answered(result, sentences))
    _WRITTEN.set(True)


def check_written() -> None:
    """Refuse ``--json``, ``--plot`` and ``--latex`` where a call came to nothing to write.

    Raises:
        UserError: a file was asked for and has not been written.
    """
    check_figures()
    if (path := _FILE.get()) and not _WRITTEN.get():
        raise UserError(f"--json {path}: this call has no result to write; leave it out")
