"""Whether the agent keeps one voice over a call, whose turns are heard as one clip.

The group ``speaker`` listens to the agent's turns, one behind the other, so whatever it
does not know of a clip (see :class:`extractors.networks.speaker.CampplusExtractor`) is
not known of a call either. How like each turn is to the call's first ones stands beside
what it says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from blueprints import Absent, Blueprint, Event, Extension, Signal, Span, UserError
from blueprints.decimals import written_apart
from extractors import AudioError, channel_blocks
from extractors.audio import SPEECH_RATE, Clip, Samples
from extractors.networks import campplus
from extractors.networks.drift import (
    LEAST_PIECES,
    PIECE_S,
    Drift,
    drift_of,
    what_else_moves,
)
from extractors.networks.speaker import (
    CHANGE,
    DRIFT,
    SIDE_S,
    CampplusExtractor,
    clip_time,
)
from extractors.pitch import PraatPitchExtractor
from extractors.signal import SignalExtractor
from trace_eval.data.conversation import Channel, ConversationItem

#: What is said of a call.
ONE, CHANGES, DRIFTS, UNKNOWN = "one voice", "changes", "drifts", "not known"

#: What the first event of a call's voice makes of it.
_VERDICTS = {CHANGE: CHANGES, DRIFT: DRIFTS}

#: Shorter turns are compared with no others, seconds.
LEAST_TURN_S = SIDE_S

#: Of a turn, as much as this is compared with others, seconds.
_COMPARED_S = 6.0

#: Speech of fewer seconds is not followed over a call.
_FOLLOWED_S = LEAST_PIECES * PIECE_S


@dataclass(frozen=True)
class TurnVoice:
    """The likeness of a turn to the first quarter of the turns, and to all others."""

    turn: int
    start_s: float
    to_first: float | None  # None: there are no others among the first
    to_others: float | None


@dataclass(frozen=True)
class CallVoice:
    """Whether the agent keeps one voice over a call.

    Attributes:
        conversation: its name.
        verdict: :data:`ONE`, :data:`CHANGES`, :data:`DRIFTS` or :data:`UNKNOWN`.
        at_s: where the voice changes, seconds of the call.
        why: what is not known, and why; empty: nothing.
        speech_s: speech of the agent.
        likeness: of the turns behind the first quarter to those in it, in the mean.
        turns: those of 2 s and more.
    """

    conversation: str
    verdict: str
    at_s: float | None
    why: str
    speech_s: float
    likeness: float | None
    turns: tuple[TurnVoice, ...]

    @property
    def least(self) -> TurnVoice | None:
        """The turn that is least like the first ones."""
        known = [turn for turn in self.turns if turn.to_first is not None]
        return min(known, key=lambda turn: turn.to_first or 0.0, default=None)

    @property
    def sentence(self) -> str:
        """What is known of the voice, in words."""
        text = f"the agent's voice: {self.verdict}"
        if self.at_s is not None:
            text += f" at {self.at_s:.1f} s"
        if self.likeness is not None:
            text += f" (likeness to the first turns {self.likeness:.2f} in the mean)"
        return f"{text}; {self.why}" if self.why else text


def voices_of_calls(items: Sequence[ConversationItem]) -> tuple[CallVoice, ...]:
    """Return whether the agent of each call keeps one voice.

    Raises:
        UserError: the network's package is missing.
    """
    if why := CampplusExtractor().unavailable():
        raise UserError(why)
    return tuple(map(voice_of_call, items))


def voice_of_call(item: ConversationItem) -> CallVoice:
    """Return whether the agent of a call keeps one voice.

    Of a call that cannot be read the reason is returned.
    """
    call = item.conversation
    channel = call.channel_of("agent")
    numbers: list[int] = []
    spans: list[Span] = []
    for number, turn in call.turns_of("agent"):
        for start, end in turn.stretches:
            if end > start:
                numbers.append(number)
                spans.append(Span(start_s=start, end_s=end))
    if channel is None or not spans:
        return _unknown(item, "no turn of the agent is heard")
    try:
        sounds = _sounds(channel, spans)
    except AudioError as error:
        return _unknown(item, str(error))
    return _followed(item, numbers, spans, sounds)


def _unknown(item: ConversationItem, why: str, speech_s: float = 0.0) -> CallVoice:
    return CallVoice(
        conversation=item.id,
        verdict=UNKNOWN,
        at_s=None,
        why=why,
        speech_s=speech_s,
        likeness=None,
        turns=(),
    )


def _sounds(channel: Channel, spans: Sequence[Span]) -> list[Samples]:
    """Return the sound of each stretch, at 16 kHz, reading block by block."""
    edges = [
        (_sample(channel, one.start_s), _sample(channel, one.end_s)) for one in spans
    ]
    parts: list[list[Samples]] = [[] for _ in edges]
    first = 0
    for (block,) in channel_blocks(channel.audio, [channel.channel]):
        last = first + len(block)
        for part, (start, end) in zip(parts, edges, strict=True):
            if start < last and end > first:
                part.append(block[max(0, start - first) : end - first])
        first = last
    nothing = np.zeros(0, np.float32)
    return [np.concatenate(part) if part else nothing for part in parts]


def _sample(channel: Channel, time_s: float) -> int:
    """Return the sample of a recording, at 16 kHz, at a time of its call."""
    return round(max(0.0, channel.file_time(time_s)) * SPEECH_RATE)


def _followed(
    item: ConversationItem,
    numbers: Sequence[int],
    spans: Sequence[Span],
    sounds: Sequence[Samples],
) -> CallVoice:
    """Listen to all stretches of the agent as to one clip, and compare its turns."""
    speech = np.concatenate(sounds)
    speech_s = len(speech) / SPEECH_RATE
    group, heard_s = _extracted(Clip(speech[:, np.newaxis], SPEECH_RATE, item.id))
    if isinstance(group, Absent):
        return _unknown(item, group.reason, speech_s)
    turns, drift = _compared(numbers, spans, sounds)
    later_turns = turns[_quarter(turns) :]
    later = [turn.to_first for turn in later_turns if turn.to_first is not None]
    events = _events(group)
    unknown = str(group.values.get("unknown") or "")
    at_s = None
    verdict = ONE
    if events:
        first_event = events[0]
        verdict = _VERDICTS.get(first_event.kind, UNKNOWN)
        if verdict != DRIFTS:
            at_s = round(clip_time(spans, first_event.start_s), 2)
    elif unknown:
        verdict = UNKNOWN
    elif drift is not None and drift.drifts:
        unknown = what_else_moves(speech, SPEECH_RATE) or ""
        verdict = UNKNOWN if unknown else DRIFTS
    elif drift is None and heard_s < _FOLLOWED_S:
        unknown = (
            f"{written_apart(heard_s, [_FOLLOWED_S], digits=0)} s of its speech, a"
            f" drift is looked for from {_FOLLOWED_S:g} s or {LEAST_PIECES} turns on"
        )
    return CallVoice(
        conversation=item.id,
        verdict=verdict,
        at_s=at_s,
        why=unknown,
        speech_s=round(speech_s, 2),
        likeness=round(float(np.mean(later)), 3) if later else None,
        turns=tuple(turns),
    )


def _extracted(clip: Clip) -> tuple[Extension | Absent, float]:
    """Return the group ``speaker`` of a clip, and how much speech there is, seconds."""
    blueprint = Blueprint(clip=clip.sha256)
    for extractor in (SignalExtractor(), PraatPitchExtractor()):
        value = extractor.extract(clip, blueprint)
        blueprint = blueprint.with_group(extractor.group, value, extractor.provenance())
    group = CampplusExtractor().extract(clip, blueprint)
    assert isinstance(group, Extension | Absent)
    signal = blueprint.signal
    return group, signal.speech_s if isinstance(signal, Signal) else 0.0


def _events(group: Extension) -> list[Event]:
    listed: Any = group.values["events"]
    return [Event.model_validate(one) for one in listed]


def _compared(
    numbers: Sequence[int], spans: Sequence[Span], sounds: Sequence[Samples]
) -> tuple[list[TurnVoice], Drift | None]:
    """Return how alike each turn of 2 s or more is to others, and the voice's drift."""
    by_turn: dict[int, list[Samples]] = {}
    starts: dict[int, float] = {}
    for number, span, sound in zip(numbers, spans, sounds, strict=True):
        by_turn.setdefault(number, []).append(sound)
        starts.setdefault(number, span.start_s)
    long: dict[int, Samples] = {}
    for number, parts in by_turn.items():
        speech = np.concatenate(parts)
        if len(speech) >= LEAST_TURN_S * SPEECH_RATE:
            long[number] = speech
    if len(long) < 2:
        return [], None
    most = round(_COMPARED_S * SPEECH_RATE)
    directions = [campplus.direction(speech[:most]) for speech in long.values()]
    vectors = np.stack(directions)
    all_turns = np.ones(len(long), bool)
    first_turns = np.arange(len(long)) < _quarter(list(long))
    turns = []
    for place, number in enumerate(long):
        voice = TurnVoice(
            turn=number,
            start_s=round(starts[number], 2),
            to_first=_likeness(vectors, place, first_turns),
            to_others=_likeness(vectors, place, all_turns),
        )
        turns.append(voice)
    return turns, drift_of(vectors)


def _quarter(turns: Sequence[object]) -> int:
    """Return how many turns are the first ones of a call."""
    return max(1, len(turns) // 4)


def _likeness(
    vectors: npt.NDArray[np.float32], place: int, chosen: npt.NDArray[np.bool_]
) -> float | None:
    """Return how like a vector is to the mean of chosen ones without itself."""
    others = chosen.copy()
    others[place] = False
    if not others.any():
        return None
    mean = vectors[others].mean(axis=0)
    likeness = vectors[place] @ mean / np.linalg.norm(mean)
    return round(float(likeness), 3)
