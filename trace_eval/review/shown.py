"""What raters are shown of single answers and calls: words, and nobody's name."""

from __future__ import annotations

from blueprints import counted
from trace_eval.data.conversation import Conversation
from trace_eval.data.items import Single
from trace_eval.rubrics.single import ScoreRubric


def said(conversation: Conversation, first: int, last: int) -> list[tuple[str | None, str]]:
    """Who said what; speakers are called by their roles, names may be those of systems.

    Turns of which no words are known are one line, so that the player is not pushed off the
    screen.
    """
    roles = {speaker.name: speaker.role for speaker in conversation.speakers}
    turns = conversation.turns[first:last]
    if len(turns) > 1 and not any(one.text or one.heard for one in turns):
        return [(None, f"({counted(len(turns), 'turn')}, no words known)")]
    return [
        (f"{number} {roles[one.speaker]}", one.text or one.heard or "(no words known)")
        for number, one in enumerate(turns, start=first)
    ]


def transcript(conversation: Conversation) -> str:
    """The transcript, one turn per line."""
    turns = said(conversation, 0, len(conversation.turns))
    return "\n".join(f"{who}: {words}" if who else words for who, words in turns)


def asked(item: Single, rubric: ScoreRubric) -> list[tuple[str | None, str]]:
    """Title and text of what a rubric shows beside the answer: question, scene, references."""
    shown = set(rubric.inputs)
    texts: list[tuple[str | None, str]] = []
    if {"question", "instruction"} & shown and item.instruction.text:
        texts.append((None, item.instruction.text))
    if "context" in shown and item.context:
        texts.append(("Scene", item.context))
    references = item.reference if "reference" in shown else ()
    for number, reference in enumerate(references, start=1):
        texts.append((f"Reference {number}" if len(references) > 1 else "Reference", reference))
    return texts


def rationale(item: Single, rubric: ScoreRubric) -> str | None:
    """Why the reference is right, where the rubric shows it."""
    return item.rationale if "rationale" in rubric.inputs else None
