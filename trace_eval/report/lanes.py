"""A conversation on a page: two lanes of events on one axis, its words, its sound.

The drawing is static: it needs no script to be read; with one, a click plays from 1 s
before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from blueprints import Blueprint
from trace_eval.conversations.definitions.base import ONE_CHANNEL
from trace_eval.conversations.findings import Findings, find, timing_line, words_of
from trace_eval.conversations.sound.apart import has_times_of_log
from trace_eval.conversations.sound.peaks import channel_peaks
from trace_eval.conversations.whose_fault import whose_fault
from trace_eval.data.answers import Cut, Recording, turn_recordings
from trace_eval.data.conversation import (
    ROLES,
    Channel,
    Conversation,
    Role,
)
from trace_eval.report.audio import AudioAssets, PlayedSound
from trace_eval.report.evidence import label
from trace_eval.report.timeline import ticks
from trace_eval.runs.outcomes import ClipRecord

#: Columns of a lane's waveform.
POINTS = 600

#: Longest text of a turn on the page, characters; the rest is in the run.
_SHOWN = 1_000

#: Events that begin within so many percent of the axis share a place for their letters.
_APART = 3.0


class EventName(NamedTuple):
    """The name of a kind of event on pages: a letter over the lanes, and words."""

    letter: str
    words: str


EVENT_NAMES = {
    "greeting": EventName("G", "greeting"),
    "dead_air": EventName("D", "dead air"),
    "pause": EventName("P", "pause of one speaker"),
    "first_silence": EventName("F", "silence at the beginning"),
    "last_silence": EventName("E", "silence at the end"),
    "overlap": EventName("O", "overlap"),
    "agent_interruption": EventName("I", "agent interrupts"),
    "yield": EventName("Y", "agent stops for the user"),
    "no_yield": EventName("N", "agent does not stop for the user"),
    "talked_over": EventName("A", "agent goes on; no answer is due"),
    "late": EventName("L", "late answer"),
    "no_response": EventName("X", "no answer"),
    "missed_turn": EventName("M", "last turn is not answered"),
    "simultaneous_start": EventName("B", "both start at once"),
    "not_known": EventName("?", "not known"),
    "sound": EventName("S", "sound that is no speech"),
    "log_alone": EventName("J", "in the log alone"),
}


def name_of_event(kind: str) -> EventName:
    """Name a kind of event; an unlisted one keeps its own, without underscores."""
    return EVENT_NAMES.get(kind, EventName("", kind.replace("_", " ")))


@dataclass(frozen=True)
class LaneBar:
    """Something with a span on the axis, in percent of its length."""

    kind: str  # "turn", or the kind of an event
    left: float
    width: float
    title: str  # shown where a reader points at it
    at_s: float
    letters: str = ""  # over the lanes; empty: they stand over an event before it


def lanes_of(
    conversation: Conversation,
    blueprints: Mapping[int, Blueprint],
    assets: AudioAssets,
    clips: Mapping[str, ClipRecord] | None = None,
) -> dict[str, Any]:
    """Lay out a conversation for drawing, on an axis of ``length_s``; 0 if untimed.

    ``timing`` are its figures in one line, with the name of the definition set;
    ``axis`` is (left in percent, label) of its seconds; ``legend`` names the kinds of
    events that are drawn. The ``blueprints`` are of turns, by their numbers; ``clips``
    are what was judged, and a channel that holds something else now is not played.
    """
    findings = find(conversation, blueprints)
    drawing: dict[str, Any] = {
        "timing": _named_in_words(timing_line(findings)),
        "notes": _notes(conversation, findings),
        "length_s": 0.0,
        "one_channel": bool(conversation.meta.get("one_channel")),
        "axis": [],
        "lanes": [],
        "events": [],
        "tools": [],
        "turns": list(_turns(conversation, blueprints, findings)),
        "legend": {},
    }
    length = conversation.end_s
    if conversation.clock.kind == "none" or length <= 0:
        return drawing
    bar = partial(_bar, length)
    events = _lettered(_events(findings, bar))
    drawing["length_s"] = length
    drawing["axis"] = [(100 * at / length, text) for at, text in ticks(length)]
    drawing["lanes"] = list(_lanes(conversation, bar, assets, clips or {}))
    drawing["events"] = events
    drawing["tools"] = list(_tools(conversation, bar))
    drawing["legend"] = {event.kind: name_of_event(event.kind) for event in events}
    return drawing


def _named_in_words(line: str) -> str:
    """Write ``no_answer`` as two words; an option that a line names stays as it is."""
    return line.replace("talks_over", "talks over").replace("no_answer", "no answer")


def _bar(
    length_s: float, kind: str, start_s: float, end_s: float, title: str
) -> LaneBar:
    left = _percent(start_s, length_s)
    right = _percent(end_s, length_s)
    width = max(0.1, right - left)  # what takes no time is seen, too
    return LaneBar(kind=kind, left=left, width=width, title=title, at_s=start_s)


def _percent(at_s: float, length_s: float) -> float:
    return 100 * min(1.0, max(0.0, at_s / length_s))


#: :func:`_bar` on the axis of a conversation.
_Bar = Callable[[str, float, float, str], LaneBar]


def _replaced(
    conversation: Conversation, assets: AudioAssets, clips: Mapping[str, ClipRecord]
) -> set[Path]:
    """Return a call's files in which a turn is not what was judged."""
    replaced: set[Path] = set()
    for recording in turn_recordings("answer", conversation).values():
        path, record = recording.audio, clips.get(recording.source_id)
        if path is None or path in replaced or record is None:
            continue
        if assets.is_replaced(recording, record):
            replaced.add(path)
    return replaced


