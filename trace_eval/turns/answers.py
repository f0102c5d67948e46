"""What is said of calls first: a sentence, how fast, where it interrupts, the worst."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from blueprints import counted
from trace_eval.conversations.definitions.base import ONE_CHANNEL, Event
from trace_eval.conversations.sound.apart import is_timed_by_sessions
from trace_eval.turns.figures import TurnFigure
from trace_eval.turns.timed import Timed, badness, length_of, worst_event

#: Interruptions that are named with their place.
_NAMED = 3

#: Kinds of worst events, in words.
_WORDS = {
    "missed_turn": "nobody answers for",
    "no_response": "nobody answers for",
    "agent_interruption": "the agent speaks over the user for",
    "no_yield": "the agent does not stop for",
    "dead_air": "both are silent for",
    "response": "the answer takes",
}


def headline(
    conversations: Sequence[Timed], figures: Mapping[str, TurnFigure], system: str = ""
) -> str:
    """Return the news on calls in one sentence, short enough for a chat message.

    Args:
        figures: of all these calls; a 90th percentile of too few replies is left out,
            and a median of too few says how many they are.
        system: who answers; empty: nobody named it.
    """
    known = [one for one in conversations if "interruption_rate" in one.measured.ratios]
    over = {name for name, _ in _events(known, "agent_interruption")}
    where = "whether it interrupts is not known"
    if known:
        where = f"interrupts in {len(over)} of {counted(len(known), 'call')}"
    worst = min(conversations, key=lambda one: badness(worst_event(one)))
    which = "" if worst_event(worst) is None else f"; worst: {worst.item.id}"
    soon = _soon(conversations, figures)
    by_sessions = _by_sessions(conversations)
    return f"{system or 'The agent'} {soon}, {where}{which}{by_sessions}"


def _soon(conversations: Sequence[Timed], figures: Mapping[str, TurnFigure]) -> str:
    """Say after how long replies come, in the median and nine in ten of them."""
    values = [event.value_s for _, event in _events(conversations, "response")]
    times = [value for value in values if value is not None]
    if not times:
        return "gave no reply that was timed"
    middle = figures.get("response_p50_s")
    late = figures.get("response_p90_s")
    more = ""
    if middle is not None and middle.reason == "few":
        more = f", in {counted(len(times), 'reply', 'replies')} only"
    elif late is not None and late.value is not None:
        more = f" (p90 {late.value:.1f} s)"
    return f"answers after {float(np.median(times)):.2f} s{more}"


def three_answers(conversations: Sequence[Timed]) -> tuple[str, ...]:
    """Return three sentences, or the reason in place of an answer that is not known."""
    if not conversations:
        return ()
    return _how_fast(conversations), _where(conversations), _worst(conversations)


def _by_sessions(conversations: Sequence[Timed]) -> str:
    """Say of how many calls no speech was timed, but sessions of a log."""
    calls = [one.item.conversation for one in conversations]
    number = sum(map(is_timed_by_sessions, calls))
    if not number:
        return ""
    of_all = "" if number == len(calls) else f" of {counted(number, 'call')}"
    return f"; the times{of_all} are those of a log's sessions, which are not speech"


def _events(conversations: Sequence[Timed], kind: str) -> list[tuple[str, Event]]:
    events: list[tuple[str, Event]] = []
    for timed in conversations:
        for event in timed.measured.events:
            if event.kind == kind:
                events.append((timed.item.id, event))
    return events


def _how_fast(conversations: Sequence[Timed]) -> str:
    replies: list[tuple[float, str, Event]] = []
    for name, event in _events(conversations, "response"):
        if event.value_s is not None:
            replies.append((event.value_s, name, event))
    if not replies:
        caveats = [c for one in conversations for c in one.measured.caveats]
        read = [c for one in conversations for c in one.item.caveats]
        return (
            f"How fast: not known ({next(iter(caveats + read), 'no reply was timed')})"
        )
    median = float(np.median([value for value, *_ in replies]))
    slowest, name, event = max(replies, key=lambda one: one[0])
    calls = counted(len({name for _, name, _ in replies}), "call")
    return (
        f"How fast: {median:.2f} s in the median of"
        f" {counted(len(replies), 'reply', 'replies')} in {calls}; the slowest"
        f" {slowest:.2f} s ({name} at {event.start_s:.1f} s)"
        f"{_fillers(conversations)}{_early(conversations)}"
    )


def _fillers(conversations: Sequence[Timed]) -> str:
    """Say after how long the answer comes where short words and a pause are first."""
    answers: list[float] = []
    for _, event in _events(conversations, "response"):
        if "goes_on_s" in event.data:
            answers.append(event.data["goes_on_s"])
    if not answers:
        return ""
    one = "reply begins with short words and a pause, and goes on"
    several = "replies begin with short words and a pause, and go on"
    in_the_median = " in the median" if len(answers) > 1 else ""
    after_s = float(np.median(answers))
    how_many = counted(len(answers), one, several)
    return f"; {how_many} after {after_s:.2f} s{in_the_median}"


def _early(conversations: Sequence[Timed]) -> str:
    """Say that replies of one channel that begin early are missing."""
    if not any("interruption_rate" in one.measured.not_known for one in conversations):
        return ""
    return "; of one channel, replies that begin before the user ends are not known"


def _where(conversations: Sequence[Timed]) -> str:
    over = _events(conversations, "agent_interruption")
    known = [one for one in conversations if "interruption_rate" in one.measured.ratios]
    if not known:
        has_one_channel = any(
            "interruption_rate" in one.measured.not_known for one in conversations
        )
        return f"Where it interrupts: {ONE_CHANNEL if has_one_channel else 'not known'}"
    turns = int(sum(one.measured.ratios["interruption_rate"][1] for one in known))
    left = len(conversations) - len(known)
    unknown = f"; not known of {counted(left, 'call')}" if left else ""
    if not over:
        return (
            f"Where it interrupts: nowhere in {counted(turns, 'turn')} of the"
            f" user{unknown}"
        )
    places = ", ".join(
        f"{name} at {event.start_s:.1f} s" for name, event in over[:_NAMED]
    )
    more = f" and {len(over) - _NAMED} more" if len(over) > _NAMED else ""
    times = f"{counted(len(over), 'time')} in {counted(turns, 'turn')} of the user"
    return f"Where it interrupts: {times}: {places}{more}{unknown}"


def _worst(conversations: Sequence[Timed]) -> str:
    timed = min(conversations, key=lambda one: badness(worst_event(one)))
    event = worst_event(timed)
    if event is None:
        return "Which is worst: none has an event to listen to first"
    what = f"{_WORDS[event.kind]} {abs(length_of(event)):.2f} s"
    return f"Which is worst: {timed.item.id} at {event.start_s:.1f} s, where {what}"
