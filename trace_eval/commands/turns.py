"""``trace-eval turns``: who spoke when in conversations, and what follows from it."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from blueprints import UserError, counted
from trace_eval.commands.console import (
    EXIT_DAMAGED,
    EXIT_INCOMPLETE,
    complain,
    say_each,
    warn_all,
)
from trace_eval.commands.progress import counting
from trace_eval.commands.render import Output, print_tables
from trace_eval.commands.result_files import give, give_figures
from trace_eval.commands.signatures import from_classes, refuse_unused
from trace_eval.turns.options import TimingLimits, TurnsOptions


@from_classes
def turns(
    *,
    path: Annotated[
        Path,
        typer.Argument(
            help="File or folder: a recording, log, simulation, table, run."
        ),
    ],
    against: Annotated[
        Path | None,
        typer.Option(
            help="Calls of another system, to subtract its figures by scenario."
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            help="Labelled events (CSV, JSONL): conversation, kind, start, end."
        ),
    ] = None,
    corrections: Annotated[
        Path | None,
        typer.Option(
            help="Events corrected in a review (corrections.jsonl), for figures before"
            " and after."
        ),
    ] = None,
    options: TurnsOptions,
    audit: Annotated[
        bool,
        typer.Option(
            "--audit", help="Say whether each recording can be timed, and why not."
        ),
    ] = False,
    limits: TimingLimits,
    must_tell: Annotated[
        bool,
        typer.Option(
            help="Exit with 3 where it cannot be told whether a limit is met."
        ),
    ] = False,
    junit: Annotated[
        Path | None, typer.Option(help="Write the limits as JUnit XML.")
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", help="Write a page with every call and its sound to this file."
        ),
    ] = None,
    copy_audio: Annotated[
        bool, typer.Option("--audio", help="Copy the recordings beside the page.")
    ] = False,
    output: Annotated[Output, ("csv",)],
    shown: Annotated[
        int, typer.Option(min=0, help="Conversations whose timeline is shown.")
    ] = 3,
    context: typer.Context,
) -> None:
    """Measure timing in conversations: replies, interruptions, overlap, dead air."""
    from trace_eval.turns.everything import turns_report
    from trace_eval.turns.limits import failed, undecided
    from trace_eval.turns.report import unread_by_reason

    if junit and not limits.any:
        raise UserError(
            "--junit writes the limits of --fail-over and --fail-under; give one"
        )
    if html is None:
        refuse_unused(context, ("copy_audio",), "without --html")
    started = time.monotonic()
    with counting("reading calls") as tick:
        details = replace(options, read=replace(options.read, tick=tick))
        result = turns_report(
            path,
            details,
            against=against,
            labels=labels,
            corrections=corrections,
            limits=limits,
        )
    say_each(result.sentences)
    if audit:
        print_tables([result.report.audit()])
    print_tables(result.tables(shown))
    warn_all(unread_by_reason(result.report.unread))
    give_figures(result, output.csv, result.csv() if output.csv else None)
    if html:
        from trace_eval.report.calls import write_calls

        write_calls(result, html, copy_audio)
    if junit:
        from trace_eval.compare.gate.junit_xml import junit_limits, write_junit

        write_junit(junit, junit_limits("trace-eval turns", result.limits, started))
    give(result.record())
    if failed(result.limits):
        raise typer.Exit(EXIT_INCOMPLETE)
    if must_tell and undecided(result.limits):
        raise typer.Exit(EXIT_DAMAGED)
    if result.is_unusable and not audit:  # an audit answers that itself
        calls = counted(len(result.report.conversations), "conversation")
        complain(
            f"{path}: nothing could be measured in {calls}; --audit says why of each"
            " recording"
        )
        raise typer.Exit(EXIT_INCOMPLETE)
