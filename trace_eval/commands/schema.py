"""``trace-eval schema``: the JSON schemas of what is read and written."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from blueprints import Blueprint, Strict, UserError
from trace_eval.data.conversation import Conversation
from trace_eval.data.items import Single
from trace_eval.data.judgement import Judgement
from trace_eval.data.pairs import Pair
from trace_eval.data.scores import Score


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

    name = " ".join(names or ()) or None
    result = result_schema(name) if name and has_result(name) else schemas(name)
    typer.echo(json.dumps(result, indent=2, ensure_ascii=False))


_RECORDS: dict[str, type[Strict]] = {
    "pair": Pair,
    "blueprint": Blueprint,
    "judgement": Judgement,
    "single": Single,
    "score": Score,
    "conversation": Conversation,
}


def schemas(name: str | None = None) -> dict[str, Any]:
    """The schema of one record, or all of them by name.

    Raises:
        UserError: no record is called so.
    """
    if name is None:
        return {key: record.model_json_schema() for key, record in _RECORDS.items()}
    if name not in _RECORDS:
        raise UserError(f"schema {name!r}: use one of {', '.join(_RECORDS)}")
    return _RECORDS[name].model_json_schema()
