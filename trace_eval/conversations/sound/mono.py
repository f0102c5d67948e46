"""A conversation from one channel with two voices: who spoke when, or a refusal.

The two voices are told apart by :mod:`.voices`. Each then has a lane of its own, which
is silent where the other one speaks, and its edges are those of a channel with one
speaker, see :mod:`.turn_edges`. What one channel
cannot tell (overlaps, interruptions, yields, backchannels) is not known, and never an
event.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import InputError
from blueprints.decimals import written_apart
from extractors import channel_blocks, decode, file_sha256
from extractors.networks import campplus, segmentation
from extractors.packaged import CAMPPLUS, SEGMENTATION, problem
from trace_eval.conversations.floor import (
    FloorRules,
    floor_of_segments,
    turns_from_speech,
)
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.conversations.sound.audit import TELEPHONE_HZ, Fault, verdict
from trace_eval.conversations.sound.conversation import (
    kept_conversation,
    music_left_out,
    named,
)
from trace_eval.conversations.sound.lanes import (
    HOP_S,
    SILENT_DB,
    Lane,
    hear,
    inside,
)
from trace_eval.conversations.sound.music import music_of
from trace_eval.conversations.sound.other_sound import other_sounds
from trace_eval.conversations.sound.segments import segmented
from trace_eval.conversations.sound.turn_edges import turn_edges
from trace_eval.conversations.sound.voices import (
    LEAST_CONTRAST,
    Voices,
    hear_windows,
    two_voices,
)
from trace_eval.conversations.spans import Spans, joined, total, without
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

#: Error of the gap between two turns in wide band, without overlaps, ms: median and
#: 95th percentile of fresh calls of a person and a synthetic voice, rendered of other
#: voices.
EDGE_ERROR_MS, EDGE_ERROR_P95_MS = 16, 127

#: The name of the channel that holds both voices.
MIX = "mix"

#: Least likeness of the agent's voice to a side, and by how much it must be nearer to
#: it.
_NEARER = 0.1

#: Least speech of a side, and of a voice that is said to speak first, seconds.
_LEAST_S, _MOMENT_S = 1.0, 0.2

#: Why nobody knows who the agent is, though he greets.
DOUBTFUL_GREETING = "whose voice speaks first is doubtful: give --agent-voice FILE"

#: Share of the changes of voice without any pause, from which they are cuts in one
#: voice's speech: equal halves of a sentence that is repeated are alike, too.
_MOST_UNBROKEN = 0.5


def cannot_hear_one_channel() -> str | None:
    """Say why voices of one channel cannot be told apart here; None: they can."""
    return problem(SEGMENTATION) or problem(CAMPPLUS)


def kept_mix(
    channel: Channel, options: ReadOptions
) -> tuple[Conversation, tuple[str, ...]]:
    """Call :func:`conversation_from_mix` once, and keep its result.

    It is kept while the file is unchanged.

    Raises:
        UserError: also if there is no file of the agent's voice.
    """
    voice = options.agent_voice
    if voice is not None and not voice.is_file():
        raise InputError(f"--agent-voice {voice}: no such file")
    return kept_conversation(
        {"user": channel},
        options.kept,
        conversation_from_mix,
        ignore=options.ignore,
        agent_greets=options.agent_channel == "greets",
        agent_voice=None if voice is None else str(voice.resolve()),
        voice_stamp=None if voice is None else file_sha256(voice),
    )


def conversation_from_mix(
    channels: dict[Role, Channel],
    ignore: Sequence[tuple[float, float]] = (),
    agent_greets: bool = False,
    agent_voice: str | None = None,
    voice_stamp: str | None = None,
) -> tuple[Conversation, tuple[str, ...]]:
    """Segment the one channel of a call into the turns of two voices.

    Args:
        channels: the mix, under any one role.
        ignore: stretches that are no speech, seconds of the conversation.
        agent_greets: whoever speaks first is the agent.
        agent_voice: a recording of the agent's voice alone, a few seconds.
        voice_stamp: what identifies its content, where results are kept.

    Returns:
        The conversation, and caveats. Without one of the last two nobody knows who is
        the agent, and both speakers have the role ``other``.

    Raises:
        UserError: the voices are too alike to be told apart, there is only one, or the
            weights are missing.
    """
    del voice_stamp
    why = cannot_hear_one_channel()
    if why:
        raise InputError(
            f"one channel: two voices in it cannot be told apart here ({why}); or give"
            " two channels, or its turns in a table with the columns speaker, start,"
            " end and audio"
        )
    channel = next(iter(channels.values())).model_copy(update={"name": MIX})
    [lane] = hear([channel], detect=False)
    lane, voices, music = _voices_of(lane, ignore)
    _check(voices)
    no_speech = list(ignore) + music
    speech = turns_of_voices(lane, voices.speech, no_speech)
    agent, how = _agent(voices, agent_greets, agent_voice)
    first, second = speech
    sides: dict[Role, Spans] = {"user": first, "agent": second}
    if agent == 0:
        sides = {"user": second, "agent": first}
    floor = floor_of_segments(sides, lane.end_s, FloorRules(backchannel_s=0.0))
    names: dict[Role, str] = {role: role for role in ROLES}
    if agent is None:
        names = {"user": "first voice", "agent": "second voice"}
    speakers = []
    for role, name in names.items():
        known_role = "other" if agent is None else role
        speakers.append(Speaker(name=name, role=known_role, channel=MIX))
    sounds = other_sounds(lane, [*voices.speech, list(ignore)])
    faults = _faults(lane)
    conversation = Conversation(
        channels=(channel,),
        speakers=tuple(speakers),
        clock=Clock(kind="recording", resolution_s=HOP_S),
        turns=turns_from_speech(floor, names),
        events=(*_events("sound", sounds), *_events("doubtful", voices.doubtful)),
        start_s=min(0.0, lane.at(0.0)),
        end=End(at_s=lane.end_s),
        meta={
            "one_channel": True,
            "contrast": voices.contrast,
            "edge_error_ms": EDGE_ERROR_MS,
            "edge_error_p95_ms": EDGE_ERROR_P95_MS,
            "audit": verdict(faults),
            "faults": [fault.record() for fault in faults],
        },
    )
    caveats = _caveats(how, voices, sounds)
    if music:
        caveats.append(music_left_out("in it", music))
    return conversation, tuple(caveats)


def _voices_of(
    lane: Lane, ignore: Sequence[tuple[float, float]]
) -> tuple[Lane, Voices, Spans]:
    """Return the lane of two voices, the voices, and the music among their speech.

    Where there is music the voices are looked for again without it.
    """
    samples = _samples(lane)
    heard = hear_windows(samples)
    voices = two_voices(samples, heard, ignore)
    lane = _spoken(lane, voices)
    music: Spans = []
    for spans in voices.speech:
        music.extend(music_of(lane, spans, voices.speech))
    music = joined(music)
    if music:
        voices = two_voices(samples, heard, list(ignore) + music)
        lane = _spoken(lane, voices)
    return lane, voices, music


def _events(kind: str, spans: Spans) -> Iterator[SourceEvent]:
    for start, end in spans:
        yield SourceEvent(kind=kind, at_s=start, end_s=end, data={"channel": MIX})


def _spoken(lane: Lane, voices: Voices) -> Lane:
    """Return a lane whose speech is that of two voices."""
    first, second = voices.speech
    return replace(lane, stretches=joined(first + second))


def _caveats(how: str, voices: Voices, sounds: Spans) -> list[str]:
    caveats = [_told_apart(voices.contrast, how)]
    if sounds:
        caveats.append(f"sound that is no speech: {named(sounds)} s")
    if voices.doubtful:
        caveats.append(
            f"whose speech it is, is not known of {total(voices.doubtful):.1f} s"
            f" ({named(voices.doubtful)} s): no reply that begins or ends there is"
            " timed"
        )
    return caveats


def _told_apart(contrast: float | None, how: str = "") -> str:
    """Say how far apart two voices are, and how it is known which is the agent's."""
    contrast_text = "not known" if contrast is None else f"{contrast:.2f}"
    known = f"; {how}" if how else ""
    return (
        f"one channel: two voices were told apart (contrast {contrast_text}){known}; overlaps,"
        " interruptions, yields and backchannels are not known"
    )


