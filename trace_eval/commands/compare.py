"""``trace-eval compare``: runs side by side, e.g. a judge that reads and one that listens."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.statistics import (
    Cluster,
    CsvFolder,
    FailUnder,
    JsonFile,
    Labels,
    Level,
    Resamples,
    Seed,
)


def compare(
    runs: Annotated[list[Path], typer.Argument(help="Two or more run folders over one input.")],
    labels: Labels = None,
    cluster: Cluster = False,
    resamples: Resamples = 10_000,
    level: Level = 0.95,
    seed: Seed = 0,
    top: Annotated[
        int, typer.Option(min=0, help="Pairs to list where the runs are furthest apart.")
    ] = 10,
    fail_under: FailUnder = None,
    json_file: JsonFile = None,
    csv_folder: CsvFolder = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page with players to this file.")
    ] = None,
    copy_audio: Annotated[
        bool, typer.Option("--audio", help="Copy the recordings beside the page.")
    ] = False,
) -> None:
    """Compare runs: with people, with each other, what they cost, and where they differ."""
    from trace_eval.agreement import BootstrapOptions, write_csv, write_json
    from trace_eval.commands.gates import close
    from trace_eval.commands.render import print_tables, stdout_console
    from trace_eval.compare import CompareOptions, compare_runs, compare_tables
    from trace_eval.conclude.gates import score_values
    from trace_eval.data.labels import read_labels

    options = CompareOptions(BootstrapOptions(resamples, level, seed), cluster, top)
    report = compare_runs(runs, read_labels(labels) if labels else None, options)
    for note in report.notes:
        typer.echo(f"note: {note}", err=True)
    print_tables(compare_tables(report), stdout_console())
    if json_file:
        write_json(json_file, report)
    if csv_folder:
        write_csv(csv_folder, report)
    if html:
        from trace_eval.compare.page import write_page

        write_page(report, runs, html, copy_audio)
    close(fail_under, score_values(report.people))
