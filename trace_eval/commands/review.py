"""``trace-eval review``: people judge the pairs, in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.options import typed
from trace_eval.commands.signatures import from_classes
from trace_eval.review.options import QueueOptions, ReviewOptions, ServeOptions


@from_classes
def review(
    *,
    source: Annotated[
        Path,
        typer.Argument(
            metavar="RUN|PAIRS|ITEMS",
            help="A run of judge or rate, or a manifest of pairs; with --rubric, or a --protocol"
            " of answers, a manifest of answers.",
        ),
    ],
    queue: QueueOptions,
    options: ReviewOptions,
    serving: ServeOptions,
    export: Annotated[
        Path | None,
        typer.Option(help="Write labels and accuracy to this folder, and stop."),
    ] = None,
    label_studio: Annotated[
        Path | None,
        typer.Option(help="Write Label Studio tasks to this folder, and stop."),
    ] = None,
    import_results: Annotated[
        Path | None,
        typer.Option("--import", help="Read a JSON export of Label Studio, and stop."),
    ] = None,
    context: typer.Context,
) -> None:
    """Let people compare pairs or rate answers in the browser, as a protocol asks."""
    from trace_eval.commands.work.review import review_items

    review_items(
        source,
        typed(context, vars(queue)),
        options,
        serving=serving,
        label_studio=label_studio,
        export=export,
        results=import_results,
    )
