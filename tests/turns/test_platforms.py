"""Exports of platforms, made from what they publish: each is one and the same call."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from blueprints import UserError
from tests.support.cli import ROOT, trace_eval
from tests.support.docs import commands
from tests.support.platform_samples import (
    ARGUMENTS,
    EXPORTS,
    RESULT,
    SAID,
    export_text,
    livekit,
    otel,
    pipecat_speech,
    realtime,
    retell,
    twilio_sentences,
    vapi,
    write_exports,
)
from tests.support.speed import within
from trace_eval.conversations.definitions.own import TRACE_EVAL
from trace_eval.conversations.layouts import otel as spans_of_otel
from trace_eval.conversations.layouts import read_conversations
from trace_eval.conversations.layouts.stretches import (
    LoggedSpeech,
    Words,
    worded_turns,
)
from trace_eval.conversations.whose_fault import whose_fault
from trace_eval.data.conversation import Conversation, ConversationItem

#: What their formats do not hold: a clock, tools.
ORDER_ALONE = ("pipecat.json", "otel.json", "otel.pipecat.json")
NO_TOOLS = (
    "twilio.json",
    "pipecat.json",
    "pipecat.speech.jsonl",
    "pipecat.rtvi.jsonl",
    "otel.pipecat.json",
)


def _write(folder: Path, value: Any, name: str = "call.json") -> Path:
    path = folder / name
    lines = value if name.endswith("l") else [value]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def _one(path: Path, layout: str | None = None) -> ConversationItem:
    (item,) = read_conversations(path, layout).items
    return item


@pytest.mark.parametrize("name", EXPORTS)
def test_every_export_is_the_same_call(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(export_text(name))
    reading = read_conversations(path)
    assert reading.layout == name.partition(".")[0]
    (item,) = reading.items
    conversation = item.conversation
    assert [(turn.speaker, turn.text) for turn in conversation.turns] == [
        (who, text) for who, _, _, text in SAID
    ]
    if name in ORDER_ALONE:
        assert conversation.clock.kind == "none"
    else:
        assert conversation.clock.kind == "log"
        times = [at for turn in conversation.turns for at in (turn.start_s, turn.end_s)]
        assert times == pytest.approx(
            [at for _, start, end, _ in SAID for at in (start, end)]
        )
        assert any("the log of" in caveat for caveat in item.caveats)
    if name not in NO_TOOLS:
        call, response = conversation.events
        assert (call.data["name"], call.data["arguments"]) == ("rebook", ARGUMENTS)
        assert (response.data["id"], response.data["response"]) == (
            call.data["id"],
            RESULT,
        )
        assert call.turn == 1  # after the question


def test_words_of_a_side_without_stretches_stand_where_they_were_said() -> None:
    stretches = [LoggedSpeech("user", 0.0, 2.0), LoggedSpeech("user", 6.0, 8.0)]
    words = [
        Words("user", "When?", 1.5),
        Words("agent", "At nine.", 3.0),
        Words("user", "And back?", 7.5),
        Words("agent", "At ten.", None),
    ]
    rows = worded_turns(stretches, words)
    assert [row["text"] for row in rows] == [one.text for one in words]
    long_answer = [LoggedSpeech("agent", 0.0, 20.0), LoggedSpeech("agent", 22.0, 25.0)]
    (row,) = worded_turns(long_answer[:1], [Words("agent", "Well.", 12.0)])
    first, second = worded_turns(long_answer, [Words("agent", "Well.", 12.0)])
    assert (row["text"], first["text"], second.get("text")) == ("Well.", "Well.", None)


def _span(name: str, start: float, end: float, **messages: Any) -> dict[str, Any]:
    attributes = [
        {"key": f"gen_ai.{key}.messages", "value": {"stringValue": json.dumps(value)}}
        for key, value in messages.items()
    ]
    times = {
        "startTimeUnixNano": str(int((1_767_225_600 + start) * 1e9)),
        "endTimeUnixNano": str(int((1_767_225_600 + end) * 1e9)),
    }
    return {"traceId": "t", "name": name, **times, "attributes": attributes}


def _message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


@pytest.mark.parametrize("whole", [False, True])
def test_messages_are_the_words_of_the_speech_around_their_request(
    tmp_path: Path, whole: bool
) -> None:
    """An answer that nobody heard has no time; one that was cut is no turn twice."""
    greeting = _message("assistant", "Hello.")
    begun, asked = _message("user", "When is"), _message("user", "my flight?")
    unheard = _message("assistant", "When is what?")
    answer = _message("assistant", "At nine. Shall I change it?")
    cut, last = _message("assistant", "At nine."), _message("user", "No.")
    spans = [
        _span("agent_speaking", 0.5, 2),
        _span("user_speaking", 3, 4),
        _span("user_speaking", 4.6, 5.5),
        _span("agent_speaking", 6.2, 7.5),
        _span("user_speaking", 7.3, 8.5),
        _span("agent_speaking", 9.5, 11),
    ]
    if not whole:
        spans += [
            _span("chat", 4.1, 4.5, input=[greeting, begun], output=[unheard]),
            _span("chat", 5.6, 7.1, input=[greeting, begun, asked], output=[answer]),
        ]
        cut = answer
    history = [greeting, begun, asked, cut, last]
    bye = [_message("assistant", "Goodbye.")]
    spans.append(_span("chat", 8.6, 10.2, input=history, output=bye))
    value = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    call = _one(_write(tmp_path, value)).conversation
    said = [(turn.start_s, turn.text) for turn in call.turns]
    expected = [
        (0.5, "Hello."),
        (3.0, "When is"),
        (None, "When is what?"),
        (4.6, "my flight?"),
        (6.2, cut["parts"][0]["content"]),
        (7.3, "No."),
        (9.5, "Goodbye."),
    ]
    if whole:
        del expected[2]
    assert [text for _, text in said] == [text for _, text in expected]
    times = [start_s for start_s, _ in said if start_s is not None]
    assert times == pytest.approx(
        [at for at, _ in expected if at is not None], abs=1e-6
    )
    assert (None, "When is what?") in said or whole


def test_a_request_that_repeats_an_earlier_one_is_a_turn(tmp_path: Path) -> None:
    """A request of the new message alone may say what was said behind a greeting."""
    said = ["Hello.", "yes", "Sure?", "yes", "Done."]
    greeting, yes, sure, again, done = (
        [_message("user" if text == "yes" else "assistant", text)] for text in said
    )
    spans = [
        _span("chat", 0, 1, output=greeting),
        _span("chat", 2, 3, input=yes, output=sure),
        _span("chat", 4, 5, input=again, output=done),
    ]
    value = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    call = _one(_write(tmp_path, value)).conversation
    assert [turn.text for turn in call.turns] == said


def test_long_calls_of_spans_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers without requests, and words of many stretches, are not tried by pairs."""
    tried: list[Any] = []
    monkeypatch.setattr(
        spans_of_otel, "_is_beginning", lambda *pair: tried.append(pair)
    )
    spans = [
        _span("chat", 3 * at, 3 * at + 1, output=[_message("assistant", f"Part {at}.")])
        for at in range(60)
    ]
    export = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    call, *_ = spans_of_otel.spoken_in_spans([export])
    assert len(call["turns"]) == 60
    assert len(tried) == 0

    stretches = [LoggedSpeech("agent", 3.0 * at, 3.0 * at + 2) for at in range(6000)]
    words = [Words("agent", str(at), 3.0 * at + 0.1) for at in range(6000)]
    began = process_time()
    rows = worded_turns(stretches, words)
    # A try of each pair takes many seconds.
    assert within(process_time() - began, 1.5)
    assert [row["text"] for row in rows] == [str(at) for at in range(6000)]


