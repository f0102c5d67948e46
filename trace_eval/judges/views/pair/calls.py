"""A phone call as one clip for a listening judge: the turns of both speakers in sequence."""

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
    """Mix all turns of a call that can be heard, each from its own channel, into mono.

    Cuts that are longer together than ``max_seconds`` are not decoded; ``name`` is for
    messages. AudioError where a turn cannot be decoded, or all of them are too long
    together.
    """
    turns = answer.spoken_turns.values()
    silence = TURN_GAP_S * max(len(turns) - 1, 0)
    total_s = silence + sum(
        turn.cut.end_s - turn.cut.start_s for turn in turns if turn.cut
    )
    if total_s > max_seconds:
        check_length(total_s, max_seconds, name)
    sounds = [sound_of(case.decode(turn)) for turn in turns]
    check_length(silence + sum(sound.seconds for sound in sounds), max_seconds, name)
    joined = Waveform(tuple(dialogue_items(sounds, TURN_GAP_S)), common_rate(sounds))
    samples = np.float32(2**-15) * joined.samples().astype(np.float32)
    return Clip(samples[:, None], joined.rate, name)


def about_calls(answers: Sequence[Answer]) -> str:
    """Return caveats about recordings, in the order heard, that are calls; else nothing."""
    lines = []
    for place, answer in zip(("first", "second"), answers, strict=True):
        if answer.conversation is not None:
            who, turns = _speakers(answer.conversation), answer.spoken_turns.values()
            order = ", ".join(who[turn.speaker or ""] for turn in turns)
            lines.append(f"The {place} recording, turn by turn: {order}.")
    note = ABOUT["calls"].replace("{gap}", f"{TURN_GAP_S:g}")
    return "\n".join([note, *lines]) if lines else ""


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
    who, recognised = _speakers(call), turn_blueprints(side, blueprints or {})
    lines = []
    for number, turn in enumerate(call.turns):
        words = turn.text if blueprints is None else words_of(call, number, recognised)
        if words:
            lines.append(f"{who[turn.speaker]}: {words}")
    return "\n".join(lines) or None
