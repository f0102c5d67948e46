"""Pairs of conversations turn by turn: the user's turns with both agents' answers.

Turns can be compared only where the user says the same on both sides, as scripted
callers do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from blueprints import Blueprint, UserError
from trace_eval.conversations.findings import alike, turn_blueprints, words_of
from trace_eval.data.answers import Instruction, turn_role
from trace_eval.data.conversation import Conversation, SourceEvent
from trace_eval.data.items import Pair

#: Share of characters in common, 0 to 1, from which two user turns say the same.
PARALLEL = 0.9

#: Letters of a turn that are compared: the time to compare grows with their square.
COMPARED_LETTERS = 2_000


def pairs_by_turn(pairs: Sequence[Pair]) -> list[Pair]:
    """Pair every turn of the user that both conversations of a pair have.

    ``ID/turn-N`` is the exchange of user turn N of A with its counterpart of B: that
    turn, and all until the user takes the floor again. Counterparts have the same words
    in the same order; without words in the source they have the same place, and the
    judge compares recognised words. A turn without a counterpart is paired with the
    next one of B, and judged ``not_parallel``.

    Raises:
        UserError: a pair has no two conversations.
    """
    return [made for pair in pairs for made in _by_turn(pair)]


def _by_turn(pair: Pair) -> Iterator[Pair]:
    a, b = (answer.conversation for answer in pair.answers)
    if a is None or b is None:
        raise UserError(
            f"pair {pair.id}: by turn needs two conversations; give 'conversation' on"
            " both sides, or judge the pair as it is"
        )
    ours, theirs = _user_turns(a), _user_turns(b)
    for position, other in _counterparts(a, ours, b, theirs):
        yield pair.model_copy(
            update={
                "id": turn_role(pair.id, ours[position]),
                "turn": ours[position],
                "instruction": Instruction(),
                "instruction_id": pair.instruction_id or pair.id,
                "labels": None,  # they are of the whole
                "a": pair.a.model_copy(
                    update={"conversation": exchange(a, ours, position)}
                ),
                "b": pair.b.model_copy(
                    update={"conversation": exchange(b, theirs, other)}
                ),
            }
        )


def _user_turns(conversation: Conversation) -> list[int]:
    """Return the numbers of the user's turns that take the floor."""
    return [n for n, turn in conversation.turns_of("user") if not turn.backchannel]


def _counterparts(
    a: Conversation, ours: Sequence[int], b: Conversation, theirs: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Return the places of the user's turns in A and B, if B's user ever speaks."""
    if not theirs:
        return
    mine = [words_of(a, number, {}) for number in ours]
    others = [words_of(b, number, {}) for number in theirs]
    if None in mine or None in others:  # until a recogniser has transcribed them
        matched = dict(enumerate(range(len(ours))))
    else:
        same: list[list[bool]] = []
        for one in mine:
            same.append([_same(one, other) for other in others])
        matched = _in_order(same)
    following = 0
    for position in range(len(ours)):
        other = matched.get(position, following)
        following = other + 1 if position in matched else following
        yield position, min(other, len(theirs) - 1)


def _in_order(equal: Sequence[Sequence[bool]]) -> dict[int, int]:
    """Map rows to columns of the longest common subsequence."""
    rows = len(equal)
    columns = len(equal[0]) if equal else 0
    longest = [[0] * (columns + 1) for _ in range(rows + 1)]
    for row in reversed(range(rows)):
        for column in reversed(range(columns)):
            if equal[row][column]:
                longest[row][column] = 1 + longest[row + 1][column + 1]
            else:
                down, right = longest[row + 1][column], longest[row][column + 1]
                longest[row][column] = max(down, right)
    matches = {}
    row = column = 0
    while row < rows and column < columns:
        if equal[row][column]:
            matches[row] = column
            row, column = row + 1, column + 1
        elif longest[row + 1][column] >= longest[row][column + 1]:
            row += 1
        else:
            column += 1
    return matches


def exchange(
    conversation: Conversation, users: Sequence[int], position: int
) -> Conversation:
    """Return one of the user's turns that take the floor, and all until the next."""
    first = users[position]
    last = len(conversation.turns)
    if position + 1 < len(users):
        last = users[position + 1]
    turns = conversation.turns[first:last]
    end = conversation.end
    if last < len(conversation.turns):
        times = [turn.end_s for turn in turns]
        times.append(conversation.turns[last].start_s)
        at_s = max((time for time in times if time is not None), default=None)
        end = end.model_copy(update={"at_s": at_s, "reason": None})
    events: list[SourceEvent] = []
    for event in conversation.events:
        if event.turn is not None and first <= event.turn < last:
            events.append(event.model_copy(update={"turn": event.turn - first}))
    return conversation.model_copy(
        update={
            "turns": turns,
            "events": tuple(events),
            "end": end,
            "start_s": turns[0].start_s,
        }
    )


def not_parallel(pair: Pair, blueprints: Mapping[str, Blueprint]) -> str | None:
    """Say why an exchange cannot be compared; None if it can."""
    if pair.turn is None:
        return None
    texts = []
    for side, answer in zip("ab", pair.answers, strict=True):
        words = words_of(answer.conversation, 0, turn_blueprints(side, blueprints))  # type: ignore[arg-type]
        if words is None:
            return (
                f"the user's words of {side.upper()} are not known; give 'text' of the"
                " turns"
            )
        texts.append(words)
    a, b = texts
    if _same(a, b):
        return None
    return f"the user says {a!r:.60} to A and {b!r:.60} to B; only equal turns compare"


def _same(one: str | None, other: str | None) -> bool:
    """Tell whether two turns say the same: nine tenths of their letters, in order."""
    if one is None or other is None:
        return False
    return alike(_letters(one), _letters(other), PARALLEL)


def _letters(text: str) -> str:
    """Return the first letters and digits of a text, in one case."""
    return "".join(filter(str.isalnum, text[:COMPARED_LETTERS].casefold()))
