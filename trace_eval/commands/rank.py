"""``trace-eval rank``: systems in order, from pairwise outcomes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.console import messages
from trace_eval.commands.statistics import (
    Cluster,
    CsvFolder,
    FailUnder,
    FlipB,
    Full,
    Id,
    JsonFile,
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
    systems: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="Names of the systems of A and B, where the pairs name none."
        ),
    ] = None,
    orders: Annotated[
        str,
        typer.Option(
            help="reconciled, or separate: each order of a run is an outcome decided by itself."
        ),
    ] = "reconciled",
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
    fail_under: FailUnder = None,
    junit: Junit = None,
    json_file: JsonFile = None,
    csv_folder: CsvFolder = None,
    full: Full = False,
) -> None:
    """Rank systems: win rates, Bradley-Terry, Davidson, Rao-Kupper, with rank intervals."""
    from blueprints import UserError
    from fusion import DEFAULT_POLICY
    from trace_eval.commands.gates import close
    from trace_eval.commands.render import (
        print_sentences,
        print_tables,
        print_warnings,
        stdout_console,
    )
    from trace_eval.data.judge_files import Columns
    from trace_eval.data.labels import parse_sides, read_labels
    from trace_eval.runs.fuse import ASKED, any_policy, load_policy
    from trace_eval.stats import ranking
    from trace_eval.stats.agreement.bootstrap import BootstrapOptions
    from trace_eval.stats.agreement.source import read_source
    from trace_eval.stats.agreement.tabular import write_csv, write_json
    from trace_eval.stats.answers import answered, rank_answer
    from trace_eval.stats.inference import rank as powered
    from trace_eval.stats.inference.gates import rank_values

    columns = Columns.parse(prediction, truth, id_column, mapping or (), flip_b)
    positions = ranking.has_positions(source)
    read = (
        ranking.read_positions(source, baseline)
        if positions
        else read_source(source, columns, rows_are_items=labels is None)
    )
    sides = parse_sides(systems)
    if named := read.with_sides(sides):
        read = named
        if sides is None:
            told = "note: no pair names its systems: A and B are the answers' places; name them by"
            messages().print(f"{told} --systems new,old", markup=False)
    elif sides:
        raise UserError(f"--systems {systems}: the pairs of {source} name their systems")
    if orders == "separate":
        default = DEFAULT_POLICY if read.policy in (None, ASKED) else str(read.policy)
        separate = any_policy(policy or default)
        table = ranking.separate_orders(read, separate, judge)
        fused: str | None = separate.name
    elif orders == "reconciled":
        wanted = load_policy(policy) if policy else None
        table = ranking.judge_table(read, judge, wanted)
        fused = ranking.fused_with(read, judge, wanted)
    else:
        raise UserError(f"--orders {orders!r}: use reconciled or separate")
    people = read_labels(labels) if labels else read.labels
    # Labels are joined by the pair's id; what few of them say of all pairs takes one row each.
    whole = table if orders == "reconciled" else ranking.judge_table(read, judge)
    ranked = powered.rank if orders == "reconciled" else ranking.rank
    column = ranking.opinion_column(table, dimension)
    left_out = None
    if orders == "reconciled" and not keep_inconsistent:
        left_out = ranking.contradicted(read, table, column)
    report = ranked(
        table,
        ranking.RankOptions(
            bootstrap=BootstrapOptions(resamples, level, seed),
            cluster=cluster,
            typed=typed,
            prior=prior,
            baseline=baseline,
            dimension=dimension,
            policy=fused,
        ),
        ranking.read_human_ranking(human) if human else None,
        ranking.people_table(people, whole, missing.value) if people else None,
        left_out,
    )
    print_warnings((*read.warnings, *report.warnings))
    for caveat in report.caveats:
        messages().print(f"note: {caveat.method}: {caveat.text}", markup=False)
    sentences = rank_answer(report)
    print_sentences(sentences)
    if full or not sentences:
        fitting = (
            powered.tables(report)
            if isinstance(report, powered.PoweredRanking)
            else ranking.rank_tables(report)
        )
        print_tables(fitting, stdout_console())
    if json_file:
        write_json(json_file, answered(report, sentences))
    if csv_folder:
        write_csv(csv_folder, report)
    close(fail_under, rank_values(report), junit, "trace-eval rank")
