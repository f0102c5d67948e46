"""``trace-eval``: the commands. Each parses, calls one library function, and prints."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from blueprints.distribution import DISTRIBUTION, SCRIPT, __version__
from blueprints.errors import UserError
from trace_eval.commands import (
    ablate,
    agree,
    best,
    compare,
    doctor,
    export,
    extract,
    fuse,
    judge,
    merge,
    models,
    rank,
    rate,
    report,
    review,
    rubrics,
    runs,
    schema,
    screen,
    show,
    train,
)
from trace_eval.commands.console import EXIT_USAGE, complain, results

app = typer.Typer(
    name="trace-eval",
    help="Judge pairs of spoken answers by textual reasoning over audio cues.",
    no_args_is_help=True,
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def _version(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
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
    rank.rank,
    best.best,
    screen.screen,
    ablate.ablate,
    report.report,
    review.review,
    doctor.doctor,
    schema.schema,
):
    app.command()(command)
app.add_typer(models.app)
app.add_typer(train.app)
app.add_typer(rubrics.app)


def main() -> None:
    """Entry point: user errors are one line, without a traceback."""
    try:
        app()
    except UserError as error:
        complain(error)
        sys.exit(EXIT_USAGE)
