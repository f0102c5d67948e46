"""Conversations, read from many layouts or heard in two channels, and timed by named rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.conversations.corrected import (
        CorrectedEvents,
        Kept,
        bounds_of,
        check_event,
        corrected_events,
        set_event,
    )
    from trace_eval.conversations.definitions import (
        DEFINITIONS,
        DefinitionSet,
        Event,
        FigureSpec,
        Measured,
        definition_set,
    )
    from trace_eval.conversations.definitions.own import TRACE_EVAL
    from trace_eval.conversations.exchanges import not_parallel, pairs_by_turn
    from trace_eval.conversations.findings import (
        KINDS,
        RULES,
        Findings,
        Kind,
        find,
        turn_blueprints,
        words_of,
    )
    from trace_eval.conversations.items import (
        ConversationFiles,
        conversations_manifest,
        holds_conversations,
    )
    from trace_eval.conversations.layouts import (
        LAYOUTS,
        Layout,
        Reading,
        Unread,
        read_conversations,
    )
    from trace_eval.conversations.layouts.rows import rows_of, time_of
    from trace_eval.conversations.read_options import ReadOptions
    from trace_eval.conversations.sound.peaks import channel_peaks
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "DEFINITIONS",
    "KINDS",
    "LAYOUTS",
    "RULES",
    "TRACE_EVAL",
    "ConversationFiles",
    "CorrectedEvents",
    "DefinitionSet",
    "Event",
    "FigureSpec",
    "Findings",
    "Kept",
    "Kind",
    "Layout",
    "Measured",
    "ReadOptions",
    "Reading",
    "Unread",
    "bounds_of",
    "channel_peaks",
    "check_event",
    "conversations_manifest",
    "corrected_events",
    "definition_set",
    "find",
    "holds_conversations",
    "not_parallel",
    "pairs_by_turn",
    "read_conversations",
    "rows_of",
    "set_event",
    "time_of",
    "turn_blueprints",
    "words_of",
]
