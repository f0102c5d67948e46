"""One record of a manifest -> one :class:`Single`, whatever the layout.

Three layouts are understood: our own nested JSON, flat columns (CSV, Parquet), and the
records of ORCA's authors (``candidate``, ``reference``, ``rationale``,
``transcription``, ``ratings``, ``feedback``). What is not named here ends up in
``Single.meta``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from blueprints import InputError
from trace_eval.data.columns import Fields
from trace_eval.data.conversation import ConversationReader
from trace_eval.data.items import ANONYMOUS, Single
from trace_eval.data.layouts import DIALOGUES, unfolded
from trace_eval.data.names import OTHER_NAMES, SINGLE, by_rank, ranks
from trace_eval.data.records import (
    Spill,
    item_from,
    resolve_audio,
    resolve_conversation,
)
from trace_eval.data.renamed import is_sound

#: What a record of a single answer is made of; either ``candidate`` or ``audio`` is
#: needed.
SINGLE_FIELDS = Fields(
    {**SINGLE, "audio": SINGLE["audio"] + OTHER_NAMES["audio"]},
    needed=("audio",),
    sounds=frozenset(("audio", "question_audio")),
    instead=frozenset(
        (*SINGLE["candidate"], "turns", "answer", "a", "b", "conversation", *DIALOGUES)
    ),
)

_FIELDS = {name: field for field, names in SINGLE.items() for name in names}
_RANKS = ranks(SINGLE.values())

#: Fields of which the first accepted name counts; two answers or labels in a record are
#: refused.
_FIRST_COUNTS = frozenset(("id", "question_id", "question", "question_audio"))

#: Object of an item that may be nested in a record -> what of the item it is.
_OBJECTS = {**{name: name for name in ("instruction", "answer", "labels", "meta")},
            "candidate": "answer"}  # fmt: skip

#: Field -> its place in an item; the others stand at the top, under their own names.
_PLACES = {
    "question": ("instruction", "text"),
    "question_audio": ("instruction", "audio"),
    "candidate": ("answer", "text"),
    **{name: ("answer", name) for name in ("audio", "turns", "conversation")},
    **{name: ("labels", name) for name in ("scores", "feedback")},
}

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
        record: one JSON object or table row; ``None`` counts as absent, an empty cell
            too, except that an empty candidate is an empty answer.
        root, spill, conversations: see
            :func:`trace_eval.data.records.pair_from_record`.

    Raises:
        UserError: a field is missing, given twice or has a value of another kind.
    """
    tree = _placed(unfolded(record))
    answer = tree["answer"]
    if answer.get("text") == "" and (answer.get("audio") or answer.get("turns")):
        del answer["text"]  # an empty cell of a table beside a recording
    if isinstance(answer.get("turns"), list):
        answer["turns"] = [_turn(turn) for turn in answer["turns"]]
    scores = tree["labels"].get("scores")
    if scores is not None and not isinstance(scores, list | Mapping):
        tree["labels"]["scores"] = {f"{ANONYMOUS}1": scores}
    if "reference" in tree and not isinstance(tree["reference"], list):
        tree["reference"] = [tree["reference"]]
    for recording in (tree["instruction"], answer, *answer.get("turns", ())):
        if isinstance(recording, dict):
            resolve_audio(recording, root, spill)
    resolve_conversation(answer, root, conversations)
    return item_from(Single, {**tree, "labels": tree["labels"] or None})


def _turn(turn: Any) -> Any:
    """Return a turn as an object of our own; a text is its recording."""
    if isinstance(turn, str):
        return {"audio": turn}
    return dict(turn) if isinstance(turn, Mapping) else turn


def authors_record(key: str, record: dict[str, Any]) -> dict[str, Any]:
    """Turn a member of an object that maps ids to items into a record with its id."""
    named = {"id": key} | record
    match = _AUTHORS_KEY.search(key, 1)
    if match and "question_id" not in record:
        named["question_id"] = key[: match.start()]
        named.setdefault("system", match[1])
    return named


def _placed(record: Mapping[str, Any]) -> dict[str, Any]:
    """Place a record as an item has it; unknown names go to ``meta``."""
    tree: dict[str, Any] = {name: {} for name in _OBJECTS.values()}
    flat: list[tuple[str, Any]] = []
    for key, value in by_rank(record, _RANKS):
        if key in _OBJECTS and isinstance(value, Mapping):
            for name, inner in value.items():
                if inner is not None or key == "meta":
                    tree[_OBJECTS[key]][name] = inner
        elif value is not None and (value != "" or _FIELDS.get(key) == "candidate"):
            flat.append((key, value))
    for key, value in flat:
        field = _field_of(key, value)
        part, name = _PLACES.get(field, ("", field))
        target = tree[part] if part else tree
        if not field or (field in _FIRST_COUNTS and name in target):
            tree["meta"][key] = value
        elif name in target:
            raise InputError(
                f"{key}: {field} is given under another name as well; keep one"
            )
        else:
            target[name] = value
    return tree


def _field_of(key: str, value: Any) -> str:
    """Return the field that a flat column is; empty where its name is unknown."""
    if key == "answer" and isinstance(value, str):
        return "audio" if is_sound(value) else "candidate"
    if key in ("labels", "meta", "answer"):
        raise InputError(f"{key}: expected an object (got {value!r:.80})")
    return _FIELDS.get(key, "")
