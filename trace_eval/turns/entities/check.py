"""Which entities of a conversation came through: text against transcript, by turn.

A miss is a place to listen to, with its span, not a spoken error: recognisers mishear
as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from trace_eval.data.conversation import Conversation, Turn
from trace_eval.turns.entities.find import Entity, EntityKind, find_entities
from trace_eval.turns.entities.normalise import canonical, pairs_of

#: What became of an entity; wrong: another one of its kind is in its place; added: none
#: was meant.
EntityStatus = Literal["kept", "missing", "wrong", "added"]

#: Kinds of which the digits decide, and the letters where both sides have some.
BY_DIGITS = re.compile(r"amount|seat|gate|flight|fare|fee|price|cost|card")

_HALF_DAY = re.compile(r"(?<=\d)[ap]m\Z")


@dataclass(frozen=True)
class CheckedEntity:
    """One entity, and what became of it."""

    kind: EntityKind
    status: EntityStatus
    intended: str | None  # as it was meant; None where it is added
    heard: str | None  # what stands for it in the transcript; None where nothing does
    turn: int | None = None
    # what to listen to: its words where their times are stated, else its turn
    start_s: float | None = None
    end_s: float | None = None


def check_turn(
    turn: Turn, recognised: str, names: Iterable[str] = (), number: int | None = None
) -> list[CheckedEntity]:
    """Check a turn's entities against its transcript, those of the text first."""
    text, names = turn.text or "", tuple(names)
    meant, left = find_entities(text, names), find_entities(recognised, names)
    whole = canonical(recognised)
    kept: dict[Entity, str] = {}
    for one in meant:
        equal = next(
            (other for other in left if same(one.text, other.text, one.kind)), None
        )
        if equal is not None:
            left.remove(equal)
            kept[one] = equal.text
        elif (key := canonical(one.text)) and len(key) > 2 and key in whole:
            kept[one] = _piece(
                one.text, recognised
            )  # in other pieces: "21 A", "ZK 3 FFW"
    results = []
    for one in meant:
        status: EntityStatus = "kept"
        if (stands := kept.get(one)) is None:
            instead = next((other for other in left if other.kind == one.kind), None)
            status = "wrong" if instead else "missing"
            if instead is not None:
                left.remove(instead)
                stands = instead.text
        place = _span(turn, one)
        results.append(
            CheckedEntity(one.kind, status, one.text, stands, number, *place)
        )
    return results + [
        CheckedEntity(
            kind=one.kind,
            status="added",
            intended=None,
            heard=one.text,
            turn=number,
            start_s=turn.start_s,
            end_s=turn.end_s,
        )
        for one in left
        if canonical(one.text) not in canonical(text)
    ]


def _piece(entity: str, recognised: str) -> str:
    """Return the fewest words of a text that make up an entity together."""
    words, key = recognised.split(), canonical(entity)
    spans = (
        " ".join(words[first:last])
        for length in range(1, len(words) + 1)
        for first in range(len(words) - length + 1)
        for last in (first + length,)
    )
    return next((span for span in spans if key in canonical(span)), recognised).strip(
        ",.?! "
    )


def check_conversation(
    conversation: Conversation, names: Iterable[str] = ()
) -> list[CheckedEntity]:
    """Check entities of every turn with an intended text and a transcript."""
    names = tuple(names)
    return [
        one
        for number, turn in enumerate(conversation.turns)
        if turn.text is not None and turn.heard is not None
        for one in check_turn(turn, turn.heard, names, number)
    ]


def _span(turn: Turn, entity: Entity) -> tuple[float | None, float | None]:
    """Return when an entity is said, if its words have times and are the text's."""
    words = [word.text.casefold() for word in turn.words]
    inside = words_within((turn.text or "").casefold(), words, entity.start, entity.end)
    if not inside:
        return turn.start_s, turn.end_s
    return turn.words[inside[0]].start_s, turn.words[inside[-1]].end_s


def words_within(text: str, words: Sequence[str], start: int, end: int) -> list[int]:
    """Return the places of the words in ``text[start:end]``; none where they differ."""
    position, inside = 0, []
    for number, word in enumerate(words):
        at = text.find(word, position)
        if at < 0:
            return []
        position = at + len(word)
        if at < end and position > start:
            inside.append(number)
    return inside


def same(intended: str, recognised: str | None, kind: str = "") -> bool:
    """Whether two texts are one entity in English, spelled out or in digits.

    The kind of the entity, e.g. ``amount``, decides how letters beside digits count.

    >>> same("twenty one A", "seat 21A", "seat"), same("8 PM", "8:00 p.m.", "time")
    (True, True)
    >>> same("Z K three F F W", "ZK3FF", "confirmation_code")
    False
    """
    if recognised is None:
        return False
    return any(
        _equal(one, other, kind) for one, other in pairs_of(intended, recognised) if one
    )


def _equal(one: str, other: str, kind: str) -> bool:
    if one == other:
        return True
    halves = [_HALF_DAY.search(text) for text in (one, other)]
    if (halves[0] is None) != (halves[1] is None):  # a time may lack am or pm
        return _HALF_DAY.sub("", one) == _HALF_DAY.sub("", other)
    if not BY_DIGITS.search(kind):
        return False
    digits = [re.sub(r"\D", "", text) for text in (one, other)]
    letters = [re.sub(r"\d", "", text) for text in (one, other)]
    same_letters = letters[0] == letters[1] or not all(letters)
    return bool(digits[0]) and digits[0] == digits[1] and same_letters
