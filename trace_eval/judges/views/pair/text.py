"""The prompt of a text judge of pairs: a static part first, then words and blueprints.

This is TRACE's second stage (Textual Reasoning over Audio Cues for Evaluation). A pair
is rendered once for both orders and all samples. Labels, system names, references and
file names are not shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import trace_eval.judges.beside.text as beside
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
from trace_eval.data.items import Item
from trace_eval.data.outcome import Order
from trace_eval.data.rubrics.load import template_of
from trace_eval.judges.ask.message import Message, typical_tokens
from trace_eval.judges.ask.view import Question, View
from trace_eval.judges.base import Case
from trace_eval.judges.options.groups import (
    PairwiseOptions,
    RenderingName,
    TextOptions,
    names_of,
)
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.rules.measures import measures_asked, names_unseen_text
from trace_eval.judges.views.text.conversation import LEGEND, show_conversation
from trace_eval.judges.views.text.fencing import (
    SHORT_TAG_LENGTH,
    TAG_LENGTH,
    fence,
    fence_tag,
    neutralise,
    neutralise_blueprint,
    second_chance,
)
from trace_eval.judges.views.text.notes import aloud_line, notes_of, written_request
from trace_eval.judges.views.text.templates import BlockTemplates

PACK = template_of("trace")

#: The same where one reasoning stands for all dimensions, as TRACE's released code
#: asks.
FLAT_PACK = PACK.with_name("trace_flat.j2")

#: Blocks that a template may define.
BLOCKS = ("system", "pair", "repair")

#: Absences that are facts about the answer; the others are facts about our tools.
_ABOUT_THE_CLIP = frozenset({Status.SILENT, Status.NO_SPEECH, Status.TOO_SHORT})


def technical_absence(transcript: Transcript | Absent) -> Absent | None:
    """Return a transcript's absence whose reason says nothing about the clip."""
    if isinstance(transcript, Absent) and transcript.status not in _ABOUT_THE_CLIP:
        return transcript
    return None


def legend_of(options: JudgeOptions) -> str:
    """Explain the marks of printed blueprints; TRACE's JSON needs no explanation."""
    if options.rendering == "paper":
        return ""
    if options.rendering == "brief":
        return brief_legend(options.drop)
    return compact_legend(options.drop)


def rendered(
    blueprint: Blueprint,
    rendering: RenderingName,
    drop: Sequence[str],
    speaker: Speaker = "agent",
) -> str:
    """Print a blueprint as in a prompt."""
    if rendering == "paper":
        keys = render_paper(blueprint, speaker=speaker, drop=drop)
        return json.dumps(keys, indent=2, ensure_ascii=False, allow_nan=False)
    if rendering == "brief":
        return render_brief(blueprint, drop=drop)
    return render_compact(blueprint, drop=drop)


#: What a template may use of a clip: ``blueprint``, and ``transcript`` or (of the
#: instruction) ``text``.
ClipText = Mapping[str, str | None]


