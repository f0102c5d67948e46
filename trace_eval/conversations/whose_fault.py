"""Whose fault a failed call was: the caller's, recogniser's, agent's or recorder's.

It needs an agent and a caller; of a simulated caller its own text, of a recogniser what
it wrote. Each rule names its evidence with times. Where the evidence lacks, whose fault
it was is not known.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from blueprints import counted
from trace_eval.conversations.definitions.base import Event
from trace_eval.conversations.definitions.own_events import (
    USER_LEFT,
    unknown_spans,
    untimed,
)
from trace_eval.conversations.fault_words import (
    asked_to_repeat,
    lost_words,
    other_words,
    says_again,
    says_the_same,
)
from trace_eval.conversations.findings import CallFinding, Findings, find
from trace_eval.conversations.sound.apart import (
    OTHER_CALL,
    PAUSE_S,
    has_times_of_log,
    is_timed_by_sessions,
)
from trace_eval.conversations.spans import joined
from trace_eval.data.conversation import ROLES, Conversation, Role, Turn

Whose = Literal["caller", "recogniser", "agent", "recording", "not known"]

#: The sides of a call, and what they are called where one of them failed.
_SIDES: tuple[tuple[Role, Whose], ...] = (("user", "caller"), ("agent", "agent"))

#: Reasons of an end by which the call did not come to its own end.
_BROKE_OFF = re.compile(
    r"time[-_ ]?d?[-_ ]?out|disconnect|error|fail|inactiv|crash|abort|exceed|max[-_ ]|silence",
    re.IGNORECASE,
)

#: Words in the reason of an end, or in an error, that name who failed.
_NAMES: tuple[tuple[Whose, re.Pattern[str]], ...] = (
    (
        "recogniser",
        re.compile(r"(?<![a-z])(stt|asr)(?![a-z])|transcri|recogni", re.IGNORECASE),
    ),
    ("caller", re.compile(r"simulat|customer|caller", re.IGNORECASE)),
    (
        "agent",
        re.compile(r"(?<![a-z])(llm|tts)(?![a-z])|agent|assistant|tool", re.IGNORECASE),
    ),
)
_ERROR = re.compile(r"error|fail|crash|exception", re.IGNORECASE)

#: Reasons by which the agent ended the call.
_BY_AGENT = re.compile(r"agent|assistant", re.IGNORECASE)

#: Seconds from the end of a call in which a last turn is still to be answered.
_LEFT_S = 2.0

#: Reasons by which the caller ended the call; who says goodbye does not hang up on
#: anybody.
_HUNG_UP = USER_LEFT - {"transfer", "goodbye"}

#: Silence behind an agent's last words from which the caller owes an answer, seconds.
_OWED_S = 5.0

#: How much later than its recording a log's last word is where the recording breaks
#: off, seconds.
_CUT_S = 5.0

#: Speech that the log alone has and that the recording lost: fewest seconds of a
#: stretch, and stretches that are too many, as a count and a share of the log's.
_LOST_S, _LOST, _LOST_SHARE = 1.0, 2, 0.34

#: Times that an agent starts inside the caller's turns, or does not stop, that are too
#: many.
_RUDE = 2

#: Starts of the caller inside the agent's speech that are too many, as a count and a
#: share.
_OVER, _OVER_SHARE = 3, 0.34

#: Late replies that are too many, as a share.
_LATE_SHARE = 0.34


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


def whose_fault(
    conversation: Conversation, findings: Findings | None = None
) -> CallFault | None:
    """Return whose fault a call was; None: nothing shows that it failed.

    The first of these that is shown counts: the recording cannot be timed, breaks off,
    lacks much of a side, or is of another call (not known where it only may be); a side
    never speaks; an error that names who failed; the recogniser wrote other words; the
    agent is silent, or says itself again unasked; the call broke off while somebody
    spoke or waited; the agent is late, or starts inside the caller's turns; the caller
    speaks over the agent; the agent does not stop. What follows explains a call that
    broke off, and is no failure by itself: words that the recogniser lost or wrote
    again, a side that goes round in circles, and a caller who says nothing more. None
    of it outweighs an error. Where the times are those of a log that was held
    against its sound, or of sessions, nothing is made of these.
    """
    findings = findings or find(conversation)
    broke_off = bool(_BROKE_OFF.search(_ending(conversation)))
    shown = list(_shown(conversation, findings))
    is_of_recording = bool(shown) and shown[0][0] == "recording"
    if broke_off and not is_of_recording:
        named = list(_named(_ending(conversation)))
        rest = [one for one in shown if one not in named]
        errors = [one for one in shown if one in named]
        shown = errors + _in_order(rest, list(_explained(conversation)))
    if not shown and not broke_off:
        return None
    if not shown:
        why = f"the call ended by {_ending(conversation)!r:.60}, and no rule shows why"
        return CallFault("not known", why, ())
    whose, what = shown[0]
    return CallFault(whose, what, tuple(f"{whose}: {what}" for whose, what in shown))


def _ending(conversation: Conversation) -> str:
    """Return the reason of a call's end, with the error that its platform names."""
    error = conversation.meta.get("error")
    return ", ".join(str(text) for text in (conversation.end.reason, error) if text)


