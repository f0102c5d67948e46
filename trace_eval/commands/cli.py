"""``trace-eval``: the commands. Each parses, calls one library function, and prints."""

from __future__ import annotations

import signal
from typing import Annotated

import typer

from blueprints import DISTRIBUTION, SCRIPT
from blueprints.distribution import __version__
from trace_eval.commands.console import end_on_sigterm, results, show_advice
from trace_eval.commands.exit_codes import DEBUG, Commands, prepare_streams
from trace_eval.data.access import UrlAccess, set_url_access
from trace_eval.data.csv_cells import RAW

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
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Print tracebacks instead of one line.")
    ] = False,
    raw_csv: Annotated[
        bool,
        typer.Option("--raw-csv", help="Write cells such as =1+1 to CSV without an apostrophe."),
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
    RAW.set(raw_csv)
    set_url_access(UrlAccess(allow_protocol or (), network=not no_network))
    if version:
        results().print(f"{SCRIPT} {__version__} ({DISTRIBUTION})", markup=False)
        raise typer.Exit
    if context.invoked_subcommand is None:
        results().print(_START, markup=False, highlight=False)


def main() -> None:
    """Entry point."""
    prepare_streams()
    end_on_sigterm()
    show_advice()
    try:
        app()
    finally:
        # All is done and printed: Ctrl-C while Python leaves must not end in another code.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
