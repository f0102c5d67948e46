"""``trace-eval ablate``: what each part of the blueprint is worth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.console import messages, say_each, warn_all
from trace_eval.commands.options import ConfigOption, judge_options
from trace_eval.commands.render import AS_AGREE, LabelsOption, Output, print_tables
from trace_eval.commands.result_files import give, give_figures
from trace_eval.commands.signatures import from_classes
from trace_eval.data.columns import OF_LABELS, Columns
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.runs.options import AblateOptions

#: Characters of a line where the tables are not printed on a terminal.
WIDTH = 100


@from_classes
@judge_options
def ablate(
    *,
    run: Annotated[Path, typer.Argument(help="Run folder of judge.")],
    labels: LabelsOption = None,
    columns: Annotated[Columns, OF_LABELS, AS_AGREE],
    output: Annotated[Output, ("csv",)],
    cache: Annotated[
        Path | None,
        typer.Option(help="Cache folder of replies; default: the user's cache folder."),
    ] = None,
    config: ConfigOption = None,
    options: AblateOptions,
    judging: JudgeOptions,
) -> None:
    """Judge again without one feature group at a time; compare with human labels."""
    from trace_eval.decide.ablation import compare, labels_beside
    from trace_eval.decide.ablation_answer import ablation_answer, ablation_views
    from trace_eval.runs.ablate import ablate

    truth = labels_beside(run, labels, columns)
    folders = ablate(run, replace(options, judging=judging))
    report = compare(run, folders, options, labels=truth or labels, columns=columns)
    warn_all(report.warnings)
    sentences = ablation_answer(report)
    say_each(sentences)
    print_tables(ablation_views(report), width=WIDTH)
    messages().print(f"each condition is a run of its own under {run / 'ablations'}")
    give(report, sentences)
    tables = {"groups": report.groups, "modes": report.modes}
    rows = {name: table.rows for name, table in tables.items() if table is not None}
    give_figures(report, output.csv, rows)
