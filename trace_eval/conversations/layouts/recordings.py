"""The recordings of a call that lie beside its log: which file is whose side, and of what call.

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
from trace_eval.conversations.layouts.halves import halves
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
    """Find the recordings of a call in a folder, by the files that its log states or by its name.

    A file that the log states is looked for under its last name, and never fetched.
    """
    names = [*stated, *(f"{name}{suffix}" for suffix in sorted(AUDIO_SUFFIXES))]
    for one in names:
        file = folder / one
        if one and Path(one).name == one and is_file(file):
            return _of_file(file, name, folder, options)
    sides = halves(folder).get(name)
    if sides is None and Path(name).name == name and is_folder(folder / name):
        return recordings_in(folder / name, options)
    if sides:
        return _of_sides({role: folder / file for role, file in sides.items()}, options)
    missing = [one for one in stated if one]
    said = [f"its recording {missing[0]} is not beside the export"] if missing else []
    return Recordings(caveats=said)


def recordings_in(folder: Path, options: ReadOptions) -> Recordings:
    """Find the recordings of the one call whose folder this is."""
    calls = [*halves(folder, inside=False).values()]
    whole = [call for call in calls if len(call) == len(ROLES)]
    sides: dict[Role, Path] = {}
    for call in (*whole[:1], *calls):
        for role, name in call.items():
            sides.setdefault(role, folder / name)
    rest = [
        file
        for file in sorted(folder.iterdir())
        if file.suffix.lower() in AUDIO_SUFFIXES and file not in sides.values()
    ]
    if len(sides) == len(ROLES):
        return _of_sides(sides, options)
    two = [file for file in rest if _channels(file) == 2]
    if two:
        return _of_file(two[0], folder.name, folder, options)
    result = _of_sides(sides, options)
    for file in rest:
        twin = next(
            (side for side in sides.values() if is_same_sound(side, file)), None
        )
        if twin is not None:
            result.caveats.append(f"{file.name} is {twin.name} again, and is not used")
        elif result.channels:
            result.caveats.append(
                f"{file.name} is not used beside {_names(result.channels)}"
            )
        elif result.mix is None and _channels(file) == 1:
            result.mix = file
    return result


def with_recordings(item: ConversationItem, recorded: Recordings) -> ConversationItem:
    """Return a call whose speakers have the channels of its recordings, or share that of a mix."""
    if not recorded.channels and recorded.mix:
        return _with_mix(item, recorded.mix, recorded.caveats)
    if not recorded.channels:
        caveats = (*item.caveats, *recorded.caveats)
        return (
            item.model_copy(update={"caveats": caveats}) if recorded.caveats else item
        )
    speakers = tuple(
        one.model_copy(
            update={"channel": one.role if one.role in recorded.channels else None}
        )
        for one in item.conversation.speakers
    )
    more = {"channels": tuple(recorded.channels.values()), "speakers": speakers}
    return item.model_copy(
        update={
            "conversation": item.conversation.model_copy(update=more),
            "caveats": (*item.caveats, *recorded.caveats),
        }
    )


def _with_mix(
    item: ConversationItem, mix: Path, caveats: Iterable[str]
) -> ConversationItem:
    call = item.conversation
    more = {
        "channels": (Channel(name=MIX, audio=mix),),
        "speakers": tuple(
            one.model_copy(update={"channel": MIX if one.role in ROLES else None})
            for one in call.speakers
        ),
    }
    return item.model_copy(
        update={
            "conversation": call.model_copy(update=more),
            "caveats": (*item.caveats, *caveats),
        }
    )


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
    """Make the channels of one file for each side; a side without one has no channel."""
    caveats = []
    if len(sides) == len(ROLES) and is_same_sound(*sides.values()):
        user, agent = (sides[role].name for role in ROLES)
        caveats.append(
            f"{user} and {agent} are one and the same recording: sides cannot be told"
        )
    if options.swap and len(sides) == len(ROLES):
        sides = {"user": sides["agent"], "agent": sides["user"]}
    channels = {role: Channel(name=role, audio=file) for role, file in sides.items()}
    if sides and len(sides) < len(ROLES):
        lacks = next(role for role in ROLES if role not in sides)
        (there,) = (file.name for file in sides.values())
        caveats.append(f"there is no recording of the {lacks}, only {there}")
    return Recordings(channels, caveats)


def _names(channels: dict[Role, Channel]) -> str:
    return " and ".join(channel.audio.name for channel in channels.values())


def is_same_sound(one: Path, other: Path) -> bool:
    """Whether two files hold the same bytes, or are one."""
    try:
        if one.samefile(other):
            return True
        return one.stat().st_size == other.stat().st_size and _digest(one) == _digest(
            other
        )
    except OSError:
        return False


def _digest(path: Path) -> bytes:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.digest()


def is_stereo(path: Path) -> bool:
    """Whether a file is a recording of two channels that can be read."""
    return is_file(path) and _channels(path) == len(ROLES)


def _channels(path: Path) -> int:
    with suppress(UserError):
        return channel_count(path)
    return 0


def channel_count(path: Path) -> int:
    """Count the channels of a recording; raises AudioError where it cannot be read."""
    with opened(path, str(path), max_seconds=0.0) as (file, _):
        return int(file.channels)


def lanes_of_file(file: Path, options: ReadOptions) -> dict[Role, Channel]:
    """Return the sides' channels of a stereo file: 0 and 1, unless options say otherwise."""
    agent = int((options.agent_channel == 0) == options.swap)
    places: dict[Role, int] = {"user": 1 - agent, "agent": agent}
    return {
        role: Channel(name=role, audio=file, channel=n) for role, n in places.items()
    }
