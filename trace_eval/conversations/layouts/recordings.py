"""The recordings that lie beside a log: which file is whose side, and of what call.

A name says it: ``7.wav`` with two channels is the call ``7``, ``7_user.wav`` and
``7_agent.wav`` are its sides, and so are ``user.wav`` and ``agent.wav`` in a folder
``7``. No file is used twice, and two names of one recording are said.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from blueprints import UserError
from extractors import AUDIO_SUFFIXES, opened
from trace_eval.conversations.layouts.halves import halves, recordings_below
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.conversations.sound.mono import MIX
from trace_eval.data.conversation import ROLES, Channel, ConversationItem, Role
from trace_eval.data.files import is_file, is_folder

#: Bytes of a file that are compared at once.
_BLOCK = 1 << 20


@dataclass
class Recordings:
    """The channels of a call by role, and what was said of its files."""

    channels: dict[Role, Channel] = field(default_factory=dict)
    caveats: list[str] = field(default_factory=list)
    # a recording of one channel, in which nobody knows who speaks
    mix: Path | None = None


def recordings_of(
    name: str, folder: Path, options: ReadOptions, stated: Iterable[str] = ()
) -> Recordings:
    """Find the recordings of a call in a folder.

    A file that the log states is looked for under its last name, and never fetched;
    after those the call's own name is looked for.
    """
    file_names = list(stated)
    missing = [file_name for file_name in file_names if file_name]
    file_names += [f"{name}{suffix}" for suffix in sorted(AUDIO_SUFFIXES)]
    for file_name in file_names:
        file = folder / file_name
        is_name = bool(file_name) and Path(file_name).name == file_name
        if is_name and is_file(file):
            return _of_file(file, name, folder, options)
    sides = halves(folder).get(name)
    if sides is None and Path(name).name == name and is_folder(folder / name):
        return recordings_in(folder / name, options)
    if sides:
        return _of_sides({role: folder / file for role, file in sides.items()}, options)
    caveats = []
    if missing:
        caveats.append(f"its recording {missing[0]} is not beside the export")
    return Recordings(caveats=caveats)


def recordings_in(folder: Path, options: ReadOptions) -> Recordings:
    """Find the recordings of the one call whose folder this is."""
    calls = list(halves(folder, inside=False).values())
    whole = [call for call in calls if len(call) == len(ROLES)]
    sides: dict[Role, Path] = {}
    for call in whole[:1] + calls:
        for role, name in call.items():
            sides.setdefault(role, folder / name)
    if len(sides) == len(ROLES):
        return _of_sides(sides, options)
    files = recordings_below(folder, "*")
    rest = [file for file in files if file not in sides.values()]
    for file in rest:
        if _channels(file) == 2:
            return _of_file(file, folder.name, folder, options)
    result = _of_sides(sides, options)
    for file in rest:
        twin = _twin(file, sides.values())
        if twin is not None:
            result.caveats.append(f"{file.name} is {twin.name} again, and is not used")
        elif result.channels:
            names = _names(result.channels)
            result.caveats.append(f"{file.name} is not used beside {names}")
        elif result.mix is None and _channels(file) == 1:
            result.mix = file
    return result


def _twin(file: Path, others: Iterable[Path]) -> Path | None:
    """Return the first of other files that holds the same sound."""
    for other in others:
        if is_same_sound(other, file):
            return other
    return None


def with_recordings(item: ConversationItem, recorded: Recordings) -> ConversationItem:
    """Return a call whose speakers have the channels of its recordings.

    Of a mix they share the one channel.
    """
    channels: list[Channel] = list(recorded.channels.values())
    channel_of: dict[str, str] = {role: role for role in recorded.channels}
    if not channels and recorded.mix:
        channels = [Channel(name=MIX, audio=recorded.mix)]
        channel_of = dict.fromkeys(ROLES, MIX)
    caveats = item.caveats + tuple(recorded.caveats)
    if not channels:
        return item.model_copy(update={"caveats": caveats})
    call = item.conversation
    speakers = [
        speaker.model_copy(update={"channel": channel_of.get(speaker.role)})
        for speaker in call.speakers
    ]
    of_call = {"channels": tuple(channels), "speakers": tuple(speakers)}
    call = call.model_copy(update=of_call)
    return item.model_copy(update={"conversation": call, "caveats": caveats})


def _of_file(file: Path, name: str, folder: Path, options: ReadOptions) -> Recordings:
    try:
        number = channel_count(file)
    except UserError as error:
        return Recordings(
            caveats=[f"its recording {file.name} cannot be read: {error}"]
        )
    if number == 2:
        return Recordings(lanes_of_file(file, options))
    sides = halves(folder).get(name, {})
    if len(sides) == len(ROLES):
        return _of_sides({role: folder / side for role, side in sides.items()}, options)
    if number == 1:
        return Recordings(mix=file)
    why = f"its recording {file.name} has {number} channels, and is not used"
    return Recordings(caveats=[why])


def _of_sides(sides: dict[Role, Path], options: ReadOptions) -> Recordings:
    """Make a channel of each side's file; a side without one has no channel."""
    caveats = []
    if len(sides) == len(ROLES):
        user = sides["user"]
        agent = sides["agent"]
        if is_same_sound(user, agent):
            why = (
                f"{user.name} and {agent.name} are one and the same recording, which is"
                " used once"
            )
            return Recordings(mix=user, caveats=[why])
        if options.swap:
            sides = {"user": agent, "agent": user}
    elif sides:
        [(role, file)] = sides.items()
        lacks = "agent" if role == "user" else "user"
        caveats.append(f"there is no recording of the {lacks}, only {file.name}")
    channels = {role: Channel(name=role, audio=file) for role, file in sides.items()}
    return Recordings(channels, caveats)


def _names(channels: dict[Role, Channel]) -> str:
    return " and ".join(channel.audio.name for channel in channels.values())


def is_same_sound(one: Path, other: Path) -> bool:
    """Tell whether two files are one, or hold the same bytes with samples in them."""
    try:
        if one.samefile(other):
            return True
        if one.stat().st_size != other.stat().st_size:
            return False
        return _digest(one) == _digest(other) and _channels(one) > 0
    except OSError:
        return False


def _digest(path: Path) -> bytes:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.digest()


def is_stereo(path: Path) -> bool:
    """Tell whether a file is a recording of two channels that can be read."""
    return is_file(path) and _channels(path) == len(ROLES)


def _channels(path: Path) -> int:
    with suppress(UserError):
        return channel_count(path)
    return 0


def channel_count(path: Path) -> int:
    """Count the channels of a recording.

    Raises:
        AudioError: it cannot be read.
    """
    with opened(path, str(path), max_seconds=0.0) as (file, *_):
        return int(file.channels)


def lanes_of_file(file: Path, options: ReadOptions) -> dict[Role, Channel]:
    """Return the sides' channels of a stereo file: 0 and 1, or as options say."""
    agent_is_first = options.agent_channel == 0
    agent = 1 if agent_is_first == options.swap else 0
    return {
        "user": Channel(name="user", audio=file, channel=1 - agent),
        "agent": Channel(name="agent", audio=file, channel=agent),
    }
