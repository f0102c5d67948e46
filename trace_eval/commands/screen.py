"""``trace-eval screen``: which pairs may the judge decide alone?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.statistics import FlipB, Id, Labels, Map, Prediction, Truth


def screen(
    source: Annotated[
        Path, typer.Argument(help="Run folder, or CSV/JSONL/JSON file of judgements.")
    ],
    labels: Labels = None,
    agree: Annotated[
        float, typer.Option(help="Agreement with people that the decided part must reach.")
    ] = 0.9,
    confidence: Annotated[float, typer.Option(help="Probability that it does.")] = 0.95,
    by: Annotated[
        list[str] | None,
        typer.Option(
            help="Sign of certainty: confidence, entropy, consistent, margin, repeats, judges."
            " Default: all that there are, which share the error."
        ),
    ] = None,
    others: Annotated[
        list[Path] | None,
        typer.Option("--with", help="Another judge of the same pairs: its agreement is a sign."),
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="Which judge, where the file has several.")
    ] = None,
    policy: Annotated[
        str | None, typer.Option(help="Re-fuse the judge's overall label with this policy.")
    ] = None,
    dimension: Annotated[
        str | None, typer.Option(help="Which labels, e.g. content; default: overall.")
    ] = None,
    independent: Annotated[
        bool,
        typer.Option("--independent", help="Take pairs of one instruction as independent."),
    ] = False,
    as_sampled: Annotated[
        bool,
        typer.Option(
            "--as-sampled", help="Decide although the labelled pairs are no random sample."
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the three lists; default: RUN/screen, for a file none."),
    ] = None,
    prediction: Prediction = None,
    truth: Truth = None,
    id_column: Id = None,
    mapping: Map = None,
    flip_b: FlipB = False,
) -> None:
    """Split a run into pairs that the judge may decide alone, pairs for people, and the rest."""
    from trace_eval.commands.console import results, warn
    from trace_eval.commands.json_option import give
    from trace_eval.commands.render import print_tables, stdout_console
    from trace_eval.data import Columns
    from trace_eval.stats import (
        ScreenOptions,
        read_labelled_run,
        screen_tables,
        write_lists,
    )
    from trace_eval.stats import screen as find

    run = read_labelled_run(
        source,
        labels,
        judge=judge,
        policy=policy,
        dimension=dimension,
        others=others or (),
        columns=Columns.parse(prediction, truth, id_column, mapping or (), flip_b),
    )
    options = ScreenOptions(
        agree, confidence, tuple(by or ()), cluster=not independent, as_sampled=as_sampled
    )
    found = find(run, options)
    for caveat in found.caveats:
        warn(caveat)
    print_tables(screen_tables(found), stdout_console())
    results().print(found.verdict, markup=False, soft_wrap=True)
    counts = (len(found.decided), len(found.review), len(found.hopeless))
    results().print("decided {}, to review {}, hopeless (unscored) {}".format(*counts))
    folder = out or (source / "screen" if source.is_dir() else None)
    for path in write_lists(folder, found, run) if folder else ():
        results().print(str(path), markup=False, soft_wrap=True)
    give(found)
