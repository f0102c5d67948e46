"""Cache of the speech detected in two channels, valid while their files are unchanged: listening
takes long.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from blueprints import Strict
from trace_eval.conversations.sound.conversation import conversation_from_sound
from trace_eval.data import jsonl, strict_json
from trace_eval.data.conversation import Channel, Conversation, Role
from trace_eval.data.files import make_folder, replace_file

#: Raise it whenever the same recordings could be cut into other turns.
VERSION = "7"


class _Kept(Strict):
    conversation: Conversation
    caveats: tuple[str, ...]


def kept_conversation(
    channels: dict[Role, Channel], folder: Path | None, **how: Any
) -> tuple[Conversation, tuple[str, ...]]:
    """What :func:`~trace_eval.conversations.sound.conversation.conversation_from_sound` gives.

    Args:
        channels: of user and agent.
        folder: where it is kept; None: nowhere. What is damaged there is heard again.
        how: further arguments.

    Raises:
        AudioError: a channel cannot be decoded.
    """
    place = folder / f"{_key(channels, how)}.json" if folder else None
    if place and (available := _read(place)):
        return available.conversation, available.caveats
    with threadpool_limits(1, user_api="blas"):  # more threads take half as much time again
        conversation, caveats = conversation_from_sound(channels, **how)
    if folder and place:
        text = _Kept(conversation=conversation, caveats=caveats).model_dump_json()
        make_folder(folder, private=True)
        replace_file(place, f"{_digest(text)}\n{text}")
    return conversation, caveats


def _key(channels: dict[Role, Channel], how: dict[str, Any]) -> str:
    """By place, size and time of every file, and by what decides the turns."""
    provided = [
        [role, channel.model_dump(mode="json"), _stamp(channel.audio)]
        for role, channel in channels.items()
    ]
    return _digest(jsonl.canonical([VERSION, provided, how]))


def _stamp(file: Path) -> list[str | int]:
    try:
        stat = file.stat()
    except OSError:  # which is told by who listens
        return []
    return [str(file.resolve()), stat.st_size, stat.st_mtime_ns]


def _read(place: Path) -> _Kept | None:
    try:
        digest, _, text = place.read_text(encoding="utf-8").partition("\n")
        return strict_json.parse(_Kept, text) if digest == _digest(text) else None
    except (OSError, ValueError):
        return None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