def _in_order(
    shown: list[tuple[Whose, str]], explained: list[tuple[Whose, str]]
) -> list[tuple[Whose, str]]:
    """Put what a recogniser did before what others made of it, all else behind."""
    first: list[tuple[Whose, str]] = []
    last: list[tuple[Whose, str]] = []
    for whose, what in explained:
        if whose == "recogniser":
            first.append((whose, what))
        else:
            last.append((whose, what))
    return first + shown + last


def _shown(
    conversation: Conversation, findings: Findings
) -> Iterator[tuple[Whose, str]]:
    measured = findings.measured
    if measured.unusable:
        yield "recording", str(conversation.meta.get("audit") or "cannot be timed")
        return
    yield from _recording(conversation)
    sides: dict[Role, list[Turn]] = {}
    heard: dict[Role, list[Turn]] = {}
    for role in ROLES:
        sides[role] = [turn for _, turn in conversation.turns_of(role)]
        heard[role] = [turn for turn in sides[role] if turn.stretches]
    if conversation.clock.kind == "none" or not any(sides.values()):
        return

    yield from _missing(conversation, sides)
    if not all(heard.values()):
        return
    yield from _named(_ending(conversation))
    yield from (("recogniser", what) for what in other_words(conversation))
    if has_times_of_log(conversation) or is_timed_by_sessions(conversation):
        return  # sessions are no speech, and the sound was not timed
    silent = findings.of("no_answer")
    loops = list(_loops(conversation, findings))
    for found, what in ((silent, "is silent"), (loops, "says itself again")):
        if found:
            often = counted(len(found), "time")
            yield "agent", f"{what}, {often}, first at {_at(found[0].start_s)}"
    yield from _left(conversation)
    late = findings.of("late")
    replies = [event for event in measured.events if event.kind == "response"]
    if late and len(late) >= _LATE_SHARE * len(replies):
        yield (
            "agent",
            f"is late in {len(late)} of {len(replies)} replies, {late[0].why}",
        )
    yield from _over(measured.events, len(heard["user"]))
    over = [one for one in findings.of("talks_over") if "starts inside" in one.why]
    if len(over) >= max(_RUDE, _OVER_SHARE * len(heard["user"])):
        yield (
            "agent",
            (
                f"speaks over the caller {len(over)} times, first at"
                f" {_at(over[0].start_s)}"
            ),
        )
    goes_on = [event for event in measured.events if event.kind == "no_yield"]
    if len(goes_on) >= _RUDE:
        first = _at(goes_on[0].start_s)
        yield (
            "agent",
            f"does not stop for the caller, {len(goes_on)} times, first at {first}",
        )


def _explained(conversation: Conversation) -> Iterator[tuple[Whose, str]]:
    """Yield what may have made a call break off, though calls may end well with it."""
    yield from (("recogniser", what) for what in lost_words(conversation))
    yield from (("agent", what) for what in says_again(conversation, "agent"))
    yield from (("caller", what) for what in says_again(conversation, "user"))
    if not has_times_of_log(conversation):
        yield from _owes_an_answer(conversation)


def _loops(conversation: Conversation, findings: Findings) -> Iterator[CallFinding]:
    """Yield the turns that the agent says again, and nobody asked it to.

    In a call that ended well, an offer that is read back once, in more words, is none.
    """
    broke_off = _BROKE_OFF.search(_ending(conversation))
    unasked: list[tuple[CallFinding, int]] = []
    for loop in findings.of("loops"):
        if loop.turn is not None and not asked_to_repeat(conversation, loop.turn):
            unasked.append((loop, loop.turn))
    for loop, turn in unasked:
        if broke_off or len(unasked) > 1 or says_the_same(conversation, turn):
            yield loop


def _recording(conversation: Conversation) -> Iterator[tuple[Whose, str]]:
    """Yield what a log that was held against the sound says of the recording."""
    log: Any = conversation.meta.get("log")
    if (
        not isinstance(log, dict) or "fits" not in log
    ):  # it was not held against the sound
        return
    if not log["fits"]:
        alike = f"alike at {log['likeness']:.2f}"
        if log["likeness"] < OTHER_CALL:
            yield "recording", f"log and recording are of two calls: {alike}"
        else:
            yield (
                "not known",
                "log and recording may be of two calls: where the log fits best, they"
                f" are {alike}",
            )
        return
    spans = [span for side in (log["logged"] or {}).values() for span in side]
    last_s = max((float(end) for _, end in spans), default=0.0)
    if last_s > conversation.end_s + _CUT_S:
        yield (
            "recording",
            (
                f"breaks off at {conversation.end_s:.1f} s; the log has speech until"
                f" {last_s:.1f} s"
            ),
        )
        return
    yield from _lost_in_part(conversation, log["logged"] or {})