def _lanes(
    conversation: Conversation,
    bar: _Bar,
    assets: AudioAssets,
    clips: Mapping[str, ClipRecord],
) -> Iterator[dict[str, Any]]:
    """Yield a lane per speaker; its peaks are 0 to 1 [shape=(POINTS,)].

    Without sound, peaks are empty.
    """
    length_s = conversation.end_s
    sides = list(_sides(conversation))
    replaced = _replaced(conversation, assets, clips)
    drawn: list[Channel] = []
    for side in sides:
        if side.channel and side.channel.audio not in replaced:
            drawn.append(side.channel)
    peaks = dict(zip(drawn, channel_peaks(drawn, length_s, POINTS), strict=True))
    for side in sides:
        lane: dict[str, Any] = {
            "role": side.role,
            "name": side.title,
            "bars": list(_turn_bars(conversation, side.speakers, bar)),
            "log": list(_log_bars(conversation, side.role, bar)),
            "peaks": [],
            "sound": None,
        }
        if side.channel:
            lane["sound"] = _sound(side.channel, length_s, assets, replaced)
        if side.channel in peaks:
            lane["peaks"] = peaks[side.channel].round(3).tolist()
        yield lane


def _turn_bars(
    conversation: Conversation, speakers: Collection[str], bar: _Bar
) -> Iterator[LaneBar]:
    for number, turn in enumerate(conversation.turns):
        if turn.speaker not in speakers:
            continue
        for start, end in turn.stretches:
            title = f"turn {number}, {start:.1f} to {end:.1f} s"
            yield bar("turn", start, end, title)


def _log_bars(conversation: Conversation, role: Role, bar: _Bar) -> Iterator[LaneBar]:
    for start, end in _logged(conversation, role):
        title = f"in the log, {start:.1f} to {end:.1f} s"
        yield bar("log", start, end, title)


class _LaneSide(NamedTuple):
    """The side whose speech a lane shows.

    Attributes:
        speakers: their names; none where nobody has the role.
        channel: of the first of them.
    """

    role: Role
    title: str
    speakers: tuple[str, ...] = ()
    channel: Channel | None = None


def _sides(conversation: Conversation) -> Iterator[_LaneSide]:
    """Yield the lanes: one a role, or one a speaker where nobody has a role."""
    channels = {channel.name: channel for channel in conversation.channels}
    have_roles = any(conversation.speaker(role) for role in ROLES)
    first_speakers = conversation.speakers[: len(ROLES)]
    if not have_roles and len(first_speakers) == len(ROLES):
        for role, speaker in zip(ROLES, first_speakers, strict=True):
            channel = channels.get(speaker.channel or "")
            yield _LaneSide(role, speaker.name, (speaker.name,), channel)
        return
    for role in ROLES:
        speakers = [one for one in conversation.speakers if one.role == role]
        if not speakers:
            yield _LaneSide(role, role)
            continue
        names = tuple(speaker.name for speaker in speakers)
        channel = channels.get(speakers[0].channel or "")
        yield _LaneSide(role, role, names, channel)


