"""A conversation from two channels of sound: who spoke when, caveats, and a cache."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from blueprints import Strict, counted
from extractors import READING, SPEECH_RATE, stamp_of
from trace_eval.conversations.floor import (
    LEFT_OUT,
    Floor,
    FloorRules,
    floor_of_segments,
    turns_from_speech,
)
from trace_eval.conversations.sound.audit import audit, verdict
from trace_eval.conversations.sound.echo import find_echo
from trace_eval.conversations.sound.lanes import HOP_S, NOWHERE, Lane, hear, silent
from trace_eval.conversations.sound.music import music_of
from trace_eval.conversations.sound.other_sound import other_sounds
from trace_eval.conversations.sound.segments import Segmented, segmented
from trace_eval.conversations.sound.turn_edges import TurnEdges, turn_edges
from trace_eval.conversations.spans import Spans, total, without
from trace_eval.data import jsonl, strict_json
from trace_eval.data.conversation import (
    ROLES,
    Channel,
    Clock,
    Conversation,
    End,
    Role,
    SourceEvent,
    Speaker,
)
from trace_eval.data.files import make_folder, replace_file

#: Raise it whenever the same recordings could be cut into other turns.
VERSION = "16"

#: Error of the gap between two turns, 95th percentile, ms: on rendered calls with noise
#: 20 dB below the speech, where segments are noisy, and on hand-made edges of the four
#: talkers whose calls the limits were chosen on.
EDGE_ERROR_MS = {"refined": 32, "noisy": 227, "human": 117}

#: A stretch of a user's speech that is rather music, seconds.
_LONG_S = 60.0

#: Stretches that a caveat names.
_NAMED = 3

#: Lengths of two files that differ by more are a caveat, as a share.
_DIFFERENT = 0.01


def conversation_from_sound(
    channels: dict[Role, Channel],
    ignore: Sequence[tuple[float, float]] = (),
    agent_greets: bool = False,
    check_clock: bool = False,
) -> tuple[Conversation, tuple[str, ...]]:
    """Segment two channels into turns; each file is decoded once, in bounded memory.

    Args:
        ignore: stretches that are no speech, seconds of the conversation.
        agent_greets: whoever speaks first is the agent, whichever channel was given for
            it.
        check_clock: also look for each voice's echo on the other channel.

    Returns:
        The conversation, and caveats.

    Raises:
        AudioError: a channel cannot be decoded.
    """
    lanes, music = _without_music(_lanes_of_both(channels))
    in_lanes = segmented(list(lanes.values()), ignore)
    results = dict(zip(ROLES, in_lanes, strict=True))
    user_starts = [start for start, _ in results["user"].segments]
    agent_starts = [start for start, _ in results["agent"].segments]
    user_is_first = min(user_starts, default=np.inf) < min(agent_starts, default=np.inf)
    if agent_greets and user_is_first:
        lanes = {"user": lanes["agent"], "agent": lanes["user"]}
        results = {"user": results["agent"], "agent": results["user"]}
    sides = turn_edges(list(lanes.values()), list(results.values()))
    turns = dict(zip(ROLES, sides, strict=True))
    end_s = max(lane.end_s for lane in lanes.values())
    faults = audit(lanes, {role: one.segments for role, one in results.items()})
    spoken = {role: one.segments for role, one in turns.items()}
    heard = [
        list(one.raw) + list(one.crosstalk) + list(ignore) for one in results.values()
    ]
    sounds = {role: other_sounds(lane, heard) for role, lane in lanes.items()}
    floor = floor_of_segments(spoken, end_s, FloorRules())
    is_noisy = any(one.noisy for one in results.values())
    recorded, speakers = _recorded(lanes)
    first_s = min(lane.at(0.0) for lane in lanes.values())
    conversation = Conversation(
        channels=tuple(recorded),
        speakers=tuple(speakers),
        clock=Clock(kind="recording", resolution_s=HOP_S),
        turns=turns_from_speech(floor, {role: role for role in ROLES}),
        events=(*_events(results, turns), *_sound_events(sounds)),
        start_s=min(0.0, first_s),
        end=End(at_s=end_s),
        meta={
            "edge_error_ms": EDGE_ERROR_MS["noisy" if is_noisy else "refined"],
            "edge_error_human_ms": EDGE_ERROR_MS["human"],
            "audit": verdict(faults),
            "faults": [fault.record() for fault in faults],
        },
    )
    caveats = list(_caveats(lanes, results, turns=turns, floor=floor, sounds=sounds))
    if check_clock:
        caveats.extend(_clock(lanes, results))
    for role, spans in music.items():
        if spans:
            caveats.append(music_left_out(f"on the channel of the {role}", spans))
    return conversation, tuple(caveats)


def _without_music(
    lanes: dict[Role, Lane],
) -> tuple[dict[Role, Lane], dict[Role, Spans]]:
    """Return the lanes without music in their speech, and that music, by role."""
    stretches = [lane.stretches for lane in lanes.values()]
    speech: dict[Role, Lane] = {}
    music: dict[Role, Spans] = {}
    for role, lane in lanes.items():
        spans = music_of(lane, lane.stretches, stretches)
        music[role] = spans
        speech[role] = lane
        if spans:
            speech[role] = replace(lane, stretches=without(lane.stretches, spans))
    return speech, music


def _recorded(lanes: dict[Role, Lane]) -> tuple[list[Channel], list[Speaker]]:
    """Return the recorded channels, and both speakers."""
    recorded: list[Channel] = []
    speakers: list[Speaker] = []
    for role, lane in lanes.items():
        has_recording = lane.channel.audio != NOWHERE
        if has_recording:
            recorded.append(lane.channel.model_copy(update={"name": role}))
        channel = role if has_recording else None
        speakers.append(Speaker(name=role, role=role, channel=channel))
    return recorded, speakers


def _lanes_of_both(channels: dict[Role, Channel]) -> dict[Role, Lane]:
    """Return the lanes of user and agent, in this order.

    A side without a recording says nothing, and nothing is said of it.
    """
    lanes = dict(zip(channels, hear(list(channels.values())), strict=True))
    for role in ROLES:
        if role not in lanes:
            (other,) = lanes.values()
            lanes[role] = silent(other, role)
    return {role: lanes[role] for role in ROLES}


class _Kept(Strict):
    conversation: Conversation
    caveats: tuple[str, ...]


def kept_conversation(
    channels: dict[Role, Channel],
    folder: Path | None,
    make: Callable[..., tuple[Conversation, tuple[str, ...]]] | None = None,
    **how: Any,
) -> tuple[Conversation, tuple[str, ...]]:
    """Return :func:`conversation_from_sound`, kept while the files are unchanged.

    ``make`` is what makes a conversation of channels in its place.

    A damaged result there is computed again; without a folder nothing is kept.
    """
    files: list[list[Any]] = []
    for role, channel in channels.items():
        stamp = stamp_of(channel.audio)  # None: reading the file reports why
        files.append([role, channel.model_dump(mode="json"), stamp])
    identity: list[Any] = [VERSION, READING, files, how]
    if make:
        identity.append(make.__name__)
    path = folder / f"{_digest(jsonl.canonical(identity))}.json" if folder else None
    stored = _stored(path) if path else None
    if stored is not None:
        return stored.conversation, stored.caveats
    convert = make or conversation_from_sound
    # More threads take half as much time again.
    with threadpool_limits(1, user_api="blas"):
        conversation, caveats = convert(channels, **how)
    if folder and path:
        text = _Kept(conversation=conversation, caveats=caveats).model_dump_json()
        make_folder(folder, private=True)
        replace_file(path, f"{_digest(text)}\n{text}")
    return conversation, caveats


def _stored(path: Path) -> _Kept | None:
    """Return the result that a file holds; None if it is missing or damaged."""
    with suppress(OSError, ValueError):
        digest, _, text = path.read_text(encoding="utf-8").partition("\n")
        if digest == _digest(text):
            return strict_json.parse(_Kept, text)
    return None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _clock(lanes: dict[Role, Lane], results: dict[Role, Segmented]) -> Iterator[str]:
    """Say how late each voice's echo is on the other channel."""
    has_echo = False
    for one, other in permutations(ROLES):
        echo = find_echo(lanes[one], results[one].segments, lanes[other])
        if echo:
            has_echo = True
            yield echo.sentence(one, other)
    if not has_echo:
        yield "clock: no echo of one channel on the other, so it cannot be checked"


