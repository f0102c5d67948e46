"""What goes wrong in the calls of each kind, and whose fault it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from benchmarks.whose_fault.calls import Call, Said, callers, delayed, planned, until
from trace_eval.data.conversation import ROLES, Role

#: Who a failed call can be laid at, and a call that did not fail.
WHOSE = ("caller", "recogniser", "agent", "recording", "not known", "nobody")

#: Words that a recogniser writes in place of others.
_OTHER = [
    "peas",
    "hoof",
    "mine",
    "point",
    "mint",
    "two",
    "sundry",
    "warning",
    "tree",
    "bell",
    "candle",
    "river",
    "stone",
    "paper",
]
_OTHER_HINDI = [
    "पानी",
    "किताब",
    "सड़क",
    "रात",
    "पेड़",
    "मछली",
    "चाय",
    "आसमान",
    "कुर्सी",
    "लाल",
    "नदी",
    "धूप",
    "गली",
    "तारा",
]


Change = Callable[[Call, np.random.Generator], Call]


class Kind(NamedTuple):
    """What goes wrong in calls of a kind, and whose fault it is."""

    whose: str
    change: Change


def _only(call: Call, role: Role, reason: str, wait_s: float = 12.0) -> Call:
    spoken = tuple(one for one in call.spoken if one.role == role)[:2]
    return replace(call, spoken=spoken, end=spoken[-1].end + wait_s, reason=reason)


# --- of the caller --------------------------------------------------------------------


def _caller_falls_silent(call: Call, rng: np.random.Generator) -> Call:
    """Let the caller say nothing more, though the agent asks again."""
    call = until(call, 5, 0.0, "inactivity_timeout")
    last = call.spoken[-1]
    again = Said("agent", last.end + 6.0, last.end + 7.5, "Hello, are you still there?")
    return replace(call, spoken=(*call.spoken, again), end=again.end + 9.0)


def _caller_speaks_over(call: Call, rng: np.random.Generator) -> Call:
    def early(place: int, one: Said) -> float:
        before = call.spoken[place - 1]
        return (
            before.end
            - one.start
            - float(rng.uniform(0.5, 0.8)) * (before.end - before.start)
        )

    return delayed(call, early, places=(1, 3, 5, 7))


def _caller_hangs_up(call: Call, rng: np.random.Generator) -> Call:
    last = call.spoken[6]
    call = until(call, 7, 0.0, "user_hangup")
    cut = replace(last, end=last.start + 0.5 * (last.end - last.start))
    return replace(call, spoken=(*call.spoken[:-1], cut), end=cut.end)


def _caller_repeats(call: Call, rng: np.random.Generator) -> Call:
    """Let the caller ask the same three times, although it is answered each time."""
    words = call.spoken[1]
    call = until(call, 7, 1.0, "max_duration_timeout")
    return callers(
        call, lambda place, one: replace(one, text=words.text, heard=words.heard)
    )


# --- of the recogniser ----------------------------------------------------------------


def _recogniser_writes_other_words(call: Call, rng: np.random.Generator) -> Call:
    def other(place: int, one: Said) -> Said:
        bank = _OTHER if one.text == one.heard else _OTHER_HINDI
        return replace(
            one, heard=" ".join(rng.permutation(bank)[: len(one.text.split())])
        )

    return until(callers(call, other), 7, 8.0, "inactivity_timeout")


def _recogniser_writes_nothing(call: Call, rng: np.random.Generator) -> Call:
    """Lose the caller's words but the first; the agent says it heard nothing."""
    call = callers(
        call, lambda place, one: replace(one, heard=one.heard if place < 2 else None)
    )
    return until(call, 7, 8.0, "inactivity_timeout")


def _recogniser_writes_all_again(call: Call, rng: np.random.Generator) -> Call:
    """Write with each turn of the caller those before it again."""
    wrote: list[str] = []

    def whole(place: int, one: Said) -> Said:
        wrote.append(one.heard or "")
        return replace(one, heard=" ".join(wrote))

    return until(callers(call, whole), 7, 1.0, "max_duration_timeout")


def _recogniser_loses_codes(call: Call, rng: np.random.Generator) -> Call:
    """Write other digits of the caller's number, and all other words as they are."""

    def digits(place: int, one: Said) -> Said:
        text = one.heard or ""
        wrote = [
            str((int(c) + 3) % 10) if c.isascii() and c.isdigit() else c for c in text
        ]
        return replace(one, heard="".join(wrote))

    return until(callers(call, digits), 5, 1.0, "verification_failed")


# --- of the agent ---------------------------------------------------------------------


def _agent_stops_answering(call: Call, rng: np.random.Generator) -> Call:
    call = until(call, 4, 0.0, "inactivity_timeout")
    last = call.spoken[-1]
    again = Said(
        "user",
        last.end + 6,
        last.end + 7.5,
        "Hello, can you hear me?",
        "Hello, can you",
    )
    return replace(call, spoken=(*call.spoken, again), end=again.end + 9.0)


