"""The first lines on calls: how fast, where it interrupts, which call is worst."""

from __future__ import annotations

from typing import Any

import pytest

from trace_eval.conversations.definitions import DEFINITIONS
from trace_eval.data.conversation import Conversation, ConversationItem, SourceEvent
from trace_eval.report.lanes import lanes_of
from trace_eval.report.page import templates
from trace_eval.turns.answers import headline, three_answers
from trace_eval.turns.report import measure_items

SPOKEN = [
    ("user", 1.0, 3.0),
    ("agent", 4.0, 6.0),
    ("user", 8.0, 12.0),
    ("agent", 10.0, 13.0),
    ("user", 14.0, 15.0),
    ("agent", 17.5, 18.0),
]


def _item(name: str, spoken: Any = SPOKEN, **meta: Any) -> ConversationItem:
    turns = [{"speaker": who, "start_s": a, "end_s": b} for who, a, b in spoken]
    speakers = [{"name": who, "role": who} for who in ("user", "agent")]
    given: Any = {"speakers": speakers, "clock": {"kind": "recording"}, "turns": turns}
    call = Conversation.model_validate({**given, "end": {"at_s": 18.2}, "meta": meta})
    return ConversationItem(id=name, conversation=call)


def _answers(*items: ConversationItem) -> tuple[str, ...]:
    return three_answers(
        measure_items(items, DEFINITIONS["trace-eval/2"]).conversations
    )


def test_three_sentences_answer_the_three_questions() -> None:
    """Replies after 1.0 and 2.5 s; the agent begins at 10.0 s, 2 s before the end."""
    fast, where, worst = _answers(_item("c1"))
    assert fast.startswith("How fast: 1.75 s in the median of 2 replies in 1 call")
    assert fast.endswith("the slowest 2.50 s (c1 at 15.0 s)")
    assert where == "Where it interrupts: 1 time in 3 turns of the user: c1 at 10.0 s"
    assert worst == (
        "Which is worst: c1 at 10.0 s, where the agent speaks over the user for 2.00 s"
    )


def _headline(*items: ConversationItem, system: str = "") -> str:
    report = measure_items(items, DEFINITIONS["trace-eval/2"])
    return headline(report.conversations, report.figures, system)


def test_one_sentence_says_all_about_calls() -> None:
    quick = [("user", 1.0, 3.0), ("agent", 3.4, 6.0)]
    some = [_item(f"c{n}", SPOKEN if n == 7 else quick) for n in range(12)]
    # 11 replies after .4 s and two of c7, of 20 that a 90th percentile needs
    assert _headline(*some) == (
        "The agent answers after 0.40 s, interrupts in 1 of 12 calls; worst: c7"
    )
    many = [_item(f"c{n}") for n in range(10)]
    assert _headline(*many, system="new").startswith(
        "new answers after 1.75 s (p90 2.5 s), interrupts in 10 of 10 calls; worst: c"
    )
    few = _headline(_item("c1"))
    assert few.startswith(
        "The agent answers after 1.75 s, in 2 replies only, interrupts"
    )
    enough = _headline(_item("c1"), _item("c2"), _item("c3"))
    assert enough.startswith("The agent answers after 1.75 s, interrupts")
    other = measure_items([_item("c1"), _item("c2")], DEFINITIONS["tau-voice/1.0"])
    assert ", whether it interrupts" in headline(other.conversations, other.figures)
    assert "only" not in headline(other.conversations, other.figures)  # it has no p50
    mono = _item("c1", one_channel=True)
    assert "whether it interrupts is not known; worst: c1" in _headline(mono)
    assert "interrupts in 1 of 1 call;" in _headline(mono, _item("c2"))
    silent = _item("c1", [("agent", 1.0, 2.0)])
    assert _headline(silent).startswith("The agent gave no reply that was timed")


def test_calls_of_one_channel_say_what_they_cannot_tell() -> None:
    _, where, _ = _answers(_item("c1", one_channel=True))
    assert where == "Where it interrupts: not known: one channel"
    _, where, _ = _answers(_item("c1", one_channel=True), _item("c2"))
    assert where.endswith("c2 at 10.0 s; not known of 1 call")
    page = lanes_of(_item("c1", one_channel=True).conversation, {}, None)  # type: ignore[arg-type]
    assert any("not known: one channel" in note for note in page["notes"])


def test_log_and_sound_are_drawn_one_above_the_other() -> None:
    log = {"logged": {"user": [[0.5, 3.5]], "agent": [[4.2, 6.0], [10.0, 13.0]]}}
    page = lanes_of(_item("c1", log=log).conversation, {}, None)  # type: ignore[arg-type]
    user, agent = page["lanes"]
    assert [bar.at_s for bar in user["log"]] == [0.5]
    assert [bar.at_s for bar in agent["log"]] == [4.2, 10.0]
    assert len(user["bars"]) == 3
    assert user["log"][0].left == pytest.approx(100 * 0.5 / 18.2)

    by_log = _item("c1", log=log).conversation
    clock = by_log.clock.model_copy(update={"kind": "log"})
    by_log = by_log.model_copy(update={"clock": clock})
    page = lanes_of(by_log, {}, None)  # type: ignore[arg-type]
    assert [lane["log"] for lane in page["lanes"]] == [[], []]


def test_a_call_without_tools_has_no_lane_of_tools() -> None:
    tool = SourceEvent(kind="tool_call", at_s=3.2, data={"name": "book"})
    for events, lanes in (((), 0), ((tool,), 1)):
        call = _item("c1").conversation.model_copy(update={"events": events})
        drawing = lanes_of(call, {}, None)  # type: ignore[arg-type]
        macro = templates().get_template("lanes.html.j2").module.lanes  # type: ignore[attr-defined]
        assert str(macro(drawing)).count("<b>tools</b>") == lanes


def test_a_call_without_replies_says_why() -> None:
    fast, _, worst = _answers(_item("c1", [("agent", 1.0, 2.0)]))
    assert fast.startswith("How fast: not known (no_speech: the user says nothing")
    assert "Which is worst" in worst
