"""Tiny two-channel calls with given turns: no segmentation and no recognition."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from extractors.audio import SPEECH_RATE, decode
from tests.support.cli import ROOT
from tests.support.datasets_made import write_lines
from trace_eval.data.conversation import (
    Clock,
    ClockKind,
    Conversation,
    End,
    SourceEvent,
    Speaker,
    Turn,
)

RATE = 8_000

CLIPS = ROOT / "examples" / "clips"

Spans = Sequence[tuple[float, float]]

#: (speaker, start, end, text): the user asks twice; the second answer is late.
TURNS = (
    ("bot", 0.2, 0.8, "Hello, how can I help?"),
    ("caller", 1.0, 1.8, "Move me to March 25th, code ZK3FFW."),
    ("bot", 2.2, 3.0, "I moved you to March 25th."),
    ("caller", 3.4, 4.0, "Thank you, and seat 12A?"),
    ("bot", 8.4, 9.2, "Seat 12A is yours."),
)


#: The same, with the second answer after 0.8 s instead of 4.4 s; both begin with one of
#: 0.4 s.
QUICK = (*TURNS[:4], ("bot", 4.8, 5.6, "Seat 12A is yours."))


def sound(
    folder: Path, name: str = "call", gain: float = 0.3, turns: Any = TURNS
) -> Path:
    """Write a stereo file: a tone for every turn, user on channel 0, bot on 1."""
    samples = np.zeros((10 * RATE, 2), np.float32)
    for number, (speaker, start, end, _) in enumerate(turns):
        at = np.arange(int(start * RATE), int(end * RATE))
        tone = gain * np.sin(2 * np.pi * (200 + 40 * number) * at / RATE)
        samples[at, 0 if speaker == "caller" else 1] = tone
    path = folder / f"{name}.wav"
    soundfile.write(path, samples, RATE)
    return path


def conversation(
    audio: str | None = "call.wav", turns: Any = TURNS, **fields: Any
) -> Any:
    """Return a conversation's JSON with a tool call; without ``audio`` words alone."""
    lanes = {"caller": 0, "bot": 1}
    channels = [{"name": who, "audio": audio, "channel": n} for who, n in lanes.items()]
    roles = {"caller": "user", "bot": "agent"}
    return {
        "channels": channels if audio else [],
        "speakers": [
            {"name": who, "role": role, "channel": who if audio else None}
            for who, role in roles.items()
        ],
        "clock": {"kind": "recording", "resolution_s": 0.01},
        "turns": [
            {"speaker": who, "start_s": start, "end_s": end, "text": text}
            for who, start, end, text in turns
        ],
        "events": [
            {
                "kind": "tool_call",
                "at_s": 1.9,
                "turn": 1,
                "data": {"name": "rebook", "arguments": {"code": "ZK3FFW"}, "id": "t1"},
            },
            {
                "kind": "tool_response",
                "at_s": 2.1,
                "turn": 1,
                "data": {
                    "id": "t1",
                    "status": "success",
                    "response": {"date": "March 25"},
                },
            },
        ],
        "end": {"at_s": 10.0, "reason": "goodbye"},
        **fields,
    }


def manifest(folder: Path, records: Any, name: str = "items.jsonl") -> Path:
    """Write a file of records, one a line."""
    return write_lines(folder / name, records)


def spoken(
    user: Spans,
    agent: Spans,
    *,
    kind: ClockKind = "recording",
    step: float = 0.01,
    end: float | None = None,
    reason: str | None = None,
    events: Sequence[SourceEvent] = (),
) -> Conversation:
    """Make a conversation of who speaks when, without words."""
    turns = [
        Turn(speaker=who, start_s=a, end_s=b, segments=((a, b),))
        for who, spans in (("user", user), ("agent", agent))
        for a, b in spans
    ]
    return Conversation(
        speakers=(
            Speaker(name="user", role="user"),
            Speaker(name="agent", role="agent"),
        ),
        clock=Clock(kind=kind, resolution_s=step),
        turns=tuple(sorted(turns, key=lambda turn: turn.start_s or 0.0)),
        events=tuple(events),
        start_s=0.0,
        end=End(at_s=end, reason=reason),
    )


def write_spoken_call(path: Path, pause_s: float, gain: float = 1.0) -> None:
    """Write a stereo call: a user asks on channel 0, an agent answers after a pause."""
    user, agent = (
        decode(CLIPS / f"refusal-{who}.ogg").speech for who in ("instruction", "a")
    )
    start = len(user) + int(pause_s * SPEECH_RATE)
    room = np.random.default_rng(0).standard_normal(
        (start + len(agent) + SPEECH_RATE, 2)
    )
    samples = (0.001 * room).astype(np.float32)
    samples[: len(user), 0] += user
    samples[start : start + len(agent), 1] += agent
    soundfile.write(path, gain * samples, SPEECH_RATE)
