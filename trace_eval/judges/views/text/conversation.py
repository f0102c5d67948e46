"""A conversation as text for a judge: turns, timing, tool calls, and how turns differ in sound.

What does not fit the budget is dropped in the order of :data:`STEPS`, and every step is
a caveat. Everything shown is harmless; the caller puts it behind a fence.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Any

from blueprints import Blueprint, Emotion, Loudness, Pitch, Quality, Rate
from trace_eval.conversations.findings import find, timing_line, words_of
from trace_eval.data.conversation import Conversation, SourceEvent
from trace_eval.judges.ask.message import Message, typical_tokens
from trace_eval.judges.views.text.fencing import neutralise
from trace_eval.judges.views.text.tasks import ABOUT

#: Said once, before the first conversation.
LEGEND = ABOUT["conversation"]

#: Turns that stay whole, however little room there is.
FIRST_TURNS, LAST_TURNS = 2, 4

#: Characters of a tool's response, and of a turn of the middle, that are kept where it
#: must be.
_RESPONSE, _SUMMARY = 300, 60

#: What is left out, in this order.
STEPS = ("tool responses", "sound of turns", "words of middle turns")

_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True)
class Shown:
    """A conversation as a judge reads it, without a fence; caveats say what was left out."""

    text: str
    caveats: tuple[str, ...]


def show_conversation(
    conversation: Conversation,
    blueprints: Mapping[int, Blueprint],
    budget: int,
    sound: bool = True,
) -> Shown:
    """Render a conversation, in the order of :data:`STEPS` shorter until it fits.

    Args:
        conversation, blueprints: what is shown, and by number of a turn what was
            measured of it.
        budget: tokens that it may take, by estimate.
        sound: whether how turns sound is shown at all.
    """
    page = _Page(conversation, blueprints, sound)
    left: list[str] = []
    text = page.text(0)
    for step, name in enumerate(STEPS, start=1):
        if _tokens(text) <= budget:
            break
        shorter = page.text(step)
        if shorter != text:
            left.append(name)
        text = shorter
    caveats = []
    if left:
        caveats.append(
            f"context_budget: {', '.join(left)} shortened to fit {budget} tokens"
        )
    if (size := _tokens(text)) > budget:
        caveats.append(f"context_budget: about {size} tokens are left, over {budget}")
    return Shown(text, tuple(caveats))


def _tokens(text: str) -> int:
    return typical_tokens([Message("user", text)])


class _Page:
    def __init__(
        self,
        conversation: Conversation,
        blueprints: Mapping[int, Blueprint],
        sound: bool,
    ) -> None:
        self._of = conversation
        self._blueprints = blueprints
        self._roles = {speaker.name: speaker.role for speaker in conversation.speakers}
        self._agent = {n for n, _ in conversation.turns_of("agent")}
        self._findings = find(conversation, blueprints)
        self._sound = _Sound(
            {n: b for n, b in blueprints.items() if n in self._agent and sound}
        )

    def text(self, step: int) -> str:
        """Return the whole, ``step`` steps shortened."""
        lines = [f"{len(self._of.turns)} turns", timing_line(self._findings)]
        lines += [self._sound.line] if step < 2 else []
        events: dict[int | None, list[SourceEvent]] = {}
        for event in self._of.events:
            if event.kind in ("tool_call", "tool_response", "unanswered_call"):
                events.setdefault(event.turn, []).append(event)
        lines += [self._tool(event, step) for event in events.get(None, [])]
        before: float | None = None
        for number, turn in enumerate(self._of.turns):
            lines.append(self._turn(number, before, step))
            lines += [self._tool(event, step) for event in events.get(number, [])]
            before = turn.end_s if turn.end_s is not None else before
        if self._of.end.reason:
            lines.append(f"end: {neutralise(self._of.end.reason)}")
        return "\n".join(line for line in lines if line)

    def _turn(self, number: int, before: float | None, step: int) -> str:
        turn = self._of.turns[number]
        role = self._roles[turn.speaker]
        parts = [
            f"[{number}]",
            role if role != "other" else f"other {neutralise(turn.speaker)}",
        ]
        if turn.start_s is not None:
            parts.append(f"{turn.start_s:.1f}s")
            if before is not None:
                parts.append(f"gap {turn.start_s - before:+.1f}")
        flags = [
            f"{one.kind}: {one.why}"
            for one in self._findings.results
            if one.turn == number
        ]
        if turn.backchannel:
            flags.append("backchannel")
        if flags:
            parts.append(f"{{{'; '.join(flags)}}}")
        parts.append(self._words(number, step))
        if step < 2 and (note := self._sound.note(number)):
            parts.append(f"| {note}")
        return " ".join(parts)

    def _words(self, number: int, step: int) -> str:
        turn = self._of.turns[number]
        words = words_of(self._of, number, self._blueprints)
        if words is None:
            return "(no words known)"
        shown = neutralise(words)
        middle = FIRST_TURNS <= number < len(self._of.turns) - LAST_TURNS
        if step >= 3 and middle and len(shown) > _SUMMARY:
            count = len(shown.split())
            return f'"{shown[:_SUMMARY]}" [cut] ({count} words)'
        text = f'"{shown}"'
        if turn.heard is not None and turn.text is not None and turn.heard != turn.text:
            text += f' heard as "{neutralise(turn.heard)}"'
        return text

    def _tool(self, event: SourceEvent, step: int) -> str:
        called = self._tools.get(str(event.data.get("id")), "tool")
        name = neutralise(str(event.data.get("name", called)))
        if event.kind == "unanswered_call":
            return f"  < {name}: no response"
        if event.kind == "tool_call":
            return f"  > {name} {_json(event.data.get('arguments'))}"
        status, value = event.data.get("status"), event.data.get("response")
        text = _json(_mentioned(value, self._later) if step >= 1 else value)
        if step >= 1 and len(text) > _RESPONSE:
            text = f"{text[:_RESPONSE]} [cut]"
        message = f" {neutralise(str(status))}" if status is not None else ""
        return f"  < {name}{message} {text}"

    @cached_property
    def _tools(self) -> dict[str, str]:
        """Id of a call -> name of its tool."""
        calls = [event.data for event in self._of.events if event.kind == "tool_call"]
        return {str(call.get("id")): str(call.get("name")) for call in calls}

    @cached_property
    def _later(self) -> frozenset[str]:
        """Words of all turns and of all calls."""
        texts = [
            words_of(self._of, n, self._blueprints) or ""
            for n in range(len(self._of.turns))
        ]
        texts += [
            _json(e.data.get("arguments"))
            for e in self._of.events
            if e.kind == "tool_call"
        ]
        return frozenset(_WORD.findall(" ".join(texts).casefold()))


#: Measure -> unit of its median, unit of a difference, least difference that is shown:
#: more than is just noticeable.
_MEASURES = {
    "pitch": ("Hz", " st", 2.0),
    "loudness": ("LUFS", " LU", 3.0),
    "pace": ("words/min", "%", 25.0),
    "quality": ("MOS of 5", " MOS", 0.5),
}


class _Sound:
    """How the agent sounds as a rule, and which turns differ clearly, or have another emotion."""

    def __init__(self, blueprints: Mapping[int, Blueprint]) -> None:
        self._turns = {n: _numbers(blueprint) for n, blueprint in blueprints.items()}
        self._moods = {
            n: b.emotion.top
            for n, b in blueprints.items()
            if isinstance(b.emotion, Emotion)
        }
        moods = list(self._moods.values())
        self._mood = max(moods, key=moods.count) if moods else None
        self._usual: dict[str, float] = {}
        for name in _MEASURES:
            values = [
                numbers[name] for numbers in self._turns.values() if name in numbers
            ]
            if values:
                self._usual[name] = median(values)

    @property
    def line(self) -> str:
        """The agent's usual sound; empty where nothing was measured."""
        if not self._usual:
            return ""
        parts = [
            f"{name} {value:.3g} {_MEASURES[name][0]}"
            for name, value in self._usual.items()
        ]
        mood = [f"emotion {neutralise(self._mood)}"] if self._mood else []
        return f"agent's sound, median of its turns: {', '.join([*parts, *mood])}"

    def note(self, number: int) -> str:
        """Say what differs in one turn."""
        notes = []
        for name, value in self._turns.get(number, {}).items():
            usual, (_, unit, step) = self._usual[name], _MEASURES[name]
            off = value - usual
            if name == "pitch":
                off = 12 * math.log2(value / usual)
            elif name == "pace":
                off = 100 * (value / usual - 1) if usual else 0.0
            if abs(off) >= step:
                notes.append(f"{name} {off:+.{0 if name == 'pace' else 1}f}{unit}")
        mood = self._moods.get(number)
        if mood is not None and mood != self._mood:
            notes.append(f"emotion {neutralise(mood)}")
        return ", ".join(notes)


