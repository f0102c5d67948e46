"""``trace-eval gate``: tells if a candidate is worse, beyond the judge's noise."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.console import say, say_note
from trace_eval.commands.render import print_tables
from trace_eval.commands.result_files import give, give_figures
from trace_eval.commands.signatures import from_classes, option_names, refuse_unused
from trace_eval.compare.options import ChangeOptions, GateOptions


@from_classes
def gate(
    *,
    baseline: Annotated[
        Path, typer.Argument(help="Run folder, or a table FILE:COLUMN.")
    ],
    candidate: Annotated[
        Path,
        typer.Argument(
            help="Run or table of the candidate: the same items, judged alike."
        ),
    ],
    aa: Annotated[
        list[Path] | None,
        typer.Option(
            "--aa", help="BASELINE judged once more, never from a cache; repeatable."
        ),
    ] = None,
    judge_changed: Annotated[
        bool,
        typer.Option(
            "--judge-changed",
            help="Give no verdict; show what the change of judges does.",
        ),
    ] = False,
    options: GateOptions,
    junit: Annotated[
        Path | None, typer.Option("--junit", help="Write JUnit XML to this file.")
    ] = None,
    context: typer.Context,
) -> None:
    """Compare a release with a baseline, for CI: pass, fail or cannot tell.

    Each run judges one release against the same rival: `judge --a rival --b old --out
    BASELINE`, then `judge --a rival --b new --out CANDIDATE`. To judge the releases
    against each other instead: `judge --a old --b new --out run`, then `rank run
    --fail-under new=0.45`.

    The exit code is 0 for a pass, 1 for a fail, 0 (3 with --must-tell) where nothing
    can be told, and 2 where the runs are not comparable.
    """
    from trace_eval.compare.comparable import NotComparable
    from trace_eval.compare.gate.evaluate import gate_runs
    from trace_eval.compare.gate.junit_xml import junit as passed_or_failed
    from trace_eval.compare.gate.junit_xml import junit_error, write_junit
    from trace_eval.compare.gate.report import gate_tables

    if judge_changed:
        verdict = option_names(GateOptions) - {"margin"}
        refuse_unused(
            context, {*verdict, "junit"}, "with --judge-changed, which gives no verdict"
        )
        from trace_eval.commands.compare import print_change

        change = ChangeOptions(options.bootstrap, options.margin)
        print_change((baseline, candidate), aa or (), change)
        return
    started = time.monotonic()
    try:
        report = gate_runs(baseline, candidate, aa or (), options)
    except NotComparable as error:
        if junit:
            seconds = time.monotonic() - started
            write_junit(junit, junit_error(error, baseline, seconds))
        raise
    say(report.sentence)
    for note in report.notes:
        say_note(note)
    if report.false_alarms is not None:
        say_note(f"{report.false_alarms:g} false alarms a week at most, by chance")
    print_tables(gate_tables(report))
    if junit:
        write_junit(junit, passed_or_failed(report, time.monotonic() - started))
    give(report)
    give_figures(report)
    if report.exit_code:
        raise typer.Exit(report.exit_code)
