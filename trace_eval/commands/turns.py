"""``trace-eval turns``: who spoke when in conversations, and what follows from it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.signatures import from_classes
from trace_eval.turns.options import TurnsOptions


@from_classes
def turns(
    *,
    path: Annotated[
        Path,
        typer.Argument(help="File or folder: a recording, log, simulation, table, run."),
    ],
    against: Annotated[
        Path | None,
        typer.Option(help="Calls of another system: its figures minus these, by scenario."),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="Labelled events (CSV, JSONL): conversation, kind, start, end."),
    ] = None,
    corrections: Annotated[
        Path | None,
        typer.Option(help="Events as corrected in a review (corrections.jsonl): figures of both."),
    ] = None,
    options: TurnsOptions,
    shown: Annotated[int, typer.Option(min=0, help="Conversations whose timeline is shown.")] = 3,
) -> None:
    """Measure the timing of conversations: replies, interruptions, overlap, dead air."""
    from trace_eval.commands.console import warn_all
    from trace_eval.commands.json_option import give
    from trace_eval.commands.render import print_tables, stdout_console
    from trace_eval.turns.everything import turns_report

    found = turns_report(path, options, against, labels, corrections)
    print_tables(found.tables(shown), stdout_console())
    warn_all(found.report.unread)
    give(found.record())
