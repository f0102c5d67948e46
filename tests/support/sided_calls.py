"""Recordings of two sides, and an EVA record whose log says who spoke when."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from extractors.audio import SPEECH_RATE
from tests.support.spoken import voice


def sides(
    spans: Mapping[str, Sequence[tuple[float, float]]], end_s: float = 10.0
) -> np.ndarray:
    """Return samples of user and agent [shape=(n, 2)] in room tone."""
    rng = np.random.default_rng(1)
    sound = 1e-4 * rng.standard_normal((round(end_s * SPEECH_RATE), 2))
    for channel, role in enumerate(("user", "agent")):
        for start, end in spans.get(role, ()):
            part = voice(end - start)
            sound[round(start * SPEECH_RATE) :][: len(part), channel] += part
    return sound


def write_sides(folder: Path, sound: np.ndarray, names: Sequence[str]) -> None:
    """Write each side to a file of its own."""
    for channel, name in enumerate(names):
        soundfile.write(folder / name, sound[:, channel], SPEECH_RATE)


def write_eva(
    folder: Path, spans: Sequence[tuple[str, float, float]], reason: str = "goodbye"
) -> Path:
    """Write a record folder whose log has these spans, and words for each."""
    folder.mkdir(parents=True, exist_ok=True)
    zero = 1_767_225_600.0
    users = {"user": "simulated_user", "agent": "assistant"}
    events: list[tuple[float, dict[str, Any]]] = []
    for number, (role, start, end) in enumerate(spans):
        spoken = {"user": "user_speech", "agent": "assistant_speech"}[role]
        edge = {"user": users[role]}
        start_at, end_at = zero + start, zero + end
        text = {"data": {"text": f"words {number}"}}
        events += [
            (start, {"event_type": "audio_start", "audio_timestamp": start_at, **edge}),
            (end, {"event_type": "audio_end", "audio_timestamp": end_at, **edge}),
            (end - 0.01, {"type": spoken, **text}),
        ]
    lines = [
        {"timestamp": round(1000 * (zero + at)), **event}
        for at, event in sorted(events, key=lambda e: e[0])
    ]
    lines.insert(
        0, {"timestamp": round(1000 * zero), "type": "connection_state", "data": {}}
    )
    log = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "user_simulator_events.jsonl").write_text(log)
    (folder / "result.json").write_text(
        json.dumps({"conversation_ended_reason": reason})
    )
    return folder
