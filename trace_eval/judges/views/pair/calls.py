"""A phone call as one clip for a listening judge: both speakers' turns in sequence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from blueprints import Blueprint
from extractors import Clip
from trace_eval.conversations.findings import turn_blueprints, words_of
from trace_eval.data.answers import Answer
from trace_eval.data.conversation import Conversation
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.judges.base import Case
from trace_eval.judges.views.sound.encode import Waveform, sound_of
from trace_eval.judges.views.sound.layout import (
    check_length,
    common_rate,
    dialogue_items,
)
from trace_eval.judges.views.text.tasks import ABOUT

#: Silence between two turns of a call, seconds, as in the dialogues that are rated.
TURN_GAP_S: float = ScoreRubric.model_fields["gap_s"].default

#: What the roles of speakers are called.
_WHO = {"user": "user", "agent": "assistant", "other": "somebody else"}


def call_clip(case: Case, answer: Answer, name: str, max_seconds: float) -> Clip:
    """Mix all audible turns of a call, each from its own channel, into mono.

    Cuts that are longer together than ``max_seconds`` are not decoded; ``name`` is for
    messages.

    Raises:
        AudioError: a turn cannot be decoded, or all of them are too long together.
    """
    turns = answer.spoken_turns.values()
    silence_s = TURN_GAP_S * max(len(turns) - 1, 0)
    cuts = [turn.cut for turn in turns if turn.cut]
    cut_s = sum(cut.end_s - cut.start_s for cut in cuts)
    if silence_s + cut_s > max_seconds:
        check_length(silence_s + cut_s, max_seconds, name)
    sounds = [sound_of(case.decode(turn)) for turn in turns]
    spoken_s = sum(sound.seconds for sound in sounds)
    check_length(silence_s + spoken_s, max_seconds, name)
    items = tuple(dialogue_items(sounds, TURN_GAP_S))
    joined = Waveform(items, common_rate(sounds))
    samples = np.float32(2**-15) * joined.samples().astype(np.float32)
    return Clip(samples[:, None], joined.rate, name)


def about_calls(answers: Sequence[Answer]) -> str:
    """Say in which order speakers are heard in calls; empty without a call.

    The answers are in the order in which they are heard.
    """
    lines = []
    for place, answer in zip(("first", "second"), answers, strict=True):
        if answer.conversation is not None:
            names = _speakers(answer.conversation)
            speakers = [
                names[turn.speaker or ""] for turn in answer.spoken_turns.values()
            ]
            order = ", ".join(speakers)
            lines.append(f"The {place} recording, turn by turn: {order}.")
    if not lines:
        return ""
    note = ABOUT["calls"].replace("{gap}", f"{TURN_GAP_S:g}")
    return "\n".join([note] + lines)


def _speakers(call: Conversation) -> dict[str, str]:
    """Return what each speaker's role is called."""
    return {speaker.name: _WHO[speaker.role] for speaker in call.speakers}


def words_of_call(
    side: str, answer: Answer, blueprints: Mapping[str, Blueprint] | None
) -> str | None:
    """Return the words of a call, a line a turn; None if there are none.

    Without the blueprints of its turns, only the text that its source has counts.
    """
    call = answer.conversation
    assert call is not None
    names = _speakers(call)
    blueprints_of_turns = turn_blueprints(side, blueprints or {})
    lines = []
    for number, turn in enumerate(call.turns):
        words = turn.text
        if blueprints is not None:
            words = words_of(call, number, blueprints_of_turns)
        if words:
            lines.append(f"{names[turn.speaker]}: {words}")
    return "\n".join(lines) or None