def _events(
    results: dict[Role, Segmented], turns: dict[Role, TurnEdges]
) -> Iterator[SourceEvent]:
    for role in ROLES:
        one = results[role]
        edges = turns[role]
        left_out = (edges.breath, edges.trailing, edges.echo)
        by_kind = {
            "crosstalk": one.crosstalk,
            "uncertain": one.uncertain,
            "doubtful": edges.doubtful,
        }
        by_kind |= zip(LEFT_OUT, left_out, strict=True)
        for kind, spans in by_kind.items():
            data: dict[str, Any] = {"channel": role}
            if kind == "crosstalk" and edges.path:
                data["echo"] = True
            for start, end in spans:
                yield SourceEvent(kind=kind, at_s=start, end_s=end, data=data)


def music_left_out(where: str, spans: Spans) -> str:
    """Say that music is in no turn."""
    return f"music {where}, {named(spans)} s, is left out of the turns"


def named(spans: Spans) -> str:
    """Name the first stretches of a caveat."""
    first = ", ".join(f"{start:.2f}-{end:.2f}" for start, end in spans[:_NAMED])
    return f"{first}, ..." if len(spans) > _NAMED else first


def _sound_events(sounds: dict[Role, Spans]) -> Iterator[SourceEvent]:
    for role, spans in sounds.items():
        for start, end in spans:
            yield SourceEvent(
                kind="sound", at_s=start, end_s=end, data={"channel": role}
            )


