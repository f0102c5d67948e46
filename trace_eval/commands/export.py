"""``trace-eval export``: the results of a run for other programs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.console import results, warn


class Kind(StrEnum):
    """What to write."""

    CSV = "csv"
    PARQUET = "parquet"
    LABEL_STUDIO = "label-studio"


def export(
    run: Annotated[Path, typer.Argument(help="Run folder of judge.")],
    to: Annotated[Kind, typer.Option(help="What to write.")],
    out: Annotated[
        Path | None,
        typer.Option(help="File, or folder for label-studio; default: RUN/export..."),
    ] = None,
    policy: Annotated[
        str | None, typer.Option(help="One that the run was fused with; default: the last.")
    ] = None,
) -> None:
    """Write the results: one row per pair as CSV or Parquet, or tasks for Label Studio."""
    if to is Kind.LABEL_STUDIO:
        from trace_eval.review import open_review, write_tasks

        where = out or run / "export-label-studio"
        review = open_review(run, {})
        for name, why in review.material.left_out.items():
            warn(f"pair {name} is left out: {why}")
        write_tasks(review, where)
    else:
        from trace_eval.runs.export_table import export_table

        where = export_table(run, to.value, out, policy)
    results().print(str(where), markup=False, soft_wrap=True)
