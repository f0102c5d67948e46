"""``trace-eval gate``: is a candidate worse than its baseline, beyond the judge's own noise?"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.statistics import Resamples, Seed


def gate(
    baseline: Annotated[Path, typer.Argument(help="Run folder, or a table FILE:COLUMN.")],
    candidate: Annotated[Path, typer.Argument(help="The same items, judged in the same way.")],
    by: Annotated[
        list[str] | None,
        typer.Option(help="win, mean, or a dimension; may be repeated. Default: all."),
    ] = None,
    margin: Annotated[float, typer.Option(help="Drop of points, 0 to 1, that matters.")] = 0.02,
    alpha: Annotated[float, typer.Option(help="One-sided level of the test.")] = 0.05,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Fail too where the 95 % lower limit is under the margin."),
    ] = False,
    aa: Annotated[
        list[Path] | None,
        typer.Option("--aa", help="BASELINE judged once more, never from a cache; repeatable."),
    ] = None,
    severe: Annotated[int, typer.Option(min=0, help="Tagged items that may turn into losses.")] = 0,
    coverage_drop: Annotated[
        float, typer.Option(help="Share of items that may become unscored.")
    ] = 0.01,
    must_tell: Annotated[
        bool, typer.Option("--must-tell", help="Exit with 3 where it cannot tell.")
    ] = False,
    side: Annotated[str, typer.Option(help="Answer under test: a, b or auto.")] = "auto",
    judge_changed: Annotated[
        bool,
        typer.Option("--judge-changed", help="No verdict: what a change of judges does."),
    ] = False,
    runs_per_week: Annotated[
        float | None, typer.Option(min=0, help="Print the false alarms to expect in a week.")
    ] = None,
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    junit: Annotated[
        Path | None, typer.Option("--junit", help="Write JUnit XML to this file.")
    ] = None,
) -> None:
    """Pass, fail or cannot tell: exit code 0, 1, and 0 (3 with --must-tell); 2: not comparable."""
    from trace_eval import gate as library
    from trace_eval.commands.json_option import give
    from trace_eval.commands.render import print_tables, stdout_console
    from trace_eval.stats import BootstrapOptions

    bootstrap = BootstrapOptions(resamples, seed=seed)
    if judge_changed:
        from trace_eval.commands.compare import print_change
        from trace_eval.compare import ChangeOptions

        change = ChangeOptions(bootstrap, margin)
        print_change((baseline, candidate), aa or (), change)
        return
    options = library.GateOptions(
        tuple(by or ()),
        margin,
        alpha,
        strict,
        severe,
        coverage_drop,
        must_tell,
        side,
        runs_per_week,
        bootstrap,
    )
    started = time.monotonic()
    try:
        report = library.gate_runs(baseline, candidate, aa or (), options)
    except library.NotComparable as error:
        if junit:
            seconds = time.monotonic() - started
            library.write_junit(junit, library.junit_error(error, baseline, seconds))
        raise
    console = stdout_console()
    console.print(report.sentence, markup=False, soft_wrap=True)
    for note in report.notes:
        typer.echo(f"note: {note}", err=True)
    if report.false_alarms is not None:
        typer.echo(
            f"note: {report.false_alarms:g} false alarms a week at most, by chance", err=True
        )
    print_tables(library.gate_tables(report), console)
    if junit:
        library.write_junit(junit, library.junit(report, time.monotonic() - started))
    give(report)
    if report.exit_code:
        raise typer.Exit(report.exit_code)