def _lost_in_part(
    conversation: Conversation, logged: Mapping[str, Any]
) -> Iterator[tuple[Whose, str]]:
    """Yield a side whose recording lacks much of what its log has."""
    for role, who in _SIDES:
        alone: list[float] = []
        for event in conversation.events:
            at_s, end_s = event.at_s or 0.0, event.end_s or 0.0
            of_role = event.kind == "log_alone" and event.data.get("channel") == role
            if of_role and end_s - at_s >= _LOST_S:
                alone.append(at_s)
        # stretches of the log are counted as those in it alone were joined
        spans = len(joined(logged.get(role) or (), PAUSE_S))
        has_sound = not conversation.channels or conversation.channel_of(role)
        if has_sound and len(alone) >= max(_LOST, _LOST_SHARE * spans):
            yield (
                "recording",
                (
                    f"the {who} speaks in the log alone, {len(alone)} times of {spans},"
                    f" first at {_at(min(alone))}"
                ),
            )


def _named(ending: str) -> Iterator[tuple[Whose, str]]:
    """Yield who an error names as the one that failed."""
    if not _ERROR.search(ending):
        return
    for whose, pattern in _NAMES:
        if pattern.search(ending):
            yield whose, f"an error: {ending:.120}"
            return


def _owes_an_answer(conversation: Conversation) -> Iterator[tuple[Whose, str]]:
    """Yield that the caller says nothing more behind the agent's last words."""
    last = _last(conversation)
    agents = {turn.speaker for _, turn in conversation.turns_of("agent")}
    if last is None or last.speaker not in agents:
        return
    rest = conversation.end_s - (last.end_s or 0.0)
    if rest >= _OWED_S:
        yield (
            "caller",
            f"says nothing in the {rest:.1f} s behind the agent's last words",
        )


def _last(conversation: Conversation) -> Turn | None:
    """Return the turn that ends last; None where it may be one of unknown time."""
    if any(end == math.inf for _, end in unknown_spans(conversation)):
        return None
    spoken = [turn for turn in conversation.turns if turn.stretches]
    return max(spoken, key=lambda turn: turn.end_s or 0.0, default=None)


def _missing(
    conversation: Conversation, sides: Mapping[Role, list[Turn]]
) -> Iterator[tuple[Whose, str]]:
    """Yield a side that says nothing in a call in which the other speaks."""
    logged = set()
    for event in conversation.events:
        if event.kind == "log_alone":
            logged.add(event.data.get("channel"))
    ends = f"in {conversation.end_s:.1f} s"
    for role, who in _SIDES:
        if any(turn.stretches for turn in sides[role]):
            continue
        if conversation.channel_of(role) is None and conversation.channels:
            yield "recording", f"there is no sound of the {who}"
        elif role in logged:
            yield "recording", f"the {who} speaks in the log alone"
        elif not any(map(untimed, sides[role])):
            yield who, f"says nothing {ends}"


def _left(conversation: Conversation) -> Iterator[tuple[Whose, str]]:
    """Yield whose fault it is where a call ends in mid-speech or before an answer."""
    reason, last = conversation.end.reason or "", _last(conversation)
    if last is None:
        return
    end_s, agents = (
        conversation.end_s,
        {t.speaker for _, t in conversation.turns_of("agent")},
    )
    rest = end_s - (last.end_s or 0.0)
    broke_off, by_agent = _BROKE_OFF.search(reason), _BY_AGENT.search(reason)
    if last.speaker in agents:
        if rest < 0.2 and not by_agent and (broke_off or reason in _HUNG_UP):
            yield (
                "caller",
                f"ends the call while the agent speaks, at {end_s:.1f} s ({reason})",
            )
    elif rest < 0.2 and by_agent:
        yield (
            "agent",
            f"ends the call while the caller speaks, at {end_s:.1f} s ({reason})",
        )
    elif rest < _LEFT_S and broke_off and not conversation.meta.get("error"):
        yield "caller", f"ends the call {rest:.1f} s after its last words ({reason})"


def _over(events: tuple[Event, ...], turns: int) -> Iterator[tuple[Whose, str]]:
    over = [event for event in events if event.kind in ("yield", "no_yield")]
    if len(over) >= _OVER and len(over) >= _OVER_SHARE * turns:
        yield (
            "caller",
            f"speaks over the agent {len(over)} times, first at {_at(over[0].start_s)}",
        )


def _at(seconds: float | None) -> str:
    return "an unknown time" if seconds is None else f"{seconds:.1f} s"