def _caveats(
    lanes: dict[Role, Lane],
    results: dict[Role, Segmented],
    turns: dict[Role, TurnEdges],
    floor: Floor,
    sounds: dict[Role, Spans],
) -> Iterator[str]:
    for role, one in results.items():
        if lanes[role].channel.audio == NOWHERE:
            continue
        if sounds[role]:
            only = "" if one.segments else " only"
            yield f"sound that is no speech{only}, of the {role}: {named(sounds[role])} s"
        elif not one.segments:
            yield f"the channel of the {role} is silent"
        edges = turns[role]
        echoes = len(one.crosstalk) + len(edges.echo) + len(edges.doubtful)
        if edges.path and echoes:
            yield (
                f"echo: {counted(echoes, 'stretch', 'stretches')} of the {role}'s"
                f" channel are the other's voice ({edges.path.gain_db:+.0f} dB after"
                f" {1000 * HOP_S * edges.path.lag:.0f} ms); who speaks there is not"
                " known"
            )
        elif one.crosstalk:
            stretches = counted(len(one.crosstalk), "stretch", "stretches")
            yield f"{stretches} of the {role}'s channel are the other's voice"
        if one.noisy:
            yield (
                f"noisy: {one.noisy} of {len(one.segments)} segments of the {role} have"
                " raw edges"
            )
    if any(end - start > _LONG_S for start, end in results["user"].segments):
        yield (
            f"the user speaks over {_LONG_S:g} s without a pause: music? leave it out"
            " by --ignore"
        )
    for header_s in {lane.header_s for lane in lanes.values()} - {None}:
        seconds = max(lane.samples for lane in lanes.values()) / SPEECH_RATE
        yield (
            f"the header says {header_s:.0f} s, the sound lasts {seconds:.0f} s: was it"
            " cut?"
        )
    lengths = [lane.samples for lane in lanes.values()]
    if min(lengths) < (1 - _DIFFERENT) * max(lengths):
        yield "the channels differ in length by over 1 %; the shorter one ends in silence"
    if _looks_swapped(floor):
        yield (
            "the user speaks first, most, and is answered at once: swapped channels?"
            " try --swap"
        )


def _looks_swapped(floor: Floor) -> bool:
    user = floor.segments["user"]
    agent = floor.segments["agent"]
    if not user or not agent or agent[0][0] < user[0][0]:
        return False
    starts = [one.start for one in floor.taking("agent")]
    waits: list[float] = []
    for turn in floor.taking("user"):
        later = [start for start in starts if start >= turn.end - 0.2]
        if later:
            waits.append(min(later) - turn.end)
    user_s = total(user)
    speaks_most = user_s > 0.7 * (user_s + total(agent))
    return speaks_most and bool(waits) and median(waits) < 0.4
