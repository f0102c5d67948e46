"""A conversation: who spoke when on one clock, with words, tool calls and sound."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from blueprints import FiniteJson, Strict

#: Times beyond this are no seconds of a conversation but of a calendar.
MAX_TIME_S = 1e7

ClockKind = Literal["recording", "log", "ticks", "none"]
Role = Literal["user", "agent", "other"]

#: The two roles that timing is about.
ROLES: tuple[Role, Role] = ("user", "agent")


def _on_clock(value: float) -> float:
    if abs(value) > MAX_TIME_S:
        raise ValueError(
            f"{value:g} s is not a time from the conversation's start; subtract that, and"
            " divide milliseconds by 1000"
        )
    return value


#: Seconds from the conversation's zero.
Time = Annotated[float, AfterValidator(_on_clock)]

#: A half-open stretch of time, [start, end), seconds.
TimeSpan = tuple[Time, Time]


class Channel(Strict):
    """One lane of sound of one speaker: a file, or one channel of a file."""

    name: str
    audio: Path
    channel: int = Field(0, ge=0, description="which channel of the file, from 0")
    offset_s: Time = Field(0.0, description="time of the file's first sample")
    drift_ppm: float = Field(
        0.0, ge=-10_000, le=10_000, description="how much its clock is slow"
    )

    def file_time(self, at_s: float) -> float:
        """Convert a time of the conversation to the file's own, in seconds."""
        return (at_s - self.offset_s) / (1 + self.drift_ppm / 1e6)


class Speaker(Strict):
    """A participant of a conversation; timing needs exactly one user and one agent."""

    name: str
    role: Role
    channel: str | None = Field(
        None, description="name of the channel that holds the voice"
    )


class Clock(Strict):
    """The meaning of times: of a recording, a log or ticks; ``none``: only an order.

    ``zero`` is the Unix time of 0, where the source has it.
    """

    kind: ClockKind
    zero: float | None = None
    resolution_s: float | None = Field(None, gt=0)


class SpokenWord(Strict):
    """One word with its start and end time."""

    text: str
    start_s: Time
    end_s: Time


class Turn(Strict):
    """The speech of one speaker until another takes the floor."""

    speaker: str = Field(description="name of a speaker of the conversation")
    start_s: Time | None = Field(
        None, description="first moment of sound; null: unknown"
    )
    end_s: Time | None = Field(None, description="last moment of sound; null: unknown")
    segments: tuple[TimeSpan, ...] = Field(
        (), description="of sound, in order and apart"
    )
    text: str | None = Field(None, description="what was said or meant")
    heard: str | None = Field(
        None, description="what the other side's recogniser wrote"
    )
    audio: Path | None = Field(
        None, description="its own recording, where there is no channel"
    )
    words: tuple[SpokenWord, ...] = ()
    exchange: int | None = Field(
        None, description="the source's number of a turn and its answer"
    )
    backchannel: bool = Field(
        False, description='it left the floor to the other ("mm-hm")'
    )

    @model_validator(mode="after")
    def _runs_forwards(self) -> Turn:
        if (self.start_s is None) != (self.end_s is None):
            raise ValueError(
                "a turn has 'start_s' and 'end_s', or neither; add the missing one"
            )
        before = self.start_s
        for start, end in self.segments:
            if before is None:
                raise ValueError("a turn with 'segments' needs 'start_s' and 'end_s'")
            if start < before or end < start:
                raise ValueError(
                    f"the clock goes backwards: {before:g}, {start:g}, {end:g} s"
                )
            before = end
        if before is not None and self.end_s is not None and self.end_s < before:
            raise ValueError(
                f"the clock goes backwards: {before:g}, then its end {self.end_s:g} s"
            )
        return self

    @property
    def stretches(self) -> tuple[TimeSpan, ...]:
        """Its segments, or the whole of it where only start and end are known."""
        if self.segments or self.start_s is None or self.end_s is None:
            return self.segments
        return ((self.start_s, self.end_s),)


