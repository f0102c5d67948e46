"""Timing over many conversations: figures with intervals, systems compared, labelled events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.conversations import (
        DEFINITIONS,
        LAYOUTS,
        DefinitionSet,
        Event,
        FigureSpec,
        Layout,
        Measured,
        Reading,
        ReadOptions,
        Unread,
        definition_set,
        read_conversations,
    )
    from trace_eval.data import (
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
    from trace_eval.turns.corrected import (
        CorrectedReport,
        correct_report,
        read_event_corrections,
    )
    from trace_eval.turns.everything import TurnsFound, turns_report
    from trace_eval.turns.fidelity import Fidelity, speech_fidelity
    from trace_eval.turns.figures import Figure, figures_of
    from trace_eval.turns.options import FigureOptions, TurnsOptions
    from trace_eval.turns.report import Timed, TurnsReport, measure_items, time_turns
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "DEFINITIONS",
    "LAYOUTS",
    "Channel",
    "Clock",
    "Conversation",
    "ConversationItem",
    "CorrectedReport",
    "DefinitionSet",
    "Difference",
    "End",
    "Event",
    "EventAgreement",
    "Fidelity",
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
    "correct_report",
    "definition_set",
    "figures_of",
    "measure_items",
    "read_conversations",
    "read_event_corrections",
    "read_event_labels",
    "speech_fidelity",
    "time_turns",
    "turns_report",
]
