"""``trace-eval``: the commands. Each parses, calls one library function, and prints.

However one fails, it prints one line and ends with an exit code of ``console``.
"""

from __future__ import annotations

import linecache
import os
import re
import shlex
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from blueprints import DISTRIBUTION, SCRIPT, DamagedFile, UserError
from blueprints.distribution import __version__
from trace_eval.commands.console import (
    EXIT_BUG,
    EXIT_CLOSED,
    EXIT_DAMAGED,
    EXIT_USAGE,
    advice_shown,
    complain,
    results,
)
from trace_eval.commands.known_options import with_known_options
from trace_eval.commands.listing import FIRST, GROUPS, ImportedOnUse, in_words, listed
from trace_eval.commands.result_files import check_written
from trace_eval.commands.stopping import leave_quietly, stopped, was_stopped
from trace_eval.data.access import UrlAccess, set_url_access
from trace_eval.data.files import is_folder
from trace_eval.data.urls import names_secret, redacted

#: Set by ``--debug``: exceptions are not caught.
DEBUG: ContextVar[bool] = ContextVar("debug", default=False)

#: Commands that had options of a draw, while their intervals were resampled.
_ONCE_DRAWN = ("agree", "compare", "gate", "turns", "card", "ablate", "plan")

#: Words of the parser's message about a second input.
_EXTRA = "unexpected extra argument"


class Commands(TyperGroup):
    """The commands, imported when they are used and ended by :func:`ended`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = ImportedOnUse()
        self._lists = self._lists_all = False

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run the command line; what stops it between two commands is a line, too."""
        try:
            return super().main(*args, **settings)
        except SystemExit as error:
            left = error.__context__
            if isinstance(left, typer.Exit) and left.__cause__ is not None:
                sys.exit(_say_stopped())  # a bare code, made of Ctrl-C
            raise

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read ``help``, ``help all`` and ``help COMMAND`` as ``--help``."""
        if args[:1] == ["help"]:
            self._lists_all = args[1:] == ["all"]
            named = [] if self._lists_all else args[1:]
            args = [*named, "--help"]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        """List the names in the order of the help page, whose first one shows a few."""
        if self._lists and not self._lists_all:
            return list(GROUPS[FIRST])
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a name, or what the help page shows of it."""
        return listed(cmd_name) if self._lists else super().get_command(ctx, cmd_name)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options before a command, their types in words."""
        return in_words(super().get_params(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help page without importing any command."""
        self._lists = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._lists = self._lists_all = False

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named; what its options set does not outlive it."""
        return copy_context().run(self._invoke, ctx)

    def _invoke(self, ctx: Any) -> Any:
        with ended():
            try:
                done = super().invoke(ctx)
                check_written()
                return done
            except typer.TyperException as error:
                _refuse_misplaced(error)
                raise
            except UserError as error:
                command = self.get_command(ctx, ctx.invoked_subcommand or "")
                error.args = (with_known_options(str(error), command), *error.args[1:])
                raise


def _refuse_misplaced(error: Exception) -> None:
    """Say what to type in place of an option or input that a command does not take."""
    option = getattr(error, "option_name", None)
    context = getattr(error, "ctx", None)
    if not context:
        return
    if context.command.name in ("judge", "rate") and _EXTRA in str(error):
        _refuse_second_input(context, str(error))
    if option:
        _refuse_typed_alone(context.command, option)
    if context.command.name in _ONCE_DRAWN and option in ("--resamples", "--seed"):
        raise UserError(
            f"{option}: the intervals of {context.command.name} are computed and no"
            f" longer resampled; leave {option} out"
        ) from None


def _refuse_second_input(context: Any, message: str) -> None:
    """Name the options of two folders, where two inputs were typed."""
    one = context.params.get("items")
    two = message.rpartition("(")[2].rstrip(")")
    second = two if is_folder(Path(two)) else two.split()[0]  # words are joined there
    raise UserError(
        f"{one} {two}: there is one input; two folders of recordings are --a"
        f" {shlex.quote(str(one))} --b {shlex.quote(second)}"
    ) from None


def _refuse_typed_alone(command: Any, option: str) -> None:
    """Say where an option of the judge or of extraction goes."""
    from trace_eval.extracting.options import ExtractOptions
    from trace_eval.judges.options.judge_options import FIELDS, STATE

    taken = {name for parameter in command.params for name in parameter.opts}
    name = option.removeprefix("--").replace("-", "_")
    places = {
        "-J": FIELDS - STATE,
        "-X": {field.name for field in fields(ExtractOptions)},
    }
    for flag, names in places.items():
        if flag in taken and name in names:
            raise UserError(
                f"{option}: belongs to {flag}; write {flag} {name}=VALUE"
            ) from None


@contextmanager
def ended() -> Iterator[None]:
    """Turn every way in which a command can fail into a line and an exit code."""
    try:
        yield
        if sys.stdout:
            sys.stdout.flush()  # here, where a closed pipe can still be told from a bug
    except BrokenPipeError:
        with suppress(
            OSError, ValueError
        ):  # Python's own flush at exit shall write to nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(EXIT_CLOSED) from None
    except (typer.Exit, typer.Abort):
        raise
    except KeyboardInterrupt:
        raise typer.Exit(_say_stopped()) from None
    except Exception as error:
        if was_stopped(error):
            raise typer.Exit(_say_stopped()) from None
        if DEBUG.get() or isinstance(error, typer.TyperException):
            raise
        text, code = _ending(error)
        complain(text)
        raise typer.Exit(code) from None


def _say_stopped() -> int:
    """Say how a command was stopped, and return its exit code."""
    leave_quietly()  # a second one has nothing to add
    how, code = stopped()
    complain(how)
    return code


def _ending(error: Exception) -> tuple[str, int]:
    """Return the line that is printed for an error, and the exit code."""
    name = f"{type(error).__name__}: {error}".rstrip(": ")
    if isinstance(error, DamagedFile):
        return str(error), EXIT_DAMAGED
    if isinstance(error, UserError):
        return str(error), EXIT_USAGE
    if isinstance(error, FileNotFoundError) and not _has_working_folder():
        return (
            "the folder in which this was typed is gone; change into another one",
            EXIT_USAGE,
        )
    if isinstance(error, RuntimeError) and "Symlink loop" in str(error):
        return f"{error}: links go in a circle; name another path", EXIT_USAGE
    if isinstance(error, RuntimeError) and "home directory" in str(error):
        return f"{error}; set HOME=DIR to a folder that can be written", EXIT_USAGE
    if isinstance(error, MemoryError):
        text = (
            "there is not enough memory; free some, or split the input, then run the"
            " same command again"
        )
        return text, EXIT_USAGE
    if isinstance(error, OSError):
        # Standard output and temporary files have no name.
        place = error.filename or "standard output or a temporary file"
        why = error.strerror or str(error) or name
        text = f"{place}: {why}; mend that, then run the same command again"
        return text, EXIT_USAGE
    if _is_of_database(error):
        text = (
            f"a database cannot be used ({error}); restore it, or name another folder"
        )
        return text, EXIT_DAMAGED
    if isinstance(error, ValueError) and "surrogates not allowed" in str(error):
        text = (
            "a file or folder has a name that is not UTF-8, and no record can hold it;"
            " rename it"
        )
        return text, EXIT_USAGE
    if variable := _unread_variable(error):
        value = redacted(os.environ[variable])[:40]
        shown = "set to a secret" if names_secret(variable) else repr(value)
        text = (
            f"the environment variable {variable} is {shown}, which a library cannot"
            f" read ({name}); unset it, or give it a value that the library knows"
        )
        return text, EXIT_USAGE
    text = (
        f"this is a bug ({name}); trace-eval --debug COMMAND ... prints where, please"
        " report it"
    )
    return text, EXIT_BUG


#: How a variable of the environment is read in Python.
_READS_VARIABLE = re.compile(r"(?:\benviron\W+(?:get\W+)?|\bgetenv\W+)(\w+)")

#: Lines of a library above the one that failed in which a variable may be read.
_LINES_ABOVE = 3


def _unread_variable(error: Exception) -> str | None:
    """Return the environment variable whose value a library failed to read.

    What fails while a library is imported may be read anywhere above in its file.
    """
    if not isinstance(error, ValueError | OverflowError | TypeError):
        return None
    frame = traceback.extract_tb(error.__traceback__)[-1]
    if Path(frame.filename).is_relative_to(Path(__file__).parents[1]):
        return None
    last = frame.lineno or 1
    first = 0 if frame.name == "<module>" else max(last - 1 - _LINES_ABOVE, 0)
    lines = linecache.getlines(frame.filename)[first:last]
    names = _READS_VARIABLE.findall("".join(lines))
    return next((name for name in reversed(names) if name in os.environ), None)


def _is_of_database(error: Exception) -> bool:
    """Tell whether SQLite raised an error; without SQLite in use it has not."""
    sqlite3 = sys.modules.get("sqlite3")
    return sqlite3 is not None and isinstance(error, sqlite3.DatabaseError)


def _has_working_folder() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True


def prepare_streams() -> None:
    """Make streams that are closed or cannot show every character harmless."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115, PTH123 - for good
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