def _agent_falls_silent(call: Call, rng: np.random.Generator) -> Call:
    """Let the agent say nothing more in mid-call, though the caller goes on.

    EVA gives all that the caller says from then on the number of one turn.
    """
    spoken = list(call.spoken[:2])
    for one in call.spoken[3::2]:
        by = spoken[-1].end + float(rng.uniform(3.0, 5.0)) - one.start
        spoken.append(replace(one, start=one.start + by, end=one.end + by))
    end = spoken[-1].end + 10.0
    return replace(call, spoken=tuple(spoken), end=end, reason="inactivity_timeout")


def _agent_falls_silent_and_deaf(call: Call, rng: np.random.Generator) -> Call:
    """Let its recogniser write nothing more, either."""
    call = _agent_falls_silent(call, rng)
    return callers(
        call, lambda place, one: replace(one, heard=one.heard if place < 2 else None)
    )


def _agent_is_late(call: Call, rng: np.random.Generator) -> Call:
    late = float(rng.uniform(4.0, 7.0))
    return delayed(call, lambda place, one: late, places=(2, 4, 6, 8))


def _agent_loops(call: Call, rng: np.random.Generator) -> Call:
    words = call.spoken[2].text
    spoken = [
        replace(one, text=words) if place in (4, 6) else one
        for place, one in enumerate(call.spoken)
    ]
    return until(replace(call, spoken=tuple(spoken)), 7, 1.0, "max_duration_timeout")


def _agent_begins_alike(call: Call, rng: np.random.Generator) -> Call:
    """Let each turn of the agent begin with its greeting again."""
    greeting = call.spoken[0]
    longer = greeting.end - greeting.start
    spoken = list(delayed(call, lambda place, one: longer, places=(3, 5, 7)).spoken)
    for place in (2, 4, 6):
        one = spoken[place]
        text = f"{greeting.text} {one.text}"
        spoken[place] = replace(one, end=one.end + longer, text=text)
    end = spoken[6].end + 1.0
    return replace(
        call, spoken=tuple(spoken[:7]), end=end, reason="max_duration_timeout"
    )


def _agent_interrupts(call: Call, rng: np.random.Generator) -> Call:
    def early(place: int, one: Said) -> float:
        before = call.spoken[place - 1]
        return (
            before.end
            - one.start
            - float(rng.uniform(0.4, 0.7)) * (before.end - before.start)
        )

    return delayed(call, early, places=(2, 4, 6))


def _agent_does_not_stop(call: Call, rng: np.random.Generator) -> Call:
    """Let the agent talk on for seconds after the caller begins, twice."""
    spoken = list(call.spoken)
    for place in (2, 6):
        one, caller = spoken[place], spoken[place + 1]
        spoken[place] = replace(one, end=max(one.end, caller.start + 3.5))
        by = spoken[place].end + 0.5 - caller.end
        if by > 0:
            spoken[place + 2 :] = [
                replace(later, start=later.start + by, end=later.end + by)
                for later in spoken[place + 2 :]
            ]
    return replace(call, spoken=tuple(spoken), end=spoken[-1].end + 1.5)


def _agent_hangs_up(call: Call, rng: np.random.Generator) -> Call:
    last = call.spoken[5]
    call = until(call, 6, 0.0, "agent_hangup")
    cut = replace(last, end=last.start + 0.6 * (last.end - last.start))
    return replace(call, spoken=(*call.spoken[:-1], cut), end=cut.end)


def _agent_crashes(call: Call, rng: np.random.Generator) -> Call:
    call = until(call, 6, 0.8, "error")
    return replace(call, error="LLM request failed: 500 Internal Server Error")


# --- of the recording -----------------------------------------------------------------


def _mute(call: Call, *roles: Role) -> Call:
    return replace(call, mute=roles)


def _cut(call: Call, rng: np.random.Generator) -> Call:
    return replace(call, cut=0.45 * call.end)


def _of_another_call(call: Call, rng: np.random.Generator) -> Call:
    """Keep the log, with the sound of quite another call."""
    other = planned(np.random.default_rng(rng.integers(1 << 30)), int(rng.integers(2)))
    moved = delayed(other, lambda place, one: float(rng.uniform(0, 6)))
    swapped = [
        replace(one, role="user" if one.role == "agent" else "agent")
        for one in moved.spoken
    ]
    return replace(call, spoken=tuple(swapped), end=moved.end, logged=call.spoken)


def _backchannels(call: Call, rng: np.random.Generator) -> Call:
    """Add short signals of the caller inside turns of the agent."""
    more = [
        Said("user", one.start + 1.5, one.start + 1.9, "Mhm.", None)
        for one in call.spoken
        if one.role == "agent" and one.end - one.start > 3.0
    ]
    return replace(
        call, spoken=tuple(sorted([*call.spoken, *more], key=lambda one: one.start))
    )


