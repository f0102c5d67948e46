"""JSON schemas of the records that other programs read and write."""

from __future__ import annotations

from typing import Any

from blueprints import Blueprint, Strict, UserError
from trace_eval.data.conversation import Conversation
from trace_eval.data.items import Single
from trace_eval.data.judgement import Judgement
from trace_eval.data.pairs import Pair
from trace_eval.data.scores import Score

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
