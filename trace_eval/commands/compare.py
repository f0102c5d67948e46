"""``trace-eval compare``: runs side by side, and what a change of judges does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.console import say, say_each, say_note
from trace_eval.commands.render import AS_AGREE, LabelsOption, Output, print_tables
from trace_eval.commands.result_files import give, give_figures
from trace_eval.commands.signatures import from_classes, refuse_unused
from trace_eval.compare.options import ChangeOptions, CompareOptions
from trace_eval.data.columns import OF_LABELS, Columns


@from_classes
def compare(
    *,
    runs: Annotated[
        list[Path],
        typer.Argument(
            help=(
                "Two or more run folders over one input; with --judge-change also"
                " FILE:COLUMN."
            )
        ),
    ],
    labels: LabelsOption = None,
    columns: Annotated[Columns, OF_LABELS, AS_AGREE],
    judge_change: Annotated[
        bool,
        typer.Option(
            "--judge-change",
            help="Two judgings of the same items, OLD NEW: what the change does.",
        ),
    ] = False,
    aa: Annotated[
        list[Path] | None,
        typer.Option("--aa", help="OLD judged once more (A/A): the judge's own noise."),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Write a page with players to this file."),
    ] = None,
    copy_audio: Annotated[
        bool, typer.Option("--audio", help="Copy the recordings beside the page.")
    ] = False,
    options: CompareOptions,
    change: ChangeOptions,
    output: Output,
    context: typer.Context,
) -> None:
    """Compare runs with human labels and each other: agreement, cost, differences."""
    from trace_eval.compare.evaluate import RunComparison
    from trace_eval.compare.page import write_page
    from trace_eval.compare.scores import compare_folders
    from trace_eval.compare.tables import compare_answer, compare_tables
    from trace_eval.decide.gates import score_values

    beside = ("cluster", "html", "copy_audio", "csv", "fail_under")
    alone = ("aa", "margin", "truth", "keys", "items")
    message = "with" if judge_change else "without"
    refuse_unused(
        context, beside if judge_change else alone, f"{message} --judge-change"
    )
    if html is None:
        refuse_unused(context, ("copy_audio",), "without --html")
    if judge_change:
        change = replace(change, bootstrap=options.bootstrap, top=options.top)
        print_change(
            runs,
            aa or (),
            options=change,
            labels=labels,
            columns=columns,
            full=output.full,
        )
        return
    report = compare_folders(runs, labels, options, columns)
    people = report.people if isinstance(report, RunComparison) else ()
    values = score_values(people)
    output.check(values)
    for note in report.notes:
        say_note(note)
    sentences = compare_answer(report)
    say_each(sentences)
    if output.full:
        print_tables(compare_tables(report))
    give(report, sentences)
    give_figures(report, output.csv)
    if html:
        write_page(report, runs, html, copy_audio)
    output.close(values)


def print_change(
    sources: Sequence[Path],
    repeats: Sequence[Path],
    options: ChangeOptions,
    labels: Path | None = None,
    columns: Columns | None = None,
    full: bool = True,
) -> None:
    """Print what a change of judges does; ``gate --judge-changed`` does the same."""
    from trace_eval.compare.judges import judge_change, judge_change_tables

    report = judge_change(sources, repeats, options, labels=labels, columns=columns)
    say(f"{report.title}: {report.sentence}")
    for note in report.notes:
        say_note(note)
    if full:
        print_tables(judge_change_tables(report))
    give(report)