def _samples(lane: Lane) -> NDArray[np.int16]:
    """Read a lane's samples at 16 kHz, in 16 bits: an hour is 115 MB."""
    samples = np.zeros(lane.samples, np.int16)
    first = 0
    for (block,) in channel_blocks(lane.channel.audio, [lane.channel.channel]):
        samples[first : first + len(block)] = np.rint(block * 32_767)
        first += len(block)
    return samples


def is_narrow(lane: Lane) -> bool:
    """Tell whether a lane has the band of a telephone."""
    if lane.rate <= TELEPHONE_HZ:
        return True
    is_spoken = inside(lane.stretches, lane.times(len(lane.levels), HOP_S))
    if not is_spoken.any():
        return False
    voice, _, _, top = lane.bands
    loud_voice = np.quantile(voice[is_spoken], 0.99)
    loud_top = np.quantile(top[is_spoken], 0.99)
    return bool(loud_top < loud_voice - 50.0)


def _faults(lane: Lane) -> list[Fault]:
    if lane.rate <= TELEPHONE_HZ:
        return [
            Fault(name="a recording of 8 kHz", channel=None, spoils="nothing", spans=[])
        ]
    if is_narrow(lane):
        return [
            Fault(name="no sound above 4 kHz", channel=None, spoils="nothing", spans=[])
        ]
    return []


