"""``trace-eval ablate``: what each part of the blueprint is worth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.console import messages
from trace_eval.commands.options import ConfigOption, judge_options
from trace_eval.commands.render import Labels, print_tables
from trace_eval.commands.result_files import give
from trace_eval.commands.signatures import from_classes
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.runs.options import AblateOptions


@from_classes
@judge_options
def ablate(
    *,
    run: Annotated[Path, typer.Argument(help="Run folder of judge.")],
    labels: Labels = None,
    csv_folder: Annotated[
        Path | None, typer.Option("--csv", help="Write one CSV per table to this folder.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(help="Cache folder, for replies; default: the user's.")
    ] = None,
    config: ConfigOption = None,
    options: AblateOptions,
    judging: JudgeOptions,
) -> None:
    """Judge again with one feature group left out at a time; compare with human labels."""
    from trace_eval.decide.ablation import ablation_view, compare
    from trace_eval.runs.ablate import ablate
    from trace_eval.show.records import write_csv

    folders = ablate(run, replace(options, judging=judging))
    tables = compare(run, folders, options, labels)
    print_tables([ablation_view(table, title) for title, table in tables.items()])
    messages().print(f"each condition is a run of its own under {run / 'ablations'}")
    give(tables)
    if csv_folder:
        for title, table in tables.items():
            write_csv(csv_folder / title.lower().replace(" ", "-"), table)
