"""``trace-eval show``: one blueprint, or one run, for people."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands import options as shared
from trace_eval.options import ExtractOptions


@shared.extract_options
def show(
    *,
    what: Annotated[Path, typer.Argument(metavar="CLIP|RUN", help="A recording or a run folder.")],
    format: Annotated[
        str,
        typer.Option(
            "--format", "--rendering", help="people, json, or as in prompts: paper, compact, brief."
        ),
    ] = "people",
    config: Annotated[
        bool, typer.Option("--config", help="Of a run: its options, as a file for --config.")
    ] = False,
    extracting: ExtractOptions,
) -> None:
    """Show what is known of one recording, or what a run came to."""
    if what.is_dir() or config:
        _show_run(what, config)
        return
    from trace_eval.api import blueprint
    from trace_eval.commands.show_blueprint import print_blueprint

    here = replace(extracting, workers=0)
    print_blueprint(blueprint(what, here), format, title=str(what))


def _show_run(folder: Path, config: bool) -> None:
    from trace_eval.commands.tables import print_results
    from trace_eval.runs import Run, config_of, to_toml

    if config:
        typer.echo(to_toml(config_of(Run.open(folder).record())), nl=False)
    else:
        print_results(folder)
