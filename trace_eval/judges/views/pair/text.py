"""The prompt of a text judge of pairs: a static part first, then words and blueprints.

This is TRACE's second stage (Textual Reasoning over Audio Cues for Evaluation). The pair is
made harmless and rendered once; both orders and all samples share that work. The judge is never
shown labels, system names, references or file names.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

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
from extractors import unmeasured
from trace_eval.conversations.findings import turn_blueprints
from trace_eval.data.answers import Answer
from trace_eval.data.items import Item
from trace_eval.data.outcome import Order
from trace_eval.judges.ask.message import Message, typical_tokens
from trace_eval.judges.ask.view import Question, View
from trace_eval.judges.base import Case
from trace_eval.judges.options.groups import PairwiseOptions, RenderingName, TextOptions, names_of
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.views.text.conversation import (
    LEGEND,
    Shown,
    show_conversation,
)
from trace_eval.judges.views.text.fencing import (
    fence,
    fence_tag,
    neutralise,
    neutralise_blueprint,
    second_chance,
)
from trace_eval.judges.views.text.notes import Notes, notes_of
from trace_eval.judges.views.text.templates import BlockTemplates
from trace_eval.rubrics.load import template_of

PACK = template_of("trace")

#: The same where one reasoning stands for all dimensions, as TRACE's released code asks.
FLAT_PACK = PACK.with_name("trace_flat.j2")

#: Blocks that a template may define.
BLOCKS = ("system", "pair", "repair")

#: Absences that are facts about the answer; the others are facts about our tools.
ABOUT_THE_CLIP = frozenset({Status.SILENT, Status.NO_SPEECH, Status.TOO_SHORT})


def legend_of(options: JudgeOptions) -> str:
    """What the marks of printed blueprints mean; the JSON of TRACE's prompts needs none."""
    if options.rendering == "paper":
        return ""
    return (brief_legend if options.rendering == "brief" else compact_legend)(options.drop)


def rendered(
    blueprint: Blueprint, rendering: RenderingName, drop: Sequence[str], speaker: Speaker = "agent"
) -> str:
    """A blueprint as it is printed in a prompt."""
    if rendering == "paper":
        keys = render_paper(blueprint, speaker=speaker, drop=drop)
        return json.dumps(keys, indent=2, ensure_ascii=False, allow_nan=False)
    return (render_brief if rendering == "brief" else render_compact)(blueprint, drop=drop)


@dataclass(frozen=True)
class AnswerText:
    """The fields of one clip that a template may use."""

    transcript: str
    blueprint: str


@dataclass(frozen=True)
class InstructionText:
    """What a template may use of the instruction; None: there is none."""

    text: str | None
    blueprint: str | None


@dataclass(frozen=True)
class ShownPair:
    """A case as the judge may see it."""

    instruction: InstructionText
    a: AnswerText
    b: AnswerText
    notes: Notes = field(default_factory=Notes)
    caveats: tuple[str, ...] = ()


