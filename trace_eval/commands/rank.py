"""``trace-eval rank``: systems in order, from pairwise outcomes or from scores."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.statistics import (
    Cluster,
    CsvFolder,
    FailUnder,
    FlipB,
    Full,
    Id,
    Junit,
    Labels,
    Level,
    Map,
    Missing,
    Prediction,
    Resamples,
    Seed,
    Truth,
)


class Orders(StrEnum):
    """How the two orders of a run are counted."""

    RECONCILED = "reconciled"
    SEPARATE = "separate"


def rank(
    source: Annotated[
        Path,
        typer.Argument(
            help="Run folder, or CSV/JSONL/JSON file with systems and labels or scores."
        ),
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
    systems: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="Names of the systems of A and B, where the pairs name none."
        ),
    ] = None,
    orders: Annotated[
        Orders,
        typer.Option(
            help="reconciled, or separate: each order of a run is an outcome decided by itself."
        ),
    ] = Orders.RECONCILED,
    keep_inconsistent: Annotated[
        bool,
        typer.Option(
            "--keep-inconsistent",
            help="Count what a judge that answers by position contradicts itself on, too.",
        ),
    ] = False,
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
    rubric: Annotated[
        str | None, typer.Option(help="Name or file of the rubric, where scores are of several.")
    ] = None,
    fail_under: FailUnder = None,
    junit: Junit = None,
    csv_folder: CsvFolder = None,
    full: Full = False,
) -> None:
    """Rank systems: win rates, Bradley-Terry, Davidson, Rao-Kupper, with rank intervals.

    Scores of single answers are ranked by their mean.
    """
    from trace_eval.commands.gates import close
    from trace_eval.commands.render import print_report
    from trace_eval.data import Columns, parse_sides
    from trace_eval.stats import BootstrapOptions, RankOptions, rank_values
    from trace_eval.stats import rank as rank_systems

    report = rank_systems(
        source,
        labels,
        RankOptions(
            bootstrap=BootstrapOptions(resamples, level, seed),
            cluster=cluster,
            typed=typed,
            prior=prior,
            baseline=baseline,
            dimension=dimension,
            policy=policy,
            judge=judge,
            systems=parse_sides(systems),
            orders=orders.value,
            keep_inconsistent=keep_inconsistent,
            missing=missing.value,
            rubric=rubric,
        ),
        human,
        Columns.parse(prediction, truth, id_column, mapping or (), flip_b),
    )
    print_report(report, csv_folder, full)
    close(fail_under, rank_values(report), junit, "trace-eval rank")
