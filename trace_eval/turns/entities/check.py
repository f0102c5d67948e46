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
    """Check a turn's entities against its transcript; those of the text come first."""
    text = turn.text or ""
    names = tuple(names)
    entities_of_text = find_entities(text, names)
    left = find_entities(recognised, names)
    whole = canonical(recognised)
    kept: dict[Entity, str] = {}
    for one in entities_of_text:
        key = canonical(one.text)
        equal = _first_same(one, left)
        if equal is not None:
            left.remove(equal)
            kept[one] = equal.text
        elif len(key) > 2 and key in whole:
            # in other pieces: "21 A", "ZK 3 FFW"
            kept[one] = _piece(one.text, recognised)
    results = []
    for one in entities_of_text:
        status: EntityStatus = "kept"
        heard = kept.get(one)
        if heard is None:
            instead = next((other for other in left if other.kind == one.kind), None)
            status = "wrong" if instead else "missing"
            if instead is not None:
                left.remove(instead)
                heard = instead.text
        start_s, end_s = _span(turn, one)
        checked = CheckedEntity(
            kind=one.kind,
            status=status,
            intended=one.text,
            heard=heard,
            turn=number,
            start_s=start_s,
            end_s=end_s,
        )
        results.append(checked)
    for one in left:
        if canonical(one.text) in canonical(text):
            continue
        added = CheckedEntity(
            kind=one.kind,
            status="added",
            intended=None,
            heard=one.text,
            turn=number,
            start_s=turn.start_s,
            end_s=turn.end_s,
        )
        results.append(added)
    return results


def _first_same(entity: Entity, others: Iterable[Entity]) -> Entity | None:
    for other in others:
        if same(entity.text, other.text, entity.kind):
            return other
    return None


def _piece(entity: str, recognised: str) -> str:
    """Return the fewest words of a text that make up an entity together."""
    words = recognised.split()
    key = canonical(entity)
    for length in range(1, len(words) + 1):
        for first in range(len(words) - length + 1):
            piece = " ".join(words[first : first + length])
            if key in canonical(piece):
                return piece.strip(",.?! ")
    return recognised.strip(",.?! ")


def check_conversation(
    conversation: Conversation, names: Iterable[str] = ()
) -> list[CheckedEntity]:
    """Check entities of every turn with an intended text and a transcript."""
    names = tuple(names)
    checked: list[CheckedEntity] = []
    for number, turn in enumerate(conversation.turns):
        if turn.text is not None and turn.heard is not None:
            checked += check_turn(turn, turn.heard, names, number)
    return checked


def _span(turn: Turn, entity: Entity) -> tuple[float | None, float | None]:
    """Return when an entity is said: when its words are, if known, else its turn."""
    words = [word.text.casefold() for word in turn.words]
    inside = words_within((turn.text or "").casefold(), words, entity.start, entity.end)
    if not inside:
        return turn.start_s, turn.end_s
    return turn.words[inside[0]].start_s, turn.words[inside[-1]].end_s


def words_within(text: str, words: Sequence[str], start: int, end: int) -> list[int]:
    """Return the places of the words in ``text[start:end]``; none where they differ."""
    position = 0
    inside = []
    for number, word in enumerate(words):
        at = text.find(word, position)
        if at < 0:
            return []
        position = at + len(word)
        if at < end and position > start:
            inside.append(number)
    return inside


def same(intended: str, recognised: str | None, kind: str = "") -> bool:
    """Tell whether two texts are one entity in English, spelled out or in digits.

    The kind of the entity, e.g. ``amount``, decides how letters beside digits count.

    >>> same("twenty one A", "seat 21A", "seat"), same("8 PM", "8:00 p.m.", "time")
    (True, True)
    >>> same("Z K three F F W", "ZK3FF", "confirmation_code")
    False
    """
    if recognised is None:
        return False
    pairs = [(one, other) for one, other in pairs_of(intended, recognised) if one]
    return any(_equal(one, other, kind) for one, other in pairs)


def _equal(one: str, other: str, kind: str) -> bool:
    if one == other:
        return True
    has_half = _HALF_DAY.search(one) is not None
    other_has_half = _HALF_DAY.search(other) is not None
    if has_half != other_has_half:  # a time may lack am or pm
        return _HALF_DAY.sub("", one) == _HALF_DAY.sub("", other)
    if not BY_DIGITS.search(kind):
        return False
    digits = re.sub(r"\D", "", one)
    other_digits = re.sub(r"\D", "", other)
    letters = re.sub(r"\d", "", one)
    other_letters = re.sub(r"\d", "", other)
    if letters and other_letters and letters != other_letters:
        return False
    return bool(digits) and digits == other_digits
