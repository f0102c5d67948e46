"""``trace-eval models``: the models of the extra, listed, fetched and verified."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.console import EXIT_INCOMPLETE, FILE_WIDTH, messages, say, warn
from trace_eval.commands.render import print_tables
from trace_eval.commands.result_files import give
from trace_eval.show.table import grid

app = typer.Typer(
    name="models",
    help="List, fetch and verify the models of the extra.",
    no_args_is_help=True,
)

_SPEC = "NAME:MODEL, e.g. whisper:base."


@dataclass(frozen=True)
class Fetched:
    """A model that is on this machine now."""

    spec: str
    path: Path


@app.command("list")
def list_() -> None:
    """Say which models there are, what they need, and which are on this machine."""
    from extractors import list_models

    columns = ("model", "group", "weights", "languages", "here", "licence")
    result = list_models()
    rows: list[tuple[object, ...]] = []
    for row in result:
        size = f"{row.size / 1e6:.0f} MB" if row.path else "no"
        model = row.model
        cells = (
            model.spec,
            row.group,
            model.parameters,
            model.languages,
            size,
            model.licence,
        )
        rows.append(cells)
    print_tables([grid("", columns, rows)], width=FILE_WIDTH)
    for row in result:
        if row.path:
            say(f"{row.model.spec}: {row.path}")
    give(result)


@app.command()
def fetch(
    specs: Annotated[list[str], typer.Argument(metavar="SPEC...", help=_SPEC)],
) -> None:
    """Download models into their hub's cache; the only command that needs a network."""
    from extractors.fetch import fetch as fetch_model

    fetched = []
    for spec in specs:
        fetched.append(Fetched(spec, fetch_model(spec)))
        messages().print(f"{spec}: {fetched[-1].path}")
    give(fetched)


@app.command()
def verify(
    specs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SPEC...]", help=f"{_SPEC} Default: all models here."),
    ] = None,
) -> None:
    """Check hashes and load every tensor; exit code 1 when a model is not in order."""
    from extractors import verify as verify_models

    result = verify_models(specs or ())
    for row in result:
        (say if row.ok else warn)(f"{row.spec}: {row.detail}")
    if not result:
        messages().print("no model is on this machine; see: trace-eval models list")
    give(result)
    if not all(row.ok for row in result):
        raise typer.Exit(EXIT_INCOMPLETE)
