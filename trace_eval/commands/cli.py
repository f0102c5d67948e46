"""``trace-eval``: the commands. Each parses, calls one library function, and prints."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Annotated

import typer

from blueprints.distribution import DISTRIBUTION, SCRIPT, __version__
from trace_eval.commands import (
    ablate,
    agree,
    best,
    card,
    compare,
    convert,
    doctor,
    drill,
    export,
    extract,
    fuse,
    gate,
    judge,
    merge,
    models,
    plan,
    rank,
    report,
    review,
    rubrics,
    runs,
    schema,
    screen,
    show,
    train,
    turns,
)
from trace_eval.commands.console import results, show_advice
from trace_eval.commands.ends import DEBUG, Commands, prepare_streams
from trace_eval.data.access import UrlAccess, set_url_access
from trace_eval.data.csv_cells import RAW

app = typer.Typer(
    name="trace-eval",
    cls=Commands,
    help="Judge pairs of spoken answers by textual reasoning over audio cues.",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


#: What a bare ``trace-eval`` prints.
_START = """\
trace-eval judges pairs of spoken answers. Begin with:

  trace-eval doctor                        what can run here, and what is missing
  trace-eval judge PAIRS.jsonl --out run   judge pairs (PAIRS: id, instruction, a, b)
  trace-eval report run                    read, hear and search the run
  trace-eval agree run --labels LABELS     compare with people

All commands: trace-eval --help. Of one: trace-eval COMMAND --help."""


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


#: Heading of the help page -> its commands, in the order in which they are used.
GROUPS: dict[str, tuple[Callable[..., None] | typer.Typer, ...]] = {
    "Judge": (judge.judge, judge.rate, best.best, extract.extract),
    "Look": (report.report, show.show, runs.runs, export.export, review.review),
    "Conclude": (
        agree.agree,
        rank.rank,
        compare.compare,
        gate.gate,
        screen.screen,
        plan.plan,
        card.card,
    ),
    "Set up": (doctor.doctor, models.app, rubrics.app, schema.schema),
    "More": (
        *(turns.turns, convert.convert, fuse.fuse, merge.merge, ablate.ablate),
        *(drill.app, train.app),
    ),
}

for heading, members in GROUPS.items():
    for member in members:
        if isinstance(member, typer.Typer):
            app.add_typer(member, rich_help_panel=heading)
        else:
            app.command(rich_help_panel=heading)(member)


def main() -> None:
    """Entry point."""
    prepare_streams()
    show_advice()
    try:
        app()
    finally:
        # All is done and printed: Ctrl-C while Python leaves must not end in another code.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
