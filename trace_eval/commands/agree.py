"""``trace-eval agree``: does the judge agree with people?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.statistics import (
    Cluster,
    CsvFolder,
    FlipB,
    Id,
    JsonFile,
    Labels,
    Level,
    Map,
    Missing,
    Prediction,
    Resamples,
    Seed,
    Truth,
)


def agree(
    sources: Annotated[
        list[Path],
        typer.Argument(help="Run folders, or CSV/JSONL/JSON files of judgements."),
    ],
    labels: Labels = None,
    policy: Annotated[
        str | None,
        typer.Option(help="Re-fuse with this policy; 'all' compares the built-in ones."),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="JUDGE", help="Compare the other judges with this one only."),
    ] = None,
    learn_policy: Annotated[
        bool, typer.Option("--learn-policy", help="Fit policies, cross-validated by instruction.")
    ] = False,
    save_policy: Annotated[
        Path | None,
        typer.Option(help="Write the learned table as CSV, for --policy. Implies --learn-policy."),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 5,
    cluster: Cluster = False,
    missing: Annotated[
        Missing, typer.Option(help="Items or labels that one side lacks: refuse, or leave out.")
    ] = Missing.ERROR,
    resamples: Resamples = 10_000,
    level: Level = 0.95,
    seed: Seed = 0,
    prediction: Prediction = None,
    truth: Truth = None,
    id_column: Id = None,
    mapping: Map = None,
    flip_b: FlipB = False,
    json_file: JsonFile = None,
    csv_folder: CsvFolder = None,
) -> None:
    """Compare stored judgements with human labels: accuracy, kappa, alpha, bias, noise."""
    from trace_eval import agreement
    from trace_eval.commands.render import print_tables, print_warnings, stdout_console
    from trace_eval.data.judge_files import Columns
    from trace_eval.data.labels import read_labels

    columns = Columns.parse(prediction, truth, id_column, mapping or (), flip_b)
    report = agreement.agree(
        [agreement.read_source(path, columns) for path in sources],
        read_labels(labels) if labels else None,
        agreement.AgreeOptions(
            bootstrap=agreement.BootstrapOptions(resamples, level, seed),
            cluster=cluster,
            missing=missing.value,
            policy=policy,
            learn=learn_policy or save_policy is not None,
            folds=folds,
            against=against,
        ),
    )
    print_warnings(report.warnings)
    for note in report.notes:
        typer.echo(f"note: {note}", err=True)
    console = stdout_console()
    print_tables(agreement.agree_tables(report), console)
    for score in report.scores:
        console.print(score.verdict, markup=False, highlight=False)
    if json_file:
        agreement.write_json(json_file, report)
    if csv_folder:
        agreement.write_csv(csv_folder, report)
    if save_policy:
        agreement.write_policy(save_policy, report.learned[0])
