"""The prompts of naturalness: intended texts, and words with places for sound."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from blueprints import Blueprint, Transcript
from trace_eval.data.rubrics.load import template_of
from trace_eval.data.rubrics.pairs import SCORES, ScoreQuestion
from trace_eval.judges.base import Case
from trace_eval.judges.read.two_scores import NATURALNESS as QUESTION
from trace_eval.judges.views.text.fencing import fence, fence_tag, neutralise
from trace_eval.judges.views.text.tasks import NATURALNESS
from trace_eval.judges.views.text.templates import BlockTemplates

#: Where an item says in which style it should be spoken.
STYLE = "style"

#: The published figures are of two recordings of one text.
TEXTS_DIFFER = "texts_differ: the published figures are of two recordings of one text"

#: Then misreadings cannot be noticed.
TEXT_FROM_ASR = (
    "text_from_asr: a recogniser's words stand for the text, so misreadings go unseen"
)


class MeantTexts(NamedTuple):
    """What both sides should have said, with caveats, or why a text is missing."""

    a: str = ""
    b: str = ""
    caveats: tuple[str, ...] = ()
    reason: str | None = None


def intended(
    reference: str | None, answer: Blueprint | None, asr: bool
) -> tuple[str | None, list[str]]:
    """Return what should have been said, and caveats.

    Without a reference, a recogniser's words stand for it if ``asr``.
    """
    if reference is not None or answer is None or not asr:
        return reference, []
    transcript = answer.transcript
    if isinstance(transcript, Transcript):
        return transcript.text, [TEXT_FROM_ASR]
    return None, []


def texts_of(case: Case, asr: bool) -> MeantTexts:
    """Return each side's reference, or without one a recogniser's words if ``asr``."""
    results: list[str] = []
    caveats: list[str] = []
    for side, answer in case.pair.sides.items():
        text, notes = intended(answer.reference, case.blueprints[side], asr)
        caveats += notes
        if text is None:
            whose = f"answer {side.upper()} has no reference text"
            return MeantTexts(reason=f"{whose}; give one, or use -J transcripts=asr")
        results.append(text)
    if results[0] != results[1]:
        caveats.append(TEXTS_DIFFER)
    return MeantTexts(results[0], results[1], tuple(dict.fromkeys(caveats)))


def style_of(meta: Mapping[str, Any]) -> str | None:
    """Return the style of delivery that the item requests, if it names one."""
    style = meta.get(STYLE)
    return style if isinstance(style, str) else None


FILE = template_of(NATURALNESS)

#: Blocks that a user's template may replace.
BLOCKS = ("system", "criteria", "pair", "single", "repair")

Structure = Literal["json", "text"]

# No text from outside has control characters once it is made harmless.
_MARK = "\x01{}\x01"
_MARKED = re.compile(r"\x01(\w+)\x01")

Sound = TypeVar("Sound")


def keys_of(question: ScoreQuestion) -> str:
    """Spell out the reply's JSON for servers that enforce no schema."""
    scores = f"{question.scale.min:g} to {question.scale.max:g}"
    keys = dict.fromkeys(question.reasons, "...")
    keys |= dict.fromkeys(SCORES, scores)
    return json.dumps(keys)


_KEYS = keys_of(QUESTION)


class NaturalnessPrompt:
    """The prompts of one run: the package's words, or blocks of the user's template.

    ``structure``: ``json``, or ``text`` for models that end with a line of scores.

    Raises:
        UserError: the user's template cannot be read or is not valid.
    """

    def __init__(
        self, template: Path | None = None, structure: Structure = "json"
    ) -> None:
        self._templates = BlockTemplates(FILE, template, BLOCKS)
        self._structure = structure
        self.system = self._render("system", {})

    @property
    def sha256(self) -> str:
        """Identity of all texts."""
        return self._templates.sha256(self._structure)

    def pair(
        self,
        texts: Sequence[str],
        sounds: tuple[Sound, Sound],
        style: str | None = None,
    ) -> list[str | Sound]:
        """Write the user turn on two recordings, words and sounds in their order.

        ``texts`` and ``sounds`` are by place, and equal texts are shown once; ``style``
        is that of the requested delivery.
        """
        shown = texts[:1] if len(set(texts)) == 1 else texts
        marks = {f"audio_{n}": sound for n, sound in enumerate(sounds, start=1)}
        return self._turn("pair", shown, marks, style)

    def single(
        self, text: str, sound: Sound, style: str | None = None
    ) -> list[str | Sound]:
        """Write the user turn on one recording."""
        return self._turn("single", [text], {"audio": sound}, style)

    def repair(self, problem: str) -> str:
        """Write the user turn of the second chance."""
        return self._render("repair", {"problem": neutralise(problem).rstrip(".")})

    def _turn(
        self,
        block: str,
        texts: Sequence[str],
        sounds: Mapping[str, Sound],
        style: str | None,
    ) -> list[str | Sound]:
        harmless = [neutralise(text) for text in texts]
        variables: dict[str, object] = {name: _MARK.format(name) for name in sounds}
        variables["texts"] = harmless
        variables["style"] = neutralise(style) if style else None
        variables["fence"] = partial(fence, fence_tag(harmless))
        text = self._render(block, variables)
        pieces: list[str | Sound] = []
        # words, name, words, name, ..., words
        for number, piece in enumerate(_MARKED.split(text)):
            if number % 2:
                pieces.append(sounds[piece])
            elif piece:
                pieces.append(piece)
        return pieces

    def _render(self, block: str, variables: Mapping[str, object]) -> str:
        places = ("audio", "audio_1", "audio_2", "problem")
        usual: dict[str, object] = dict.fromkeys(places, "")
        usual["style"] = None
        usual["texts"] = []
        usual["structure"] = self._structure
        usual["keys"] = _KEYS
        return self._templates.render(block, {**usual, **variables})
