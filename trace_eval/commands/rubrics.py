"""``trace-eval rubrics``: the rubrics of scores; list them, show one, check one's own."""

from __future__ import annotations

from typing import Annotated

import typer

from trace_eval.commands.console import results

app = typer.Typer(
    name="rubrics", help="List, show and check the rubrics of scores.", no_args_is_help=True
)

_Name = Annotated[str, typer.Argument(metavar="RUBRIC", help="A shipped name, or a .toml file.")]


@app.command("list")
def list_() -> None:
    """Name the shipped rubrics, with their scales."""
    from rich.table import Table

    from trace_eval.commands.json_option import give
    from trace_eval.rubrics.load import load_rubric, rubric_names

    table = Table(box=None, pad_edge=False)
    for title in ("rubric", "scale", "about"):
        table.add_column(title)
    collected = [load_rubric(name) for name in rubric_names()]
    for rubric in collected:
        table.add_row(rubric.name, rubric.numbers.name, rubric.title)
    results().print(table)
    give(collected)


@app.command()
def show(name: _Name) -> None:
    """Print a rubric's file, as a start for one's own."""
    from trace_eval.commands.json_option import give
    from trace_eval.rubrics.load import load_rubric, rubric_path

    rubric = load_rubric(name)
    typer.echo(rubric_path(name).read_text(encoding="utf-8"), nl=False)
    give(rubric)


@app.command()
def check(name: _Name) -> None:
    """Read a rubric and say what it asks for; the first wrong field ends with code 2."""
    from trace_eval.commands.json_option import give
    from trace_eval.rubrics.load import load_rubric

    rubric = load_rubric(name)
    labels = ", ".join(f"{label:g}" for label in rubric.numbers.labels)
    console = results()
    for line in (
        f"{rubric.name} version {rubric.version}: {rubric.title}",
        f"scale {rubric.numbers.name}: {labels}; samples by {rubric.reduce}",
        f"inputs {', '.join(rubric.inputs)}"
        + (f"; hidden {', '.join(rubric.hidden)}" if rubric.hidden else ""),
        f"sha256 {rubric.sha256}",
    ):
        console.print(line, markup=False, soft_wrap=True)
    give(rubric)
