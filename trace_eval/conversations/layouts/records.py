"""Conversations as JSON lines in the package's own form."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from blueprints import UserError
from trace_eval.conversations.layouts.base import (
    Found,
    Layout,
    ReadOptions,
    Unread,
    first_line,
    json_lines,
    problem,
)
from trace_eval.data import ConversationItem, rooted


def fits(path: Path) -> bool:
    """JSON lines with an object under ``conversation``."""
    if not path.is_file() or path.suffix != ".jsonl":
        return False
    return isinstance(first_line(path).get("conversation"), dict)


def read(path: Path, options: ReadOptions) -> Found:
    """Each line; recordings are named relative to the file."""
    del options  # a record says everything
    for number, value in json_lines(path):
        try:
            item = ConversationItem.model_validate(value)
            found = rooted(item.conversation, path.parent)
            yield item.model_copy(update={"conversation": found})
        except ValidationError as error:
            yield Unread(f"{path}, line {number}", problem(error))
        except UserError as error:
            yield Unread(f"{path}, line {number}", str(error))


RECORDS = Layout("records", "JSON lines of conversations in our own form", fits, read)
