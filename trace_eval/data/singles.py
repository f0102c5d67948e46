"""One record of a manifest -> one :class:`Single`, whatever the layout.

Three layouts are understood: our own nested JSON, flat columns (CSV, Parquet), and the records
of ORCA's authors (``candidate``, ``reference``, ``rationale``, ``transcription``, ``ratings``,
``feedback``). What is not named here ends up in ``Single.meta``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from blueprints import UserError
from trace_eval.data.columns import Fields, is_sound
from trace_eval.data.conversation import ConversationReader
from trace_eval.data.items import ANONYMOUS, Single
from trace_eval.data.layouts import DIALOGUES, unfolded
from trace_eval.data.names import SINGLE, by_rank, ranks
from trace_eval.data.records import (
    Spill,
    first_problem,
    is_json,
    resolve_audio,
    resolve_conversation,
)

#: What a record of a single answer is made of; either ``candidate`` or ``audio`` is needed.
SINGLE_FIELDS = Fields(
    SINGLE,
    needed=("audio",),
    sounds=frozenset(("audio", "question_audio")),
    instead=frozenset(
        (*SINGLE["candidate"], "turns", "answer", "a", "b", "conversation", *DIALOGUES)
    ),
)

_FIELDS = {name: field for field, names in SINGLE.items() for name in names}
_RANKS = ranks(SINGLE.values())

#: Fields of which the first accepted name counts; two answers or labels in a record are refused.
_FIRST_COUNTS = frozenset(("id", "question_id", "question", "question_audio"))

#: Fields of :class:`Single` that are taken over as they are.
_PLAIN = ("id", "question_id", "system", "context", "rationale", "transcription")

#: Keys of the authors' objects end in the code of the system that answered.
_AUTHORS_KEY = re.compile(r"_(M\d{1,9}_\d{1,9})\Z")


def single_from_record(
    record: Mapping[str, Any],
    root: Path | str,
    spill: Spill | None = None,
    conversations: ConversationReader | None = None,
) -> Single:
    """Build a single answer; relative paths are taken from ``root``.

    Args:
        record: one JSON object or table row; ``None`` counts as absent, an empty cell too,
            except that an empty candidate is an empty answer.
        root, spill, conversations: see :func:`trace_eval.data.records.pair_from_record`.

    Raises:
        UserError: a field is missing, given twice or has a value of another kind.
    """
    fields, nested, meta = _sorted(unfolded(record))
    tree: dict[str, Any] = {name: fields.pop(name) for name in _PLAIN if name in fields}
    tree |= {name: fields.pop(name) for name in ("category", "language", "split") if name in fields}
    tree["instruction"] = _instruction(fields, nested)
    tree["answer"] = _answer(fields, nested)
    tree["labels"] = _labels(fields, nested)
    if "reference" in fields:
        reference = fields.pop("reference")
        tree["reference"] = reference if isinstance(reference, list) else [reference]
    tree["meta"] = {key: value for key, value in meta.items() if is_json(value)}
    for key in ("id", "question_id"):
        if type(tree.get(key)) is int:  # not a bool
            tree[key] = str(tree[key])
    for recording in (tree["instruction"], tree["answer"], *tree["answer"].get("turns", ())):
        if isinstance(recording, dict):
            resolve_audio(recording, root, spill)
    resolve_conversation(tree["answer"], root, conversations)
    try:
        return Single.model_validate({k: v for k, v in tree.items() if v is not None})
    except ValidationError as error:
        raise UserError(first_problem(error)) from None


def authors_record(key: str, record: dict[str, Any]) -> dict[str, Any]:
    """A member of an object of items by id as a record with an id of its own."""
    named = {"id": key, **record}
    match = _AUTHORS_KEY.search(key, 1)
    if match and "question_id" not in record:
        question = key[: match.start()]
        named = {**named, "question_id": question, "system": record.get("system", match[1])}
    return named


def _sorted(
    record: Mapping[str, Any],
) -> tuple[dict[str, Any], dict[str, Mapping[str, Any]], dict[str, Any]]:
    """(known fields, nested objects, anything else)."""
    fields: dict[str, Any] = {}
    nested: dict[str, Mapping[str, Any]] = {}
    meta: dict[str, Any] = {}
    for key, value in by_rank(record, _RANKS):
        if value is None or (value == "" and _FIELDS.get(key) != "candidate"):
            continue
        if key in ("instruction", "answer", "labels", "meta") and isinstance(value, Mapping):
            nested[key] = value
        elif key == "candidate" and isinstance(value, Mapping):
            nested["answer"] = value
        elif key == "answer" and isinstance(value, str):
            _once(fields, "audio" if is_sound(value) else "candidate", key, value)
        elif key in ("labels", "meta", "answer"):
            raise UserError(f"{key}: expected an object (got {value!r:.80})")
        elif key in _FIELDS and not (_FIELDS[key] in _FIRST_COUNTS and _FIELDS[key] in fields):
            _once(fields, _FIELDS[key], key, value)
        else:
            meta[key] = value
    return fields, nested, {**nested.get("meta", {}), **meta}


def _once(fields: dict[str, Any], field: str, key: str, value: Any) -> None:
    if field in fields:
        raise UserError(f"{key}: {field} is given under another name as well; keep one")
    fields[field] = value


def _instruction(fields: dict[str, Any], nested: dict[str, Mapping[str, Any]]) -> dict[str, Any]:
    tree = {k: v for k, v in nested.get("instruction", {}).items() if v is not None}
    for field, place in (("question", "text"), ("question_audio", "audio")):
        if field in fields:
            _once(tree, place, field, fields.pop(field))
    return tree


def _answer(fields: dict[str, Any], nested: dict[str, Mapping[str, Any]]) -> dict[str, Any]:
    tree = {k: v for k, v in nested.get("answer", {}).items() if v is not None}
    places = {"candidate": "text", **{name: name for name in ("audio", "turns", "conversation")}}
    for field, place in places.items():
        if field in fields:
            _once(tree, place, field, fields.pop(field))
    if tree.get("text") == "" and (tree.get("audio") or tree.get("turns")):
        del tree["text"]  # an empty cell of a table beside a recording
    if isinstance(tree.get("turns"), list):
        tree["turns"] = [
            {"audio": turn} if isinstance(turn, str) else dict(turn) if _is_map(turn) else turn
            for turn in tree["turns"]
        ]
    return tree


def _labels(fields: dict[str, Any], nested: dict[str, Mapping[str, Any]]) -> Any:
    tree = dict(nested.get("labels", {}))
    for field in ("scores", "feedback"):
        if field in fields:
            _once(tree, field, field, fields.pop(field))
    scores = tree.get("scores")
    if scores is not None and not isinstance(scores, list | Mapping):
        tree["scores"] = {f"{ANONYMOUS}1": scores}
    return tree or None


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping)
