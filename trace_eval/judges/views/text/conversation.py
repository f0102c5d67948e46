"""A conversation as text for a judge: turns, timing, tool calls, and the turns' sound.

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
    """A conversation as a judge reads it, without a fence.

    Attributes:
        caveats: what was left out.
    """

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
    """A conversation from which its text is written, in full or shortened."""

    def __init__(
        self,
        conversation: Conversation,
        blueprints: Mapping[int, Blueprint],
        sound: bool,
    ) -> None:
        self._of = conversation
        self._blueprints = blueprints
        self._roles = {speaker.name: speaker.role for speaker in conversation.speakers}
        self._findings = find(conversation, blueprints)
        agent = {number for number, _ in conversation.turns_of("agent")}
        heard: dict[int, Blueprint] = {}
        for number, blueprint in blueprints.items():
            if sound and number in agent:
                heard[number] = blueprint
        self._sound = _Sound(heard)

    def text(self, step: int) -> str:
        """Return the whole, ``step`` steps shortened."""
        lines = [f"{len(self._of.turns)} turns", timing_line(self._findings)]
        if step < 2:
            lines.append(self._sound.line)
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
        return "\n".join(filter(None, lines))

    def _turn(self, number: int, before: float | None, step: int) -> str:
        """Write one turn; ``before`` is where the last one that is timed ended."""
        turn = self._of.turns[number]
        speaker = str(self._roles[turn.speaker])
        if speaker == "other":
            speaker = f"other {neutralise(turn.speaker)}"
        parts = [f"[{number}]", speaker]
        if turn.start_s is not None:
            parts.append(f"{turn.start_s:.1f}s")
            if before is not None:
                parts.append(f"gap {turn.start_s - before:+.1f}")
        if flags := self._flags(number):
            parts.append(f"{{{'; '.join(flags)}}}")
        parts.append(self._words(number, step))
        if step < 2 and (note := self._sound.note(number)):
            parts.append(f"| {note}")
        return " ".join(parts)

    def _flags(self, number: int) -> list[str]:
        """Name what was found in a turn."""
        flags = []
        for finding in self._findings.results:
            if finding.turn == number:
                flags.append(f"{finding.kind}: {finding.why}")
        if self._of.turns[number].backchannel:
            flags.append("backchannel")
        return flags

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
        status, response = event.data.get("status"), event.data.get("response")
        if step >= 1:
            response = _mentioned(response, self._later)
        text = _json(response)
        if step >= 1 and len(text) > _RESPONSE:
            text = f"{text[:_RESPONSE]} [cut]"
        message = f" {neutralise(str(status))}" if status is not None else ""
        return f"  < {name}{message} {text}"

    @cached_property
    def _calls(self) -> list[Mapping[str, Any]]:
        """What is known of each call of a tool."""
        return [event.data for event in self._of.events if event.kind == "tool_call"]

    @cached_property
    def _tools(self) -> dict[str, str]:
        """The name of the tool, by the id of a call."""
        return {str(call.get("id")): str(call.get("name")) for call in self._calls}

    @cached_property
    def _later(self) -> frozenset[str]:
        """Words of all turns and of all calls."""
        numbers = range(len(self._of.turns))
        texts = [words_of(self._of, n, self._blueprints) or "" for n in numbers]
        texts += [_json(call.get("arguments")) for call in self._calls]
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
    """The usual sound of the agent, and the turns that clearly differ from it."""

    def __init__(self, blueprints: Mapping[int, Blueprint]) -> None:
        self._turns = {n: _numbers(blueprint) for n, blueprint in blueprints.items()}
        self._moods: dict[int, str] = {}
        for number, blueprint in blueprints.items():
            if isinstance(blueprint.emotion, Emotion):
                self._moods[number] = blueprint.emotion.top
        moods = list(self._moods.values())
        self._mood = max(moods, key=moods.count) if moods else None
        values: dict[str, list[float]] = {name: [] for name in _MEASURES}
        for numbers in self._turns.values():
            for name, value in numbers.items():
                values[name].append(value)
        self._usual = {name: median(each) for name, each in values.items() if each}

    @property
    def line(self) -> str:
        """The agent's usual sound; empty where nothing was measured."""
        if not self._usual:
            return ""
        parts = []
        for name, value in self._usual.items():
            unit, _, _ = _MEASURES[name]
            parts.append(f"{name} {value:.3g} {unit}")
        if self._mood:
            parts.append(f"emotion {neutralise(self._mood)}")
        return f"agent's sound, median of its turns: {', '.join(parts)}"

    def note(self, number: int) -> str:
        """Say what differs in one turn."""
        notes = []
        for name, value in self._turns.get(number, {}).items():
            _, unit, least = _MEASURES[name]
            difference = _difference(name, value, self._usual[name])
            if abs(difference) >= least:
                decimals = 0 if name == "pace" else 1
                notes.append(f"{name} {difference:+.{decimals}f}{unit}")
        mood = self._moods.get(number)
        if mood is not None and mood != self._mood:
            notes.append(f"emotion {neutralise(mood)}")
        return ", ".join(notes)


def _difference(measure: str, value: float, usual: float) -> float:
    """Return how far a value is from the usual one, in the unit of differences."""
    if measure == "pitch":
        return 12 * math.log2(value / usual)
    if measure == "pace":
        return 100 * (value / usual - 1) if usual else 0.0
    return value - usual


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
    members = {}
    for key, inner in value.items():
        if _holds({key: inner}, words):
            members[key] = _mentioned(inner, words)
    if len(members) < len(value):
        members["[cut]"] = len(value) - len(members)
    return members


def _holds(value: Any, words: frozenset[str]) -> bool:
    """Tell whether anything in a value comes up."""
    if isinstance(value, list):
        return any(_holds(one, words) for one in value)
    if isinstance(value, dict):
        names_it = any(_comes_up(key, words) for key in value)
        return names_it or any(_holds(inner, words) for inner in value.values())
    return _comes_up(str(value), words)


def _comes_up(text: str, words: frozenset[str]) -> bool:
    """Tell whether a text has words, and each of them comes up."""
    parts = _WORD.findall(text.casefold())
    return bool(parts) and set(parts) <= words
