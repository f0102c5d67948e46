"""Two named edges of what is heard in a recording: of the turn, and of the detector's speech.

Turns hold the edges that a listener would name. What was left out at their ends, as breath, is an
event of its own, and with it the conversation has the edges of the detector's speech again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from trace_eval.conversations.floor import FloorRules, floor_of_segments, turns_heard
from trace_eval.data.conversation import ROLES, Conversation

if TYPE_CHECKING:
    from trace_eval.conversations.definitions.base import Measured

#: Kinds of events that the detector calls speech and no turn holds.
LEFT_OUT = ("breath", "trailing", "echo")


def speech_edges(conversation: Conversation) -> Conversation:
    """The same conversation with turns as the detector hears speech; what has none stays."""
    left = [event for event in conversation.events if event.kind in LEFT_OUT]
    speakers = {role: conversation.speaker(role) for role in ROLES}
    if conversation.clock.kind != "recording" or not left or not all(speakers.values()):
        return conversation
    spans = {
        role: [
            *(span for _, turn in conversation.turns_of(role) for span in turn.stretches),
            *(
                (event.at_s, event.end_s)
                for event in left
                if event.data.get("channel") == role
                and event.at_s is not None
                and event.end_s is not None
            ),
        ]
        for role in ROLES
    }
    floor = floor_of_segments(spans, conversation.end_s, FloorRules())
    names = {role: one.name for role, one in speakers.items() if one}
    others = tuple(event for event in conversation.events if event.kind not in LEFT_OUT)
    return conversation.model_copy(update={"turns": turns_heard(floor, names), "events": others})


def of_speech(measure: Callable[..., Measured]) -> Callable[..., Measured]:
    """A measure that reads the edges of speech, as definitions before ``trace-eval/2`` do."""

    @wraps(measure)
    def on_speech(conversation: Conversation, *more: Any) -> Measured:
        return measure(speech_edges(conversation), *more)

    return on_speech
