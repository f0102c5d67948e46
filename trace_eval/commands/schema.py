"""``trace-eval schema``: the JSON schemas of what is read and written."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def schema(
    name: Annotated[
        str | None,
        typer.Argument(help="pair, blueprint, judgement, single or score; default: all."),
    ] = None,
) -> None:
    """Print the JSON schemas of pairs, blueprints, judgements, single answers and scores."""
    from trace_eval.data.schemas import schemas

    typer.echo(json.dumps(schemas(name), indent=2, ensure_ascii=False))
