"""``trace-eval show``: print one blueprint or one run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from blueprints import UserError
from trace_eval.commands import options as shared
from trace_eval.extracting.options import ExtractOptions


@shared.extract_options
def show(
    *,
    what: Annotated[
        Path, typer.Argument(metavar="CLIP|RUN", help="A recording or a run folder.")
    ],
    format: Annotated[
        str,
        typer.Option(
            "--format",
            "--rendering",
            help="people, json, or as in prompts: paper, compact, brief.",
        ),
    ] = "people",
    config: Annotated[
        bool,
        typer.Option(
            "--config",
            help=(
                "Print the options of a run, as a file for --config, and what else"
                " decided the result."
            ),
        ),
    ] = False,
    requirements: Annotated[
        bool,
        typer.Option(
            "--requirements",
            help="Print the versions of a run's packages, as a file for pip.",
        ),
    ] = False,
    extracting: ExtractOptions,
) -> None:
    """Show the blueprint of a recording, or the results of a run."""
    if config and requirements:
        raise UserError(
            "--config and --requirements: are two files; ask for one at a time"
        )
    from trace_eval.commands.work.show import (
        show_blueprint,
        show_options,
        show_requirements,
        show_run,
    )

    if requirements:
        show_requirements(what)
    elif config:
        show_options(what)
    elif what.is_dir():
        show_run(what)
    else:
        show_blueprint(what, replace(extracting, workers=0), format)