class SourceEvent(Strict):
    """Something that the source states: a tool call, a cough, a label of a person.

    ``kind`` is free; those in use are ``tool_call``, ``tool_response``,
    ``backchannel``, ``vocal_tic``, ``non_directed``, ``transfer``, of sound ``breath``,
    ``trailing``, ``echo``, ``doubtful``, ``crosstalk``, ``uncertain``, ``sound``, of a
    log beside it ``log_alone``, and EVA's ``agent_interrupted``, ``user_interrupted``,
    ``fallback``, ``log_user``, ``log_assistant``.
    """

    kind: str
    at_s: Time | None = None
    end_s: Time | None = None
    turn: int | None = Field(
        None, ge=0, description="number of the turn in the conversation"
    )
    data: dict[str, FiniteJson] = Field(default_factory=dict)


class End(Strict):
    """When and why it ended; ``at_s`` is the length of a recording."""

    at_s: Time | None = None
    reason: str | None = None


class Conversation(Strict):
    """Channels, speakers, turns and events on one clock; times in seconds from zero."""

    channels: tuple[Channel, ...] = ()
    speakers: tuple[Speaker, ...]
    clock: Clock
    turns: tuple[Turn, ...] = ()
    events: tuple[SourceEvent, ...] = ()
    instructions: dict[str, FiniteJson] = Field(default_factory=dict)
    start_s: Time | None = Field(
        None, description="when recording began; null: nobody knows"
    )
    end: End = End()
    meta: dict[str, FiniteJson] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _names_fit(self) -> Conversation:
        names = [speaker.name for speaker in self.speakers]
        if len(set(names)) < len(names):
            raise ValueError(f"speakers {names}: give each a name of its own")
        for role in ROLES:
            if sum(speaker.role == role for speaker in self.speakers) > 1:
                raise ValueError(f"two speakers are {role!r}; make all but one 'other'")
        channels = {channel.name for channel in self.channels}
        for speaker in self.speakers:
            if speaker.channel is not None and speaker.channel not in channels:
                raise ValueError(
                    f"speaker {speaker.name!r}: no channel {speaker.channel!r}"
                )
        for number, turn in enumerate(self.turns):
            if turn.speaker not in names:
                raise ValueError(
                    f"turn {number}: no speaker {turn.speaker!r}; add it to 'speakers'"
                )
        return self

    def speaker(self, role: Role) -> Speaker | None:
        """Return the speaker of a role; None where nobody has it."""
        return next(
            (speaker for speaker in self.speakers if speaker.role == role), None
        )

    def channel_of(self, role: Role) -> Channel | None:
        """Return the channel that holds a role's voice; None where there is none."""
        speaker = self.speaker(role)
        channels = {channel.name: channel for channel in self.channels}
        return channels.get(speaker.channel or "") if speaker else None

    def turns_of(self, role: Role) -> Iterator[tuple[int, Turn]]:
        """Yield (number, turn) of all speakers of a role, in order."""
        names = {speaker.name for speaker in self.speakers if speaker.role == role}
        return ((n, turn) for n, turn in enumerate(self.turns) if turn.speaker in names)

    @property
    def end_s(self) -> float:
        """When it ends: as stated, or with the last sound."""
        ends = [turn.end_s for turn in self.turns if turn.end_s is not None]
        return self.end.at_s if self.end.at_s is not None else max(ends, default=0.0)


def rooted(conversation: Conversation, folder: Path) -> Conversation:
    """Give a conversation's recordings, named below a folder, their full paths."""
    root = folder.absolute()
    moved: dict[str, tuple[Channel | Turn, ...]] = {}
    for name in ("channels", "turns"):
        parts: tuple[Channel | Turn, ...] = getattr(conversation, name)
        moved[name] = tuple(
            part.model_copy(update={"audio": root / part.audio}) if part.audio else part
            for part in parts
        )
    return conversation.model_copy(update=moved)


#: The conversation in a file or folder of any layout, with caveats of the reading.
#: Raises a :class:`~blueprints.UserError` where there is none, or several.
ConversationReader = Callable[[Path], Conversation]


class ConversationItem(Strict):
    """A conversation with its name, its scenario and the system that answered."""

    id: str
    question_id: str | None = Field(
        None, description="scenario; pairs systems, clusters runs"
    )
    system: str | None = None
    conversation: Conversation
    labels: dict[str, FiniteJson] = Field(
        default_factory=dict,
        description="what annotators said of it; no judge is shown these",
    )
    caveats: tuple[str, ...] = Field(
        (), description="what was repaired or left out on reading"
    )
