"""The turn that each entry of EVA's three logs belongs to, which EVA's figures need.

The simulated caller, the agent's framework and the audit log each see a call their own
way. This walks through all entries in order of time and keeps the flags by which EVA's
released processor numbers turns (ServiceNow/eva, MIT), so that audio spans and
interruptions fall where it puts them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from trace_eval.data.conversation import Role

LogName = Literal["audit", "pipecat", "events"]

#: Entries of the framework that matter; neighbouring equal ones are one.
PIPECAT_KINDS = frozenset({"turn_start", "turn_end", "tts_text", "llm_response"})

_NO_WORDS = frozenset({"", ".", ",", "?", "!", "...", "......"})


@dataclass(frozen=True)
class Entry:
    """One entry of a log."""

    t_ms: float  # when it was written, Unix milliseconds: what entries are sorted by
    source: LogName
    kind: str  # e.g. audio_start, tool_call, tts_text
    role: Role | None = None
    at_s: float | None = None  # when sound started or ended, Unix seconds
    text: str = ""
    value: Any = None  # any JSON; numbering does not need it


@dataclass
class Numbered:
    """Spans and words by role and turn number, and flags of turns.

    Spans are in order, in Unix seconds.
    """

    spans: dict[tuple[Role, int], list[tuple[float, float]]] = field(
        default_factory=dict
    )
    texts: dict[tuple[Role, int], list[str]] = field(
        default_factory=lambda: defaultdict(list)
    )
    agent_interrupted: set[int] = field(default_factory=set)
    user_interrupted: set[int] = field(default_factory=set)
    fallbacks: set[int] = field(default_factory=set)
    turn_of: dict[int, int] = field(default_factory=dict)  # of an entry by its index
    dropped: int = 0  # ends without a start
    unended: int = 0  # starts without an end


def merged(entries: Sequence[Entry]) -> list[Entry]:
    """Select the entries that count, in the order in which they are numbered."""
    audit = [entry for entry in entries if entry.source == "audit"]
    pipecat = [entry for entry in entries if entry.source == "pipecat"]
    events = [entry for entry in entries if entry.source == "events"]
    used = [entry for entry in pipecat if entry.kind in PIPECAT_KINDS]
    if any(entry.kind == "tts_text" for entry in used):
        used = [entry for entry in used if entry.kind != "llm_response"]
    first_of_runs: list[Entry] = []
    kind_before = None
    for entry in used:
        if entry.kind != kind_before:
            first_of_runs.append(entry)
        kind_before = entry.kind
    counted_events: list[Entry] = []
    for entry in events:
        has_words = entry.text.strip() not in _NO_WORDS
        if has_words or entry.kind != "user_speech":
            counted_events.append(entry)
    every_entry = audit + first_of_runs + counted_events
    return sorted(every_entry, key=lambda entry: entry.t_ms)


def number(entries: Iterable[Entry], pipeline: str = "cascade") -> Numbered:
    """Assign a turn to each entry of one call, see :func:`merged`.

    An agent's pipeline is ``cascade``, ``s2s`` or ``audio_llm``.
    """
    walk = _Walk(pipeline)
    for index, entry in enumerate(entries):
        walk.take(entry)
        walk.numbered.turn_of[index] = walk.turn
    return walk.finished()


class _Walk:
    """The flags during the walk through the entries."""

    def __init__(self, pipeline: str) -> None:
        self.s2s = pipeline == "s2s"
        self.hears = pipeline in ("s2s", "audio_llm")
        self.numbered = Numbered()
        self.turn = 0
        self.spoke = self.started = self.tool = self.hold = False
        self.open: dict[Role, bool] = {"user": False, "agent": False}
        self.words = self.pending = self.consumed = self.barge = self.answered = False
        self.buffer: list[str] = []
        self.replayed: list[str] = []
        self.texts_in: dict[Role, int] = {"user": 0, "agent": 0}
        self._starts: dict[tuple[Role, int], list[float]] = defaultdict(list)
        self._ends: dict[tuple[Role, int], list[float]] = defaultdict(list)
        self._latest: dict[Role, int] = {}
        self._last_s = 0.0
        self._session_end_s: float | None = None

    def take(self, entry: Entry) -> None:
        self._last_s = entry.at_s if entry.at_s is not None else entry.t_ms / 1000
        if entry.source == "pipecat":
            if not self.s2s and entry.kind in ("tts_text", "llm_response"):
                self.spoke = True
        elif entry.source == "audit":
            self._audit(entry)
        elif entry.kind == "audio_start" and entry.role and entry.at_s is not None:
            if entry.role == "user":
                self._start_user()
            else:
                self._start_agent()
            self._starts[entry.role, self.turn].append(entry.at_s)
            self._latest[entry.role] = self.turn
        elif entry.kind == "audio_end" and entry.role and entry.at_s is not None:
            self._end(entry.role, entry.at_s)
        elif entry.kind == "user_speech":
            self._user_speech(entry.text)
        elif entry.kind == "assistant_speech":
            self.numbered.texts["agent", self.texts_in["agent"]].append(entry.text)
            if self.texts_in["agent"] == self.turn:
                self.spoke = True
        elif entry.kind == "session_ended":
            self._session_end_s = entry.t_ms / 1000

    def _advance(self, audit_user: bool) -> None:
        if self.hold and not (audit_user and self.s2s):
            self.hold = False
            if audit_user:
                self.spoke = False
                return
        if self.spoke:
            self.turn += 1
            self.spoke = self.started = self.tool = False

    def _start_user(self) -> None:
        if self.open["agent"]:
            self.barge = True
        self.words = False
        if self.consumed and self.open["agent"]:
            self.spoke = False
        elif self.pending:
            self.spoke = True
            self.pending = False
        self.consumed = False
        self._advance(audit_user=False)
        if self.barge:
            self.numbered.user_interrupted.add(self.turn)
        self.open["user"] = self.started = True
        self.answered = False
        self.texts_in["user"] = self.turn
        self.replayed = self.buffer
        self.buffer = []
        for text in self.replayed:
            self._user_text(text)

    def _start_agent(self) -> None:
        self.open["agent"] = True
        self.texts_in["agent"] = self.turn
        if not self.open["user"]:
            self.answered = True
            if self.s2s:
                self.spoke = True
        elif self.started:
            self.numbered.agent_interrupted.add(self.turn)
            if not self.tool:
                self.hold = True

    def _end(self, role: Role, at_s: float) -> None:
        turn = self._latest.get(role)
        if turn is None or len(self._ends[role, turn]) >= len(self._starts[role, turn]):
            self.numbered.dropped += 1
        else:
            self._ends[role, turn].append(at_s)
        self.open[role] = False
        if role == "user" and not self.words and self.started:
            self.turn -= 1
            self.started = False
            self.pending = True

    def _user_speech(self, text: str) -> None:
        if not self.open["user"] and self.answered:
            self.buffer.append(text)
            self.words = True
        elif text in self.replayed:
            self.replayed.remove(text)
        else:
            self._user_text(text)

    def _user_text(self, text: str) -> None:
        turn = self.texts_in["user"]
        spoken = self.numbered.texts["user", turn]
        self.words = True
        if self.hears and not (spoken and turn in self.numbered.user_interrupted):
            self.barge = False
        spoken.append(text)

    def _audit(self, entry: Entry) -> None:
        if entry.kind == "user":
            if self.pending:
                self.spoke = self.consumed = True
                self.pending = False
            if self.open["user"]:
                self.spoke = False
            self._advance(audit_user=True)
            self.barge = False
        elif entry.kind in ("tool_call", "tool_response"):
            self.tool = True
        elif entry.kind == "turn_fallback":
            self.numbered.fallbacks.add(self.turn)

    def finished(self) -> Numbered:
        end_s = self._last_s if self._session_end_s is None else self._session_end_s
        for key, starts in sorted(self._starts.items()):
            ends = self._ends[key]
            unended = len(starts) - len(ends)
            self.numbered.unended += unended
            ends = ends + unended * [end_s]
            self.numbered.spans[key] = list(zip(starts, ends, strict=True))
        return self.numbered