class PairTextView(View):
    """Two answers by their blueprints, or by their transcripts alone.

    Raises:
        UserError: the user's template cannot be read or is not valid.
    """

    uses = names_of(PairwiseOptions, TextOptions)
    takes_conversations = True

    def __init__(self, options: JudgeOptions) -> None:
        self.options = options
        self._flat = options.elicitation == "flat"
        pack = FLAT_PACK if self._flat else PACK
        self._templates = BlockTemplates(pack, options.template, BLOCKS)
        self._legend = legend_of(options) if options.mode == "blueprint" else ""
        self.system = Message("system", self._render("system"))
        self.static_messages = (self.system,)
        self.sha256 = self._templates.sha256(self._legend)

    def _render(self, block: str, **variables: object) -> str:
        options = self.options
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

    def roles(self, item: Item) -> list[str]:
        """Both answers; in mode transcript an instruction matters only where it is not written."""
        requested = self.options.mode == "blueprint" or not item.instruction.text
        return [*item.answer_roles, *(["instruction"] if requested else [])]

    def missing_evidence(self, case: Case) -> str | None:
        """Why the case cannot be judged: an absence that says nothing about the answer."""
        if "transcript" in self.options.drop:
            return None
        for side, blueprint in case.answers.items():
            if side not in ("a", "b"):  # a turn; the others say what it was about
                continue
            transcript = blueprint.transcript
            if isinstance(transcript, Absent) and transcript.status not in ABOUT_THE_CLIP:
                why = unmeasured("transcript", transcript, why=True)
                return f"answer {side.upper()} has no transcript: it {why}"
        if case.pair.instruction.has_audio and case.instruction_text is None:
            requested = case.instruction.transcript if case.instruction else None
            if requested is None or (
                isinstance(requested, Absent) and requested.status not in ABOUT_THE_CLIP
            ):
                return "the instruction is spoken, and there is no transcript of it"
        return None

    def prepare(self, case: Case) -> ShownPair:
        """The case, harmless and rendered once for all orders."""
        requested = (self._flat and case.spoken_instruction) or case.instruction_text or ""
        text = neutralise(requested) or None
        spoken = None
        if case.instruction and self.options.mode == "blueprint":
            # The words are shown above it already, exactly as written or as heard.
            spoken = self._blueprint(neutralise_blueprint(case.instruction), "user", text)
        asked_for = InstructionText(text, spoken)
        if not case.pair.has_conversations:
            details = Notes() if "transcript" in self.options.drop else notes_of(case)
            return ShownPair(asked_for, self._shown(case.a), self._shown(case.b), details)
        a, b = (
            self._side(case, side, answer)
            for side, answer in zip("ab", case.pair.answers, strict=True)
        )
        caveats = dict.fromkeys((*a.caveats, *b.caveats))
        return ShownPair(asked_for, _answer_text(a), _answer_text(b), Notes(), tuple(caveats))

    def _side(self, case: Case, side: str, answer: Answer) -> Shown:
        """One side of a pair of conversations; a clip beside one is shown as it is otherwise."""
        if answer.conversation is None:
            shown = self._shown(case.blueprints[side])
            return Shown(shown.blueprint or shown.transcript)
        sound = self.options.mode == "blueprint"
        turns = turn_blueprints(side, case.blueprints)
        budget = self.options.context_budget // 2
        page = show_conversation(answer.conversation, turns, budget, sound)
        return Shown(f"{LEGEND}\n{page.text}", page.caveats)

    def _shown(self, raw: Blueprint) -> AnswerText:
        blueprint = neutralise_blueprint(raw)
        recognised = _heard(blueprint)
        if self.options.mode == "transcript":
            return AnswerText(recognised, "")
        return AnswerText(recognised, self._blueprint(blueprint, "agent", None))

    def _blueprint(self, blueprint: Blueprint, speaker: Speaker, words: str | None) -> str:
        drop = self.options.drop
        gone = (*drop, "transcript") if words and self.options.rendering != "paper" else drop
        text = rendered(blueprint, self.options.rendering, gone, speaker)
        if isinstance(blueprint.transcript, Absent) and "transcript" not in drop and not words:
            text += "\n" + _heard(blueprint)
        return text

    def questions(
        self, case: Case, prepared: ShownPair, orders: Sequence[Order]
    ) -> Iterator[Question]:
        """One question per order."""
        return (Question(self.messages(prepared, order), order) for order in orders)

    def caveats(self, case: Case, prepared: ShownPair) -> list[str]:
        """What was left out of conversations."""
        return list(prepared.caveats)

    def if_cut(self, case: Case) -> str:
        """How long the prompt is, and how long it would be in the shorter forms."""
        options = self.options
        shorter: dict[str, JudgeOptions] = {}
        if options.mode == "blueprint":
            if options.rendering == "paper":
                shorter["-J rendering=compact"] = replace(options, rendering="compact")
            if options.rendering != "brief":
                shorter["-J rendering=brief"] = replace(options, rendering="brief")
            shorter["-J mode=transcript"] = replace(options, mode="transcript", drop=())
        lines = [
            f"{name} has about {_tokens(PairTextView(o), case)}" for name, o in shorter.items()
        ]
        now = _tokens(self, case)
        return f" (the prompt has about {now} tokens{''.join(f'; {text}' for text in lines)})"

    def messages(self, shown: ShownPair, order: Order) -> tuple[Message, ...]:
        """The prompt of one call; in order ``ba`` the pair's B is shown as answer 1.

        One message where one reasoning is asked for: that is how TRACE's released code asks.
        """
        answers = (shown.a, shown.b) if order == "ab" else (shown.b, shown.a)
        # The same in both orders, so that a server's prefix cache holds up to the first answer.
        tag = fence_tag(_texts(shown.instruction, shown.a, shown.b))
        pair = self._render(
            "pair",
            instruction=shown.instruction,
            answers=answers,
            notes=shown.notes.lines(order),
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


def _tokens(view: PairTextView, case: Case) -> int:
    return typical_tokens(view.messages(view.prepare(case), "ab"))


def _answer_text(shown: Shown) -> AnswerText:
    return AnswerText(shown.text, shown.text)


def _heard(blueprint: Blueprint) -> str:
    recognised = blueprint.transcript
    if isinstance(recognised, Transcript):
        return f'transcript ({recognised.language}): "{recognised.text}"'
    return f"no transcript ({recognised.status}): {recognised.reason}"


def _texts(instruction: InstructionText, *shown: AnswerText) -> Iterable[str]:
    yield instruction.text or ""
    yield instruction.blueprint or ""
    for clip in shown:
        yield clip.transcript
        yield clip.blueprint
