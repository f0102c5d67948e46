"""``trace-eval turns``: who spoke when in conversations, and what follows from it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.statistics import JsonFile, Level, Seed

_READ = "What a layout may not say"


def turns(
    path: Annotated[
        Path, typer.Argument(help="File or folder: a recording, a log, a simulation, a table.")
    ],
    layout: Annotated[
        str | None, typer.Option(metavar="NAME", help="Default: found from the content.")
    ] = None,
    definitions: Annotated[
        str, typer.Option(metavar="NAME/VERSION", help="Rules of events and figures.")
    ] = "trace-eval/1",
    pipeline: Annotated[
        str | None,
        typer.Option(
            help="How an EVA agent was built: cascade, s2s or audio_llm.", rich_help_panel=_READ
        ),
    ] = None,
    shown: Annotated[int, typer.Option(min=0, help="Conversations whose timeline is shown.")] = 3,
    min_events: Annotated[
        int, typer.Option(min=0, help="Rates of fewer events are hidden; medians need half.")
    ] = 10,
    resamples: Annotated[int, typer.Option(min=0, help="Bootstrap resamples; 0: none.")] = 2_000,
    level: Level = 0.95,
    seed: Seed = 0,
    json_file: JsonFile = None,
) -> None:
    """Measure the timing of conversations: replies, interruptions, overlap, dead air."""
    from trace_eval.agreement import write_json
    from trace_eval.commands.console import warn_all
    from trace_eval.commands.render import print_tables, stdout_console
    from trace_eval.turns import FigureOptions, ReadOptions, TurnsOptions, time_turns

    options = TurnsOptions(
        layout,
        definitions,
        ReadOptions(pipeline=pipeline),
        FigureOptions(resamples, level, seed, min_events),
    )
    report = time_turns(path, options)
    print_tables(report.tables(shown), stdout_console())
    warn_all(report.unread)
    if json_file:
        write_json(json_file, report.record())
