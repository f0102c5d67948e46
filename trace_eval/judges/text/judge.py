"""The text-LLM judge: TRACE's second stage (Textual Reasoning over Audio Cues for Evaluation).

It shows a model the two blueprints in one or both orders, one or more times each, reads a
rating per dimension from every reply, and reconciles them. The model never gives an
overall rating; that is the policy's work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from blueprints import Absent
from extractors import unmeasured
from trace_eval.data import Judgement, Order, Pair, Reason, VerdictOpinion
from trace_eval.judges import (
    Asked,
    LLMJudge,
    Question,
    Verdicts,
    orders_of,
    parse_reply,
    reply_schema,
    swap_back,
    typed_judgement,
)
from trace_eval.judges.base import Case
from trace_eval.judges.chat import ChatClient, Message, Price, typical_tokens
from trace_eval.judges.options import JudgeOptions
from trace_eval.judges.text.prompt import ABOUT_THE_CLIP, Evidence, PromptPack


class BlueprintJudge(LLMJudge[Verdicts]):
    """A judge of pairs by their blueprints. One instance serves a whole run, concurrently.

    Raises:
        UserError: the template cannot be used; else as :class:`ChatJudge`.
    """

    takes_conversations = True

    def __init__(
        self, spec: str, client: ChatClient, options: JudgeOptions, price: Price | None = None
    ) -> None:
        self.prompts = PromptPack(options)
        self._schema = reply_schema(options.elicitation)
        super().__init__(spec, client, options, price)

    @property
    def prompt_sha256(self) -> str:
        """Identity of the templates and of the legend they print."""
        return self.prompts.sha256

    @property
    def static_messages(self) -> Sequence[Message]:
        """The system part."""
        return (self.prompts.system,)

    def read(self, text: str) -> Verdicts:
        """A reply -> a rating per dimension, in the order shown."""
        return parse_reply(text, self.options.elicitation)

    def repair(
        self, messages: tuple[Message, ...], reply: str | None, problem: str
    ) -> tuple[Message, ...]:
        """The messages of the second chance."""
        return self.prompts.repair(messages, reply, problem)

    def needs_instruction(self, pair: Pair) -> bool:
        """In mode transcript a spoken instruction matters only where it is not written."""
        return self.options.mode == "blueprint" or not pair.instruction.text

    def orders(self, pair: str) -> tuple[Order, ...]:
        """The orders in which a pair is shown."""
        return orders_of(self.options, pair)

    def prepare(self, case: Case) -> Evidence:
        """The case as words, made harmless and rendered once for all orders."""
        return self.prompts.evidence(case)

    def questions(self, case: Case, prepared: Evidence) -> Iterator[Question]:
        """One per order."""
        for order in self.orders(case.pair.id):
            yield Question(self.prompts.messages(prepared, order), self._schema, order)

    def outcome(
        self, case: Case, prepared: Evidence, asked: Sequence[Asked[Verdicts]]
    ) -> Judgement:
        """The judgement on TRACE's three dimensions."""
        is_cut = any(each.outcome.reason is Reason.PROMPT_CUT for each in asked)
        advice = self._advice(case) if is_cut else ""
        opinions = [_opinion(each, advice) for each in asked]
        made = typed_judgement(case.pair.id, self.spec, self.orders(case.pair.id), opinions)
        made.caveats.extend(prepared.caveats)
        return made

    def _advice(self, case: Case) -> str:
        """How long the prompt is, and how long it would be in the shorter forms."""
        now = self._tokens(case, self.options)
        mode, rendering = self.options.mode, self.options.rendering
        shorter: list[tuple[str, JudgeOptions]] = []
        if mode == "blueprint" and rendering == "paper":
            shorter.append(("-J rendering=compact", replace(self.options, rendering="compact")))
        if mode == "blueprint" and rendering != "brief":
            shorter.append(("-J rendering=brief", replace(self.options, rendering="brief")))
        if mode == "blueprint":
            transcript = replace(self.options, mode="transcript", drop=())
            shorter.append(("-J mode=transcript", transcript))
        told = [f"{name} has about {self._tokens(case, o)}" for name, o in shorter]
        return f" (the prompt has about {now} tokens{''.join(f'; {text}' for text in told)})"

    def _tokens(self, case: Case, options: JudgeOptions) -> int:
        pack = PromptPack(options)
        return typical_tokens(pack.messages(pack.evidence(case), "ab"))

    def lacking(self, case: Case) -> str | None:
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
            asked = case.instruction.transcript if case.instruction else None
            if asked is None or (isinstance(asked, Absent) and asked.status not in ABOUT_THE_CLIP):
                return "the instruction is spoken, and there is no transcript of it"
        return None


def _opinion(asked: Asked[Verdicts], advice: str) -> VerdictOpinion:
    said = asked.outcome.value
    record = asked.pair_record
    if asked.outcome.reason is Reason.PROMPT_CUT:
        record["detail"] = f"{asked.outcome.detail}{advice}"
    return VerdictOpinion(
        ratings=swap_back(said.ratings, asked.call.order) if said else {},
        reasoning=said.reasoning if said else {},
        **record,
    )
