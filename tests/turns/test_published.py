"""Timing of real logs equals what the released code of their authors computes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.cli import trace_eval
from trace_eval.conversations.definitions.eva import exchanges_of
from trace_eval.turns.options import TurnsOptions
from trace_eval.turns.report import TurnsReport, time_turns


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


def test_tau_voice_figures_and_events_are_the_board_s(data: Path, tmp_path: Path) -> None:
    tau2 = data / "conversation" / "tau2"
    out = tmp_path / "figures.json"
    done = trace_eval(
        *("turns", tau2 / "experiment", "--definitions", "tau-voice/1.0", "--json", out)
    )
    assert done.code == 0, done.err
    wanted, found = _json(tau2 / "expected_metrics.json"), _json(out)
    assert _close(found["figures"], wanted["both"])
    assert all(_close(found["each"][name], one) for name, one in wanted["each"].items())
    for conversation in found["conversations"]:
        events = [e for e in conversation["events"] if e["kind"] != "agent_interruption"]
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
        spans = {
            str(n): [[start + zero, end + zero] for start, end in getattr(one, role)]
            for n, one in exchanges.items()
            if getattr(one, role)
        }
        assert spans == context[f"audio_timestamps_{name}_turns"]
    latencies = {str(n): one.latency_s for n, one in exchanges.items() if one.user and one.agent}
    assert latencies == context["latency_assistant_turns"]
    flags = [(e.kind, e.data["exchange"]) for e in conversation.events if "interrupted" in e.kind]
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
            spans = {
                str(turn.exchange): [[a + zero, b + zero] for a, b in turn.segments]
                for _, turn in conversation.turns_of(role)
            }
            assert spans == wanted.get(f"audio_timestamps_{name}_turns", spans), timed.item.id
        for kind in ("agent", "user"):
            numbers = [
                e.data["exchange"] for e in conversation.events if e.kind == f"{kind}_interrupted"
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
    found = sorted(timed.measured.values[values])
    assert sum(found) / len(found) == pytest.approx(mean, abs=1e-3)
    if median is not None:
        middle = (found[(len(found) - 1) // 2] + found[len(found) // 2]) / 2
        assert middle == pytest.approx(median, abs=1e-3)
