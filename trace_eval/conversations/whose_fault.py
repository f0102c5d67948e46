"""Whose fault a failed call was: of the caller, the recogniser, the agent or the recorder.

It needs an agent and a caller; of a simulated caller its own text, of a recogniser what it wrote.
Each rule names its evidence with times. Where the evidence lacks, whose fault it was is not known.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from blueprints import counted
from trace_eval.conversations.definitions.base import Event
from trace_eval.conversations.definitions.own_events import USER_LEFT
from trace_eval.conversations.findings import Findings, find
from trace_eval.data.conversation import Conversation, Turn

Whose = Literal["caller", "recogniser", "agent", "recording", "not known"]

#: Reasons of an end by which the call did not come to its own end.
_BROKE_OFF = re.compile(r"timeout|disconnect|error|fail|inactiv|crash|abort", re.IGNORECASE)

#: Seconds from the end of a call in which a last turn is still to be answered.
_LEFT_S = 2.0

#: Starts of the caller inside the agent's speech that are too many, as a count and a share.
_OVER, _OVER_SHARE = 3, 0.34

#: Share of words that a recogniser gets wrong from which it is to blame, and fewest words.
_WRONG, _LEAST_WORDS = 0.5, 8

#: Late replies that are too many, as a share.
_LATE_SHARE = 0.34

_WORD = re.compile(r"[^\W_]+")
_TAG = re.compile(r"\[[^\[\]]*\]|<[^<>]*>")


@dataclass(frozen=True)
class CallFault:
    """One line on a call that failed.

    Attributes:
        whose: who is to blame first.
        what: what happened, in a clause.
        evidence: all that speaks for it, and for others, with times.
    """

    whose: Whose
    what: str
    evidence: tuple[str, ...] = ()


def whose_fault(conversation: Conversation, findings: Findings | None = None) -> CallFault | None:
    """Return whose fault a call was; None: nothing shows that it failed.

    The first of these that is shown counts: the recording cannot be timed; the caller never
    speaks; the agent is silent, or says itself again; the call broke off while somebody spoke or
    waited; the recogniser wrote other words; the agent is late; the caller speaks over the agent.
    """
    findings = findings or find(conversation)
    shown = [*_shown(conversation, findings)]
    reason = conversation.end.reason or ""
    if not shown and not _BROKE_OFF.search(reason):
        return None
    if not shown:
        why = f"the call ended by {reason!r:.60}, and no rule shows why"
        return CallFault("not known", why, ())
    first = shown[0]
    return CallFault(first[0], first[1], tuple(f"{whose}: {what}" for whose, what in shown))


def _shown(conversation: Conversation, findings: Findings) -> Iterator[tuple[Whose, str]]:
    measured = findings.measured
    if measured.unusable:
        yield "recording", str(conversation.meta.get("audit") or "cannot be timed")
        return
    sides = {role: [turn for _, turn in conversation.turns_of(role)] for role in ("user", "agent")}
    if conversation.clock.kind == "none" or not any(sides.values()):
        return
    heard = {role: [turn for turn in turns if turn.stretches] for role, turns in sides.items()}
    yield from _missing(conversation, heard)
    if not all(heard.values()):
        return
    for kind, what in (("no_answer", "is silent"), ("loops", "says itself again")):
        of_kind = findings.of(kind)  # type: ignore[arg-type]
        if of_kind:
            often = counted(len(of_kind), "time")
            yield "agent", f"{what}, {often}, first at {_at(of_kind[0].start_s)}"
    yield from _left(conversation)
    yield from _misheard(conversation)
    late, replies = findings.of("late"), [e for e in measured.events if e.kind == "response"]
    if late and len(late) >= _LATE_SHARE * len(replies):
        yield "agent", f"is late in {len(late)} of {len(replies)} replies, {late[0].why}"
    yield from _over(measured.events, len(heard["user"]))
    over = [one for one in findings.of("talks_over") if "starts inside" in one.why]
    if len(over) >= _OVER_SHARE * len(heard["user"]) and over:
        yield "agent", f"speaks over the caller {len(over)} times, first at {_at(over[0].start_s)}"


def _missing(
    conversation: Conversation, heard: Mapping[str, list[Turn]]
) -> Iterator[tuple[Whose, str]]:
    """Yield a side that says nothing in a call in which the other speaks."""
    logged = {e.data.get("channel") for e in conversation.events if e.kind == "log_alone"}
    ends = f"in {conversation.end_s:.1f} s"
    whose: tuple[tuple[str, Whose], ...] = (("user", "caller"), ("agent", "agent"))
    for role, who in whose:
        if heard[role]:
            continue
        if conversation.channel_of(role) is None and conversation.channels:  # type: ignore[arg-type]
            yield "recording", f"there is no sound of the {who}"
        elif role in logged:
            yield "recording", f"the {who} speaks in the log alone"
        else:
            yield who, f"says nothing {ends}"


def _left(conversation: Conversation) -> Iterator[tuple[Whose, str]]:
    """Yield the caller's fault where a call ends while the agent speaks or before it answers."""
    reason = conversation.end.reason or ""
    if not (_BROKE_OFF.search(reason) or reason in USER_LEFT - {"transfer"}):
        return
    last = max(
        (turn for turn in conversation.turns if turn.stretches), key=lambda turn: turn.end_s or 0
    )
    rest = conversation.end_s - (last.end_s or 0.0)
    agents = {turn.speaker for _, turn in conversation.turns_of("agent")}
    if last.speaker in agents and rest < 0.2:
        yield (
            "caller",
            f"ends the call while the agent speaks, at {conversation.end_s:.1f} s ({reason})",
        )
    elif last.speaker not in agents and rest < _LEFT_S and reason not in USER_LEFT:
        yield "caller", f"ends the call {rest:.1f} s after its last words ({reason})"


