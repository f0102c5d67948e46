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
from trace_eval.data.conversation import Channel, ConversationItem, Turn


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
            yield _rooted(ConversationItem.model_validate(value), path.parent)
        except ValidationError as error:
            yield Unread(f"{path}, line {number}", problem(error))
        except UserError as error:
            yield Unread(f"{path}, line {number}", str(error))


def _rooted(item: ConversationItem, folder: Path) -> ConversationItem:
    def channel(one: Channel) -> Channel:
        return one.model_copy(update={"audio": folder / one.audio})

    def turn(one: Turn) -> Turn:
        return one.model_copy(update={"audio": folder / one.audio}) if one.audio else one

    found = item.conversation
    return item.model_copy(
        update={
            "conversation": found.model_copy(
                update={
                    "channels": tuple(map(channel, found.channels)),
                    "turns": tuple(map(turn, found.turns)),
                }
            )
        }
    )


RECORDS = Layout("records", "JSON lines of conversations in our own form", fits, read)
