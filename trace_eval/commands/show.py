"""``trace-eval show``: print one blueprint or one run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands import options as shared
from trace_eval.commands.json_option import give
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
    """Show the blueprint of a recording, or the results of a run."""
    if what.is_dir() or config:
        _show_run(what, config)
        return
    from trace_eval.api.one_pair import blueprint
    from trace_eval.commands.show_blueprint import print_blueprint

    here = replace(extracting, workers=0)
    result = blueprint(what, here)
    print_blueprint(result, format, title=str(what))
    give(result)


def _show_run(folder: Path, config: bool) -> None:
    from trace_eval.commands.tables import print_results, print_scores
    from trace_eval.runs.config import to_toml
    from trace_eval.runs.run import Run
    from trace_eval.runs.summary import RunShown

    run = Run.open(folder)
    if config:
        options = run.record().options
        typer.echo(to_toml(options), nl=False)
        give(options)
        return
    if run.holds_scores:
        print_scores(folder)
    else:
        print_results(folder)
    give(RunShown.of(run))
