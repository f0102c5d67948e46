"""Calls between an agent and a caller, written as record folders of EVA.

Their sound is rendered of clips.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from benchmarks.fault_calls import VOICES
from extractors import SPEECH_RATE, decode
from trace_eval.data.conversation import ROLES, Role

#: Unix seconds at which every log begins, and how far its times are off at most.
_ZERO, _OFF_S = 1_767_225_600.0, 0.5

#: Seconds that a word lasts.
_WORD_S = 0.33

#: What the two say by turns, the agent first: (said, as the recogniser writes it).
_DIALOGUES: tuple[tuple[tuple[str, str | None], ...], ...] = (
    (
        ("Good morning, this is the practice, how can I help you today?", None),
        ("I would like to move my appointment to Monday morning, please.", None),
        ("On Monday there is a place at half past nine, does that suit you?", None),
        ("Half past nine is fine, my number is 4 7 1 1 8.", None),
        ("I have moved your appointment to Monday at half past nine.", None),
        ("Could you also send me a letter about it?", None),
        ("Of course, the letter goes out this afternoon.", None),
        ("That was all that I wanted, thank you, goodbye.", None),
        ("You are welcome, have a nice day, goodbye.", None),
    ),
    (
        ("Welcome to the travel desk, where would you like to go?", None),
        ("I need two seats to Lisbon on the fourteenth of June.", None),
        ("There are seats at eight in the morning and at six in the evening.", None),
        ("The one at six, and my booking code is K 9 2 X 5.", None),
        ("Two seats to Lisbon at six in the evening are booked for you.", None),
        ("How much luggage may each of us take with us?", None),
        ("Each of you may take one suitcase and one small bag.", None),
        ("Then everything is clear to me now, goodbye.", None),
        ("Thank you for calling the travel desk, goodbye.", None),
    ),
    (
        ("नमस्ते, मैं आपकी क्या मदद कर सकता हूँ, कृपया बताइए।", None),
        (
            "Mujhe apne ghar ka bijli ka bill dekhna hai abhi.",
            "मुझे अपने घर का बिजली का बिल देखना है अभी",
        ),
        ("आपका बिल तैयार है, क्या मैं उसे अभी भेज दूँ?", None),
        (
            "Haan, bhej dijiye, mera number 5 2 8 0 hai.",
            "हाँ भेज दीजिए मेरा नंबर 5 2 8 0 है",
        ),
        ("मैंने आपका बिल आपके फ़ोन पर भेज दिया है।", None),
        (
            "Isko bharne ki aakhri tareekh kab tak hai?",
            "इसको भरने की आखिरी तारीख कब तक है",
        ),
        ("आप इसे इस महीने की बीस तारीख तक भर सकते हैं।", None),
        ("Theek hai, bahut shukriya aapka, namaste.", "ठीक है बहुत शुक्रिया आपका नमस्ते"),
        ("धन्यवाद, आपका दिन शुभ हो, नमस्ते।", None),
    ),
)


@dataclass(frozen=True)
class Said:
    """An utterance: who, when, the words, and the words recognised."""

    role: Role
    start: float
    end: float
    text: str
    heard: str | None = None


@dataclass(frozen=True)
class Call:
    """A call as it sounds, as its log has it, and what is done to its recordings."""

    spoken: tuple[Said, ...]
    end: float
    reason: str = "goodbye"
    logged: tuple[Said, ...] | None = None  # None: as it is spoken
    error: str | None = None
    files: tuple[Role, ...] = ROLES  # whose recordings there are
    same: bool = False  # both files hold the agent
    mute: tuple[Role, ...] = ()  # whose recordings are digital silence
    cut: float | None = None  # where the recordings end


def planned(rng: np.random.Generator, number: int) -> Call:
    """Plan a good call: turns of one of the dialogues, with gaps of .3 to 1.3 s."""
    at = float(rng.uniform(0.4, 1.2))
    said: list[Said] = []
    for place, (text, heard) in enumerate(_DIALOGUES[number % len(_DIALOGUES)]):
        role: Role = "user" if place % 2 else "agent"
        end = at + _length(text, rng)
        wrote = (heard or text) if role == "user" else None
        said.append(Said(role=role, start=at, end=end, text=text, heard=wrote))
        at = end + float(rng.uniform(0.3, 1.3))
    return Call(spoken=tuple(said), end=said[-1].end + 1.5)


def _length(text: str, rng: np.random.Generator) -> float:
    return max(1.2, _WORD_S * len(text.split())) * float(rng.uniform(0.85, 1.15))


def until(call: Call, count: int, wait_s: float, reason: str) -> Call:
    """Keep so many utterances, then so much silence, then an end by another reason."""
    spoken = call.spoken[:count]
    return replace(call, spoken=spoken, end=spoken[-1].end + wait_s, reason=reason)


def delayed(
    call: Call, late: Callable[[int, Said], float], places: Sequence[int] | None = None
) -> Call:
    """Move each utterance, and all after it, by seconds that depend on it."""
    moved, by = [], 0.0
    for place, one in enumerate(call.spoken):
        if places is None or place in places:
            by += late(place, one)
        moved.append(replace(one, start=one.start + by, end=one.end + by))
    return replace(call, spoken=tuple(moved), end=call.end + by)


def callers(call: Call, change: Callable[[int, Said], Said]) -> Call:
    """Change what the caller says, by its place in the call."""
    spoken = [
        change(place, one) if one.role == "user" else one
        for place, one in enumerate(call.spoken)
    ]
    return replace(call, spoken=tuple(spoken))


def write(folder: Path, call: Call, rng: np.random.Generator) -> None:
    """Write a record folder: event log, transcript, result and recordings."""
    folder.mkdir(parents=True)
    logged = call.spoken if call.logged is None else call.logged
    events = sorted(
        _events(logged, call.end, call.reason, rng), key=lambda one: one["timestamp"]
    )
    _lines(folder / "user_simulator_events.jsonl", events)
    wrote = [
        {"timestamp": str(_ms(one.end - 0.1)), "type": "user", "content": one.heard}
        for one in logged
        if one.heard
    ]
    _lines(folder / "transcript.jsonl", wrote)
    result = {
        "record_id": "record",
        "completed": call.error is None,
        "error": call.error,
        "conversation_ended_reason": call.reason,
    }
    (folder / "result.json").write_text(json.dumps(result))
    names = {"user": "audio_user.wav", "agent": "audio_assistant.wav"}
    for role in call.files:
        sound = _sound(
            call, "agent" if call.same else role, rng if not call.same else _again()
        )
        soundfile.write(folder / names[role], sound, SPEECH_RATE)


def _again() -> np.random.Generator:
    return np.random.default_rng(1)


def _events(
    logged: tuple[Said, ...], end: float, reason: str, rng: np.random.Generator
) -> Iterator[dict[str, Any]]:
    yield {
        "timestamp": _ms(0),
        "type": "connection_state",
        "data": {"state": "session_started"},
    }
    for one in logged:
        who = {"user": "simulated_user", "agent": "assistant"}[one.role]
        start, stop = one.start - rng.uniform(0, 0.2), one.end + rng.uniform(0, _OFF_S)
        for kind, at in (("audio_start", start), ("audio_end", stop)):
            edge = {"event_type": kind, "user": who, "audio_timestamp": _ZERO + at}
            yield {"timestamp": _ms(at), **edge}
        spoken = {"user": "user_speech", "agent": "assistant_speech"}[one.role]
        yield {
            "timestamp": _ms(stop - 0.01),
            "type": spoken,
            "data": {"text": one.text},
        }
    details = {"state": "session_ended", "details": {"reason": reason}}
    yield {"timestamp": _ms(end + _OFF_S), "type": "connection_state", "data": details}


def _ms(at_s: float) -> int:
    return round(1000 * (_ZERO + at_s))


def _lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _sound(call: Call, role: Role, rng: np.random.Generator) -> Any:
    """Return one side's recording: a voice where it speaks, else room tone."""
    size = round((call.cut or call.end) * SPEECH_RATE)
    if role in call.mute:
        return np.zeros(size, np.float32)
    sound = 3e-4 * rng.standard_normal(size).astype(np.float32)
    clips = _voice(role)
    for one in call.spoken:
        first = round(one.start * SPEECH_RATE)
        if one.role == role and first < size:
            length = round((one.end - one.start) * SPEECH_RATE)
            begin = int(rng.integers(len(clips)))
            part = np.resize(np.roll(clips, -begin), length)[: size - first]
            sound[first : first + len(part)] += part
    return sound


@cache
def _voice(role: Role) -> Any:
    """Return speech of a side without its pauses, as samples with a peak of .4."""
    parts = []
    for clip in VOICES[ROLES.index(role) :: 2]:
        samples = decode(clip).speech
        size = SPEECH_RATE // 50
        frames = samples[: len(samples) // size * size].reshape(-1, size)
        loud = np.square(frames).mean(axis=1)
        spoken = frames[loud > 1e-3 * loud.max()].reshape(-1)
        parts.append(0.4 * spoken / np.abs(spoken).max())
    return np.concatenate(parts).astype(np.float32)
