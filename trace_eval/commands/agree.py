"""``trace-eval agree``: does the judge agree with people?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trace_eval.commands.console import messages
from trace_eval.commands.options import ColumnOption
from trace_eval.commands.statistics import (
    Cluster,
    CsvFolder,
    FailUnder,
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

if TYPE_CHECKING:
    from trace_eval.agreement import BootstrapOptions

_SCORES = "With --scores"


def agree(
    sources: Annotated[
        list[Path],
        typer.Argument(help="Run folders, or CSV/JSONL/JSON files of judgements or scores."),
    ],
    scores: Annotated[
        bool, typer.Option("--scores", help="Compare scores of single answers, made by rate.")
    ] = False,
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
    baseline: Annotated[
        list[str] | None,
        typer.Option(
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
    json_file: JsonFile = None,
    csv_folder: CsvFolder = None,
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
    """Compare stored judgements with human labels: accuracy, kappa, alpha, bias, noise.

    With --scores: correlation, error, calibration and uncertainty of scores.
    """
    from trace_eval import agreement
    from trace_eval.commands.gates import close
    from trace_eval.commands.render import print_tables, print_warnings, stdout_console
    from trace_eval.conclude import agree as powered
    from trace_eval.conclude.gates import score_values
    from trace_eval.data.columns import parse_columns
    from trace_eval.data.judge_files import Columns
    from trace_eval.data.labels import read_labels

    pairs_only = {
        "--policy": policy,
        "--against": against,
        "--learn-policy": learn_policy,
        "--calibrated": calibrated,
        "--baseline": baseline,
        "--save-policy": save_policy,
        "--cluster": cluster,
        "--prediction": prediction,
        "--truth": truth,
        "--id": id_column,
        "--map": mapping,
        "--flip-b": flip_b,
        "--column": column,
    }
    scores_only = {"--rubric": rubric, "--split": split, "--family": family}
    if scores:
        _refuse(pairs_only, "with")
    else:
        _refuse(scores_only, "without")
    if scores:
        bootstrap = agreement.BootstrapOptions(resamples, level, seed)
        _agree_scores(
            sources, labels, rubric, missing, (bootstrap, split, family), json_file, csv_folder
        )
        return
    named = parse_columns(column or ())
    files = labels is None or any(not path.is_dir() for path in sources)
    columns = Columns.parse(
        prediction,
        truth,
        id_column,
        (mapping or ()) if files else (),
        flip_b,
        named if files else {},
    )
    given = Columns.parse(None, None, None, mapping or (), False)
    rules = tuple(map(agreement.number_rule, baseline or ()))
    numbers = [rule.number for rule in rules]
    report = powered.agree(
        [agreement.read_source(path, columns, numbers) for path in sources],
        read_labels(labels, numbers, named, given.mapping) if labels else None,
        agreement.AgreeOptions(
            bootstrap=agreement.BootstrapOptions(resamples, level, seed),
            cluster=cluster,
            missing=missing.value,
            policy=policy,
            learn=learn_policy or save_policy is not None,
            folds=folds,
            against=against,
            baselines=rules,
        ),
        calibrated=calibrated,
    )
    print_warnings(report.warnings)
    for note in report.notes:
        messages().print(f"note: {note}", markup=False)
    console = stdout_console()
    print_tables(powered.tables(report), console)
    for score in report.scores:
        console.print(score.verdict, markup=False, highlight=False)
    if json_file:
        agreement.write_json(json_file, report)
    if csv_folder:
        agreement.write_csv(csv_folder, report)
    if save_policy:
        agreement.write_policy(save_policy, report.learned[0])
    close(fail_under, score_values(report.scores))


def _refuse(given: Mapping[str, object], how: str) -> None:
    from blueprints import UserError

    for name, value in given.items():
        if value:
            raise UserError(f"{name} means nothing {how} --scores; leave one of them out")


def _agree_scores(
    sources: list[Path],
    labels: Path | None,
    rubric: str | None,
    missing: Missing,
    chosen: tuple[BootstrapOptions, str | None, list[str] | None],
    json_file: Path | None,
    csv_folder: Path | None,
) -> None:
    from trace_eval.agreement import scores as found
    from trace_eval.agreement.tabular import write_csv, write_json
    from trace_eval.commands.render import print_tables, stdout_console

    bootstrap, split, families = chosen
    options = found.ScoreOptions(bootstrap, split, (*found.FAMILIES, *(families or ())))
    report = found.agree_score_files(sources, labels, rubric, missing.value, options)
    for note in report.notes:
        messages().print(f"note: {note}", markup=False)
    console = stdout_console()
    print_tables(found.score_tables(report), console)
    for sentence in report.verdicts:
        console.print(sentence, markup=False, highlight=False)
    if json_file:
        write_json(json_file, report)
    if csv_folder:
        write_csv(csv_folder, report)
