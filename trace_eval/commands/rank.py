"""``trace-eval rank``: systems in order, from pairwise outcomes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.agree import Missing


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
    labels: Annotated[
        Path | None,
        typer.Option(help="Human labels to rank as well. Default: those in the run."),
    ] = None,
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
    cluster: Annotated[
        bool, typer.Option("--cluster", help="Resample whole instructions.")
    ] = False,
    resamples: Annotated[int, typer.Option(min=0, help="Bootstrap resamples; 0: none.")] = 2_000,
    level: Annotated[float, typer.Option(min=0.5, max=0.999, help="Interval coverage.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 0,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write everything to this JSON file.")
    ] = None,
    csv_folder: Annotated[
        Path | None, typer.Option("--csv", help="Write one CSV per table to this folder.")
    ] = None,
) -> None:
    """Rank systems: win rates, Bradley-Terry, Davidson, Rao-Kupper, with rank intervals."""
    from trace_eval import agreement, ranking
    from trace_eval.commands.render import print_tables, stdout_console
    from trace_eval.data.labels import read_labels
    from trace_eval.runs.fuse import load_policy

    read = agreement.read_source(source)
    table = ranking.judge_table(read, judge, load_policy(policy) if policy else None)
    people = read_labels(labels) if labels else read.labels
    report = ranking.rank(
        table,
        ranking.RankOptions(
            agreement.BootstrapOptions(resamples, level, seed), cluster, typed, prior, baseline
        ),
        ranking.read_human_ranking(human) if human else None,
        ranking.people_table(people, table, missing.value) if people else None,
    )
    for caveat in report.caveats:
        typer.echo(f"note: {caveat.method}: {caveat.text}", err=True)
    print_tables(ranking.rank_tables(report), stdout_console())
    if json_file:
        agreement.write_json(json_file, report)
    if csv_folder:
        agreement.write_csv(csv_folder, report)
