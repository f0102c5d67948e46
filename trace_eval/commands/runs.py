"""``trace-eval runs``: which runs there are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.result_files import give


def runs(
    folder: Annotated[Path, typer.Argument(help="Where to look, at any depth.")] = Path(
        "runs"
    ),
    tag: Annotated[str | None, typer.Option(help="Only runs with this tag.")] = None,
) -> None:
    """List runs: input, judge, policy, coverage, date, tag."""
    from trace_eval.commands.tables import print_runs
    from trace_eval.runs.folders import list_runs

    result = list_runs(folder, tag)
    print_runs(result)
    give(result)
