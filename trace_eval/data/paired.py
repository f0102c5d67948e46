"""Single answers of several systems as pairs: every two answers to one question."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations

from trace_eval.data.items import Single, side_of_pair
from trace_eval.data.pairs import MAX_ID, Pair


def question_of(item: Pair | Single) -> Hashable:
    """Equal for items that share their instruction, and so its clip."""
    if item.question_id:
        return "id", item.question_id
    if item.instruction.has_audio:
        return "source", item.instruction.source_id
    return ("text", item.instruction.text) if item.instruction.text else ("item", item.id)


def pairs_of_systems(items: Sequence[Single]) -> tuple[list[Pair], dict[str, str]]:
    """Every two systems' answers to one question, and items that are no part of a pair.

    Returns:
        The pairs, called by their question, and of three systems or more by both as well; none
        where an answer has no system. Id of an answer that its system had given already -> which.
    """
    groups: dict[Hashable, dict[str, Single]] = {}
    twice: dict[str, str] = {}
    for item in items:
        if item.system is None:
            return [], {}
        own = groups.setdefault(question_of(item), {})
        if (first := own.setdefault(item.system, item)) is not item:
            twice[item.id] = (
                f"{item.system} gave an answer to this question in item {first.id!r}, too"
            )
    two = len({item.system for item in items}) == 2
    pairs = []
    for number, own in enumerate(groups.values(), start=1):
        for one, other in combinations(own.values(), 2):
            name = one.question_id or str(number)
            pairs.append(
                Pair(
                    id=name if two else f"{name}/{one.system}-{other.system}"[:MAX_ID],
                    instruction=one.instruction,
                    instruction_id=name,
                    a=side_of_pair(one, one.system),
                    b=side_of_pair(other, other.system),
                    category=one.category,
                    language=one.language,
                )
            )
    return pairs, twice
