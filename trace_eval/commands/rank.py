"""``trace-eval rank``: systems in order, from pairwise outcomes or from scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from blueprints import UserError
from trace_eval.commands.render import (
    AS_AGREE,
    Junit,
    LabelsOption,
    Output,
    print_report,
)
from trace_eval.commands.signatures import from_classes
from trace_eval.data.columns import Columns
from trace_eval.stats.options import RankOptions


@from_classes
def rank(
    *,
    source: Annotated[
        Path,
        typer.Argument(
            help="Run folder, or CSV/JSONL/JSON file with systems and labels or scores."
        ),
    ],
    labels: LabelsOption = None,
    human: Annotated[
        Path | None,
        typer.Option(help="Human ranking: CSV with system and score (or rank)."),
    ] = None,
    options: RankOptions,
    columns: Annotated[Columns, AS_AGREE],
    junit: Junit = None,
    output: Output,
) -> None:
    """Rank systems: win rates, Bradley-Terry, Davidson, Rao-Kupper, rank intervals.

    Scores of single answers are ranked by their mean.
    """
    from trace_eval.decide.gates import rank_values
    from trace_eval.decide.rank import rank as rank_systems

    report = rank_systems(source, labels, options=options, human=human, columns=columns)
    if options.missing != "error" and not (report.means or report.labelled):
        raise UserError(
            "--missing means nothing where there are no human labels; leave it out"
        )
    values = rank_values(report)
    output.check(values, junit)
    print_report(report, output.csv, output.full)
    output.close(values, junit, "trace-eval rank")
