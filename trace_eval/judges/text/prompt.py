"""Builds the messages that a judge is sent: a static part first, then one pair.

The pair's blueprints are made harmless and rendered once; both orders and all samples
share that work. The judge is never shown labels, system names, references or file names.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, partial

from blueprints import (
    Absent,
    Blueprint,
    Speaker,
    Status,
    Transcript,
    brief_legend,
    compact_legend,
    render_brief,
    render_compact,
    render_paper,
)
from trace_eval.conversations import turn_blueprints
from trace_eval.data import Answer, Order
from trace_eval.judges import BlockTemplates
from trace_eval.judges.base import Case
from trace_eval.judges.chat import Message
from trace_eval.judges.options import JudgeOptions
from trace_eval.judges.text.conversation import (
    LEGEND,
    Shown,
    show_conversation,
)
from trace_eval.judges.text.fencing import fence, fence_tag, neutralise, neutralise_blueprint
from trace_eval.judges.text.notes import Notes, notes_of
from trace_eval.judges.text.repair import second_chance
from trace_eval.rubrics import template_of

PACK = template_of("trace")

#: The same where one reasoning stands for all dimensions, as TRACE's released code asks.
FLAT_PACK = PACK.with_name("trace_flat.j2")

#: Blocks that a template may define.
BLOCKS = ("system", "pair", "repair")

#: Absences that are facts about the answer; the others are facts about our tools.
ABOUT_THE_CLIP = frozenset({Status.SILENT, Status.NO_SPEECH, Status.TOO_SHORT})


@dataclass(frozen=True)
class AnswerText:
    """What a template may use of one clip."""

    transcript: str
    blueprint: str


@dataclass(frozen=True)
class InstructionText:
    """What a template may use of the instruction; None: there is none."""

    text: str | None
    blueprint: str | None


@dataclass(frozen=True)
class Evidence:
    """A case as the judge may see it."""

    instruction: InstructionText
    a: AnswerText
    b: AnswerText
    notes: Notes = field(default_factory=Notes)
    caveats: tuple[str, ...] = ()


class PromptPack:
    """The prompts of one run.

    Raises:
        UserError: the user's template cannot be read or is not valid.
    """

    def __init__(self, options: JudgeOptions) -> None:
        self._options = options
        self._flat = options.elicitation == "flat"
        pack = FLAT_PACK if self._flat else PACK
        self._templates = BlockTemplates(pack, options.template, BLOCKS)
        self.system = Message("system", self._render("system"))

    @property
    def sha256(self) -> str:
        """Identity of the templates and of the legend they print."""
        return self._templates.sha256(self._legend)

    @cached_property
    def _legend(self) -> str:
        options = self._options
        if options.mode != "blueprint" or options.rendering == "paper":
            return ""
        return (brief_legend if options.rendering == "brief" else compact_legend)(options.drop)

    def _render(self, block: str, **variables: object) -> str:
        options = self._options
        return self._templates.render(
            block,
            {
                "mode": options.mode,
                "rendering": options.rendering,
                "elicitation": options.elicitation,
                "legend": self._legend,
                **variables,
            },
        )

    def evidence(self, case: Case) -> Evidence:
        """The case, harmless and rendered."""
        asked = (self._flat and case.heard_instruction) or case.instruction_text or ""
        text = neutralise(asked) or None
        spoken = None
        if case.instruction and self._options.mode == "blueprint":
            # The words are shown above it already, exactly as written or as heard.
            spoken = self._blueprint(neutralise_blueprint(case.instruction), "user", text)
        asked_for = InstructionText(text, spoken)
        if not case.pair.has_conversations:
            told = Notes() if "transcript" in self._options.drop else notes_of(case)
            return Evidence(asked_for, self._shown(case.a), self._shown(case.b), told)
        a, b = (
            self._side(case, side, answer)
            for side, answer in zip("ab", case.pair.answers, strict=True)
        )
        caveats = dict.fromkeys((*a.caveats, *b.caveats))
        return Evidence(asked_for, _answer_text(a), _answer_text(b), Notes(), tuple(caveats))

    def _side(self, case: Case, side: str, answer: Answer) -> Shown:
        """One side of a pair of conversations; a clip beside one is shown as it is otherwise."""
        if answer.conversation is None:
            shown = self._shown(case.blueprints[side])
            return Shown(shown.blueprint or shown.transcript)
        sound = self._options.mode == "blueprint"
        turns = turn_blueprints(side, case.blueprints)
        budget = self._options.context_budget // 2
        page = show_conversation(answer.conversation, turns, budget, sound)
        return Shown(f"{LEGEND}\n{page.text}", page.caveats)

    def _shown(self, raw: Blueprint) -> AnswerText:
        blueprint = neutralise_blueprint(raw)
        heard = _heard(blueprint)
        if self._options.mode == "transcript":
            return AnswerText(heard, "")
        return AnswerText(heard, self._blueprint(blueprint, "agent", None))

    def _blueprint(self, blueprint: Blueprint, speaker: Speaker, words: str | None) -> str:
        drop = self._options.drop
        if self._options.rendering == "paper":
            keys = render_paper(blueprint, speaker=speaker, drop=drop)
            text = json.dumps(keys, indent=2, ensure_ascii=False, allow_nan=False)
        else:
            gone = (*drop, "transcript") if words else drop
            brief = self._options.rendering == "brief"
            text = (render_brief if brief else render_compact)(blueprint, drop=gone)
        if isinstance(blueprint.transcript, Absent) and "transcript" not in drop and not words:
            text += "\n" + _heard(blueprint)
        return text

    def messages(self, evidence: Evidence, order: Order) -> tuple[Message, ...]:
        """The prompt of one call; in order ``ba`` the pair's B is shown as answer 1.

        One message where one reasoning is asked for: that is how TRACE's released code asks.
        """
        shown = (evidence.a, evidence.b) if order == "ab" else (evidence.b, evidence.a)
        # The same in both orders, so that a server's prefix cache holds up to the first answer.
        tag = fence_tag(_texts(evidence.instruction, evidence.a, evidence.b))
        pair = self._render(
            "pair",
            instruction=evidence.instruction,
            answers=shown,
            notes=evidence.notes.lines(order),
            fence=partial(fence, tag),
        )
        if self._flat:
            blocks = (self.system.text, pair)
            return (Message("system", "\n\n".join(block for block in blocks if block)),)
        return self.system, Message("user", pair)

    def repair(
        self, messages: tuple[Message, ...], reply: str | None, problem: str
    ) -> tuple[Message, ...]:
        """The prompt of the second chance."""
        again = self._render("repair", problem=neutralise(problem).rstrip("."))
        return second_chance(messages, reply, again)


def _answer_text(shown: Shown) -> AnswerText:
    return AnswerText(shown.text, shown.text)


def _heard(blueprint: Blueprint) -> str:
    heard = blueprint.transcript
    if isinstance(heard, Transcript):
        return f'transcript ({heard.language}): "{heard.text}"'
    return f"no transcript ({heard.status}): {heard.reason}"


def _texts(instruction: InstructionText, *shown: AnswerText) -> Iterable[str]:
    yield instruction.text or ""
    yield instruction.blueprint or ""
    for clip in shown:
        yield clip.transcript
        yield clip.blueprint