def _check(voices: Voices) -> None:
    """Raise where the two voices cannot be told apart."""
    shortest = min(total(spans) for spans in voices.speech)
    if not any(voices.speech):
        raise InputError("one channel: nobody speaks in it")
    if voices.contrast is None or shortest < _LEAST_S:
        raise InputError(
            f"one channel: only one voice is heard in it ({shortest:.1f} s of another),"
            " or both are too short to be told apart; give a channel for each speaker"
        )
    if voices.contrast < LEAST_CONTRAST:
        contrast = written_apart(voices.contrast, [LEAST_CONTRAST], digits=2)
        raise InputError(
            "one channel: the two voices are too alike to be told apart (contrast"
            f" {contrast}, {LEAST_CONTRAST:.2f} is needed); give a channel"
            " for each speaker"
        )
    changes, unbroken = changes_of_voice(voices.speech)
    if unbroken > _MOST_UNBROKEN * changes:
        raise InputError(
            f"one channel: only one voice is heard in it ({unbroken} of {changes}"
            " changes would come in the middle of speech, without a pause); give a"
            " channel for each speaker"
        )


def changes_of_voice(speech: tuple[Spans, Spans]) -> tuple[int, int]:
    """Count the changes from one voice to the other, and those without a pause."""
    first, second = speech
    spoken = [(start, end, 0) for start, end in first]
    spoken += [(start, end, 1) for start, end in second]
    gaps: list[float] = []
    for (_, end, voice), (start, _, next_voice) in pairwise(sorted(spoken)):
        if voice != next_voice:
            gaps.append(start - end)
    unbroken = sum(abs(gap) < segmentation.FRAME_S for gap in gaps)
    return len(gaps), unbroken


def turns_of_voices(
    lane: Lane, speech: Sequence[Spans], ignore: Sequence[tuple[float, float]] = ()
) -> list[Spans]:
    """Return the turns of two voices of one lane, with the edges of two channels."""
    lanes = _parted(lane, speech)
    edges = turn_edges(lanes, segmented(lanes, ignore), echoes=False)
    return [one.segments for one in edges]


def _parted(lane: Lane, speech: Sequence[Spans]) -> list[Lane]:
    """Part a lane into one for each voice, silent where the other one speaks alone."""
    times = lane.times(len(lane.levels), HOP_S)
    first, second = speech
    is_first = inside(joined(first), times)
    is_second = inside(joined(second), times)
    lanes: list[Lane] = []
    for spans, is_of_other in (
        (first, is_second & ~is_first),
        (second, is_first & ~is_second),
    ):
        part = replace(
            lane,
            stretches=list(spans),
            levels=np.where(is_of_other, SILENT_DB, lane.levels),
            bands=np.where(is_of_other, SILENT_DB, lane.bands),
        )
        lanes.append(part)
    return lanes


def _agent(
    voices: Voices,
    greets: bool,
    voice: str | None,
) -> tuple[int | None, str]:
    """Find which voice is the agent's, and say how that is known."""
    if voice is not None and voices.directions is not None:
        direction = campplus.direction(decode(Path(voice)).speech)
        first, second = voices.directions
        like_first = float(direction @ first)
        like_second = float(direction @ second)
        if abs(like_first - like_second) < _NEARER:
            raise InputError(
                f"--agent-voice {voice}: it resembles both voices of the call equally"
                f" ({like_first:.2f}, {like_second:.2f}); give other seconds of the"
                " agent alone"
            )
        likeness = max(like_first, like_second)
        how = f"the agent is who is like {Path(voice).name} ({likeness:.2f})"
        return int(like_second > like_first), how
    if greets:
        greeter = _first_surely(voices)
        if greeter is None:
            return None, DOUBTFUL_GREETING
        return greeter, "the agent is who speaks first"
    return None, ""


def _first_surely(voices: Voices) -> int | None:
    """Return which voice is the first to speak; None where that is doubtful.

    What one voice says in a moment may be the edge of the other one's speech.
    """
    starts: list[float] = []
    for spans in voices.speech:
        starts.append(_first_start(without(spans, voices.doubtful)))
    first_s, second_s = starts
    if _first_start(voices.doubtful) < min(starts):
        return None
    return int(second_s < first_s)


def _first_start(spans: Spans) -> float:
    """Return when the first stretch begins that is longer than a moment."""
    starts = [start for start, end in spans if end - start >= _MOMENT_S]
    return min(starts, default=np.inf)


def of_log(
    sound: Conversation, said: Sequence[str], first: Role
) -> tuple[Conversation, tuple[str, ...]]:
    """Return a call of two unnamed voices with the roles that its log gives them.

    Args:
        sound: the call, see :func:`conversation_from_mix`, whose first voice speaks
            first.
        said: its caveats.
        first: who the first voice is.
    """
    second: Role = "agent" if first == "user" else "user"
    first_voice, second_voice = sound.speakers
    names: dict[str, Role] = {first_voice.name: first, second_voice.name: second}
    speakers = [Speaker(name=role, role=role, channel=MIX) for role in ROLES]
    turns = [
        turn.model_copy(update={"speaker": names[turn.speaker]}) for turn in sound.turns
    ]
    update = {"speakers": tuple(speakers), "turns": tuple(turns)}
    call = sound.model_copy(update=update)
    contrast: Any = sound.meta["contrast"]
    unnamed = (_told_apart(contrast), _told_apart(contrast, DOUBTFUL_GREETING))
    named = _told_apart(contrast, "the agent is who the log says")
    return call, tuple(named if one in unnamed else one for one in said)