app = typer.Typer(
    name="trace-eval",
    cls=Commands,
    help="Judge spoken answers of voice assistants by textual reasoning over audio cues.",
    epilog="All commands: trace-eval help all. One command: trace-eval help COMMAND.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
)

#: Printed by a bare ``trace-eval``.
_START = """\
trace-eval judges pairs of spoken answers. Begin with:

  trace-eval doctor                            what can run here, and what is missing
  trace-eval judge PAIRS.jsonl --out run       judge pairs (PAIRS: id, instruction, a, b)
  trace-eval judge --a DIR --b DIR --out run   the same of two folders of recordings
  trace-eval report run                        read, hear and search the run
  trace-eval rank run                          which system is better, as far as that is shown
  trace-eval agree run --labels LABELS         compare with human labels

More: trace-eval help. All commands: trace-eval help all. One: trace-eval help COMMAND."""


@app.callback()
def _everywhere(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Print tracebacks instead of one line.")
    ] = False,
    raw_csv: Annotated[
        bool,
        typer.Option(
            "--raw-csv", help="Write cells such as =1+1 to CSV without an apostrophe."
        ),
    ] = False,
    allow_protocol: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Also open URLs of this protocol of fsspec, e.g. sftp; may be repeated.",
        ),
    ] = None,
    no_network: Annotated[
        bool,
        typer.Option("--no-network", help="Open no URL that leads off this machine."),
    ] = False,
) -> None:
    DEBUG.set(debug)
    if raw_csv:
        from trace_eval.data.csv_cells import RAW  # reads JSON, which is slow to import

        RAW.set(raw_csv)
    set_url_access(UrlAccess(allow_protocol or (), network=not no_network))
    if version:
        results().print(f"{SCRIPT} {__version__} ({DISTRIBUTION})", markup=False)
        raise typer.Exit
    if context.invoked_subcommand is None:
        results().print(_START, markup=False, highlight=False)


def main() -> None:
    """Run the command line, and leave with its exit code."""
    prepare_streams()
    if sys.flags.optimize > 1:
        complain(
            "Python leaves docstrings out, from which the options are read; leave -OO"
            " out, and set PYTHONOPTIMIZE=1, or unset it"
        )
        sys.exit(EXIT_USAGE)
    with advice_shown():
        app()
