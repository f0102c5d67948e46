"""One call as each platform exports it, made from their published formats.

The call: the agent greets (.5 to 2 s), the user asks (3 to 5), a tool is called (5.2)
and answers (5.6), the agent answers (6 to 8). Nothing here was ever sent by a platform.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import soundfile
import soxr

#: (who, start, end, words), seconds of the call.
SAID = (
    ("agent", 0.5, 2.0, "How can I help?"),
    ("user", 3.0, 5.0, "Move me to March 25th."),
    ("agent", 6.0, 8.0, "You fly on March 25th."),
)
ARGUMENTS = {"date": "2026-03-25"}
RESULT = {"status": "moved"}

#: Unix time of the call's beginning, seconds.
ZERO = 1_767_225_600.0


def _words(start: float, end: float, text: str) -> list[dict[str, Any]]:
    parts = text.split()
    step = (end - start) / len(parts)
    return [
        {"word": word, "start": start + n * step, "end": start + (n + 1) * step}
        for n, word in enumerate(parts)
    ]


def twilio_sentences() -> dict[str, Any]:
    """Of Conversational Intelligence; channel 1 is the parent leg."""
    channels = {"user": 1, "agent": 2}
    sentences = [
        {"media_channel": channels[who], "sentence_index": n, "start_time": start,
         "end_time": end, "transcript": text, "sid": f"GX{n}", "words": []}
        for n, (who, start, end, text) in enumerate(SAID)
    ]  # fmt: skip
    return {"sentences": sentences, "meta": {"key": "sentences"}}


def twilio_recording(sid: str) -> dict[str, Any]:
    """Return the resource of a dual-channel recording."""
    return {
        "sid": sid, "call_sid": "CA1", "channels": 2, "duration": "48", "status": "completed",
        "api_version": "2010-04-01", "source": "StartCallRecordingAPI",
        "media_url": f"https://api.twilio.com/2010-04-01/Accounts/AC1/Recordings/{sid}",
    }  # fmt: skip


def livekit() -> dict[str, Any]:
    """``SessionReport.to_dict()`` of the Python agents."""
    items: list[dict[str, Any]] = [
        {"id": "h", "type": "agent_handoff", "new_agent_id": "desk"}
    ]
    for who, start, end, text in SAID:
        items.append({
            "id": f"i{start}", "type": "message", "interrupted": False, "content": [text],
            "role": "assistant" if who == "agent" else "user", "created_at": ZERO + end,
            "metrics": {"started_speaking_at": ZERO + start, "stopped_speaking_at": ZERO + end},
        })  # fmt: skip
    items[3:3] = [
        {"id": "f", "type": "function_call", "call_id": "t1", "name": "rebook",
         "arguments": json.dumps(ARGUMENTS), "created_at": ZERO + 5.2},
        {"id": "o", "type": "function_call_output", "call_id": "t1", "name": "rebook",
         "output": json.dumps(RESULT), "is_error": False, "created_at": ZERO + 5.6},
    ]  # fmt: skip
    return {
        "job_id": "AJ_1", "room_id": "RM_1", "room": "desk", "events": [],
        "audio_recording_path": None, "audio_recording_started_at": ZERO,
        "options": {}, "chat_history": {"items": items}, "timestamp": ZERO + 9,
    }  # fmt: skip


def livekit_js() -> dict[str, Any]:
    """Return a session report of agents in JavaScript: milliseconds, camel case."""
    report = livekit()
    report["audio_recording_started_at"] *= 1000
    report["chat_history"] = _in_javascript(report["chat_history"])
    return report


def _in_javascript(value: Any) -> Any:
    if isinstance(value, dict):
        names = {"call_id": "callId", "arguments": "args", "is_error": "isError"}
        for name in ("created_at", "started_speaking_at", "stopped_speaking_at"):
            first, *rest = name.split("_")
            names[name] = first + "".join(map(str.capitalize, rest))
        return {names.get(key, key): _in_javascript(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_in_javascript(one) for one in value]
    return 1000 * value if isinstance(value, float) else value


def pipecat() -> list[dict[str, Any]]:
    """Messages of a transcript, as its processor hands them over: they have no ends."""
    return [
        {"role": "assistant" if who == "agent" else "user", "content": text, "user_id": None,
         "timestamp": f"2026-01-01T00:00:{start:06.3f}+00:00"}
        for who, start, _, text in SAID
    ]  # fmt: skip


def vapi() -> dict[str, Any]:
    """Return a call object of ``GET /call/ID``."""
    messages: list[dict[str, Any]] = [{"role": "system", "message": "Be brief.",
                                       "time": ZERO * 1000, "secondsFromStart": 0}]  # fmt: skip
    messages += [
        {"role": "bot" if who == "agent" else "user", "message": text,
         "time": (ZERO + start) * 1000, "endTime": (ZERO + end) * 1000,
         "secondsFromStart": start, "duration": (end - start) * 1000}
        for who, start, end, text in SAID
    ]  # fmt: skip
    function = {"name": "rebook", "arguments": json.dumps(ARGUMENTS)}
    messages[3:3] = [
        {"role": "tool_calls", "message": "", "time": (ZERO + 5.2) * 1000, "secondsFromStart": 5.2,
         "toolCalls": [{"id": "t1", "type": "function", "function": function}]},
        {"role": "tool_call_result", "toolCallId": "t1", "name": "rebook",
         "result": json.dumps(RESULT), "time": (ZERO + 5.6) * 1000, "secondsFromStart": 5.6},
    ]  # fmt: skip
    return {
        "id": "vapi-1", "assistantId": "desk", "endedReason": "customer-ended-call",
        "startedAt": "2026-01-01T00:00:00.000Z", "artifact": {"messages": messages},
    }  # fmt: skip


def retell() -> dict[str, Any]:
    """Return a call object of ``GET /v2/get-call/ID``."""
    said: list[dict[str, Any]] = [
        {"role": who, "content": text, "words": _words(start, end, text)}
        for who, start, end, text in SAID
    ]
    tools = [
        {"role": "tool_call_invocation", "tool_call_id": "t1", "name": "rebook",
         "arguments": json.dumps(ARGUMENTS)},
        {"role": "tool_call_result", "tool_call_id": "t1", "content": json.dumps(RESULT)},
    ]  # fmt: skip
    return {
        "call_id": "retell-1", "agent_id": "desk", "call_status": "ended",
        "start_timestamp": int(ZERO * 1000), "duration_ms": 8500,
        "disconnection_reason": "user_hangup", "transcript_object": said,
        "transcript_with_tool_calls": [*said[:2], *tools, *said[2:]],
    }  # fmt: skip


def realtime(received: bool = True) -> list[dict[str, Any]]:
    """Return a session's events as a client logs them; ``received``: on its clock."""
    audio = {"output": {"format": {"type": "audio/pcm", "rate": 24_000}}}
    session = {"model": "gpt-realtime", "audio": audio}
    events: list[tuple[float, dict[str, Any]]] = [
        (0.0, {"type": "session.created", "session": session})
    ]
    for who, start, end, text in SAID:
        item = f"item_{start}"
        if who == "user":
            name = "input_audio_buffer.speech_"
            heard = "conversation.item.input_audio_transcription.completed"
            events += [
                (
                    start,
                    {
                        "type": f"{name}started",
                        "item_id": item,
                        "audio_start_ms": 1000 * start,
                    },
                ),
                (
                    end,
                    {
                        "type": f"{name}stopped",
                        "item_id": item,
                        "audio_end_ms": 1000 * end,
                    },
                ),
                (end, {"type": heard, "item_id": item, "transcript": text}),
            ]
        else:  # 24 kHz of 16 bits, in two pieces that come faster than they sound
            piece = base64.b64encode(bytes(int((end - start) * 24_000))).decode()
            name = "response.output_audio"
            events += [(start + n / 10, {"type": f"{name}.delta", "item_id": item, "delta": piece})
                       for n in range(2)]  # fmt: skip
            done = {
                "type": f"{name}_transcript.done",
                "item_id": item,
                "transcript": text,
            }
            events.append((start + 0.2, done))
    call = {"type": "function_call", "name": "rebook", "call_id": "t1"}
    call["arguments"] = json.dumps(ARGUMENTS)
    told = {
        "type": "function_call_output",
        "call_id": "t1",
        "output": json.dumps(RESULT),
    }
    events += [
        (5.2, {"type": "response.output_item.done", "item": call}),
        (5.6, {"type": "conversation.item.create", "item": told}),
    ]
    events.sort(key=lambda event: event[0])
    return [
        {
            "event_id": f"event_{n}",
            **event,
            **({"received_at": ZERO + at} if received else {}),
        }
        for n, (at, event) in enumerate(events)
    ]


