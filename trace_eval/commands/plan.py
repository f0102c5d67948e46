"""``trace-eval plan``: how many more labels, and of which pairs?"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.statistics import Dimension, Judge, Labels, Level, Refused, Seed


class Goal(StrEnum):
    """Whose interval must be narrow."""

    RATES = "win rates"
    ACCURACY = "accuracy"


def plan(
    source: Annotated[
        Path,
        typer.Argument(help="Run folder, CSV/JSONL/JSON file of judgements, or a number of pairs."),
    ],
    labels: Labels = None,
    width: Annotated[float, typer.Option(help="Full width that the interval may have.")] = 0.05,
    goal: Annotated[
        Goal | None,
        typer.Option("--for", help="Default: win rates where systems are named, else accuracy."),
    ] = None,
    judge: Judge = None,
    policy: Refused = None,
    dimension: Dimension = None,
    cluster: Annotated[
        bool, typer.Option("--cluster", help="Pairs of one instruction are not independent.")
    ] = False,
    level: Level = 0.95,
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="CSV of the pairs to label; default: RUN/plan.csv."),
    ] = None,
) -> None:
    """Say how many more pairs people must label, which, and how long that takes."""
    from trace_eval.commands.console import results, warn
    from trace_eval.commands.json_option import give
    from trace_eval.commands.render import print_tables, stdout_console
    from trace_eval.stats import make_plan, plan_table, read_labelled_run, write_plan

    if str(source).isdecimal() and not source.exists():
        _before(int(str(source)), level)
        return
    run = read_labelled_run(source, labels, judge=judge, policy=policy, dimension=dimension)
    if not run.asked.any():
        _before(int(run.scored.sum()), level)
        return
    found = make_plan(
        run, width, goal.value if goal else None, level=level, cluster=cluster, seed=seed
    )
    for note in found.notes:
        warn(note)
    print_tables([plan_table(found)], stdout_console())
    results().print(found.verdict, markup=False, soft_wrap=True)
    path = out or (source / "plan.csv" if source.is_dir() else None)
    if path:
        write_plan(path, found, run)
        results().print(str(path), markup=False, soft_wrap=True)
    give(found)


def _before(pairs: int, level: float) -> None:
    """What labels would tell, where nobody has labelled anything."""
    from trace_eval.commands.json_option import give
    from trace_eval.commands.render import print_sentences
    from trace_eval.stats import plan_before

    found = plan_before(pairs, level)
    print_sentences(found.sentences)
    give(found)
