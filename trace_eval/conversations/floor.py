"""Floor holders over time: segments -> utterances -> backchannels and turns.

Utterances are segments of one speaker with gaps under ``join_s``; the stretch of a
speaker is its segments with gaps under ``stretch_s``. A backchannel is a short
utterance that begins inside a stretch of the other, which goes on after it; every other
utterance takes the floor.

Turns of a recording have the edges that a listener would name. Sound that they leave
out, such as breath, is an event of its own; with it the edges of the detector's speech
can be restored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from trace_eval.conversations.spans import Spans, around, joined
from trace_eval.data.conversation import ROLES, Conversation, Role, SourceEvent, Turn

#: Kinds of events that the detector calls speech and no turn holds.
LEFT_OUT = ("breath", "trailing", "echo")


@dataclass(frozen=True)
class FloorRules:
    """The rules for what is one utterance and what takes the floor, in seconds."""

    join_s: float = 0.3  # shorter gaps are within an utterance
    stretch_s: float = 1.0  # shorter gaps are within a stretch
    backchannel_s: float = 1.0  # longest backchannel
    after_s: float = 0.3  # how long the other goes on after a backchannel at least
    backchannel_words: int = 3  # most words of a backchannel, where they are known


class Utterance(NamedTuple):
    """A stretch of one speaker's speech without a longer gap."""

    start: float
    end: float
    role: Role
    takes_floor: bool


@dataclass(frozen=True)
class Floor:
    """The speech of user and agent of one conversation, in order."""

    segments: dict[Role, Spans]  # as read, and apart
    stretches: dict[Role, Spans]  # joined at ``stretch_s``
    utterances: dict[Role, list[Utterance]]  # joined at ``join_s``
    start_s: float  # where the conversation begins; unknown: the first sound
    end_s: float

    def taking(self, role: Role) -> list[Utterance]:
        """Return the utterances that take the floor."""
        return [one for one in self.utterances[role] if one.takes_floor]


def floor_of(conversation: Conversation, rules: FloorRules) -> Floor:
    """Collect the speech of user and agent, up to a transfer to a person."""
    transfers: list[float] = []
    for event in conversation.events:
        if event.kind == "transfer" and event.at_s is not None:
            transfers.append(event.at_s)
    stop = min(transfers, default=conversation.end_s)
    segments: dict[Role, Spans] = {}
    words: dict[Role, dict[tuple[float, float], str]] = {}
    for role in ROLES:
        spans: Spans = []
        words[role] = {}
        for _, turn in conversation.turns_of(role):
            spans.extend(span for span in turn.stretches if span[0] < stop)
            parts = joined(turn.stretches, rules.join_s)
            # the words are known of those utterances that are a whole turn
            if turn.text is not None and len(parts) == 1:
                words[role][parts[0]] = turn.text
        segments[role] = joined(spans)
    return _floor(
        segments, words, start_s=conversation.start_s, end_s=stop, rules=rules
    )


def floor_of_segments(
    segments: dict[Role, Spans], end_s: float, rules: FloorRules
) -> Floor:
    """Return :func:`floor_of` segments whose words are unknown."""
    return _floor(
        {role: joined(segments[role]) for role in ROLES},
        {},
        start_s=0.0,
        end_s=end_s,
        rules=rules,
    )


def _floor(
    segments: dict[Role, Spans],
    words: dict[Role, dict[tuple[float, float], str]],
    start_s: float | None,
    end_s: float,
    rules: FloorRules,
) -> Floor:
    stretches = {
        role: joined(spans, rules.stretch_s) for role, spans in segments.items()
    }
    utterances: dict[Role, list[Utterance]] = {}
    for role in ROLES:
        other: Role = "agent" if role == "user" else "user"
        words_of_role = words.get(role, {})
        utterances[role] = []
        for span in joined(segments[role], rules.join_s):
            text = words_of_role.get(span)
            is_backchannel = _is_backchannel(span, stretches[other], rules, text)
            start, end = span
            utterance = Utterance(start, end, role, takes_floor=not is_backchannel)
            utterances[role].append(utterance)
    first = min((spans[0][0] for spans in segments.values() if spans), default=0.0)
    return Floor(
        segments=segments,
        stretches=stretches,
        utterances=utterances,
        start_s=first if start_s is None else start_s,
        end_s=end_s,
    )


def _is_backchannel(
    span: tuple[float, float], other: Spans, rules: FloorRules, text: str | None
) -> bool:
    """Tell whether an utterance leaves the floor to the other, by its stretches."""
    start, end = span
    if end - start > rules.backchannel_s:
        return False
    if text is not None and "?" in text:
        return False
    if text is not None and len(text.split()) > rules.backchannel_words:
        return False
    stretch = around(other, start)
    if stretch is None:
        return False
    _, other_end = stretch
    return other_end >= end + rules.after_s


def turns_of(floor: Floor) -> list[tuple[Role, list[Utterance]]]:
    """Group utterances to turns in order of start; each backchannel is a turn."""
    everyone = [one for role in ROLES for one in floor.utterances[role]]
    turns: list[tuple[Role, list[Utterance]]] = []
    holder: list[Utterance] | None = None
    for one in sorted(everyone, key=lambda one: one.start):
        if not one.takes_floor:
            turns.append((one.role, [one]))
        elif holder and holder[0].role == one.role:
            holder.append(one)
        else:
            holder = [one]
            turns.append((one.role, holder))
    return turns


def turns_from_speech(floor: Floor, names: Mapping[Role, str]) -> tuple[Turn, ...]:
    """Make the turns of a conversation without a transcript, by its speakers' names."""
    turns: list[Turn] = []
    for role, utterances in turns_of(floor):
        turn = Turn(
            speaker=names[role],
            start_s=utterances[0].start,
            end_s=utterances[-1].end,
            segments=tuple((one.start, one.end) for one in utterances),
            backchannel=not utterances[0].takes_floor,
        )
        turns.append(turn)
    return tuple(turns)


def heard_on(channel: str, events: Iterable[SourceEvent]) -> Spans:
    """Return the stretches of events on a channel, named as its role or "mix"."""
    spans: Spans = []
    for event in events:
        if event.data.get("channel") != channel:
            continue
        if event.at_s is not None and event.end_s is not None:
            spans.append((event.at_s, event.end_s))
    return spans


def speech_edges(conversation: Conversation) -> Conversation:
    """Give a conversation the edges of the detector's speech, where it has them."""
    left_out = [event for event in conversation.events if event.kind in LEFT_OUT]
    others = [event for event in conversation.events if event.kind not in LEFT_OUT]
    names: dict[Role, str] = {}
    for role in ROLES:
        speaker = conversation.speaker(role)
        if speaker:
            names[role] = speaker.name
    has_both = len(names) == len(ROLES)
    if conversation.clock.kind != "recording" or not left_out or not has_both:
        return conversation
    spans: dict[Role, list[tuple[float, float]]] = {}
    for role in ROLES:
        spans[role] = heard_on(role, left_out)
        for _, turn in conversation.turns_of(role):
            spans[role] += turn.stretches
    floor = floor_of_segments(spans, conversation.end_s, FloorRules())
    update = {"turns": turns_from_speech(floor, names), "events": tuple(others)}
    return conversation.model_copy(update=update)
