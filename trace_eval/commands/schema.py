"""``trace-eval schema``: the JSON schemas of what is read and written."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def schema(
    name: Annotated[
        str | None,
        typer.Argument(
            help="pair, blueprint, judgement, single or score; or a command: what its --json"
            " holds. Default: all records."
        ),
    ] = None,
) -> None:
    """Print the JSON schemas of pairs, blueprints, judgements, single answers and scores."""
    from trace_eval.commands.result_schemas import RESULTS, result_schema
    from trace_eval.data.schemas import schemas

    found = result_schema(name) if name in RESULTS else schemas(name)
    typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
