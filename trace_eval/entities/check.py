"""Which entities of a conversation came through: intended against heard, turn by turn.

A miss is a place to listen to, with its span, not a spoken error: recognisers mishear as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from trace_eval.data.conversation import Conversation, Turn
from trace_eval.entities.compare import same
from trace_eval.entities.find import Entity, Kind, find_entities
from trace_eval.entities.normalise import canonical

#: What became of an entity.
Status = Literal["kept", "missing", "wrong", "added"]


@dataclass(frozen=True)
class Heard:
    """One entity, and what became of it.

    Attributes:
        kind: what it is.
        status: kept; missing; wrong: another one of its kind stands in its place; added: nobody
            meant it.
        intended: as it was meant; None where it is added.
        heard: what stands for it; None where nothing does.
        turn: number of the turn.
        start_s, end_s: what to listen to: its words where their times are known, else its turn.
    """

    kind: Kind
    status: Status
    intended: str | None
    heard: str | None
    turn: int | None = None
    start_s: float | None = None
    end_s: float | None = None


def compare_texts(intended: str, recognised: str, names: Iterable[str] = ()) -> list[Heard]:
    """Entities of one text against those of another, in English.

    >>> found = compare_texts("Code Z K three F F W for $120.", "code ZK3FF for 120 dollars")
    >>> [(one.status, one.intended, one.heard) for one in found]
    [('wrong', 'Z K three F F W', 'ZK3FF'), ('kept', '$120', '120 dollars')]
    """
    return [one for one, _ in _compared(intended, recognised, names)]


def _compared(
    intended: str, recognised: str, names: Iterable[str]
) -> list[tuple[Heard, Entity | None]]:
    names = tuple(names)
    meant, left = find_entities(intended, names), find_entities(recognised, names)
    whole = canonical(recognised)
    matched: dict[Entity, Entity | None] = {}
    for one in meant:
        equal = next((other for other in left if same(one.text, other.text, one.kind)), None)
        if equal is not None:
            left.remove(equal)
            matched[one] = equal
        elif (key := canonical(one.text)) and len(key) > 2 and key in whole:
            matched[one] = None  # written in other pieces: "21 A", "ZK 3 FFW"
    results: list[tuple[Heard, Entity | None]] = []
    for one in meant:
        if one in matched:
            other = matched[one]
            text = other.text if other else _piece(one.text, recognised)
            results.append((Heard(one.kind, "kept", one.text, text), one))
            continue
        instead = next((other for other in left if other.kind == one.kind), None)
        if instead is not None:
            left.remove(instead)
        details = instead.text if instead else None
        results.append((Heard(one.kind, "wrong" if instead else "missing", one.text, details), one))
    extra = [one for one in left if canonical(one.text) not in canonical(intended)]
    return [*results, *((Heard(one.kind, "added", None, one.text), None) for one in extra)]


def _piece(entity: str, recognised: str) -> str:
    """The words of a text that make up an entity together, the fewest."""
    words, key = recognised.split(), canonical(entity)
    spans = (
        " ".join(words[first:last])
        for length in range(1, len(words) + 1)
        for first in range(len(words) - length + 1)
        for last in (first + length,)
    )
    return next((span for span in spans if key in canonical(span)), recognised).strip(",.?! ")


def check_conversation(
    conversation: Conversation,
    recognised: Mapping[int, str] | None = None,
    names: Iterable[str] = (),
) -> list[Heard]:
    """Entities of every turn that has both an intended text and a transcript.

    Args:
        conversation: with ``text`` and ``recognised`` of its turns.
        recognised: number of a turn -> what a recogniser wrote, where the source has none.
        names: that must come through as well.
    """
    checked = []
    for number, turn in enumerate(conversation.turns):
        wrote = turn.heard if turn.heard is not None else (recognised or {}).get(number)
        if turn.text is not None and wrote is not None:
            checked += check_turn(turn, wrote, names, number)
    return checked


def check_turn(
    turn: Turn, recognised: str, names: Iterable[str] = (), number: int | None = None
) -> list[Heard]:
    """Entities of one turn's text against what was heard; those of the text first, in order."""
    return [
        replace(one, turn=number, start_s=start_s, end_s=end_s)
        for one, meant in _compared(turn.text or "", recognised, names)
        for start_s, end_s in (_span(turn, meant),)
    ]


def _span(turn: Turn, entity: Entity | None) -> tuple[float | None, float | None]:
    """When an entity is said: its words where each has a time and the text is theirs."""
    if entity is None or not turn.words or turn.text is None:
        return turn.start_s, turn.end_s
    position, inside = 0, []
    for word in turn.words:
        at = turn.text.casefold().find(word.text.casefold(), position)
        if at < 0:
            return turn.start_s, turn.end_s
        position = at + len(word.text)
        if at < entity.end and position > entity.start:
            inside.append(word)
    return (inside[0].start_s, inside[-1].end_s) if inside else (turn.start_s, turn.end_s)
