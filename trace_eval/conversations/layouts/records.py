"""Conversations as JSON lines in the package's own form, or the items of a run of ``rate``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from blueprints import UserError
from trace_eval.conversations.layouts.base import (
    Found,
    Layout,
    Unread,
    first_line,
    json_lines,
    mapping,
    problem,
)
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.data import ConversationItem, rooted

#: Name of the file of items in a run folder.
ITEMS = "items.jsonl"


def fits(path: Path) -> bool:
    """JSON lines with an object under ``conversation``, or under that of an ``answer``."""
    file = path / ITEMS if path.is_dir() else path
    if not file.is_file() or file.suffix != ".jsonl":
        return False
    return isinstance(_unfolded(first_line(file)).get("conversation"), dict)


def _unfolded(value: dict[str, Any]) -> dict[str, Any]:
    """A rated item as a conversation with its name; others as they are."""
    answer = value.get("answer")
    if "conversation" in value or not isinstance(answer, dict):
        return value
    kept = {key: told for key, told in value.items() if key in ("id", "question_id", "system")}
    caveats = mapping(value.get("meta")).get("caveats", [])
    return kept | {"conversation": answer.get("conversation"), "caveats": caveats}


def read(path: Path, options: ReadOptions) -> Found:
    """Each line; recordings are named relative to the file."""
    del options  # a record says everything
    path = path / ITEMS if path.is_dir() else path
    for number, value in json_lines(path):
        try:
            item = ConversationItem.model_validate(_unfolded(value))
            found = rooted(item.conversation, path.parent)
            yield item.model_copy(update={"conversation": found})
        except ValidationError as error:
            yield Unread(f"{path}, line {number}", problem(error))
        except UserError as error:
            yield Unread(f"{path}, line {number}", str(error))


RECORDS = Layout(
    "records", "JSON lines of conversations in our own form, or a run of rate", fits, read
)
