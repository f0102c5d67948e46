"""``trace-eval speechjudge``: SpeechJudge-Data from Parquet to pairs and labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.console import EXIT_INCOMPLETE, results, warn


def speechjudge(
    paths: Annotated[list[Path], typer.Argument(help="Parquet files of it, or folders of them.")],
    out: Annotated[Path, typer.Option(help="Folder for pairs.jsonl, labels.csv and recordings.")],
) -> None:
    """Read SpeechJudge-Data: pairs to judge, and a label per rater for agree."""
    from trace_eval.data.records import spill_to
    from trace_eval.data.speechjudge import read_speechjudge, write_speechjudge

    found = read_speechjudge(paths, spill_to(out / "audio"))
    for problem in found.manifest.problems:
        warn(problem)
    pairs, labels = write_speechjudge(found, out)
    console = results()
    console.print(f"{len(found.manifest.pairs)} pairs: {pairs}", markup=False)
    console.print(f"{len(found.labels)} labels: {labels}", markup=False)
    if found.manifest.problems:
        raise typer.Exit(EXIT_INCOMPLETE)