def otel(schema: str = "https://opentelemetry.io/schemas/1.37.0") -> dict[str, Any]:
    """Two requests to a model; the second repeats what was said before it."""

    def message(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
        return {"role": role, "parts": list(parts)}

    def text(who: str, words: str) -> dict[str, Any]:
        role = "assistant" if who == "agent" else who
        return message(role, {"type": "text", "content": words})

    call = {"type": "tool_call", "id": "t1", "name": "rebook", "arguments": ARGUMENTS}
    told = {"type": "tool_call_response", "id": "t1", "response": RESULT}
    asked = [text(who, words) for who, _, _, words in SAID[:2]]
    chose = message("assistant", call)
    spans = []
    for start, given, answer in (
        (5.1, asked, chose),
        (5.7, [*asked, chose, message("tool", told)], text("agent", SAID[2][3])),
    ):
        facts = {
            "gen_ai.operation.name": "chat", "gen_ai.conversation.id": "otel-1",
            "gen_ai.request.model": "m",
            "gen_ai.system_instructions": json.dumps([{"type": "text", "content": "Be brief."}]),
            "gen_ai.input.messages": json.dumps(given),
            "gen_ai.output.messages": json.dumps([answer]),
        }  # fmt: skip
        spans.append({
            "traceId": "5b8e", "spanId": f"{start}", "name": "chat m",
            "startTimeUnixNano": str(int((ZERO + start) * 1e9)),
            "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in facts.items()],
        })  # fmt: skip
    return {"resourceSpans": [{"scopeSpans": [{"spans": spans, "schemaUrl": schema}]}]}


def pipecat_speech() -> list[dict[str, Any]]:
    """Events of Pipecat's ``SpeakingObserver`` as it logs them, and its transcript."""
    lines: list[tuple[float, dict[str, Any]]] = []
    for who, start, end, text in SAID:
        name = "bot" if who == "agent" else "user"
        begins = {"kind": f"{name}_speech_started", "timestamp": ZERO + start}
        ends = {"kind": f"{name}_speech_stopped", "timestamp": ZERO + end}
        late = 0.0 if who == "agent" else end - start + 0.3
        said = {"role": "assistant" if who == "agent" else "user", "content": text}
        said["timestamp"] = f"2026-01-01T00:00:{start + late:06.3f}+00:00"
        turn = {"kind": f"{name}_turn_started", "timestamp": ZERO + start + 0.2}
        lines += [(start, {**begins, "started_at": None}), (start + 0.2, turn)]
        lines += [(end, {**ends, "started_at": ZERO + start}), (end + 0.3, said)]
    return [line for _, line in sorted(lines, key=lambda line: line[0])]


def pipecat_rtvi() -> list[dict[str, Any]]:
    """Messages of RTVI as a client logs them; those of the bot come ahead of it."""
    lines: list[tuple[float, str, dict[str, Any]]] = []
    for who, start, end, text in SAID:
        name = "bot" if who == "agent" else "user"
        lines += [(start, f"{name}-started-speaking", {})]
        lines += [(end, f"{name}-stopped-speaking", {})]
        if who == "agent":
            lines += [(start - 0.2, "bot-transcription", {"text": text})]
            lines += [(start + 0.1, "bot-tts-text", {"text": text.split()[0]})]
        else:
            part = {"text": text[:4], "final": False, "user_id": "u"}
            lines += [(end - 1, "user-transcription", part)]
            lines += [
                (end + 0.4, "user-transcription", {**part, "text": text, "final": True})
            ]
    return [
        {"ts": ZERO + at, "message": {"label": "rtvi-ai", "type": kind, "data": data}}
        for at, kind, data in sorted(lines, key=lambda line: line[0])
    ]  # fmt: skip


def _spans(rows: list[tuple[str, float, float, dict[str, Any]]]) -> dict[str, Any]:
    spans: list[dict[str, Any]] = []
    for number, (name, start, end, facts) in enumerate(rows):
        attributes = [{"key": k, "value": {"stringValue": v}} for k, v in facts.items()]
        times = {
            "startTimeUnixNano": str(int((ZERO + start) * 1e9)),
            "endTimeUnixNano": str(int((ZERO + end) * 1e9)),
        }
        spans.append(
            {"traceId": "5b8e", "spanId": f"{number}", "name": name, **times}
            | {"attributes": attributes}
        )
    return {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}


def otel_livekit() -> dict[str, Any]:
    """Spans of LiveKit Agents: who speaks, what was recognised and synthesised."""
    rows: list[tuple[str, float, float, dict[str, Any]]] = []
    for who, start, end, text in SAID:
        rows.append((f"{who}_speaking", start, end, {}))
        if who == "agent":
            rows.append(("tts_node", start - 0.3, end - 1, {"lk.input_text": text}))
        else:
            rows.append(
                ("user_turn", start, end + 0.5, {"lk.pii.user_transcript": text})
            )
    tool = {
        "lk.function_tool.name": "rebook",
        "lk.pii.function_tool.arguments": json.dumps(ARGUMENTS),
        "lk.pii.function_tool.output": json.dumps(RESULT),
    }
    of_model = {"gen_ai.conversation.id": "desk", "gen_ai.request.model": "m"}
    rows += [("function_tool", 5.2, 5.6, tool), ("llm_request", 5.7, 5.9, of_model)]
    return _spans(rows)


def otel_messages() -> dict[str, Any]:
    """Spans of speech that have no words, beside requests whose messages have them."""
    exports = otel()
    rows: list[tuple[str, float, float, dict[str, Any]]] = []
    for who, start, end, _ in SAID:
        rows.append((f"{who}_speaking", start, end, {}))
    exports["resourceSpans"] += _spans(rows)["resourceSpans"]
    return exports


def otel_pipecat() -> dict[str, Any]:
    """Spans of Pipecat: a turn is both sides', so nothing says who spoke when."""
    rows: list[tuple[str, float, float, dict[str, Any]]] = [("turn", 0.1, 9.0, {})]
    for who, start, end, text in SAID:
        if who == "user":
            facts = {
                "gen_ai.operation.name": "stt",
                "transcript": text,
                "is_final": "true",
            }
            rows.append(("stt", end + 0.2, end + 0.2, facts))
            continue
        for part in text.split(" ", 1):  # synthesis is piece by piece
            facts = {"gen_ai.operation.name": "tts", "text": part}
            rows.append(("tts", start - 0.2, start, facts))
    return _spans(rows)


#: File -> what it holds; the name before the dot is the layout's.
EXPORTS = {
    "twilio.json": twilio_sentences,
    "livekit.json": livekit,
    "livekit.js.json": livekit_js,
    "pipecat.json": pipecat,
    "vapi.json": vapi,
    "retell.json": retell,
    "openai_realtime.jsonl": realtime,
    "otel.json": otel,
    "pipecat.speech.jsonl": pipecat_speech,
    "pipecat.rtvi.jsonl": pipecat_rtvi,
    "otel.livekit.json": otel_livekit,
    "otel.messages.json": otel_messages,
    "otel.pipecat.json": otel_pipecat,
}


def export_text(name: str) -> str:
    """Return what a file of :data:`EXPORTS` holds."""
    export: Any = EXPORTS[name]()
    return "".join(
        json.dumps(line) + "\n" for line in (export if name.endswith("l") else [export])
    )


def write_exports(folder: Path, call: Path) -> Path:
    """One file per platform, and a recording of Twilio in mu-law with its resource.

    Args:
        folder: where they are written.
        call: a stereo recording with the user on channel 0, at 16 kHz.
    """
    recordings = folder / "recordings"
    recordings.mkdir(parents=True, exist_ok=True)
    for name in EXPORTS:
        (folder / name).write_text(export_text(name))
    sound, _ = soundfile.read(call)
    soundfile.write(
        recordings / "RE1.wav", soxr.resample(sound, 2, 1), 8000, subtype="ULAW"
    )
    (recordings / "RE1.json").write_text(json.dumps(twilio_recording("RE1")))
    return folder
