"""``trace-eval merge``: the shards of a run as one run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from blueprints import counted
from trace_eval.commands.console import messages, warn_all
from trace_eval.commands.result_files import give


def merge(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN...", help="Run folders, or folders of extract."),
    ],
    out: Annotated[Path, typer.Option(help="The new folder; must not exist.")],
    partial: Annotated[
        bool,
        typer.Option(
            "--partial", help="Merge although shards are missing, or were stopped."
        ),
    ] = False,
) -> None:
    """Join the runs of all shards into one, as if it had been made in one go."""
    from trace_eval.runs.merge import merge as join

    result = join(runs, out, partial)
    warn_all(f"shard {shard} is missing" for shard in result.missing)
    message = (
        f"{counted(result.folders, 'folder')}, {counted(result.blueprints, 'clip')}"
    )
    if summary := result.summary:
        message += f", {summary.scored} of {counted(summary.total, 'pair')} scored"
        message += f" ({summary.coverage:.1%})"
    messages().print(
        f"{message} -> {out}", highlight=False, markup=False, soft_wrap=True
    )
    give(result)