@dataclass(frozen=True)
class ShownPair:
    """A case as the judge may see it.

    Attributes:
        beside: how far the answers are apart, by order.
    """

    instruction: ClipText
    a: ClipText
    b: ClipText
    notes: Mapping[Order, Sequence[str]] = field(default_factory=dict)
    beside: Mapping[Order, str] = field(default_factory=dict)
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
        self._about_steps = ""
        if self._shows_steps():
            self._about_steps = beside.legend(options.rendering == "brief")
        self.system = Message("system", self._render("system"))
        self.static_messages = (self.system,)
        printed = [self._legend]
        if self._about_steps:
            printed.append(self._about_steps)
        self.sha256 = self._templates.sha256(*printed)

    def _shows_steps(self) -> bool:
        """Tell whether the answers' differences are counted in steps beside them."""
        options = self.options
        if options.beside != "steps" or self._flat:
            return False
        return options.mode == "blueprint" and options.rendering != "paper"

    def _render(self, block: str, **variables: object) -> str:
        options = self.options
        shared: dict[str, object] = {
            "mode": options.mode,
            "rendering": options.rendering,
            "elicitation": options.elicitation,
            "legend": self._legend,
            "steps": self._about_steps,
        }
        return self._templates.render(block, {**shared, **variables})

    def roles(self, item: Item) -> list[str]:
        """Return both answers, and an instruction whose blueprint is of use.

        In mode ``transcript`` that is one whose words are not written.
        """
        if self.options.mode == "transcript" and item.instruction.text:
            return item.answer_roles
        return [*item.answer_roles, "instruction"]

    def missing_evidence(self, case: Case) -> str | None:
        """Say why the case cannot be judged.

        That is an absence of words which says nothing about the answer.
        """
        if "transcript" in self.options.drop:
            return None
        for side, blueprint in case.answers.items():
            if side not in ("a", "b"):  # a turn; the others say what it was about
                continue
            if absent := technical_absence(blueprint.transcript):
                why = unmeasured("transcript", absent, why=True)
                return f"answer {side.upper()} has no transcript: it {why}"
        if case.pair.instruction.has_audio and case.instruction_text is None:
            transcript = case.instruction.transcript if case.instruction else None
            if transcript is None or technical_absence(transcript):
                return "the instruction is spoken, and there is no transcript of it"
        return None

    def prepare(self, case: Case) -> ShownPair:
        instruction = self._instruction(case)
        if case.pair.has_conversations:
            return self._conversations(case, instruction)
        notes = {} if "transcript" in self.options.drop else notes_of(case)
        return ShownPair(
            instruction=instruction,
            a=self._with_directions(self._shown(case.a), case, case.a),
            b=self._with_directions(self._shown(case.b), case, case.b),
            notes=notes,
            beside=self._beside(case),
        )

    def _instruction(self, case: Case) -> ClipText:
        request = case.instruction_text
        if self._flat and case.spoken_instruction:
            request = case.spoken_instruction
        text = neutralise(request or "") or None
        spoken = None
        if case.instruction and self.options.mode == "blueprint":
            # The words are shown above it already, exactly as written or as heard.
            blueprint = neutralise_blueprint(case.instruction)
            spoken = self._blueprint(blueprint, "user", text)
        return {"text": text, "blueprint": spoken}

    def _conversations(self, case: Case, instruction: ClipText) -> ShownPair:
        """Show a pair where a side is a conversation; both share the budget."""
        sides: list[ClipText] = []
        caveats: list[str] = []
        budget = self.options.context_budget // 2
        with_blueprints = self.options.mode == "blueprint"
        for side, answer in case.pair.sides.items():
            if answer.conversation is None:  # a clip beside a conversation
                shown = self._shown(case.blueprints[side])
                text = shown["blueprint"] or shown["transcript"]
            else:
                turns = turn_blueprints(side, case.blueprints)
                page = show_conversation(
                    answer.conversation, turns, budget, with_blueprints
                )
                text = f"{LEGEND}\n{page.text}"
                caveats += page.caveats
            sides.append({"transcript": text, "blueprint": text})
        a, b = sides
        return ShownPair(instruction, a, b, caveats=tuple(dict.fromkeys(caveats)))

    def _beside(self, case: Case) -> dict[Order, str]:
        """Describe how far the answers are apart, in both orders."""
        if not self._about_steps:
            return {}
        request = case.instruction_text or ""
        block = partial(
            beside.block,
            first=measures_asked(request),
            drop=self.options.drop,
            brief=self.options.rendering == "brief",
            unseen=names_unseen_text(request),
        )
        return {"ab": block(case.a, case.b), "ba": block(case.b, case.a)}

    def _with_directions(self, shown: ClipText, case: Case, raw: Blueprint) -> ClipText:
        """Add the line on directions read aloud, but not to TRACE's own rendering."""
        if self.options.rendering == "paper" or "transcript" in self.options.drop:
            return shown
        line = aloud_line(written_request(case), raw)
        if line is None:
            return shown
        return {name: text and f"{text}\n{line}" for name, text in shown.items()}

    def _shown(self, raw: Blueprint) -> ClipText:
        blueprint = neutralise_blueprint(raw)
        is_text = self.options.mode == "transcript"
        printed = "" if is_text else self._blueprint(blueprint, "agent", None)
        return {"transcript": _transcript(blueprint), "blueprint": printed}

    def _blueprint(
        self, blueprint: Blueprint, speaker: Speaker, words: str | None
    ) -> str:
        """Print a blueprint, without the ``words`` that already stand above it."""
        options = self.options
        drop: Sequence[str] = options.drop
        if words and options.rendering != "paper":
            drop = (*drop, "transcript")
        text = rendered(blueprint, options.rendering, drop, speaker)
        shows_words = "transcript" not in options.drop and not words
        if shows_words and isinstance(blueprint.transcript, Absent):
            text += "\n" + _transcript(blueprint)
        return text

    def questions(
        self, case: Case, prepared: ShownPair, orders: Sequence[Order]
    ) -> Iterator[Question]:
        return (Question(self.messages(prepared, order), order) for order in orders)

    def caveats(self, case: Case, prepared: ShownPair) -> list[str]:
        return list(prepared.caveats)

    def if_cut(self, case: Case) -> str:
        """Return how long the prompt is, and how long it would be in shorter forms."""
        options = self.options
        shorter: dict[str, JudgeOptions] = {}
        if options.mode == "blueprint":
            if options.rendering == "paper":
                shorter["-J rendering=compact"] = replace(options, rendering="compact")
            if options.rendering != "brief":
                shorter["-J rendering=brief"] = replace(options, rendering="brief")
            shorter["-J mode=transcript"] = replace(options, mode="transcript", drop=())
        lengths = [f" (the prompt has about {_tokens(self, case)} tokens"]
        for name, changed in shorter.items():
            tokens = _tokens(PairTextView(changed), case)
            lengths.append(f"{name} has about {tokens}")
        return "; ".join(lengths) + ")"

    def messages(self, shown: ShownPair, order: Order) -> tuple[Message, ...]:
        """Write the prompt of one call; in order ``ba`` the pair's B is answer 1.

        One message where one reasoning is asked for: that is how TRACE's released code
        asks.
        """
        answers = (shown.a, shown.b) if order == "ab" else (shown.b, shown.a)
        pair = self._render(
            "pair",
            instruction=shown.instruction,
            answers=answers,
            notes=shown.notes.get(order, ()),
            beside=shown.beside.get(order, ""),
            fence=partial(fence, self._tag(shown)),
        )
        if self._flat:
            blocks = filter(None, (self.system.text, pair))
            return (Message("system", "\n\n".join(blocks)),)
        return self.system, Message("user", pair)

    def _tag(self, shown: ShownPair) -> str:
        # The same in both orders, so that a server's prefix cache holds up to the first
        # answer.
        clips = (shown.instruction, shown.a, shown.b)
        texts = [text or "" for clip in clips for text in clip.values()]
        options = self.options
        is_short = options.mode == "blueprint" and options.rendering != "paper"
        return fence_tag(texts, SHORT_TAG_LENGTH if is_short else TAG_LENGTH)

    def repair(
        self, messages: tuple[Message, ...], reply: str | None, problem: str
    ) -> tuple[Message, ...]:
        again = self._render("repair", problem=neutralise(problem).rstrip("."))
        return second_chance(messages, reply, again)


def _tokens(view: PairTextView, case: Case) -> int:
    return typical_tokens(view.messages(view.prepare(case), "ab"))


def _transcript(blueprint: Blueprint) -> str:
    transcript = blueprint.transcript
    if isinstance(transcript, Transcript):
        return f'transcript ({transcript.language}): "{transcript.text}"'
    return f"no transcript ({transcript.status}): {transcript.reason}"
