"""``trace-eval schema``: JSON schemas of what is read and written, from its types."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Annotated, Any

import typer
from pydantic import ConfigDict, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from blueprints import Blueprint, Strict, UserError
from trace_eval.commands.listing import RESULTS
from trace_eval.data.conversation import Conversation
from trace_eval.data.items import Pair, Single
from trace_eval.data.judgement import Judgement
from trace_eval.data.scores import Score
from trace_eval.stats.options import DRAWN

_RECORDS: dict[str, type[Strict]] = {
    "pair": Pair,
    "blueprint": Blueprint,
    "judgement": Judgement,
    "single": Single,
    "score": Score,
    "conversation": Conversation,
}
#: Schema of the sentences that stand beside a result.
_SENTENCES = {
    "properties": {
        "sentences": {"type": "array", "items": {"type": "string"}, "maxItems": 3}
    },
    "required": ["sentences"],
}


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
    """Print JSON schemas: pairs, blueprints, judgements, single answers and scores."""
    name = " ".join(names or ()) or None
    result = result_schema(name) if name and _named(name) else schemas(name)
    typer.echo(json.dumps(result, indent=2, ensure_ascii=False))


def schemas(name: str | None = None) -> dict[str, Any]:
    """Return the schema of one record, or all of them by name.

    Raises:
        UserError: no record is called so.
    """
    if name is None:
        return {key: record.model_json_schema() for key, record in _RECORDS.items()}
    if name not in _RECORDS:
        raise UserError(f"schema {name!r}: use one of {', '.join(_RECORDS)}")
    return _RECORDS[name].model_json_schema()


def _named(command: str) -> tuple[str, ...]:
    """Return the result types of a command, or of all commands of a group."""
    commands_below = [
        types for name, types in RESULTS.items() if f"{name} ".startswith(f"{command} ")
    ]
    return tuple(dict.fromkeys(one for types in commands_below for one in types))


def result_schema(command: str) -> dict[str, Any]:
    """Return the schema of what ``--json`` of a command holds."""
    named = [one.rpartition(" ") for one in _named(command)]
    kinds = [_kind(how, place) for how, _, place in named]
    several: Any = tuple.__class_getitem__(tuple(kinds))
    adapter: TypeAdapter[Any] = TypeAdapter(
        several, config=ConfigDict(arbitrary_types_allowed=True)
    )
    whole = adapter.json_schema(mode="serialization", schema_generator=_AsWritten)
    results: list[dict[str, Any]] = []
    for (how, _, _), own in zip(named, whole["prefixItems"], strict=True):
        results.append({"allOf": [own], **_SENTENCES} if how == "said" else own)
    definitions = {"$defs": whole.get("$defs", {})}
    if len(results) == 1:
        return results[0] | definitions
    return {"anyOf": results} | definitions


def _kind(how: str, place: str) -> Any:
    module, _, name = place.partition(":")
    kind: Any = getattr(import_module(module, "trace_eval"), name)
    if how == "list":
        return list.__class_getitem__(kind)
    return dict.__class_getitem__((str, kind)) if how == "dict" else kind


class _AsWritten(GenerateJsonSchema):
    """Types as :func:`trace_eval.show.records.plain` writes them."""

    def float_schema(self, schema: Any) -> dict[str, Any]:
        """Allow null, which is written for a number that is not finite."""
        return {**super().float_schema(schema), "type": ["number", "null"]}

    def field_is_required(self, field: Any, total: bool) -> bool:
        """Require a record's fields, but not numbers of a draw if nothing was drawn."""
        if field["type"] == "dataclass-field":
            return field["name"] not in DRAWN
        return super().field_is_required(field, total)

    def is_instance_schema(self, schema: Any) -> dict[str, Any]:
        """Describe numpy's array, the only class that is neither a record nor JSON."""
        return {"type": "array"}
