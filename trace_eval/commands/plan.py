"""``trace-eval plan``: how many more labels to collect, and of which pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.console import say, say_each, warn
from trace_eval.commands.render import AS_AGREE, LabelsOption, print_tables
from trace_eval.commands.result_files import give
from trace_eval.commands.signatures import from_classes
from trace_eval.data.columns import Columns
from trace_eval.stats.options import LabelChoice, PlanOptions


@from_classes
def plan(
    *,
    source: Annotated[
        Path,
        typer.Argument(
            help="Run folder, CSV/JSONL/JSON file of judgements, or a number of pairs."
        ),
    ],
    labels: LabelsOption = None,
    chosen: LabelChoice,
    options: PlanOptions,
    out: Annotated[
        Path | None,
        typer.Option(help="CSV of the pairs to label; default: RUN/plan.csv."),
    ] = None,
    columns: Annotated[Columns, AS_AGREE],
) -> None:
    """Plan labels: how many more pairs to label, which, and how long that takes."""
    from trace_eval.decide.labelled import read_labelled_run, write_plan
    from trace_eval.decide.plan import make_plan, plan_table

    if str(source).isdecimal() and not source.exists():
        _before(int(str(source)), options)
        return
    run = read_labelled_run(source, labels, chosen=chosen, columns=columns)
    if not run.has_label.any():
        _before(int(run.scored.sum()), options)
        return
    result = make_plan(run, options)
    for note in result.notes:
        warn(note)
    if result.strata:
        print_tables([plan_table(result)])
    say(result.verdict)
    path = out or (source / "plan.csv" if source.is_dir() else None)
    if path:
        write_plan(path, result, run)
        say(path)
    give(result)


def _before(pairs: int, options: PlanOptions) -> None:
    """Print what labels would show, where there are none yet."""
    from trace_eval.decide.plan import plan_before

    result = plan_before(pairs, options)
    say_each(result.sentences)
    give(result)
