"""Instructions that one source knows, for all sources of the same items.

Pairs of one instruction are one unit wherever an instruction is known: a file of labels
that names it says so of the verdicts beside it, and the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from trace_eval.data.items import Single, instruction_of
from trace_eval.data.spelling import visible
from trace_eval.opinions.cells import texts_of
from trace_eval.opinions.opinions import Opinions


def told_apart_by(
    wording: Iterable[Any], ids: Iterable[Any] | None, systems: Sequence[Any] = ()
) -> list[str | None] | None:
    """Return instructions by their words where they have no ids, or None.

    One text in every row is no instruction but what the judge or annotator was told.

    Args:
        systems: that of each row, where a row is about one.
    """
    if ids is not None and any(id_ is not None for id_ in ids):
        return None
    texts: list[str | None] = []
    for text in wording:
        texts.append(None if text is None else visible(text) or None)
    if len(set(texts) - {None}) < 2 or _tells_systems(texts, systems):
        return None
    return texts


def _tells_systems(texts: Sequence[Any], systems: Sequence[Any]) -> bool:
    """Whether a text is what each system was told, and no question to all of them."""
    told = set(zip(systems, texts, strict=False))
    return len(told) == len(set(systems)) > 1


def questions_of(items: Iterable[Single]) -> list[str | None]:
    """Return the question of each answer: its id, else its words or its recording.

    What all answers share, or no two of them, tells nothing: it is no question.
    """
    items = list(items)
    questions = [instruction_of(item) for item in items]
    asked = [question for question in questions if question is not None]
    is_shared = 1 < len(set(asked)) < len(asked)
    if is_shared and not _tells_systems(questions, [item.system for item in items]):
        return questions
    return [item.question_id for item in items]


def instructions_of(sources: Iterable[Opinions]) -> dict[str, str]:
    """Return each item's instruction, if any, from the first source that knows it."""
    instructions: dict[str, str] = {}
    for source in sources:
        names = source.facts.get("instruction_id")
        if names is None:
            continue
        for item, name in zip(source.ids, names, strict=True):
            if name is not None:
                instructions.setdefault(str(item), str(name))
    return instructions


def with_instructions(source: Opinions, instructions: Mapping[str, str]) -> Opinions:
    """Return a source whose items have the instruction known of them, its own first."""
    names: list[str | None] = [None] * len(source)
    if "instruction_id" in source.facts:
        names = source.facts["instruction_id"].tolist()
    if None not in names or not instructions:
        return source
    filled = list(names)
    for row, item in enumerate(source.ids):
        if names[row] is None:
            filled[row] = instructions.get(str(item))
    if filled == names:
        return source
    facts = {**source.facts, "instruction_id": texts_of(filled)}
    return replace(source, facts=facts)


def sharing_instructions(
    judged: Sequence[Opinions], labels: Opinions | None
) -> tuple[list[Opinions], Opinions | None]:
    """Let every source know the instructions that any of them names."""
    sources = list(judged)
    if labels is not None:
        sources.append(labels)
    instructions = instructions_of(sources)
    shared = [with_instructions(source, instructions) for source in judged]
    if labels is not None:
        labels = with_instructions(labels, instructions)
    return shared, labels