def _numbers(blueprint: Blueprint) -> dict[str, float]:
    numbers = {}
    if isinstance(blueprint.pitch, Pitch):
        numbers["pitch"] = blueprint.pitch.median_hz
    if isinstance(blueprint.loudness, Loudness):
        numbers["loudness"] = blueprint.loudness.integrated_lufs
    if isinstance(blueprint.rate, Rate) and blueprint.rate.articulation_wpm:
        numbers["pace"] = blueprint.rate.articulation_wpm
    if isinstance(blueprint.quality, Quality):
        numbers["quality"] = blueprint.quality.ovrl
    return numbers


def _json(value: Any) -> str:
    """Write any JSON on one harmless line."""
    return neutralise(json.dumps(value, ensure_ascii=False, separators=(", ", ": ")))


def _mentioned(value: Any, words: frozenset[str]) -> Any:
    """Keep a response's members whose key or plain value comes up in text or calls."""
    if isinstance(value, list):
        return [_mentioned(one, words) for one in value]
    if not isinstance(value, dict):
        return value
    kept = {
        key: _mentioned(one, words)
        for key, one in value.items()
        if _holds({key: one}, words)
    }
    return (
        kept if len(kept) == len(value) else {**kept, "[cut]": len(value) - len(kept)}
    )


def _holds(value: Any, words: frozenset[str]) -> bool:
    """Whether anything in a value comes up."""
    if isinstance(value, dict):
        return any(
            _comes_up(key, words) or _holds(one, words) for key, one in value.items()
        )
    if isinstance(value, list):
        return any(_holds(one, words) for one in value)
    return _comes_up(str(value), words)


def _comes_up(text: str, words: frozenset[str]) -> bool:
    result = _WORD.findall(text.casefold())
    return bool(result) and set(result) <= words
