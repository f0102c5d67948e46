"""``trace-eval``: the commands. Each parses, calls one library function, and prints."""

from __future__ import annotations

import signal
from typing import Annotated

import typer

from blueprints.distribution import DISTRIBUTION, SCRIPT, __version__
from trace_eval.commands import (
    ablate,
    agree,
    best,
    card,
    compare,
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
    rate,
    report,
    review,
    rubrics,
    runs,
    schema,
    screen,
    show,
    speechjudge,
    train,
)
from trace_eval.commands.console import results, show_advice
from trace_eval.commands.ends import DEBUG, Commands, prepare_streams
from trace_eval.data.access import UrlAccess, set_url_access
from trace_eval.data.csv_cells import RAW

app = typer.Typer(
    name="trace-eval",
    cls=Commands,
    help="Judge pairs of spoken answers by textual reasoning over audio cues.",
    no_args_is_help=True,
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def _everywhere(
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


for command in (
    judge.judge,
    rate.rate,
    extract.extract,
    merge.merge,
    show.show,
    fuse.fuse,
    runs.runs,
    export.export,
    agree.agree,
    compare.compare,
    gate.gate,
    rank.rank,
    best.best,
    speechjudge.speechjudge,
    screen.screen,
    plan.plan,
    card.card,
    ablate.ablate,
    report.report,
    review.review,
    doctor.doctor,
    schema.schema,
):
    app.command()(command)
app.add_typer(drill.app)
app.add_typer(models.app)
app.add_typer(train.app)
app.add_typer(rubrics.app)


def main() -> None:
    """Entry point."""
    prepare_streams()
    show_advice()
    try:
        app()
    finally:
        # All is done and printed: Ctrl-C while Python leaves must not end in another code.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
