"""``trace-eval screen``: which pairs the judge may decide alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.console import say, say_each, warn
from trace_eval.commands.render import AS_AGREE, LabelsOption, print_tables
from trace_eval.commands.result_files import give
from trace_eval.commands.signatures import from_classes
from trace_eval.data.columns import Columns
from trace_eval.stats.options import LabelChoice, ScreenOptions


@from_classes
def screen(
    *,
    source: Annotated[
        Path, typer.Argument(help="Run folder, or CSV/JSONL/JSON file of judgements.")
    ],
    labels: LabelsOption = None,
    others: Annotated[
        list[Path] | None,
        typer.Option(
            "--with",
            help="Another judge of the same pairs; where both agree, one is surer.",
        ),
    ] = None,
    chosen: LabelChoice,
    independent: Annotated[
        bool,
        typer.Option(
            "--independent", help="Take pairs of one instruction as independent."
        ),
    ] = False,
    options: ScreenOptions,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the three lists; default: RUN/screen; none for a file."
        ),
    ] = None,
    columns: Annotated[Columns, AS_AGREE],
) -> None:
    """Split a run into pairs for the judge alone, pairs for raters, and the rest."""
    from trace_eval.decide.labelled import read_labelled_run, write_lists
    from trace_eval.decide.screen import screen as find
    from trace_eval.decide.screen import screen_tables

    run = read_labelled_run(
        source, labels, chosen=chosen, others=others or (), columns=columns
    )
    result = find(run, replace(options, cluster=not independent))
    for caveat in result.caveats:
        warn(caveat)
    print_tables(screen_tables(result))
    say(result.verdict)
    say(
        f"decided {len(result.decided)}, to review {len(result.review)},"
        f" hopeless {len(result.hopeless)} (the judge has no verdict)"
    )
    if result.saving is not None:
        say(result.saving.sentence)
    folder = out or (source / "screen" if source.is_dir() else None)
    if folder:
        say_each(write_lists(folder, result, run))
    give(result)
