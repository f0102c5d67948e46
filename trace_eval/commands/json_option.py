"""``--json FILE`` and ``--quiet`` of every command, and the files that a call is to write yet.

The options are added to each command where the commands are looked up, and the command hands over
its result by :func:`give`; the document is made from the result's own type, whose schema
``trace-eval schema`` prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any

import typer

from blueprints import UserError

#: Set by ``--quiet``: neither progress nor warnings nor notes are printed.
QUIET: ContextVar[bool] = ContextVar("quiet", default=False)

#: Name of a parameter -> files that it names, as they were typed, and that are not written yet.
_UNWRITTEN: ContextVar[Mapping[str, list[str]]] = ContextVar("unwritten")


def unwritten() -> Mapping[str, list[str]]:
    """Name of a parameter -> files that it names and that are not written yet."""
    return _UNWRITTEN.get({})


def want(name: str, files: Iterable[object]) -> None:
    """Remember files that a call is to write."""
    _UNWRITTEN.set({**unwritten(), name: [*map(str, files)]})


def take(name: str) -> list[str]:
    """The files that a parameter names; their writer is the one who asks."""
    files = unwritten().get(name, [])
    want(name, ())
    return files


def _set_quiet(quiet: bool) -> None:
    QUIET.set(quiet)


def json_options(
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json",
            callback=lambda file: want("json_file", [file] if file else ()),
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


def give(result: Any, sentences: Sequence[str] | None = None) -> None:
    """Write a command's result if ``--json`` was given.

    Args:
        result: a dataclass, a pydantic model, or a list or mapping of them.
        sentences: what it comes to in words; written first.

    Raises:
        UserError: the file cannot be written.
    """
    for file in take("json_file"):
        from trace_eval.decide.answers import answered
        from trace_eval.show.records import write_json

        write_json(Path(file), result if sentences is None else answered(result, sentences))


def check_written() -> None:
    """Refuse ``--json``, ``--plot`` and ``--latex`` where a call came to nothing to write.

    Raises:
        UserError: a file was asked for and has not been written.
    """
    for name, files in unwritten().items():
        for file in files:
            option = f"--{name.partition('_')[0]}"
            raise UserError(f"{option} {file}: this call has nothing to write there; leave it out")
