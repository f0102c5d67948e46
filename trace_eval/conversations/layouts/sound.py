"""Recordings: a stereo file with a speaker on each channel, or two files on one clock."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from blueprints import UserError
from extractors import AUDIO_SUFFIXES, opened
from trace_eval.conversations.layouts.base import (
    CallLayout,
    ReadCalls,
    Unread,
    each,
    first_row,
    number_of,
    one,
    separate_rows,
)
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.conversations.sound.conversation import kept_conversation
from trace_eval.data.conversation import ROLES, Channel, ConversationItem, Role

#: Words in a file's name that say who speaks; a system may be called human, gpt or model.
_SPEAKS: dict[str, Role] = {
    **dict.fromkeys(("user", "caller", "customer"), "user"),
    **dict.fromkeys(("agent", "assistant", "bot"), "agent"),
}

#: A word of a file's name.
_WORD = re.compile(r"[^\W\d_]+")


def _recordings(path: Path, pattern: str = "**/*") -> list[Path]:
    if path.is_file():
        return [path]
    return [file for file in sorted(path.glob(pattern)) if file.suffix.lower() in AUDIO_SUFFIXES]


def fits_stereo(path: Path) -> bool:
    """A recording, or a folder whose first recording has two channels."""
    if path.is_file():
        return path.suffix.lower() in AUDIO_SUFFIXES
    there = _recordings(path, "*")
    for file in there:
        with suppress(UserError):  # one that cannot be read says nothing of the others
            return channel_count(file) == 2
    return bool(there)


def channel_count(path: Path) -> int:
    """How many channels a recording has; raises AudioError where it cannot be read."""
    with opened(path, str(path), max_seconds=0.0) as file:
        return int(file.channels)


def read_stereo(path: Path, options: ReadOptions) -> ReadCalls:
    """Every recording below a path: channel 0 is the user, 1 the agent, unless said otherwise."""

    def call(file: Path) -> ConversationItem:
        number = channel_count(file)
        if number == 1:
            raise UserError(
                "one_channel: a mix of both cannot be timed; give two channels, or its turns in a"
                " table with the columns speaker, start, end and audio"
            )
        if number != 2:
            raise UserError(f"{number} channels; keep two, one of the user and one of the agent")
        name = file.relative_to(path).with_suffix("") if path.is_dir() else Path(file.stem)
        return item_from_sound(str(name), lanes_of_file(file, options), options)

    return each(_recordings(path), call)


def lanes_of_file(file: Path, options: ReadOptions) -> dict[Role, Channel]:
    """The channels of user and agent in a stereo file: 0 and 1, unless options say otherwise."""
    agent = int((options.agent_channel == 0) == options.swap)
    places: dict[Role, int] = {"user": 1 - agent, "agent": agent}
    return {role: Channel(name=role, audio=file, channel=n) for role, n in places.items()}


def _halves(folder: Path) -> dict[str, dict[str, str]]:
    """Call -> role -> its recording, of files whose names differ by who speaks.

    ``7_user.wav`` and ``7_agent.wav``, or ``user/7.wav`` and ``agent/7.wav``, are the call ``7``.
    """
    calls: dict[str, dict[str, str]] = {}
    for file in _recordings(folder):
        name = file.relative_to(folder).with_suffix("").as_posix()
        words = [word for word in _WORD.finditer(name) if word[0].casefold() in _SPEAKS]
        if len(words) == 1:
            (word,) = words
            call = (name[: word.start()] + name[word.end() :]).strip(" _-./") or folder.name
            role = _SPEAKS[word[0].casefold()]
            calls.setdefault(call, {"id": call})[role] = str(file.relative_to(folder))
    return calls


def _fits_two_files(path: Path) -> bool:
    if path.is_dir():
        return any({*ROLES} <= half.keys() for half in _halves(path).values())
    return path.is_file() and {*ROLES} <= first_row(path).keys()


def read_two_files(path: Path, options: ReadOptions) -> ReadCalls:
    """Every row or call: a recording of the user and one of the agent, on one clock."""
    folder = path if path.is_dir() else path.parent
    for number, row in enumerate(_halves(path).values()) if path.is_dir() else separate_rows(path):
        if isinstance(row, str):
            yield Unread(f"{path}, line {number}", row)
            continue
        name = str(row.get("id") or row.get("conversation") or number)
        yield one(f"{path}, {name}", partial(_two_files, name, row, folder, options))


def _two_files(
    name: str, row: dict[str, Any], folder: Path, options: ReadOptions
) -> ConversationItem:
    channels = [_channel(row, role, folder) for role in ROLES]
    roles = reversed(ROLES) if options.swap else ROLES
    return item_from_sound(name, dict(zip(roles, channels, strict=True)), options, row)


def _channel(row: dict[str, Any], role: str, folder: Path) -> Channel:
    audio = row.get(role)
    if not isinstance(audio, str) or not audio:
        raise UserError(f"no recording of the {role}; name its file in column {role!r}")
    return Channel(
        name=role,
        audio=folder / audio,
        offset_s=number_of(row.get(f"{role}_offset_s"), f"{role}_offset_s") or 0.0,
        drift_ppm=number_of(row.get(f"{role}_drift_ppm"), f"{role}_drift_ppm") or 0.0,
    )


def item_from_sound(
    name: str,
    channels: dict[Role, Channel],
    options: ReadOptions,
    row: dict[str, Any] | None = None,
) -> ConversationItem:
    """A call whose turns are found in its sound; ``row`` may name its scenario and system."""
    conversation, caveats = kept_conversation(
        channels,
        options.kept,
        ignore=options.ignore,
        agent_greets=options.agent_channel == "greets",
        check_clock=options.check_clock,
    )
    available = {key: str(row[key]) for key in ("question_id", "system") if row and row.get(key)}
    return ConversationItem(id=name, conversation=conversation, caveats=caveats, **available)


STEREO = CallLayout(
    "stereo",
    "recordings with a speaker on each channel",
    fits_stereo,
    read_stereo,
    lambda path: len(_recordings(path)),
)
TWO_FILES = CallLayout(
    "two_files",
    "CSV or JSONL with columns user and agent, or files named by them: recordings on one clock",
    _fits_two_files,
    read_two_files,
)
