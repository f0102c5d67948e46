"""Whose fault a failed call was: each with its evidence, and not known where that lacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from trace_eval.conversations.definitions import DEFINITIONS
from trace_eval.conversations.whose_fault import whose_fault
from trace_eval.data.conversation import Conversation, ConversationItem
from trace_eval.turns.report import measure_items

GOOD = [
    ("agent", 0.5, 2.0, "How can I help you today?"),
    ("user", 2.5, 4.0, "Please move my appointment to Monday morning."),
    ("agent", 4.8, 6.5, "I moved your appointment to Monday."),
    ("user", 7.0, 8.0, "Thank you very much indeed."),
    ("agent", 8.7, 9.5, "You are welcome."),
]


def _call(
    spoken: Sequence[tuple[Any, ...]],
    reason: str | None = "goodbye",
    end_s: float = 10.0,
    **more: Any,
) -> Conversation:
    turns = []
    for who, start, end, text, *heard in spoken:
        turn = {"speaker": who, "start_s": start, "end_s": end, "text": text}
        turns.append(turn | ({"heard": heard[0]} if heard else {}))
    speakers = [{"name": who, "role": who} for who in ("user", "agent")]
    end = {"at_s": end_s, "reason": reason}
    given = {"speakers": speakers, "clock": {"kind": "recording"}, "turns": turns, "end": end}
    return Conversation.model_validate({**given, **more})


def _misheard() -> list[tuple[Any, ...]]:
    other = "peas hoof mine point mint two some day warning"
    return [one if one[0] == "agent" else (*one, other) for one in GOOD]


def _over() -> list[tuple[Any, ...]]:
    """Return turns in which the caller begins inside each of the agent's."""
    spoken: list[tuple[Any, ...]] = []
    for n in range(4):
        at = 6.0 * n
        spoken += [
            ("agent", at, at + 3.0, f"Sentence number {n} of mine."),
            ("user", at + 1.5, at + 4.0, f"But {n}, wait a moment please."),
        ]
    return sorted([*spoken, ("agent", 24.5, 26.0, "Well.")], key=lambda one: one[1])


LOOP = [
    *GOOD[:3],
    ("user", 7.0, 8.0, "No, to Tuesday."),
    ("agent", 8.7, 9.5, "I moved your appointment to Monday."),
]
LATE = [
    GOOD[0],
    GOOD[1],
    ("agent", 8.0, 9.0, "Moved."),
    ("user", 9.5, 10.0, "Thanks."),
    ("agent", 14.0, 15.0, "Bye."),
]
SILENT = {"meta": {"audit": "not usable: one sound", "faults": [{"name": "x", "spoils": "all"}]}}


@pytest.mark.parametrize(
    ("call", "whose", "what"),
    [
        (_call(GOOD[:1] + GOOD[2:3]), "caller", "says nothing in 10.0 s"),
        (_call([GOOD[1], GOOD[3]]), "agent", "says nothing in 10.0 s"),
        (_call(GOOD[:4], None, 20.0), "agent", "is silent, 1 time, first at 8.0 s"),
        (_call(LOOP), "agent", "says itself again, 1 time, first at 8.7 s"),
        (_call(LATE, end_s=16.0), "agent", "is late in 2 of 2 replies"),
        (_call(GOOD[:3], "user_hangup", 6.5), "caller", "ends the call while the agent speaks"),
        (_call(GOOD[:4], "elevenlabs_disconnect", 8.5), "caller", "0.5 s after its last words"),
        (_call(_misheard()), "recogniser", "words of the caller otherwise"),
        (_call(_over(), end_s=27.0), "caller", "speaks over the agent 4 times"),
        (_call(GOOD, **SILENT), "recording", "not usable: one sound"),
        (_call(GOOD, "inactivity_timeout"), "not known", "no rule shows why"),
    ],
)
def test_each_fault_is_laid_at_somebody_s_door(call: Conversation, whose: str, what: str) -> None:
    fault = whose_fault(call)
    assert fault is not None
    assert (fault.whose, what in fault.what) == (whose, True), fault


def test_a_good_call_is_nobody_s_fault() -> None:
    assert whose_fault(_call(GOOD)) is None


def test_words_in_another_script_say_nothing_of_the_recogniser() -> None:
    other = [one if one[0] == "agent" else (*one, "कृपया मेरी मुलाकात सोमवार को रखें") for one in GOOD]
    assert whose_fault(_call(other)) is None


def test_a_line_per_failed_call_stands_in_the_tables_and_in_json() -> None:
    items = [
        ConversationItem(id="good", conversation=_call(GOOD)),
        ConversationItem(id="loops", conversation=_call(LOOP)),
    ]
    report = measure_items(items, DEFINITIONS["trace-eval/2"])
    (table,) = [one for one in report.tables(0) if one.title.startswith("Whose fault")]
    assert "1 of 2 calls" in table.title
    good, loops = report.record()["conversations"]
    assert good["fault"] is None
    assert loops["fault"]["whose"] == "agent"
