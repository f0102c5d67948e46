"""Words of a log that were stamped one by one, at the turns that are heard.

EVA numbers turns by flags: where the two speak at once, or one falls silent, it gives
the words of several turns one number. Each text has a time of its own, which is enough
to find its turn in the sound. That time is near the beginning of the speech in some
logs and seconds behind its end in others, and its clock is not always that of the
sessions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from typing_extensions import TypedDict  # pydantic takes no other before Python 3.12

from trace_eval.conversations.sound.log_clock import LogClock
from trace_eval.conversations.words import split_words
from trace_eval.data.conversation import ROLES, Conversation, Role, Turn

#: What ``meta`` calls the texts of a log until they are placed.
STAMPED = "stamped_texts"

#: How the caveat ends on words that EVA's numbers give no turn of the log.
WITHOUT_SPAN = "without a span are not used"

#: What is written of a turn: its own text, or what the other side's recogniser wrote.
TextField = Literal["text", "heard"]

#: Texts are stamped at most so long before and behind their speech, seconds.
_NEAR_S = 5.0

#: What a recogniser wrote is ready at most so long after the speech, seconds;
#: recordings lose pauses.
_READY_S = 15.0

#: Letters a second that nobody says.
_FASTEST = 40.0


class StampedText(TypedDict):
    """The words of one side, with the time at which the log has them, in seconds."""

    role: Role
    field: TextField
    at_s: float
    text: str


def with_stamped(
    log: Conversation, result: Conversation, clock: LogClock
) -> tuple[Conversation, int]:
    """Give each turn of the sound the log's texts that are near it, in order of time.

    The texts go by the clock of the log's sessions, or are not moved, whichever puts
    them nearer to turns of their side. A log without stamped texts changes nothing.

    Returns:
        The call, and how many texts are near no turn.
    """
    stored: Any = log.meta.get(STAMPED) or []
    texts: list[StampedText] = sorted(stored, key=lambda one: one["at_s"])
    if not texts:
        return result, 0
    by_session = _placed(texts, result, clock)
    as_stamped = _placed(texts, result, LogClock())
    placed = min(by_session, as_stamped, key=_far_s)
    words: dict[tuple[int, TextField], list[str]] = defaultdict(list)
    for one, place in zip(texts, placed, strict=True):
        if place.turn is not None:
            words[place.turn, one["field"]].append(one["text"])
    turns = list(result.turns)
    for role in ROLES:
        for number, turn in result.turns_of(role):
            text = " ".join(words[number, "text"]) or None
            heard = " ".join(words[number, "heard"]) or None
            turns[number] = turn.model_copy(update={"text": text, "heard": heard})
    unplaced = sum(place.turn is None for place in placed)
    return result.model_copy(update={"turns": tuple(turns)}), unplaced


class _Place(NamedTuple):
    """The turn that a text belongs to, if any, and how far it is, seconds."""

    turn: int | None
    far_s: float


def _placed(
    texts: Sequence[StampedText], call: Conversation, clock: LogClock
) -> list[_Place]:
    sides = {role: list(call.turns_of(role)) for role in ROLES}
    return [
        _place(one, sides[one["role"]], clock.in_sound(one["at_s"])) for one in texts
    ]


def _far_s(placed: Sequence[_Place]) -> float:
    return sum(place.far_s for place in placed)


def _place(one: StampedText, own: Sequence[tuple[int, Turn]], at_s: float) -> _Place:
    """Find the turn of a text among those of its side.

    What a recogniser wrote of the user belongs to the last turn that began before.
    """
    if one["role"] == "user" and one["field"] == "heard":
        farthest_s = _READY_S
        own = [(n, turn) for n, turn in own if (turn.start_s or 0.0) <= at_s][-1:]
    else:
        farthest_s = _NEAR_S
    near: list[tuple[bool, float, int]] = []
    for number, turn in own:
        start_s, end_s = turn.start_s or 0.0, turn.end_s or 0.0
        far_s = max(0.0, start_s - at_s, at_s - end_s)
        if far_s <= farthest_s:
            near.append((not can_hold(turn, one["text"]), far_s, number))
    if not near:
        return _Place(None, farthest_s)
    _, far_s, number = min(near)
    return _Place(number, far_s)


def can_hold(heard: Turn, text: str) -> bool:
    """Tell whether words can be said in the time for which a turn is heard."""
    seconds = sum(end - start for start, end in heard.stretches)
    return sum(map(len, split_words(text))) <= _FASTEST * seconds
