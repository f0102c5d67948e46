"""``--json FILE`` and ``--quiet`` of every command.

The option is added to each command where the commands are looked up, and the command hands over
its result by :func:`give`; the document is made from the result's own type, whose schema
:mod:`trace_eval.commands.result_schemas` prints.
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

#: The file that was asked for; None: none, or it is written.
_WANTED: ContextVar[Path | None] = ContextVar("wanted", default=None)

#: The same, written or not.
_ASKED: ContextVar[Path | None] = ContextVar("asked", default=None)


def _keep(path: Path | None) -> None:
    _WANTED.set(path)
    _ASKED.set(path)


def wanted() -> Path | None:
    """The file that ``--json`` names and that is not written yet; None: none."""
    return _WANTED.get()


def _hush(quiet: bool) -> None:
    QUIET.set(quiet)


def _asked(
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json",
            callback=_keep,
            expose_value=False,
            help="Write the result to this JSON file; trace-eval schema COMMAND describes it.",
        ),
    ] = None,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            callback=_hush,
            expose_value=False,
            help="Print results and errors alone, without progress and warnings.",
        ),
    ] = False,
) -> None:
    raise AssertionError


def with_json(command: Any, name: str) -> Any:
    """A command, or a group with its commands, that takes ``--json`` and ``--quiet``.

    Args:
        command: of typer.
        name: as it is typed.
    """
    below = getattr(command, "commands", None)
    if below is not None:
        for inner in below.values():
            with_json(inner, f"{name} {inner.name}")
    elif name not in WITHOUT:
        app = typer.Typer(add_completion=False)
        app.command()(_asked)
        command.params += typer.main.get_command(app).params
        if name in COMMANDS:
            figures = typer.Typer(add_completion=False)
            figures.command()(figure_options)
            command.params += typer.main.get_command(figures).params
    return command


def give(result: Any, sentences: Sequence[str] | None = None) -> None:
    """Write a command's result if ``--json`` was given.

    Args:
        result: a dataclass, a pydantic model, or a list or mapping of them.
        sentences: what it comes to in words; written first.

    Raises:
        UserError: the file cannot be written.
    """
    path = _WANTED.get()
    if path is None:
        return
    from trace_eval.decide.answers import answered
    from trace_eval.show.records import write_json

    write_json(path, result if sentences is None else answered(result, sentences))
    _WANTED.set(None)


def wanted_json() -> Path | None:
    """The file of ``--json``; None: none was asked for."""
    return _ASKED.get()


def check_given() -> None:
    """Refuse ``--json``, ``--plot`` and ``--latex`` where a call came to nothing to write.

    Raises:
        UserError: a file was asked for and has not been written.
    """
    check_figures()
    if path := _WANTED.get():
        raise UserError(f"--json {path}: this call has no result to write; leave it out")