def _recogniser_mishears_some(call: Call, rng: np.random.Generator) -> Call:
    """Misrecognise a fifth of the caller's words, as in calls that end well."""

    def some(place: int, one: Said) -> Said:
        words = (one.heard or "").split()
        for at in rng.choice(
            len(words), max(1, len(words) // 5), replace=False
        ).tolist():
            words[at] = str(rng.choice(_OTHER))
        return replace(one, heard=" ".join(words))

    return callers(call, some)


def _recogniser_writes_the_beginnings(call: Call, rng: np.random.Generator) -> Call:
    """Lose all but the first two words of each turn of the caller."""

    def first(place: int, one: Said) -> Said:
        return replace(one, heard=" ".join((one.heard or "").split()[:2]))

    return until(callers(call, first), 7, 8.0, "silence-timed-out")


def _agent_confirms(call: Call, rng: np.random.Generator) -> Call:
    """Let the agent read its offer back once, in a call that ends well."""
    spoken = list(call.spoken)
    spoken[4] = replace(spoken[4], text=f"To be sure: {spoken[2].text}")
    return replace(call, spoken=tuple(spoken))


def _agent_says_nothing_at_last(call: Call, rng: np.random.Generator) -> Call:
    return until(call, 6, 15.0, "max_duration_reached")


def _one_interruption(call: Call, rng: np.random.Generator) -> Call:
    """Let the caller begin inside one turn of the agent, which stops at once."""
    spoken = list(call.spoken)
    agent, caller = spoken[2], spoken[3]
    by = agent.end - 1.2 - caller.start
    spoken[2] = replace(agent, end=agent.end - 0.6)
    spoken[3:] = [
        replace(one, start=one.start + by, end=one.end + by) for one in spoken[3:]
    ]
    return replace(call, spoken=tuple(spoken), end=call.end + by)


KINDS: dict[str, Kind] = {
    "never says a word": Kind(
        "caller", lambda call, rng: _only(call, "agent", "timeout")
    ),
    "falls silent": Kind("caller", _caller_falls_silent),
    "speaks over the agent": Kind("caller", _caller_speaks_over),
    "hangs up on the agent": Kind("caller", _caller_hangs_up),
    "disconnects before it is answered": Kind(
        "caller", lambda call, rng: until(call, 6, 0.6, "elevenlabs_disconnect")
    ),
    "asks the same again and again": Kind("caller", _caller_repeats),
    "writes other words": Kind("recogniser", _recogniser_writes_other_words),
    "writes nothing": Kind("recogniser", _recogniser_writes_nothing),
    "writes all words again each turn": Kind(
        "recogniser", _recogniser_writes_all_again
    ),
    "writes other digits": Kind("recogniser", _recogniser_loses_codes),
    "never answers": Kind("agent", lambda call, rng: _only(call, "user", "timeout")),
    "stops answering": Kind("agent", _agent_stops_answering),
    "is late": Kind("agent", _agent_is_late),
    "says the same again": Kind("agent", _agent_loops),
    "greets again each turn": Kind("agent", _agent_begins_alike),
    "interrupts": Kind("agent", _agent_interrupts),
    "does not stop for the caller": Kind("agent", _agent_does_not_stop),
    "hangs up on the caller": Kind("agent", _agent_hangs_up),
    "crashes": Kind("agent", _agent_crashes),
    "both files hold one side": Kind(
        "recording", lambda call, rng: replace(call, same=True)
    ),
    "a side without a file": Kind(
        "recording", lambda call, rng: replace(call, files=("agent",))
    ),
    "a side of digital silence": Kind(
        "recording", lambda call, rng: _mute(call, "user")
    ),
    "no sound at all": Kind("recording", lambda call, rng: _mute(call, *ROLES)),
    "breaks off": Kind("recording", _cut),
    "of another call": Kind("recording", _of_another_call),
    "ends by an error, nothing else": Kind(
        "not known", lambda call, rng: replace(call, reason="error")
    ),
    "nothing": Kind("nobody", lambda call, rng: call),
    "nothing, with short signals": Kind("nobody", _backchannels),
    "nothing, one slow answer": Kind(
        "nobody", lambda call, rng: delayed(call, lambda place, one: 3.5, places=(4,))
    ),
    # What follows was made after the rules were written.
    "writes the beginnings alone": Kind(
        "recogniser", _recogniser_writes_the_beginnings
    ),
    "crashes, of the recogniser": Kind(
        "recogniser",
        lambda call, rng: replace(
            until(call, 4, 3.0, "error"),
            error="deepgram transcriber failed: connection reset",
        ),
    ),
    "says nothing at last": Kind("agent", _agent_says_nothing_at_last),
    "reaches the longest time, nothing else": Kind(
        "not known", lambda call, rng: until(call, 7, 1.0, "max_duration_reached")
    ),
    "nothing, a fifth is misheard": Kind("nobody", _recogniser_mishears_some),
    "nothing, the agent reads it back": Kind("nobody", _agent_confirms),
    "nothing, the agent ends the call": Kind(
        "nobody", lambda call, rng: replace(call, reason="assistant-ended-call")
    ),
    "nothing, the caller ends the call": Kind(
        "nobody", lambda call, rng: until(call, 9, 0.3, "customer-ended-call")
    ),
    "nothing, one interruption": Kind("nobody", _one_interruption),
    "falls silent in mid-call": Kind("agent", _agent_falls_silent),
    "falls silent, its recogniser, too": Kind("agent", _agent_falls_silent_and_deaf),
}
