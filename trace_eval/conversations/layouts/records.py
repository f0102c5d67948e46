"""Conversations as JSON lines in the package's own form, or the items of a run."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from blueprints import InputError
from trace_eval.conversations.layouts.base import (
    CallLayout,
    ReadCalls,
    Unread,
    first_row,
    mapping,
    one,
    separate_lines,
)
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.data.conversation import ConversationItem, rooted
from trace_eval.data.items import Pair, items_of_pair

#: Names of the file of items in a run folder: of rate, of judge.
ITEMS = ("items.jsonl", "pairs.jsonl")


def fits(path: Path) -> bool:
    """Recognise JSON lines with a conversation, at the top or in an answer."""
    file = _file(path)
    if not file.is_file() or file.suffix != ".jsonl":
        return False
    first = first_row(file)
    records = [_unfolded(first), mapping(first.get("a")), mapping(first.get("b"))]
    return any(isinstance(one.get("conversation"), dict) for one in records)


def _file(path: Path) -> Path:
    """Return the file of a run folder."""
    if not path.is_dir():
        return path
    files = [path / name for name in ITEMS]
    return next((file for file in files if file.is_file()), files[0])


def _items(value: dict[str, Any] | str, folder: Path) -> list[ConversationItem]:
    """Read the calls of a record; those of a pair are ``ID/a`` and ``ID/b``."""
    if isinstance(value, str):
        raise InputError(value)
    if {"a", "b"} <= value.keys():
        pair = Pair.model_validate(value)
        if pair.turn is not None:
            raise InputError(
                f"{pair.id}: a part of a call; give the calls, or a run that judged"
                " them whole"
            )
        items = [half.call for half in items_of_pair(pair) if half.call is not None]
    else:
        items = [ConversationItem.model_validate(_unfolded(value))]
    return [_rooted(item, folder) for item in items]


def _rooted(item: ConversationItem, folder: Path) -> ConversationItem:
    conversation = rooted(item.conversation, folder)
    return item.model_copy(update={"conversation": conversation})


def _unfolded(value: dict[str, Any]) -> dict[str, Any]:
    """Turn a rated item into a conversation with its name.

    Other records are returned as they are.
    """
    answer = value.get("answer")
    if "conversation" in value or not isinstance(answer, dict):
        return value
    record: dict[str, Any] = {}
    for key in ("id", "question_id", "system"):
        if key in value:
            record[key] = value[key]
    record["conversation"] = answer.get("conversation")
    record["caveats"] = mapping(value.get("meta")).get("caveats", [])
    return record


def read(path: Path, options: ReadOptions) -> ReadCalls:
    """Read each line; recordings are named relative to the file."""
    del options  # a record says everything
    path = _file(path)
    for number, value in separate_lines(path):
        items = one(f"{path}, line {number}", partial(_items, value, path.parent))
        if isinstance(items, Unread):
            yield items
        else:
            yield from items


RECORDS = CallLayout(
    name="records",
    about="JSON lines of conversations in our own form, or a run",
    fits=fits,
    read=read,
)
