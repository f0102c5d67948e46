"""``trace-eval rubrics``: the rubrics of scores; list them, show one, check one's own."""

from __future__ import annotations

from typing import Annotated

import typer

from trace_eval.commands.console import print_rows, say
from trace_eval.commands.result_files import give

app = typer.Typer(
    name="rubrics", help="List, show and check the rubrics of scores.", no_args_is_help=True
)

_Name = Annotated[str, typer.Argument(metavar="RUBRIC", help="A shipped name, or a .toml file.")]


@app.command("list")
def list_() -> None:
    """Name the shipped rubrics, with their scales."""
    from trace_eval.data.rubrics.load import load_rubric, rubric_names

    collected = [load_rubric(name) for name in rubric_names()]
    rows = [(rubric.name, rubric.numbers.name, rubric.title) for rubric in collected]
    print_rows(("rubric", "scale", "about"), rows)
    give(collected)


@app.command()
def show(name: _Name) -> None:
    """Print a rubric's file, as a start for one's own."""
    from trace_eval.data.rubrics.load import load_rubric, rubric_path

    rubric = load_rubric(name)
    typer.echo(rubric_path(name).read_text(encoding="utf-8"), nl=False)
    give(rubric)


@app.command()
def check(name: _Name) -> None:
    """Read a rubric and say what it asks for; the first wrong field ends with code 2."""
    from trace_eval.data.rubrics.load import load_rubric

    rubric = load_rubric(name)
    labels = ", ".join(f"{label:g}" for label in rubric.numbers.labels)
    say(
        f"{rubric.name} version {rubric.version}: {rubric.title}",
        f"scale {rubric.numbers.name}: {labels}; samples by {rubric.reduce}",
        f"inputs {', '.join(rubric.inputs)}"
        + (f"; hidden {', '.join(rubric.hidden)}" if rubric.hidden else ""),
        f"sha256 {rubric.sha256}",
    )
    give(rubric)
