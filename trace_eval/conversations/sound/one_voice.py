"""Whether the agent keeps one voice over a call: its speech of all turns, as that of one clip.

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

#: Shorter turns are compared with no others, seconds.
LEAST_TURN_S = SIDE_S

#: Of a turn, as much as this is compared with others, seconds.
_COMPARED_S = 6.0

#: Speech of fewer seconds is not followed over a call.
_FOLLOWED_S = LEAST_PIECES * PIECE_S


@dataclass(frozen=True)
class TurnVoice:
    """How like a turn is to the call's first turns, a quarter of them, and to all others."""

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
    """Return whether the agent of a call keeps one voice; of a call that cannot be read, why."""
    call = item.conversation
    channel = call.channel_of("agent")
    turns = [(number, turn.stretches) for number, turn in call.turns_of("agent")]
    spoken = [
        (number, Span(start_s=start, end_s=end))
        for number, stretches in turns
        for start, end in stretches
        if end > start
    ]
    if channel is None or not spoken:
        return _unknown(item, "no turn of the agent is heard")
    try:
        sounds = _sounds(channel, [span for _, span in spoken])
    except AudioError as error:
        return _unknown(item, str(error))
    return _followed(
        item, [number for number, _ in spoken], [span for _, span in spoken], sounds
    )


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
    """Return the sound of each stretch, at 16 kHz; the recording is read block by block."""
    edges = [
        (_sample(channel, one.start_s), _sample(channel, one.end_s)) for one in spans
    ]
    parts: list[list[Samples]] = [[] for _ in edges]
    first = 0
    for (block,) in channel_blocks(channel.audio, [channel.channel]):
        for number, (start, end) in enumerate(edges):
            if start < first + len(block) and end > first:
                parts[number].append(block[max(0, start - first) : end - first])
        first += len(block)
    return [np.concatenate(one) if one else np.zeros(0, np.float32) for one in parts]


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
    later = [
        turn.to_first for turn in turns[_quarter(turns) :] if turn.to_first is not None
    ]
    events = _events(group)
    unknown = str(group.values.get("unknown") or "")
    at_s, verdict = None, ONE
    if events:
        place = clip_time(spans, events[0].start_s)
        verdict = {CHANGE: CHANGES, DRIFT: DRIFTS}.get(events[0].kind, UNKNOWN)
        at_s = None if verdict == DRIFTS else round(place, 2)
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
    """Return how like each turn of 2 s and more is to others, and the drift of many turns."""
    by_turn: dict[int, list[Samples]] = {}
    starts: dict[int, float] = {}
    for number, span, sound in zip(numbers, spans, sounds, strict=True):
        by_turn.setdefault(number, []).append(sound)
        starts.setdefault(number, span.start_s)
    speech = {number: np.concatenate(parts) for number, parts in by_turn.items()}
    long = [
        number
        for number, one in speech.items()
        if len(one) >= LEAST_TURN_S * SPEECH_RATE
    ]
    if len(long) < 2:
        return [], None
    most = round(_COMPARED_S * SPEECH_RATE)
    vectors = np.stack([campplus.direction(speech[number][:most]) for number in long])
    first = np.arange(len(long)) < _quarter(long)
    turns = [
        TurnVoice(
            turn=number,
            start_s=round(starts[number], 2),
            to_first=_likeness(vectors, place, first),
            to_others=_likeness(vectors, place, np.ones(len(long), bool)),
        )
        for place, number in enumerate(long)
    ]
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
    return round(float(vectors[place] @ mean / np.linalg.norm(mean)), 3)
