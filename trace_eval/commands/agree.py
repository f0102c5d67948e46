"""``trace-eval agree``: does the judge agree with people?"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Missing(StrEnum):
    """What to do with items that only one side has."""

    ERROR = "error"
    DROP = "drop"


def agree(
    sources: Annotated[
        list[Path],
        typer.Argument(help="Run folders, or CSV/JSONL/JSON files of judgements."),
    ],
    labels: Annotated[
        Path | None,
        typer.Option(help="Human labels (CSV, JSONL, HCoT JSON). Default: those in the run."),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(help="Re-fuse with this policy; 'all' compares the built-in ones."),
    ] = None,
    learn_policy: Annotated[
        bool, typer.Option("--learn-policy", help="Fit policies, cross-validated by instruction.")
    ] = False,
    save_policy: Annotated[
        Path | None,
        typer.Option(help="Write the learned table as CSV, for --policy. Implies --learn-policy."),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 5,
    cluster: Annotated[
        bool, typer.Option("--cluster", help="Resample whole instructions instead of items.")
    ] = False,
    missing: Annotated[
        Missing, typer.Option(help="Items or labels that one side lacks: refuse, or leave out.")
    ] = Missing.ERROR,
    resamples: Annotated[int, typer.Option(min=0, help="Bootstrap resamples; 0: none.")] = 10_000,
    level: Annotated[float, typer.Option(min=0.5, max=0.999, help="Interval coverage.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 0,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write everything to this JSON file.")
    ] = None,
    csv_folder: Annotated[
        Path | None, typer.Option("--csv", help="Write one CSV per table to this folder.")
    ] = None,
) -> None:
    """Compare stored judgements with human labels: accuracy, kappa, alpha, bias, noise."""
    from trace_eval import agreement
    from trace_eval.commands.render import print_tables, stdout_console
    from trace_eval.data.labels import read_labels

    report = agreement.agree(
        [agreement.read_source(path) for path in sources],
        read_labels(labels) if labels else None,
        agreement.AgreeOptions(
            agreement.BootstrapOptions(resamples, level, seed),
            cluster,
            missing.value,
            policy,
            learn_policy or save_policy is not None,
            folds,
        ),
    )
    for warning in report.warnings:
        typer.echo(f"warning: {agreement.warning_line(warning)}", err=True)
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
