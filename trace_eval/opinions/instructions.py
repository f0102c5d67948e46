"""Instructions that one source knows, for all sources of the same items.

Pairs of one instruction are one unit wherever an instruction is known: a file of labels
that names it says so of the verdicts beside it, and the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from trace_eval.opinions.cells import texts_of
from trace_eval.opinions.opinions import Opinions


def instructions_of(sources: Iterable[Opinions]) -> dict[str, str]:
    """Return each item's instruction, if any, from the first source that knows it."""
    instructions: dict[str, str] = {}
    for source in sources:
        names = source.facts.get("instruction_id")
        for item, name in zip(source.ids, () if names is None else names, strict=False):
            if name is not None:
                instructions.setdefault(str(item), str(name))
    return instructions


def with_instructions(source: Opinions, instructions: Mapping[str, str]) -> Opinions:
    """Return a source whose items have the instruction known of them, its own first."""
    own = source.facts.get("instruction_id")
    names = [None] * len(source) if own is None else own.tolist()
    if None not in names or not instructions:
        return source
    filled = [
        instructions.get(str(item)) if name is None else name
        for item, name in zip(source.ids, names, strict=True)
    ]
    if filled == names:
        return source
    return replace(source, facts={**source.facts, "instruction_id": texts_of(filled)})


def sharing_instructions(
    judged: Sequence[Opinions], labels: Opinions | None
) -> tuple[list[Opinions], Opinions | None]:
    """Let every source know the instructions that any of them names."""
    sources = [*judged, *([] if labels is None else [labels])]
    instructions = instructions_of(sources)
    shared = [with_instructions(source, instructions) for source in sources]
    return shared[: len(judged)], None if labels is None else shared[-1]
