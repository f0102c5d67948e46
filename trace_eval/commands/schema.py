"""``trace-eval schema``: the JSON schemas of what is read and written."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def schema(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]",
            help="pair, blueprint, judgement, single or score; or a command, e.g. rank or models"
            " list: what its --json holds. Default: all records.",
        ),
    ] = None,
) -> None:
    """Print the JSON schemas of pairs, blueprints, judgements, single answers and scores."""
    from trace_eval.commands.result_schemas import has_result, result_schema
    from trace_eval.data.schemas import schemas

    name = " ".join(names or ()) or None
    result = result_schema(name) if name and has_result(name) else schemas(name)
    typer.echo(json.dumps(result, indent=2, ensure_ascii=False))
