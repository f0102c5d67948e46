"""Recordings: stereo files with a speaker on each channel, or two files of a clock."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from blueprints import InputError, UserError
from extractors import AUDIO_SUFFIXES
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
from trace_eval.conversations.layouts.halves import (
    halves,
    recordings_below,
    side_below,
    side_of,
)
from trace_eval.conversations.layouts.recordings import channel_count, lanes_of_file
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.conversations.sound.conversation import kept_conversation
from trace_eval.conversations.sound.mono import MIX, kept_mix
from trace_eval.data.conversation import ROLES, Channel, ConversationItem, Role


def fits_stereo(path: Path) -> bool:
    """Tell whether a path is, or holds, a recording with two channels."""
    if path.is_file():
        return path.suffix.lower() in AUDIO_SUFFIXES and not fits_mono(path)
    recordings = recordings_below(path, "*")
    count = _first_count(recordings)
    if count is None:
        return bool(recordings)
    return count == len(ROLES)


def fits_mono(path: Path) -> bool:
    """Tell whether the first recording of a path is of one channel and two voices.

    A file that its name calls the user's or the agent's is a side, of which nothing
    else is heard.
    """
    if path.is_file():
        is_recording = path.suffix.lower() in AUDIO_SUFFIXES
        return is_recording and _first_count([path]) == 1 and not side_of(path)
    return not halves(path) and _first_count(recordings_below(path, "*")) == 1


def _first_count(files: Iterable[Path]) -> int | None:
    """Count the channels of the first readable recording; None: there is none."""
    for file in files:
        with suppress(UserError):  # one that cannot be read says nothing of the others
            return channel_count(file)
    return None


def read_stereo(path: Path, options: ReadOptions) -> ReadCalls:
    """Read every recording below a path.

    Channel 0 is the user and 1 the agent, unless told. One of a single channel is a
    mix, in which two voices are told apart.
    """
    return each(recordings_below(path), partial(_recording, path, options))


def read_rest(path: Path, options: ReadOptions, heard: Collection[Path]) -> ReadCalls:
    """Read recordings below a folder that no log names.

    They are pairs of files, or have two channels.
    """
    rest = [file for file in recordings_below(path) if file not in heard]
    for row in _rows_of_folder(path):
        sides = [path / row[role] for role in ROLES if role in row]
        if len(sides) == len(ROLES) and all(side in rest for side in sides):
            rest = [file for file in rest if file not in sides]
            name = row["id"]
            yield one(f"{path}, {name}", partial(_two_files, name, row, path, options))
    yield from each(rest, partial(_recording, path, options))


def _recording(path: Path, options: ReadOptions, file: Path) -> ConversationItem:
    """Read a recording below a path as a call."""
    number = channel_count(file)
    if path.is_dir():
        name = file.relative_to(path).with_suffix("")
        role = side_below(path, file)
    else:
        name = Path(file.stem)
        role = None
    if number == 1 and role:
        raise InputError(
            f"its name says that only the {role} speaks in it, and the other side is"
            " missing; if both do, give the file alone: trace-eval turns"
            f" {shlex.quote(str(file))} --layout {MONO.name}"
        )
    if number == 1:
        return item_from_mix(str(name), file, options)
    if number != 2:
        raise InputError(
            f"{number} channels; keep two, one of the user and one of the agent"
        )
    return item_from_sound(str(name), lanes_of_file(file, options), options)


def _rows_of_folder(folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for call, sides in halves(folder).items():
        row: dict[str, Any] = {"id": call}
        row |= {str(role): file for role, file in sides.items()}
        rows.append(row)
    return rows


def _fits_two_files(path: Path) -> bool:
    if path.is_dir():
        calls = halves(path).values()
        return any(len(sides) == len(ROLES) for sides in calls)
    return path.is_file() and set(ROLES) <= first_row(path).keys()


def read_two_files(path: Path, options: ReadOptions) -> ReadCalls:
    """Read every row or call: a recording of each side, on one clock."""
    rows: Iterable[tuple[int, dict[str, Any] | str]]
    if path.is_dir():
        folder = path
        rows = enumerate(_rows_of_folder(path))
    else:
        folder = path.parent
        rows = separate_rows(path)
    for number, row in rows:
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
        raise InputError(
            f"no recording of the {role}; name its file in column {role!r}"
        )
    offset_s = number_of(row.get(f"{role}_offset_s"), f"{role}_offset_s")
    drift_ppm = number_of(row.get(f"{role}_drift_ppm"), f"{role}_drift_ppm")
    return Channel(
        name=role,
        audio=folder / audio,
        offset_s=offset_s or 0.0,
        drift_ppm=drift_ppm or 0.0,
    )


def item_from_sound(
    name: str,
    channels: dict[Role, Channel],
    options: ReadOptions,
    row: dict[str, Any] | None = None,
) -> ConversationItem:
    """Make a call whose turns are found in its sound.

    ``row`` may name its scenario and system.
    """
    conversation, caveats = kept_conversation(
        channels,
        options.kept,
        ignore=options.ignore,
        agent_greets=options.agent_channel == "greets",
        check_clock=options.check_clock,
    )
    facts: dict[str, str] = {}
    for key in ("question_id", "system"):
        if row and row.get(key):
            facts[key] = str(row[key])
    return ConversationItem(
        id=name, conversation=conversation, caveats=caveats, **facts
    )


def item_from_mix(
    name: str,
    file: Path,
    options: ReadOptions,
    facts: Mapping[str, Any] | None = None,
) -> ConversationItem:
    """Make a call from two voices in one channel."""
    conversation, caveats = kept_mix(Channel(name=MIX, audio=file), options)
    return ConversationItem(
        id=name, conversation=conversation, caveats=caveats, **(facts or {})
    )


MONO = CallLayout(
    name="mono",
    about="recordings of one channel with two voices in it",
    fits=fits_mono,
    read=read_stereo,
    count=lambda path: len(recordings_below(path)),
)
STEREO = CallLayout(
    name="stereo",
    about="recordings with a speaker on each channel",
    fits=fits_stereo,
    read=read_stereo,
    count=lambda path: len(recordings_below(path)),
)
TWO_FILES = CallLayout(
    name="two_files",
    about=(
        "CSV or JSONL with columns user and agent, or files named by them: recordings"
        " on one clock"
    ),
    fits=_fits_two_files,
    read=read_two_files,
)
