"""``trace-eval fuse``: other verdicts from a finished run, without judging again."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Annotated

import typer

from fusion import DEFAULT_POLICY
from trace_eval.commands.render import AS_AGREE, LabelsOption
from trace_eval.commands.signatures import from_classes, refuse_unused
from trace_eval.data.columns import Columns
from trace_eval.runs.options import PairOptions

_Policy = Annotated[
    str | None,
    typer.Option(
        help="Fusion policy: a name or a 64-row .csv/.json table. Default:"
        f" {DEFAULT_POLICY}; for a file, the labels in it."
    ),
]
_Out = Annotated[
    Path | None,
    typer.Option(
        help="Pairs made of scores: a .csv or .jsonl of labels, or a new run folder. With --as:"
        " a new run folder. With a file: folder of the probabilities."
    ),
]


@from_classes
def fuse(
    *,
    run: Annotated[
        Path,
        typer.Argument(
            help=(
                "Run folder of judge or rate; with --calibrated also a file of"
                " judgements."
            )
        ),
    ],
    policy: _Policy = None,
    calibrated: Annotated[
        bool,
        typer.Option(
            "--calibrated",
            help="Also write P(annotators prefer A) of every pair, from labels.",
        ),
    ] = False,
    labels: LabelsOption = None,
    columns: Annotated[Columns, AS_AGREE],
    out: _Out = None,
    options: PairOptions,
    context: typer.Context,
) -> None:
    """Fuse again with another policy, or make pairs of scores; nothing is judged."""
    from trace_eval.commands.work.fuse import fuse_run

    if not calibrated:
        names = {field.name for field in fields(Columns)}
        refuse_unused(context, {"labels", *names}, "without --calibrated")
    fuse_run(
        run,
        policy,
        calibrated=calibrated,
        labels=labels,
        columns=columns,
        out=out,
        options=options,
    )
