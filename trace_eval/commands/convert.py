"""``trace-eval convert``: a benchmark by name, with its printed figures beside ours."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blueprints import counted
from trace_eval.commands.console import (
    EXIT_INCOMPLETE,
    print_rows,
    say,
    warn_all,
)
from trace_eval.commands.result_files import give
from trace_eval.commands.signatures import from_classes
from trace_eval.datasets import Selection

if TYPE_CHECKING:
    from trace_eval.datasets import Conversion, Figure


@from_classes
def convert(
    *,
    name: Annotated[
        str | None,
        typer.Argument(help="Name of the benchmark, see --list.", show_default=False),
    ] = None,
    path: Annotated[
        str | None,
        typer.Argument(
            help="What was released: folder, file, or its URL.", show_default=False
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Argument(help="Folder for our files.", show_default=False)
    ] = None,
    list_: Annotated[
        bool,
        typer.Option("--list", help="Name all benchmarks, with licence and figures."),
    ] = False,
    chosen: Selection,
    prompt: Annotated[
        Path | None,
        typer.Option(
            help="Ask the authors' prompt in place of our question; needs one --set."
        ),
    ] = None,
) -> None:
    """Convert a benchmark to manifests; rerun its authors' rule on released answers."""
    from trace_eval.datasets import convert as convert_dataset

    if list_:
        _print_list()
        return
    if name is None or path is None or out is None:
        raise typer.BadParameter("give NAME, PATH and OUT; --list names the benchmarks")
    done = convert_dataset(name, path, out=out, chosen=chosen, prompt=prompt)
    _print(done)
    give(done.record())
    if done.converted.problems:
        warn_all(done.converted.problems)
        raise typer.Exit(EXIT_INCOMPLETE)


def _print_list() -> None:
    from trace_eval.datasets import dataset_names, find_dataset

    datasets = [find_dataset(name) for name in dataset_names()]
    titles = ("name", "judged", "items", "licence", "figures that come out again")
    rows = [
        (row.name, row.judged, row.items, row.licence, row.reproduces)
        for row in datasets
    ]
    print_rows(titles, rows, fixed=("name",), most=None)
    give([replace(row, reader=str(row.reader)) for row in datasets])


def _print(done: Conversion) -> None:
    result, dataset = done.converted, done.dataset
    say(
        f"{dataset.title}: {counted(len(result.items), 'answer')} to rate,"
        f" {counted(len(result.pairs), 'pair')},"
        f" {counted(len(result.scores), 'score')} of the authors' rule; licence"
        f" {dataset.licence} ({dataset.source})"
    )
    for what, path in done.files.items():
        say(f"{what}: {path}")
    if result.figures:
        say("")
        numbers = ("published", "ours", "n", "unscored", "worst", "best")
        rows = map(_cells, result.figures)
        print_rows(
            ("figure", "system", *numbers, ""), rows, fixed=(), right=numbers, width=160
        )
    for board in result.boards:
        figures = board.figures()
        odd = []
        for f in figures:
            if f.verdict != "equal":
                odd.append(f"{f.system} {f.difference:+g} ({f.note})")
        of = f"of {counted(len(figures), 'row')}"
        agree = counted(len(figures) - len(odd), f"{of} agrees", f"{of} agree")
        exceptions = f"; not {'; '.join(odd)}" if odd else ""
        say(
            f"\noverall of the board ({board.where}): {agree} with the other columns"
            f" within {board.tolerance:g}{exceptions}"
        )
    if result.notes:
        say("")
        for note in result.notes:
            say(f"note: {note}")


def _cells(figure: Figure) -> list[str]:
    """Return one row of the table of figures."""

    def number(value: float | None) -> str:
        return "" if value is None else f"{value:.{figure.decimals}f}"

    lines = [figure.verdict]
    if figure.interval:
        low, high = figure.interval
        lines.append(f"95 % {number(low)}-{number(high)} ({figure.interval_by})")
    if figure.expected is not None:
        lines.append(f"expected {number(figure.expected)}")
    if figure.note:
        lines.append(figure.note)
    published = worst = best = items = unscored = ""
    if figure.published is not None:
        published = f"{figure.published:.4f}".rstrip("0").rstrip(".")
    if figure.n:
        items = f"{figure.n:,}"
        unscored = f"{figure.unscored:,}"
    if figure.unscored > 0:
        worst = number(figure.worst)
        best = number(figure.best)
    return [
        figure.name,
        figure.system,
        published,
        number(figure.ours),
        items,
        unscored,
        worst,
        best,
        "; ".join(lines),
    ]
