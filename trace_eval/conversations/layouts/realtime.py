"""Logged events of OpenAI's Realtime API -> the turns of one call.

The server says where the user's speech lies in the sound that was sent, and nothing of
when the answer is heard. An answer begins when the logger received its first piece, and
lasts as long as its pieces, unless it was cut; so it has a time only where the log has
times of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trace_eval.conversations.layouts.base import (
    mapping,
    moment,
    number_of,
    place,
    text_of,
)

#: Where loggers write when they received an event; the API itself has no such field.
RECEIVED = ("received_at", "timestamp", "time", "ts")

#: Bytes of a second of sound, by the name of its encoding.
_BYTES = {
    "audio/pcmu": 8_000,
    "audio/pcma": 8_000,
    "g711_ulaw": 8_000,
    "g711_alaw": 8_000,
}
_PCM_BYTES = 48_000

#: Kinds of items that are tools, and our words for them.
_TOOLS = {"function_call": "tool_call", "function_call_output": "tool_response"}


def spoken_in_events(events: Sequence[Any]) -> list[dict[str, Any]]:
    """Read the one call of a session, its turns under our names of columns."""
    session = _Session()
    for event in events:
        session.take(mapping(event))
    return [session.call()]


class _Session:
    def __init__(self) -> None:
        self.model: str | None = None
        self._begin: float | None = None
        self._rate = _PCM_BYTES
        self._turns: dict[str, dict[str, Any]] = {}
        self._seconds: dict[str, float] = {}

    def take(self, event: dict[str, Any]) -> None:
        kind = str(event.get("type"))
        at = moment(place(event, RECEIVED), "time of an event")
        # Beta and GA differ by one word: response.audio.delta,
        # response.output_audio.delta.
        part = kind.replace("response.output_audio", "response.audio")
        name = str(place(event, ("item_id", "item.id", "call_id")))
        if kind in ("session.created", "session.updated"):
            self._opened(event, at)
        elif kind == "input_audio_buffer.append" and self._begin is None:
            self._begin = at
        elif kind.startswith("input_audio_buffer.speech_"):
            key = "start" if kind.endswith("started") else "end"
            ms = number_of(event.get(f"audio_{key}_ms"), f"audio_{key}_ms")
            self._turn(name, "user")[key] = None if ms is None else ms / 1000
        elif kind == "conversation.item.input_audio_transcription.completed":
            self._turn(name, "user")["text"] = event.get("transcript")
        elif part == "response.audio.delta":
            self._turn(name, "agent").setdefault("received", at)
            base64 = text_of(event.get("delta")) or ""
            size = 3 * len(base64) // 4
            seconds_before = self._seconds.get(name, 0.0)
            self._seconds[name] = seconds_before + size / self._rate
        elif part == "response.audio_transcript.done":
            self._turn(name, "agent")["text"] = event.get("transcript")
        elif kind in ("conversation.item.truncate", "conversation.item.truncated"):
            end_ms = number_of(event.get("audio_end_ms"), "audio_end_ms")
            self._seconds[name] = (end_ms or 0.0) / 1000
        elif kind in ("response.output_item.done", "conversation.item.create"):
            self._tool(mapping(event.get("item")), at)

    def _opened(self, event: dict[str, Any], at: float | None) -> None:
        if self._begin is None:
            self._begin = at
        self.model = text_of(place(event, ("session.model",))) or self.model
        encoding = place(
            event, ("session.audio.output.format.type", "session.output_audio_format")
        )
        self._rate = _BYTES.get(str(encoding), _PCM_BYTES)

    def _turn(self, name: str, role: str) -> dict[str, Any]:
        return self._turns.setdefault(name, {"role": role})

    def _tool(self, item: dict[str, Any], at: float | None) -> None:
        kind = item.get("type")
        if kind not in _TOOLS:
            return
        call = item.get("call_id")
        turn = self._turn(f"{kind} {call}", _TOOLS[kind])
        turn["call"] = call
        turn["name"] = item.get("name")
        turn["arguments"] = item.get("arguments")
        turn["response"] = item.get("output")
        turn["at"] = None
        if at is not None and self._begin is not None:
            turn["at"] = at - self._begin

    def call(self) -> dict[str, Any]:
        for name, turn in self._turns.items():
            received = turn.pop("received", None)
            seconds = self._seconds.get(name)
            if received is not None and self._begin is not None and seconds:
                start = received - self._begin
                turn["start"] = start
                turn["end"] = start + seconds
        answers = [turn for turn in self._turns.values() if turn["role"] == "agent"]
        if any("end" not in turn for turn in answers):  # half a clock is none
            for turn in self._turns.values():
                turn.pop("start", None)
                turn.pop("end", None)
        return {"turns": list(self._turns.values()), "model": self.model}
