"""The intended texts of the recordings of a pair, with their caveats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from blueprints import Blueprint, Transcript
from trace_eval.data.answers import Answer

#: Where an item says in which style it should be spoken.
STYLE = "style"

#: The published figures are of two recordings of one text.
TEXTS_DIFFER = "texts_differ: the published figures are of two recordings of one text"

#: Then misreadings cannot be noticed.
TEXT_FROM_ASR = "text_from_asr: a recogniser's words stand for the text, so misreadings go unseen"


class Texts(NamedTuple):
    """The texts of both sides, or why they are not known.

    Attributes:
        a, b: what each should have said.
        caveats: of a judgement that rests on them.
        reason: why there is none.
    """

    a: str = ""
    b: str = ""
    caveats: tuple[str, ...] = ()
    reason: str | None = None


def texts_of(a: tuple[Answer, Blueprint], b: tuple[Answer, Blueprint], asr: bool) -> Texts:
    """The reference of each side; without one the recogniser's words, where ``asr`` allows."""
    results: list[str] = []
    caveats: list[str] = []
    for side, (answer, blueprint) in (("A", a), ("B", b)):
        text = answer.reference
        if text is None and asr and isinstance(blueprint.transcript, Transcript):
            text = blueprint.transcript.text
            if TEXT_FROM_ASR not in caveats:
                caveats.append(TEXT_FROM_ASR)
        if text is None:
            return Texts(
                reason=f"answer {side} has no reference text; give one, or use -J transcripts=asr"
            )
        results.append(text)
    if results[0] != results[1]:
        caveats.append(TEXTS_DIFFER)
    return Texts(results[0], results[1], tuple(caveats))


def style_of(meta: Mapping[str, Any]) -> str | None:
    """The style of delivery that was asked for, where the item says it."""
    style = meta.get(STYLE)
    return style if isinstance(style, str) else None
