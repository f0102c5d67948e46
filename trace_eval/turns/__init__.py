"""Conversations: several turns on one clock, read from many layouts and timed by named rules."""

from trace_eval.turns.conversation import (
    Channel,
    Clock,
    Conversation,
    ConversationItem,
    End,
    SourceEvent,
    Speaker,
    Turn,
    Word,
)
from trace_eval.turns.definitions import (
    DEFINITIONS,
    DefinitionSet,
    Event,
    FigureSpec,
    Measured,
    definition_set,
)
from trace_eval.turns.figures import Figure, FigureOptions, figures_of
from trace_eval.turns.layouts import (
    LAYOUTS,
    Layout,
    Reading,
    ReadOptions,
    Unread,
    read_conversations,
)
from trace_eval.turns.report import Timed, TurnsOptions, TurnsReport, measure_items, time_turns

__all__ = [
    "DEFINITIONS",
    "LAYOUTS",
    "Channel",
    "Clock",
    "Conversation",
    "ConversationItem",
    "DefinitionSet",
    "End",
    "Event",
    "Figure",
    "FigureOptions",
    "FigureSpec",
    "Layout",
    "Measured",
    "ReadOptions",
    "Reading",
    "SourceEvent",
    "Speaker",
    "Timed",
    "Turn",
    "TurnsOptions",
    "TurnsReport",
    "Unread",
    "Word",
    "definition_set",
    "figures_of",
    "measure_items",
    "read_conversations",
    "time_turns",
]