def _misheard(conversation: Conversation) -> Iterator[tuple[Whose, str]]:
    """Words of the caller that the recogniser wrote otherwise."""
    wrong = whole = 0
    example = ""
    for number, turn in conversation.turns_of("user"):
        said, wrote = (_words(text or "") for text in (turn.text, turn.heard))
        if not said or not wrote or _script(said) != _script(wrote):
            continue  # of other letters nobody can tell
        errors = _distance(said, wrote)
        if errors > _WRONG * len(said) and not example:
            example = f"turn {number}: {' '.join(said[:6])!r} as {' '.join(wrote[:6])!r}"
        wrong, whole = wrong + errors, whole + len(said)
    if whole >= _LEAST_WORDS and wrong >= _WRONG * whole:
        yield "recogniser", f"writes {wrong} of {whole} words of the caller otherwise; {example}"


def _over(events: tuple[Event, ...], turns: int) -> Iterator[tuple[Whose, str]]:
    over = [event for event in events if event.kind in ("yield", "no_yield")]
    if len(over) >= _OVER and len(over) >= _OVER_SHARE * turns:
        yield "caller", f"speaks over the agent {len(over)} times, first at {_at(over[0].start_s)}"


def _at(seconds: float | None) -> str:
    return "an unknown time" if seconds is None else f"{seconds:.1f} s"


def _words(text: str) -> list[str]:
    return _WORD.findall(_TAG.sub(" ", text).casefold())


def _script(words: list[str]) -> str:
    """Return the script of most letters, by the first word of their names."""
    letters = [letter for word in words for letter in word if letter.isalpha()]
    names = [unicodedata.name(letter, "?").split()[0] for letter in letters]
    return max(sorted(set(names)), key=names.count, default="")


def _distance(one: list[str], other: list[str]) -> int:
    """Fewest words to replace, leave out or put in."""
    row = [*range(len(other) + 1)]
    for number, word in enumerate(one, 1):
        before, row[0] = row[0], number
        for place, theirs in enumerate(other, 1):
            change = before + (word != theirs)
            before = row[place]
            row[place] = min(change, row[place] + 1, row[place - 1] + 1)
    return int(row[-1])
