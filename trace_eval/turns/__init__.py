"""Timing over many conversations: figures with intervals, systems compared, labelled events."""

from trace_eval.conversations.definitions import (
    DEFINITIONS,
    DefinitionSet,
    Event,
    FigureSpec,
    Measured,
    definition_set,
)
from trace_eval.conversations.layouts import (
    LAYOUTS,
    Layout,
    Reading,
    ReadOptions,
    Unread,
    read_conversations,
)
from trace_eval.data.conversation import (
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
from trace_eval.turns.agree import (
    EventAgreement,
    agree_on_events,
    agreement_table,
    read_event_labels,
)
from trace_eval.turns.compare import Difference, SystemsCompared, compare_systems
from trace_eval.turns.everything import TurnsFound, turns_report
from trace_eval.turns.figures import Figure, FigureOptions, figures_of
from trace_eval.turns.report import Timed, TurnsOptions, TurnsReport, measure_items, time_turns

__all__ = [
    "DEFINITIONS",
    "LAYOUTS",
    "Channel",
    "Clock",
    "Conversation",
    "ConversationItem",
    "DefinitionSet",
    "Difference",
    "End",
    "Event",
    "EventAgreement",
    "Figure",
    "FigureOptions",
    "FigureSpec",
    "Layout",
    "Measured",
    "ReadOptions",
    "Reading",
    "SourceEvent",
    "Speaker",
    "SystemsCompared",
    "Timed",
    "Turn",
    "TurnsFound",
    "TurnsOptions",
    "TurnsReport",
    "Unread",
    "Word",
    "agree_on_events",
    "agreement_table",
    "compare_systems",
    "definition_set",
    "figures_of",
    "measure_items",
    "read_conversations",
    "read_event_labels",
    "time_turns",
    "turns_report",
]
