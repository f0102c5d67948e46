"""Definition sets: by hand, derived beside it, and on logs with released figures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.calls import Spans, spoken
from tests.support.cli import trace_eval
from trace_eval.conversations.definitions import DEFINITIONS
from trace_eval.conversations.definitions.base import Measured
from trace_eval.conversations.definitions.eva import (
    exchanges_of,
    latency_score,
    percentile,
)
from trace_eval.data.conversation import Conversation, SourceEvent
from trace_eval.turns.options import TurnsOptions
from trace_eval.turns.report import TurnsReport, time_turns


def _measured(name: str, call: Conversation) -> Measured:
    return DEFINITIONS[name].measure(call)


D = 0.2


def _ticks(spans: Sequence[tuple[int, int]]) -> list[tuple[float, float]]:
    return [(a * D, b * D) for a, b in spans]


def _label(kind: str, start: int, end: int) -> SourceEvent:
    return SourceEvent(kind=kind, at_s=start * D, end_s=end * D)


@pytest.mark.parametrize(
    ("user", "agent", "labels", "expected"),
    [
        # ticks of 0.2 s, ends exclusive; what the released module gives for each
        ([(0, 5)], [(10, 15)], [], {"response": 1.0}),
        ([(0, 5)], [(5, 9)], [], {}),
        ([(0, 8)], [(3, 5), (12, 20)], [], {"response": 0.8, "agent_interruption": None}),
        ([(0, 8)], [(5, 20)], [], {"agent_interruption": None}),
        ([(4, 20)], [(0, 13), (26, 30)], [], {"yield": 1.8, "response": 1.2}),
        ([(4, 6)], [(0, 14)], [], {"no_yield": None}),
        ([(0, 5), (12, 18)], [(21, 25)], [], {"no_response": None, "response": 0.6}),
        ([(0, 6), (20, 26)], [(8, 15)], [], {"response": 0.4}),
        ([(4, 6)], [(0, 9)], [_label("backchannel", 4, 6)], {"backchannel_correct": None}),
        ([(4, 6)], [(0, 8)], [_label("backchannel", 4, 6)], {"backchannel_error": None}),
        ([], [(0, 9)], [_label("vocal_tic", 4, 5)], {"vocal_tic_error": None}),
        ([], [(0, 10)], [_label("vocal_tic", 4, 5)], {}),
        ([], [(16, 20)], [_label("vocal_tic", 4, 6)], {"vocal_tic_error": None}),
        ([], [(17, 20)], [_label("vocal_tic", 4, 6)], {"vocal_tic_correct": None}),
        ([(0, 6)], [(10, 20)], [_label("vocal_tic", 2, 3)],
         {"response": 0.8, "vocal_tic_error": None}),
        ([(4, 6)], [(0, 30)], [_label("backchannel", 4, 6), _label("vocal_tic", 4, 6)],
         {"backchannel_correct": None}),
        # the last tick alone, with user speech, says "stop": it is dropped
        ([(0, 5), (39, 40)], [(10, 15)], [], {"response": 1.0}),
    ],
)  # fmt: skip
def test_tau_voice_by_hand(
    user: Sequence[tuple[int, int]],
    agent: Sequence[tuple[int, int]],
    labels: Sequence[SourceEvent],
    expected: dict[str, float | None],
) -> None:
    call = spoken(
        _ticks(user), _ticks(agent), kind="ticks", step=D, end=40 * D, events=labels
    )
    results = {
        event.kind: event.value_s for event in _measured("tau-voice/1.0", call).events
    }
    assert results.keys() == expected.keys()
    for kind, value in expected.items():
        assert results[kind] == (None if value is None else pytest.approx(value))


@pytest.mark.parametrize(
    ("user", "agent", "end", "expected"),
    [
        # plain answer after 1.5 s; the greeting starts at 0.5 s
        ([(3, 5)], [(0.5, 2), (6.5, 8)], 9, [("greeting", 0.5), ("response", 1.5)]),
        # 0.1 s before the end: latched, and no interruption as only 0.1 s was left
        ([(0, 3)], [(2.9, 5)], 6, [("overlap", 0.1), ("response", -0.1)]),
        # 1 s before the end: an interruption; the answer that goes on is none
        ([(0, 3)], [(2, 5)], 6,
         [("talked_over", None), ("overlap", 1.0), ("agent_interruption", 1.0)]),
        # barged in at 4, silent from 4.8: a yield of 0.8 s, then an answer after 1 s
        ([(0, 1), (4, 6)], [(2, 4.8), (7, 8)], 9,
         [("response", 1.0), ("overlap", 0.8), ("yield", 0.8), ("response", 1.0)]),
        # the agent talks on for 3 s: no yield; it spoke last and speaks next: a pause
        ([(0, 1), (4, 6)], [(2, 7), (9, 10)], 11,
         [("response", 1.0), ("talked_over", None), ("overlap", 2.0), ("no_yield", 3.0),
          ("pause", 2.0)]),
        # 0.4 s inside a stretch that goes on: a backchannel, although the agent
        # breathes
        ([(0, 1), (5.0, 5.4)], [(2, 4.8), (5.5, 8)], 11,
         [("response", 1.0), ("backchannel", None), ("last_silence", 3.0)]),
        # both at once: neither interrupts
        ([(1, 3)], [(1.1, 2.5)], 3.5,
         [("simultaneous_start", None), ("overlap", 1.4), ("open", None)]),
        # 3 s until the agent speaks, after the user: dead air that the agent owns
        ([(0, 1)], [(4, 5)], 5, [("response", 3.0), ("dead_air", 3.0)]),
    ],
)  # fmt: skip
def test_our_own_set_by_hand(
    user: Spans, agent: Spans, end: float, expected: list[tuple[str, float | None]]
) -> None:
    measured = _measured("trace-eval/2", spoken(user, agent, end=end))
    got = [(event.kind, event.value_s) for event in measured.events]
    assert sorted(kind for kind, _ in got) == sorted(kind for kind, _ in expected)
    for kind, value in expected:
        near = [v for k, v in got if k == kind]
        assert any(
            v == (None if value is None else pytest.approx(value)) for v in near
        ), kind


def test_an_unanswered_end_is_missed_unless_the_user_left() -> None:
    user, agent = [(0.0, 1.0), (4.0, 5.0)], [(2.0, 3.0)]
    for end, reason, kind in (
        (8.0, None, "missed_turn"),
        (8.0, "goodbye", "open"),
        (6.0, None, "open"),
    ):
        found = _measured("trace-eval/2", spoken(user, agent, end=end, reason=reason))
        assert [e.kind for e in found.events if e.kind in ("missed_turn", "open")] == [
            kind
        ]
    # one answered, one missed: 1 of 2; an open one is in no denominator
    found = _measured("trace-eval/2", spoken(user, agent, end=8.0))
    assert found.ratios["reply_rate"] == (1, 2)


def test_nothing_is_known_of_replies_beside_a_silent_channel() -> None:
    measured = _measured("trace-eval/2", spoken([(0, 1)], [], end=9.0))
    assert "reply_rate" not in measured.ratios
    assert not [
        event
        for event in measured.events
        if event.kind in ("missed_turn", "no_response")
    ]
    assert "no_speech: the agent" in measured.caveats[0]
    only_order = spoken([], [], kind="none")
    assert _measured("trace-eval/2", only_order).caveats[0].startswith("no_clock")
    events = [SourceEvent(kind="transfer", at_s=4.0)]  # nothing after it counts
    call = spoken([(0, 1), (5, 6)], [(2, 3), (6.5, 8)], end=9.0, events=events)
    assert [event.kind for event in _measured("trace-eval/2", call).events] == [
        "response"
    ]


def test_the_latency_curve_of_eva_and_its_percentile_the_upper_of_two() -> None:
    # 0 at -500; half way up at 0; 1 from 500 to 2000 (3000); linear to 0 at 3500 (5000)
    curve = {-500: 0.0, 0: 0.5, 500: 1.0, 2000: 1.0, 2750: 0.5, 3500: 0.0}
    assert {ms: latency_score(ms, False) for ms in curve} == pytest.approx(curve)
    assert [latency_score(ms, True) for ms in (2750, 4000)] == pytest.approx([1.0, 0.5])
    assert [percentile([1, 2, 3, 4], p) for p in (0.5, 0.9)] == [3, 4]


def test_eva_sums_interruptions_and_numbers_turns() -> None:
    # turn 1: 3 segments of the agent within the words of the user, 0.5 s each; turn 2:
    # 1 s; turn 3: 1.002 s; turn 4 has no answer.
    call = spoken(
        [(0, 10), (15, 18), (22, 25.002), (30, 31)],
        [(2, 2.5), (5, 5.5), (8, 8.5), (11, 12), (17, 19), (24, 27)],
        end=40.0,
    )
    details = _measured("eva/2026-08", call).details
    assert details["details"]["num_turns"] == 4
    sub = details["sub_metrics"]
    assert sub["agent_interruption.num_interruptions"] == 5.0
    # (1500 + 1000 + 1002) / 3, to a thousandth of a millisecond
    assert sub["agent_interruption.mean_overlap_ms"] == 1167.333
    # .5 (1 - (n - 1) / 2) for n = 3, 1, 1: (0 + .5 + .5) / 3
    assert sub["agent_interruption.mean_count_score"] == 0.3333
    calm = _measured(
        "eva/2026-08", spoken([(0, 1), (4, 5), (9, 10)], [(2, 3), (6, 7)], end=12)
    )
    assert calm.details["details"]["num_turns"] == 3
    assert calm.details["sub_metrics"]["agent_interruption.num_interruptions"] is None
    assert calm.details["sub_metrics"]["agent_interruption.rate"] == 0


def test_fdb_counts_every_overlap_as_a_stop_and_silence_as_taking_no_turn() -> None:
    silent = _measured("fdb/1.5", spoken([(0, 1)], [], end=9.0))
    assert (silent.ratios["takeover"], silent.caveats) == ((0, 1), ())
    untimed = _measured("fdb/1.5", spoken([(0, 1)], [(2, 3)], end=9.0))  # of its words
    assert "takeover" not in untimed.ratios
    assert untimed.caveats
    # user 0-2 and 2.5-4 are one (gap 0.5); agent 3.5-5 overlaps by 0.5 and then answers
    # at 6
    call = spoken([(0, 2), (2.5, 4)], [(3.5, 5), (6, 7)], end=8.0)
    measured = _measured("fdb/1.5", call)
    assert measured.values["stop"] == pytest.approx([0.5])
    assert measured.values["response"] == pytest.approx([2.0])


def _json(path: Path) -> Any:
    return json.loads(path.read_text())


def _timed(path: Path, definitions: str) -> TurnsReport:
    return time_turns(path, TurnsOptions(definitions=definitions))


def _close(found: dict[str, Any], wanted: dict[str, Any]) -> bool:
    return found.keys() == wanted.keys() and all(
        found[name] == value
        if isinstance(value, dict)
        else found[name] == pytest.approx(value, abs=1e-9)
        for name, value in wanted.items()
    )


def test_tau_voice_figures_and_events_are_the_board_s(
    data: Path, tmp_path: Path
) -> None:
    tau2 = data / "conversation" / "tau2"
    out = tmp_path / "figures.json"
    command = ["turns", tau2 / "experiment", "--definitions", "tau-voice/1.0"]
    trace_eval(*command, "--json", out, ends=0)
    wanted, found = _json(tau2 / "expected_metrics.json"), _json(out)
    assert _close(found["figures"], wanted["both"])
    assert all(_close(found["each"][name], one) for name, one in wanted["each"].items())
    for conversation in found["conversations"]:
        events = [
            e for e in conversation["events"] if e["kind"] != "agent_interruption"
        ]
        mine = sorted((e["data"]["tick"], e["kind"], e["value_s"]) for e in events)
        theirs = _json(tau2 / "expected_events.json")[conversation["id"]]
        expected = sorted((e["tick"], e["type"], e["latency_s"]) for e in theirs)
        assert [e[:2] for e in mine] == [e[:2] for e in expected]
        assert [e[2] for e in mine] == pytest.approx([e[2] for e in expected], abs=1e-9)


def test_eva_score_spans_and_latencies_are_the_record_s(data: Path) -> None:
    folder = data / "conversation" / "eva" / "record_1.1.2"
    (timed,) = _timed(folder, "eva/2026-08").conversations
    assert timed.measured.details == _json(folder / "expected_turn_taking.json")
    context = _json(folder / "expected_processor_context.json")
    conversation = timed.item.conversation
    zero = conversation.clock.zero or 0.0
    exchanges = exchanges_of(conversation)
    for role, name in (("agent", "assistant"), ("user", "user")):
        spans = {}
        for number, one in exchanges.items():
            turns = getattr(one, role)
            if turns:
                spans[str(number)] = [[a + zero, b + zero] for a, b in turns]
        assert spans == context[f"audio_timestamps_{name}_turns"]
    latencies = {
        str(n): one.latency_s for n, one in exchanges.items() if one.user and one.agent
    }
    assert latencies == context["latency_assistant_turns"]
    flags = [
        (e.kind, e.data["exchange"])
        for e in conversation.events
        if "interrupted" in e.kind
    ]
    assert flags == [("agent_interrupted", 3)]
    assert conversation.instructions["policy"]


def test_eva_histories_are_numbered_as_their_authors_expect(data: Path) -> None:
    path = data / "conversation" / "eva" / "turn_histories.json"
    report = _timed(path, "eva/2026-08")
    expected = {one["id"]: one["expected"] for one in _json(path)}
    assert len(report.conversations) == len(expected) == 13
    for timed in report.conversations:
        wanted, conversation = expected[timed.item.id], timed.item.conversation
        zero = conversation.clock.zero or 0.0
        for role, name in (("agent", "assistant"), ("user", "user")):
            spans = {}
            for _, turn in conversation.turns_of(role):
                segments = [[a + zero, b + zero] for a, b in turn.segments]
                spans[str(turn.exchange)] = segments
            assert spans == wanted.get(f"audio_timestamps_{name}_turns", spans), (
                timed.item.id
            )
        for kind in ("agent", "user"):
            numbers = [
                e.data["exchange"]
                for e in conversation.events
                if e.kind == f"{kind}_interrupted"
            ]
            name = "assistant" if kind == "agent" else kind
            assert numbers == wanted[f"{name}_interrupted_turns"], timed.item.id


@pytest.mark.parametrize(
    ("definitions", "values", "mean", "median"),
    [
        # section 4.5: the same nine answers, four ways to count them
        ("eva/2026-08", "latency", 2.626, 3.738),
        ("trace-eval/2", "response", 5.616, 4.122),
        ("tau-voice/1.0", "response", 5.600, None),
        ("fdb/1.5", "response", 5.616, 4.122),
    ],
)
def test_one_record_under_four_definitions(
    data: Path, definitions: str, values: str, mean: float, median: float | None
) -> None:
    folder = data / "conversation" / "eva" / "record_1.1.2"
    (timed,) = _timed(folder, definitions).conversations
    values_s = sorted(timed.measured.values[values])
    assert sum(values_s) / len(values_s) == pytest.approx(mean, abs=1e-3)
    if median is not None:
        middle = (values_s[(len(values_s) - 1) // 2] + values_s[len(values_s) // 2]) / 2
        assert middle == pytest.approx(median, abs=1e-3)
