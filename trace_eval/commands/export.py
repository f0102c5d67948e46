"""``trace-eval export``: the results of a run for other programs."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from blueprints import UserError
from trace_eval.commands.console import say, warn_all
from trace_eval.commands.result_files import give


@dataclass(frozen=True)
class Exported:
    """The result of an export.

    Attributes:
        run: folder.
        to: which program it is for.
        where: the file or folder; of a tracker what it calls the run.
    """

    run: Path
    to: str
    where: str


def export(
    run: Annotated[Path, typer.Argument(help="Run folder of judge.")],
    to: Annotated[
        str,
        typer.Option(
            help="csv, parquet, preferences (chosen and rejected answers as JSON lines for"
            " trainers), label-studio, otel (OpenTelemetry events as OTLP JSON), or a tracker"
            " that is told the run's figures: mlflow, wandb."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="File, or a folder for label-studio and for a tracker offline. Default:"
            " RUN/export...; for a tracker, as its own settings say."
        ),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(help="Policy that the run was fused with; default: the last one."),
    ] = None,
) -> None:
    """Write results: a row per pair, tasks for Label Studio, figures for a tracker."""
    where: Path | str
    if to == "label-studio":
        from trace_eval.review.labelstudio import write_tasks
        from trace_eval.review.opening import open_for_export

        review, where = open_for_export(run, out)
        left = review.material.left_out.items()
        warn_all(f"{review.form.unit} {name} is left out: {why}" for name, why in left)
        written = write_tasks(review, where)
        warn_all(written.problems)
        if review.store.path.parent != run:
            say(
                "results come back by: trace-eval review"
                f" {shlex.quote(str(run))} --db {shlex.quote(str(review.store.path))}"
                " --import FILE"
            )
    elif to in ("csv", "parquet"):
        from trace_eval.runs.exports import export_table

        where = export_table(run, to, out, policy)
    elif to == "preferences":
        from trace_eval.runs.preferences import export_preferences

        where = export_preferences(run, out, policy)
    elif to == "otel":
        from trace_eval.runs.exports import export_otel

        where = export_otel(run, out, policy)
    else:
        from trace_eval.report.trackers import send, trackers

        if to not in trackers():
            available = ", ".join(
                ("csv", "parquet", "preferences", "label-studio", "otel", *trackers())
            )
            raise UserError(f"--to {to!r}: use one of {available}")
        where = send(run, to, out)
    say(where)
    give(Exported(run, to, str(where)))
