"""Recordings: a stereo file with a speaker on each channel, or two files on one clock."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from blueprints import InputError, UserError
from extractors import AUDIO_SUFFIXES, file_sha256
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
from trace_eval.conversations.layouts.halves import halves, recordings_below
from trace_eval.conversations.layouts.recordings import channel_count, lanes_of_file
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.conversations.sound.conversation import kept_conversation
from trace_eval.conversations.sound.mono import cannot_hear_one_channel, conversation_from_mix
from trace_eval.data.conversation import ROLES, Channel, ConversationItem, Role


def fits_stereo(path: Path) -> bool:
    """Tell whether a path is a recording, or a folder whose first recording has two channels."""
    if path.is_file():
        return path.suffix.lower() in AUDIO_SUFFIXES
    there = recordings_below(path, "*")
    for file in there:
        with suppress(UserError):  # one that cannot be read says nothing of the others
            return channel_count(file) == 2
    return bool(there)


def read_stereo(path: Path, options: ReadOptions) -> ReadCalls:
    """Every recording below a path: channel 0 is the user, 1 the agent, unless said otherwise."""
    return each(recordings_below(path), partial(_stereo, path, options))


def read_rest(path: Path, options: ReadOptions, heard: Collection[Path]) -> ReadCalls:
    """Read recordings below a folder that no log names, as pairs of files or with two channels."""
    rest = [file for file in recordings_below(path) if file not in heard]
    for row in _rows_of_folder(path):
        sides = [path / row[role] for role in ROLES if role in row]
        if len(sides) == len(ROLES) and all(side in rest for side in sides):
            rest = [file for file in rest if file not in sides]
            yield one(f"{path}, {row['id']}", partial(_two_files, row["id"], row, path, options))
    yield from each(rest, partial(_stereo, path, options))


def _stereo(path: Path, options: ReadOptions, file: Path) -> ConversationItem:
    """Read a recording below a path as a call."""
    number = channel_count(file)
    if number == 1:
        why = cannot_hear_one_channel()
        remedy = "--layout mono tells two voices apart" + (f" ({why})" if why else "")
        raise InputError(
            "one_channel: a mix of both cannot be timed as two channels; give two channels, or its"
            f" turns in a table with the columns speaker, start, end and audio; {remedy}"
        )
    if number != 2:
        raise InputError(f"{number} channels; keep two, one of the user and one of the agent")
    name = file.relative_to(path).with_suffix("") if path.is_dir() else Path(file.stem)
    return item_from_sound(str(name), lanes_of_file(file, options), options)


def _rows_of_folder(folder: Path) -> list[dict[str, Any]]:
    return [
        {"id": call} | {str(role): file for role, file in sides.items()}
        for call, sides in halves(folder).items()
    ]


def _fits_two_files(path: Path) -> bool:
    if path.is_dir():
        return any(len(half) == len(ROLES) for half in halves(path).values())
    return path.is_file() and {*ROLES} <= first_row(path).keys()


def read_two_files(path: Path, options: ReadOptions) -> ReadCalls:
    """Every row or call: a recording of the user and one of the agent, on one clock."""
    folder = path if path.is_dir() else path.parent
    for number, row in enumerate(_rows_of_folder(path)) if path.is_dir() else separate_rows(path):
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
        raise InputError(f"no recording of the {role}; name its file in column {role!r}")
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
    """Make a call whose turns are found in its sound; ``row`` may name scenario and system."""
    conversation, caveats = kept_conversation(
        channels,
        options.kept,
        ignore=options.ignore,
        agent_greets=options.agent_channel == "greets",
        check_clock=options.check_clock,
    )
    available = {key: str(row[key]) for key in ("question_id", "system") if row and row.get(key)}
    return ConversationItem(id=name, conversation=conversation, caveats=caveats, **available)


def read_mono(path: Path, options: ReadOptions) -> ReadCalls:
    """Every recording below a path; those of one channel by the two voices in it."""

    def call(file: Path) -> ConversationItem:
        if channel_count(file) != 1:
            return _stereo(path, options, file)
        name = file.relative_to(path).with_suffix("") if path.is_dir() else Path(file.stem)
        return item_from_mix(str(name), file, options)

    return each(recordings_below(path), call)


def item_from_mix(
    name: str,
    file: Path,
    options: ReadOptions,
) -> ConversationItem:
    """Make a call whose turns are those of two voices in one channel."""
    voice = options.agent_voice
    if voice is not None and not voice.is_file():
        raise InputError(f"--agent-voice {voice}: no such file")
    conversation, caveats = kept_conversation(
        {"user": Channel(name="mix", audio=file)},
        options.kept,
        conversation_from_mix,
        ignore=options.ignore,
        agent_greets=options.agent_channel == "greets",
        agent_voice=None if voice is None else str(voice.resolve()),
        voice_stamp=None if voice is None else file_sha256(voice),
    )
    return ConversationItem(id=name, conversation=conversation, caveats=caveats)


MONO = CallLayout(
    "mono",
    "recordings of one channel with two voices in it",
    lambda path: False,  # never taken by itself: what it cannot tell is much
    read_mono,
    lambda path: len(recordings_below(path)),
)
STEREO = CallLayout(
    "stereo",
    "recordings with a speaker on each channel",
    fits_stereo,
    read_stereo,
    lambda path: len(recordings_below(path)),
)
TWO_FILES = CallLayout(
    "two_files",
    "CSV or JSONL with columns user and agent, or files named by them: recordings on one clock",
    _fits_two_files,
    read_two_files,
)
