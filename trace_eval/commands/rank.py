"""``trace-eval rank``: systems in order, from pairwise outcomes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.console import messages
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


def rank(
    source: Annotated[
        Path, typer.Argument(help="Run folder, or CSV/JSONL/JSON file with systems and labels.")
    ],
    judge: Annotated[
        str | None, typer.Option(help="Which judge, where the file has several.")
    ] = None,
    policy: Annotated[
        str | None, typer.Option(help="Re-fuse the overall label with this policy.")
    ] = None,
    dimension: Annotated[
        str | None,
        typer.Option(help="Rank by these labels, e.g. voice_quality; default: overall."),
    ] = None,
    labels: Labels = None,
    human: Annotated[
        Path | None,
        typer.Option(help="Human ranking: CSV with system and score (or rank)."),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(help="Also give win rates against this system.")
    ] = None,
    missing: Annotated[
        Missing, typer.Option(help="Labels of items that were not judged: refuse, or leave out.")
    ] = Missing.ERROR,
    typed: Annotated[
        bool, typer.Option("--typed", help="Typed ties count: both_bad is against both.")
    ] = False,
    prior: Annotated[
        float,
        typer.Option(min=0.0, help="Games per system against an average opponent, half won."),
    ] = 0.0,
    cluster: Cluster = False,
    resamples: Resamples = 2_000,
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
    """Rank systems: win rates, Bradley-Terry, Davidson, Rao-Kupper, with rank intervals."""
    from trace_eval import agreement, ranking
    from trace_eval.commands.render import print_tables, print_warnings, stdout_console
    from trace_eval.conclude import rank as powered
    from trace_eval.data.judge_files import Columns
    from trace_eval.data.labels import read_labels
    from trace_eval.runs.fuse import load_policy

    columns = Columns.parse(prediction, truth, id_column, mapping or (), flip_b)
    read = agreement.read_source(source, columns)
    table = ranking.judge_table(read, judge, load_policy(policy) if policy else None)
    people = read_labels(labels) if labels else read.labels
    report = powered.rank(
        table,
        ranking.RankOptions(
            bootstrap=agreement.BootstrapOptions(resamples, level, seed),
            cluster=cluster,
            typed=typed,
            prior=prior,
            baseline=baseline,
            dimension=dimension,
        ),
        ranking.read_human_ranking(human) if human else None,
        ranking.people_table(people, table, missing.value) if people else None,
    )
    print_warnings(report.warnings)
    for caveat in report.caveats:
        messages().print(f"note: {caveat.method}: {caveat.text}", markup=False)
    print_tables(powered.tables(report), stdout_console())
    if json_file:
        agreement.write_json(json_file, report)
    if csv_folder:
        agreement.write_csv(csv_folder, report)
