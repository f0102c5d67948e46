"""``trace-eval agree``: does the judge agree with people?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.options import ColumnOption
from trace_eval.commands.statistics import (
    Cluster,
    CsvFolder,
    FailUnder,
    FlipB,
    Full,
    Id,
    Labels,
    Level,
    Map,
    Missing,
    Prediction,
    Resamples,
    Seed,
    Truth,
)

_SCORES = "Of scores of single answers"


def agree(
    sources: Annotated[
        list[Path],
        typer.Argument(help="Run folders, or CSV/JSONL/JSON files of judgements or scores."),
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
    calibrated: Annotated[
        bool,
        typer.Option(
            "--calibrated",
            help="Fit P(people prefer A) from margins, votes and scores, and compare it with"
            " rules that need no fit.",
        ),
    ] = False,
    beat: Annotated[
        list[str] | None,
        typer.Option(
            "--beat",
            metavar="NUMBER:higher|lower",
            help="Also beat a number, e.g. wer:lower, p808:higher, distillmos:higher, or a column"
            " NUMBER_a, NUMBER_b of the labels; may be repeated.",
        ),
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
    column: ColumnOption = None,
    fail_under: FailUnder = None,
    csv_folder: CsvFolder = None,
    full: Full = False,
    rubric: Annotated[
        str | None,
        typer.Option(
            help="Name or file of the rubric, where there are several.", rich_help_panel=_SCORES
        ),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(
            help="Only items of this split of the labels, e.g. test.", rich_help_panel=_SCORES
        ),
    ] = None,
    family: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD",
            help="Judges and systems with this word in their names are of one family.",
            rich_help_panel=_SCORES,
        ),
    ] = None,
) -> None:
    """Compare judges with people: accuracy, kappa, alpha, bias and noise of labels.

    Of scores of single answers: correlation, error, calibration and uncertainty.
    """
    from trace_eval.commands.gates import close
    from trace_eval.commands.render import print_report
    from trace_eval.data import Columns, parse_columns
    from trace_eval.stats import (
        FAMILIES,
        AgreeOptions,
        AgreeReport,
        BootstrapOptions,
        number_rule,
        report_values,
        write_policy,
    )
    from trace_eval.stats import agree as agree_with

    named = parse_columns(column or ())
    report = agree_with(
        sources,
        labels,
        AgreeOptions(
            bootstrap=BootstrapOptions(resamples, level, seed),
            cluster=cluster,
            missing=missing.value,
            policy=policy,
            learn=learn_policy or save_policy is not None,
            folds=folds,
            against=against,
            baselines=tuple(map(number_rule, beat or ())),
            calibrated=calibrated,
            rubric=rubric,
            split=split,
            families=(*FAMILIES, *(family or ())),
        ),
        Columns.parse(prediction, truth, id_column, mapping or (), flip_b, named),
    )
    print_report(report, csv_folder, full)
    if save_policy and isinstance(report, AgreeReport):
        write_policy(save_policy, report.learned[0])
    close(fail_under, report_values(report))