def _logged(conversation: Conversation, role: str) -> list[tuple[float, float]]:
    """Return a role's spans in a log that was fitted to the sound, on its clock.

    Turns that have the times of the log are drawn once.
    """
    log: Any = conversation.meta.get("log")
    if not isinstance(log, dict) or not log.get("logged"):
        return []
    if has_times_of_log(conversation):
        return []
    return [(float(start), float(end)) for start, end in log["logged"].get(role, [])]


def _notes(conversation: Conversation, findings: Findings) -> list[str]:
    """Say what a reader must know of a call: whose fault, what sound cannot tell."""
    fault = whose_fault(conversation, findings)
    notes = [f"whose fault: {fault.whose}, {fault.what}"] if fault else []
    if conversation.meta.get("one_channel"):
        notes.append(f"overlaps, interruptions, yields and backchannels: {ONE_CHANNEL}")
    return notes


def _sound(
    channel: Channel, length_s: float, assets: AudioAssets, replaced: Collection[Path]
) -> PlayedSound:
    if channel.audio in replaced:
        return assets.refused(channel.audio)
    lane = f"{channel.audio}#{channel.channel}"
    name = hashlib.sha256(lane.encode()).hexdigest()  # what a copy is called
    record = ClipRecord(source=lane, clip=name)
    cut = Cut(channel=channel.channel, start_s=0, end_s=length_s)
    return assets.sound(Recording(audio=channel.audio, cut=cut), record, judged=False)


def _events(findings: Findings, bar: _Bar) -> Iterator[LaneBar]:
    for event in findings.measured.events:
        if event.kind in ("response", "backchannel", "open"):
            continue
        value = "" if event.value_s is None else f" {event.value_s:+.2f} s"
        words = name_of_event(event.kind).words
        yield bar(event.kind, event.start_s, event.end_s, f"{words}{value}")
    for one in findings.of("late"):
        assert one.start_s is not None
        assert one.end_s is not None
        yield bar("late", one.start_s, one.end_s, f"late: {one.why}")


def _lettered(bars: Iterable[LaneBar]) -> list[LaneBar]:
    """Label the bars; of bars that begin together, the first has all the letters."""
    placed: list[LaneBar] = []
    first = 0
    for bar in sorted(bars, key=lambda bar: bar.left):
        letter = name_of_event(bar.kind).letter
        if placed and bar.left - placed[first].left < _APART:
            if letter not in placed[first].letters:
                together = placed[first].letters + letter
                placed[first] = replace(placed[first], letters=together)
            placed.append(bar)
        else:
            first = len(placed)
            placed.append(replace(bar, letters=letter))
    return placed


def _tools(conversation: Conversation, bar: _Bar) -> Iterator[LaneBar]:
    for event in conversation.events:
        if event.kind == "tool_call" and event.at_s is not None:
            title = f"calls {event.data.get('name')} at {event.at_s:.1f} s"
            yield bar("tool", event.at_s, event.at_s, title)


def _turns(
    conversation: Conversation, blueprints: Mapping[int, Blueprint], findings: Findings
) -> Iterator[dict[str, Any]]:
    """Yield turns in words, with the findings about each and the tools called in it."""
    flags: dict[int | None, list[str]] = {}
    for finding in findings.results:
        flags.setdefault(finding.turn, []).append(
            f"{label(finding.kind)}: {finding.why}"
        )
    tools: dict[int | None, list[str]] = {}
    for event in conversation.events:
        if event.kind == "tool_call":
            tools.setdefault(event.turn, []).append(str(event.data.get("name")))
    for number, turn in enumerate(conversation.turns):
        text = words_of(conversation, number, blueprints) or ""
        yield {
            "number": number,
            "speaker": turn.speaker,
            "at_s": turn.start_s,
            "text": text[:_SHOWN],
            "flags": flags.get(number, []),
            "calls": tools.get(number, []),
        }