def test_realtime_answers_have_the_times_that_the_log_has(tmp_path: Path) -> None:
    item = _one(_write(tmp_path, realtime(received=False), "log.jsonl"))
    assert item.conversation.clock.kind == "none"
    assert [turn.text for turn in item.conversation.turns] == [
        text for *_, text in SAID
    ]
    cut = {
        "event_id": "c",
        "type": "conversation.item.truncated",
        "item_id": "item_6.0",
    }
    events = [*realtime(), {**cut, "audio_end_ms": 750}]
    last = _one(_write(tmp_path, events, "log.jsonl")).conversation.turns[-1]
    assert last.end_s == pytest.approx(6.75)  # not 8: begun at 6, and .75 s were heard


def test_what_cannot_be_read_costs_its_call_and_says_what_was_looked_for(
    tmp_path: Path,
) -> None:
    newer = {key: value for key, value in vapi().items() if key != "artifact"}
    path = _write(
        tmp_path, [vapi(), {**newer, "id": "vapi-2", "artifacts": {}}, 7], "calls.json"
    )
    reading = read_conversations(path)
    assert [item.id for item in reading.items] == ["vapi-1"]
    told = [one.reason for one in reading.unread]
    assert told[0].startswith(
        "not as vapi is known to write calls (no version is stated)"
    )
    assert "looked for artifact.messages or messages" in told[0]
    assert told[1] == "expected a call (got 7)"
    future = otel("https://opentelemetry.io/schemas/9.9.9")
    for span in future["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        for fact in span["attributes"]:
            fact["key"] = fact["key"].replace("messages", "dialogue")
    exports = tmp_path / "exports"
    exports.mkdir()
    _write(exports, future, "future.json")
    _write(exports, otel(), "now.json")
    reading = read_conversations(exports)
    assert [item.id for item in reading.items] == ["otel-1"]
    assert (
        "its version is 'https://opentelemetry.io/schemas/9.9.9'"
        in reading.unread[0].reason
    )
    logs = tmp_path / "logs"
    logs.mkdir()
    _write(logs, realtime(), "whole.jsonl")
    (logs / "torn.jsonl").write_text(export_text("openai_realtime.jsonl")[:-20])
    _write(
        logs, [{**event, "audio_start_ms": "soon"} for event in realtime()], "odd.jsonl"
    )
    reading = read_conversations(logs)
    assert [item.id for item in reading.items] == ["whole"]
    assert "torn.jsonl" in reading.unread[1].name
    assert reading.unread[0].reason == "audio_start_ms: expected a number (got 'soon')"


def test_two_clocks_in_one_log_are_refused(tmp_path: Path) -> None:
    call = retell()
    call["transcript_with_tool_calls"][0]["words"][0]["start"] = 1_767_225_600_500
    call["transcript_with_tool_calls"][0]["words"][-1]["end"] = 1_767_225_602_000
    path = _write(tmp_path, [call, {**retell(), "call_id": "retell-2"}], "calls.json")
    reading = read_conversations(path)
    assert [item.id for item in reading.items] == ["retell-2"]
    assert (
        "some times are Unix times and some seconds of the call"
        in reading.unread[0].reason
    )


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a reader's folder with exports, and a recording of 48 s."""
    folder = tmp_path_factory.mktemp("platforms")
    call = runpy.run_path(str(ROOT / "examples" / "make_call.py"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["make_call.py", str(folder / "call")])
        call["main"]()
    write_exports(folder / "exports", folder / "call" / "call.wav")
    return folder


def test_the_page_of_platforms_is_typed(reader: Path) -> None:
    typed = list(commands(ROOT / "docs" / "how-to" / "platforms.md"))
    assert len(typed) >= 5
    for command in typed:
        trace_eval(*command.words[1:], cwd=reader, ends=0)
    scores = [
        json.loads(line)
        for line in (reader / "scores.otlp.jsonl").read_text().splitlines()
    ]
    (record,) = scores[0]["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
    facts = {
        one["key"]: next(iter(one["value"].values())) for one in record["attributes"]
    }
    assert record["eventName"] == "gen_ai.evaluation.result"
    assert facts["gen_ai.evaluation.name"] == "handling"
    assert facts["gen_ai.conversation.id"] == "retell-1"
    assert (
        facts["gen_ai.evaluation.score.value"] == 3.0
    )  # answered after a second, nothing else


def test_a_narrow_recording_of_twilio_is_timed_by_its_sound(reader: Path) -> None:
    item = _one(reader / "exports" / "recordings", "twilio")
    assert item.id == "RE1"
    # The plan of make_call: greeting at .8, question at 4, answer at 8.6; 8 kHz in
    # mu-law.
    turns = [(turn.speaker, turn.start_s) for turn in item.conversation.turns][:3]
    assert [who for who, _ in turns] == ["agent", "user", "agent"]
    assert [start for _, start in turns] == pytest.approx([0.8, 4.0, 8.6], abs=0.1)


def _wrapped(value: Any, how: str) -> Any:
    """Wrap a value as a webhook, a gateway or a logger hands it on."""
    envelopes: dict[str, Any] = {
        "message": {"message": value},
        "named event": {"event": "call_ended", "call": value},
        "gateway, as text": {"statusCode": 200, "body": json.dumps({"message": value})},
        "two envelopes": [{"headers": {"x": "y"}, "body": {"message": value}}],
        "topic": {"Records": [{"Source": "x", "Sns": {"Message": json.dumps(value)}}]},
    }
    return envelopes[how]


@pytest.mark.parametrize(
    "how", ["message", "named event", "gateway, as text", "two envelopes", "topic"]
)
@pytest.mark.parametrize("name", ["vapi", "retell"])
def test_the_body_of_a_webhook_is_the_call_inside_it(
    tmp_path: Path, name: str, how: str
) -> None:
    call = {"vapi": vapi, "retell": retell}[name]()
    plain = _one(_write(tmp_path, call, "plain.json"), name)
    path = _write(tmp_path, _wrapped(call, how), "hook.json")
    reading = read_conversations(path)
    assert reading.layout == name
    (item,) = reading.items
    assert item.conversation.turns == plain.conversation.turns
    assert (item.id, item.system) == (plain.id, plain.system)


@pytest.mark.parametrize("unit", ["milliseconds", "seconds"])
def test_vapi_is_timed_by_the_clock_of_the_day_where_it_has_no_other(
    tmp_path: Path, unit: str
) -> None:
    call = vapi()
    plain = _one(_write(tmp_path, call, "plain.json"))
    for message in call["artifact"]["messages"]:
        message.pop("secondsFromStart")
        for key in {"time", "endTime"} & message.keys():
            message[key] /= 1000 if unit == "seconds" else 1
    body = {"type": "end-of-call-report", **call}
    timed = _one(_write(tmp_path, {"message": body}))

    def gaps(item: ConversationItem) -> list[float]:
        starts = [turn.start_s for turn in item.conversation.turns]
        return [round(start - starts[0], 3) for start in starts]

    assert gaps(timed) == gaps(plain)
    assert timed.conversation.clock.kind == "log"


def test_a_queue_of_notifications_and_an_event_keep_the_id_of_the_call(
    tmp_path: Path,
) -> None:
    call = vapi()
    body = {"type": "end-of-call-report", "call": {"id": call.pop("id")}, **call}
    hook = {"message": body}
    notice = {"Type": "Notification", "Message": json.dumps(hook)}
    queue = {"Records": [{"messageId": "m", "body": json.dumps(notice)}]}
    event = {"id": "of-the-bus", "detail-type": "call", "detail": hook}
    for envelope in (queue, event):
        assert _one(_write(tmp_path, envelope)).id == vapi()["id"]


@pytest.mark.parametrize(
    ("platform", "body"),
    [
        ("vapi", {"type": "status-update", "status": "in-progress"}),
        ("vapi", {"type": "speech-update", "status": "started", "role": "user"}),
        ("vapi", {"type": "conversation-update", "conversation": []}),
        ("vapi", {"type": "transcript", "transcriptType": "final", "transcript": "Hi"}),
        (
            "retell",
            {"event": "call_started", "call": {"call_id": "r", "agent_id": "a"}},
        ),
    ],
)
def test_a_webhook_without_turns_is_called_what_it_is(
    tmp_path: Path, platform: str, body: dict[str, Any]
) -> None:
    kind = body.get("type", body.get("event"))
    hook = {"message": body} if platform == "vapi" else body
    with pytest.raises(UserError, match=rf"{platform} is known .*it is a {kind}\)"):
        read_conversations(_write(tmp_path, hook))


def test_a_cell_that_is_worded_like_a_kind_of_webhook_makes_no_webhook(
    tmp_path: Path,
) -> None:
    user = {"conversation": "c", "speaker": "user", "start": 0, "end": 1}
    agent = {"conversation": "c", "speaker": "agent", "start": 1.5, "end": 2}
    rows = [user | {"text": "Hi", "note": "status-update"}, agent | {"text": "Yes"}]
    path = tmp_path / "turns.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert len(_one(path).conversation.turns) == 2


def test_vapi_names_the_call_beside_its_messages(tmp_path: Path) -> None:
    call = vapi()
    body = {"type": "end-of-call-report", "call": {"id": call.pop("id")}, **call}
    assert _one(_write(tmp_path, {"message": body})).id == vapi()["id"]


@pytest.mark.parametrize("key", ["event", "data", "payload as text"])
def test_realtime_events_in_a_logger_s_envelope_are_timed_by_it(
    tmp_path: Path, key: str
) -> None:
    """The logger writes when it received an event, beside the event."""
    lines = []
    for event in realtime():
        inner = {name: value for name, value in event.items() if name != "received_at"}
        text = json.dumps(inner) if key == "payload as text" else inner
        lines.append({"ts": event.get("received_at"), "direction": "server", key: text})
    plain = _one(_write(tmp_path, realtime(), "plain.jsonl"))
    wrapped = _one(_write(tmp_path, lines, "log.jsonl"))
    assert wrapped.conversation.turns == plain.conversation.turns
    assert wrapped.conversation.clock.kind == "log"


def _without(value: Any, key: str) -> None:
    """Take a key away from a dictionary and from all that are in it."""
    if isinstance(value, dict):
        value.pop(key, None)
    inside = value.values() if isinstance(value, dict) else value
    for one in inside if isinstance(value, dict | list) else ():
        _without(one, key)


#: Platform -> its call, where the user's turn lies in it, and the keys of its edges.
_EDGES = {
    "twilio": (twilio_sentences, ("sentences", 1), "start_time", "end_time"),
    "livekit": (
        livekit,
        ("chat_history", "items", 2, "metrics"),
        "started_speaking_at",
        "stopped_speaking_at",
    ),
    "retell": (retell, ("transcript_with_tool_calls", 1, "words"), "start", "end"),
}


@pytest.mark.parametrize("name", _EDGES)
@pytest.mark.parametrize("lacks", ["start", "end"])
def test_a_turn_with_one_edge_is_reported_and_nobody_is_called_silent(
    tmp_path: Path, name: str, lacks: str
) -> None:
    make, place, *edges = _EDGES[name]
    call: Any = make()
    turn = call
    for step in place:
        turn = turn[step]
    _without(turn, edges[0] if lacks == "start" else edges[1])
    item = _one(_write(tmp_path, call))
    turns = item.conversation.turns
    user = turns[1]
    assert (user.text, user.start_s, user.end_s) == (
        "Move me to March 25th.",
        None,
        None,
    )
    assert [turns[n].start_s for n in (0, 2)] == [0.5, 6.0]
    edge = "an end and no start" if lacks == "start" else "a start and no end"
    assert f"1 turn has {edge}, so when that was said is not known" in item.caveats
    # the agent speaks from .5 to 2 and from 6 to 8; what is between is the user's
    measured = TRACE_EVAL.measure(item.conversation)
    between = [(e.kind, e.start_s, e.end_s) for e in measured.events if e.end_s > 2]
    assert ("not_known", 2.0, 6.0) in between
    assert not {"pause", "dead_air"} & {event.kind for event in measured.events}
    assert "agent_talk_share" in measured.not_known
    assert not any("says nothing" in caveat for caveat in measured.caveats)
    assert whose_fault(item.conversation) is None


def test_ends_alone_are_reported(tmp_path: Path) -> None:
    call = twilio_sentences()
    _without(call, "start_time")
    item = _one(_write(tmp_path, call))
    assert item.conversation.clock.kind == "none"
    assert item.caveats == (
        "3 turns have an end and no start, so when that was said is not known",
    )
    # a stop without a start, of a log whose first lines are lost
    lines = json.loads(json.dumps(pipecat_speech()))
    first = next(n for n, line in enumerate(lines) if "started" in str(line["kind"]))
    for line in lines:
        line.pop("started_at", None)
    del lines[first]
    (tmp_path / "log").mkdir()
    logged = _one(_write(tmp_path / "log", lines, "call.jsonl"))
    assert any("whose speech ends and never began" in text for text in logged.caveats)


def test_vapi_uses_its_other_clock_for_a_turn_without_seconds(tmp_path: Path) -> None:
    call = vapi()
    user = next(m for m in call["artifact"]["messages"] if m["role"] == "user")
    del user["secondsFromStart"]
    turn = _one(_write(tmp_path, call)).conversation.turns[1]
    assert (turn.start_s, turn.end_s) == (3.0, 5.0)


def test_a_log_that_ends_in_a_turn_without_a_time_ends_nobody_knows_how() -> None:
    """What follows the last time of a log is not known to be silence."""
    said = [("agent", 0.5, 2.0), ("user", 3.0, 5.0), ("agent", None, None)]
    turns = [
        {"speaker": who, "start_s": start, "end_s": end, "text": "One moment please."}
        for who, start, end in said
    ]
    call: dict[str, Any] = {
        "speakers": [{"name": who, "role": who} for who in ("user", "agent")],
        "clock": {"kind": "log"},
        "turns": turns,
        "end": {"at_s": 20.0, "reason": "timeout"},
    }
    timed_in_part = Conversation.model_validate(call)
    kinds = {event.kind for event in TRACE_EVAL.measure(timed_in_part).events}
    assert not {"missed_turn", "last_silence"} & kinds
    # the same log without that turn: the agent never answers
    without = Conversation.model_validate({**call, "turns": turns[:2]})
    kinds = {event.kind for event in TRACE_EVAL.measure(without).events}
    assert {"missed_turn", "last_silence"} <= kinds
