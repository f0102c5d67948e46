"""Single answers of several systems as pairs: every two answers to one question."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from itertools import chain, combinations
from typing import Any

from trace_eval.data.cells import first
from trace_eval.data.items import MAX_ID, Pair, Single, side_of_pair
from trace_eval.data.names import NAMES, SOUND_NAMES
from trace_eval.data.renamed import is_sound

#: Columns that mean something else, and those of answers among them.
_KNOWN = SOUND_NAMES.union(chain.from_iterable(NAMES.values()))
_RECORDED = NAMES["a"] + NAMES["b"] + NAMES["audio"]
_ANSWERS = _RECORDED + NAMES["candidate"] + ("turns", "conversation")

#: Words in the names of recordings that are no system's answer.
_NO_SYSTEM = frozenset((
    "user", "caller", "customer", "agent", "assistant", "question", "prompt", "instruction",
    "query", "reference", "ref", "target", "source", "input", "voice", "noise", "clean", "mix",
))  # fmt: skip


def question_of(item: Pair | Single) -> Hashable:
    """Return what is equal for items that share their instruction, and so its clip."""
    if item.question_id:
        return "id", item.question_id
    if item.instruction.has_audio:
        return "source", item.instruction.source_id
    return (
        ("text", item.instruction.text) if item.instruction.text else ("item", item.id)
    )


def answers_of_systems(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Split a record that has a column of recordings for each of many systems.

    None where fewer columns of other names hold recordings, since two may be A and B,
    or where one of them may be no answer of a system, by its name.
    """
    names = [
        name for name, cell in record.items() if name not in _KNOWN and is_sound(cell)
    ]
    words = {word for name in names for word in re.findall(r"[a-z]+", name.casefold())}
    if (
        len(names) < 3
        or words & _NO_SYSTEM
        or any(record.get(name) for name in _ANSWERS)
    ):
        return []
    shared = {name: cell for name, cell in record.items() if name not in names}
    question = first(record, NAMES["instruction_id"]) or "id"
    return [
        {
            **shared,
            "id": f"{record.get(question)}/{name}",
            "question_id": record.get(question),
            "system": name,
            "audio": record[name],
        }
        for name in names
    ]


def pairs_of_systems(items: Sequence[Single]) -> tuple[list[Pair], dict[str, str]]:
    """Pair every two systems' answers to a question; return unpaired items, too.

    Pairs are called by their question, and of three systems or more by both as well;
    there are none where an answer has no system. Id of an answer that its system had
    given already -> which.
    """
    groups: dict[Hashable, dict[str, Single]] = {}
    twice: dict[str, str] = {}
    for item in items:
        if item.system is None:
            return [], {}
        own = groups.setdefault(question_of(item), {})
        if (first := own.setdefault(item.system, item)) is not item:
            twice[item.id] = (
                f"{item.system} gave an answer to this question in item"
                f" {first.id!r}, too"
            )
    are_two_systems = len({item.system for item in items}) == 2
    pairs = []
    for number, own in enumerate(groups.values(), start=1):
        for one, other in combinations(own.values(), 2):
            name = one.question_id or str(number)
            pairs.append(
                Pair(
                    id=name
                    if are_two_systems
                    else f"{name}/{one.system}-{other.system}"[:MAX_ID],
                    instruction=one.instruction,
                    instruction_id=name,
                    a=side_of_pair(one, one.system),
                    b=side_of_pair(other, other.system),
                    category=one.category,
                    language=one.language,
                )
            )
    return pairs, twice
