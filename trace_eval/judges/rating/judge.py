"""The rating judge: a chat model gives one answer a score on a rubric's scale.

It shows the model one answer, several times where asked, reads a score from every reply, and
keeps their distribution. How the answer is shown (words, blueprint, sound) is its
:class:`~trace_eval.judges.views.base.AnswerView`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from pydantic import JsonValue

from trace_eval.data.items import Single
from trace_eval.data.outcome import Outcome, Reason
from trace_eval.data.pairs import Pair
from trace_eval.data.scores import ScoreOpinion
from trace_eval.judges.base import Case
from trace_eval.judges.chat.base import ChatClient
from trace_eval.judges.chat.calls import Call
from trace_eval.judges.chat.message import Message
from trace_eval.judges.chat.prices import Price
from trace_eval.judges.hearing import check_heard
from trace_eval.judges.llm import Asked, LLMJudge, Question
from trace_eval.judges.options import (
    RATING_TOKENS,
    BlueprintOptions,
    ChatOptions,
    ExampleOptions,
    JudgeOptions,
    PointwiseOptions,
    SoundOptions,
    names_of,
)
from trace_eval.judges.rating.parse import ScoreReply, read_score, reply_schema
from trace_eval.judges.rating.prompt import RatingPrompt
from trace_eval.judges.rating.score import lowest_score, score_of
from trace_eval.judges.views.base import AnswerView
from trace_eval.judges.views.blueprint import BlueprintView
from trace_eval.judges.views.transcript import TranscriptView
from trace_eval.rubrics import ScoreRubric


class RatingJudge(LLMJudge[ScoreReply]):
    """A judge of single answers by one rubric. One instance serves a whole run, concurrently.

    Args:
        spec, client, options, price: as of :class:`ChatJudge`.
        rubric: what is rated, on which scale.
        evidence: how the answer is shown; None: its words where the rubric is about words,
            else its blueprints.

    Raises:
        UserError: ``show`` does not fit the rubric; else as :class:`ChatJudge`.
    """

    accepts = frozenset({"single"})
    asks_with = names_of(ChatOptions, PointwiseOptions, BlueprintOptions)

    #: Options that matter to what is heard instead of read.
    listens_with = names_of(ChatOptions, PointwiseOptions, SoundOptions, ExampleOptions)

    def __init__(
        self,
        spec: str,
        client: ChatClient,
        options: JudgeOptions,
        price: Price | None,
        rubric: ScoreRubric,
        evidence: AnswerView | None = None,
    ) -> None:
        if evidence and "audio" in evidence.reads:
            self.asks_with = self.listens_with  # type: ignore[misc]
        self.rubric = rubric
        self.evidence = evidence or (
            BlueprintView(options) if rubric.needs_audio else TranscriptView()
        )
        self.prompts = RatingPrompt(rubric, self.evidence, options.show)
        self._schema = reply_schema(rubric)
        bounded = options if options.max_tokens else replace(options, max_tokens=RATING_TOKENS)
        super().__init__(spec, client, bounded, price)
        self.reads = self.evidence.reads  # type: ignore[misc] # follows what is shown

    @property
    def uses(self) -> frozenset[str]:  # type: ignore[override]
        """Options that mean something to this judge or to its client."""
        return super().uses - (frozenset() if self.client.gives_choices else {"choices"})

    @property
    def prompt_sha256(self) -> str:
        """Identity of all texts that are sent with every item."""
        return self.prompts.sha256

    @property
    def static_messages(self) -> Sequence[Message]:
        """The system part, and the examples."""
        return self.prompts.prefix

    def parameters(self) -> dict[str, JsonValue]:
        """What decides the scores, rubric and examples included."""
        return {
            **super().parameters(),
            "rubric": self.rubric.sha256,
            **self.evidence.parameters(),
        }

    def observed(self) -> dict[str, JsonValue]:
        """What turned out; with warnings about the examples."""
        warnings: list[JsonValue] = [*self.evidence.warnings]
        return super().observed() | ({"example_warnings": warnings} if warnings else {})

    def read(self, text: str) -> ScoreReply:
        """A reply -> a score."""
        if "audio" in self.reads:
            check_heard(text)
        return read_score(text, self.rubric, plain=self.options.structure == "text")

    def repair(
        self, messages: tuple[Message, ...], reply: str | None, problem: str
    ) -> tuple[Message, ...]:
        """The messages of the second chance."""
        return self.prompts.repair(messages, reply, problem)

    def _listens_to_instruction(self, item: Single) -> bool:
        """A spoken instruction matters where it is shown and nobody wrote it down."""
        spoken = item.instruction.has_audio and not item.instruction.text
        return spoken and self.prompts.asks_for_instruction

    def _lacks_reference(self, item: Single) -> bool:
        return self.prompts.asks_for_reference and not item.has_reference

    def roles(self, item: Pair | Single) -> list[str]:
        """The recordings whose blueprints are needed; none of an item that cannot be rated."""
        assert isinstance(item, Single)
        if self._lacks_reference(item):
            return []
        asked = ["instruction"] if self._listens_to_instruction(item) else []
        return [*asked, *self.evidence.roles(item)]

    def lacking(self, case: Case) -> str | None:
        """Why nothing can be asked: our tools left something out, or the item does."""
        if self._lacks_reference(case.single):
            return (
                f"the item has no reference, which rubric {self.rubric.name} compares with; add a"
                " column reference"
            )
        if self._listens_to_instruction(case.single) and case.instruction_text is None:
            return "the instruction is spoken, and there is no transcript of it"
        return self.evidence.lacking(case)

    def not_asked(self, case: Case, prepared: None) -> Outcome | None:
        """Unscored for an example; what the rubric says where the answer is empty or silent."""
        if same := self.evidence.example_of(case):
            told = f"its recording is that of example {same!r}, whose score the judge was shown"
            return self.unscored(case.single, Reason.IS_EXAMPLE, told)
        reason = self._nothing_in(case)
        if reason is None:
            return None
        if self.rubric.silent == "unscored":
            return self.unscored(case.single, reason, "there is nothing to rate in the answer")
        return lowest_score(case.single, self.rubric, self.spec, reason)

    def questions(self, case: Case, prepared: None) -> Iterator[Question]:
        """One question."""
        yield Question(self.prompts.messages(case), self._schema)

    def requests(self, calls: Sequence[Call]) -> Iterator[Sequence[Call]]:
        """All samples in one request, where the server is asked for choices."""
        if self.options.choices and self.client.takes_choices:
            return iter([calls] if calls else [])
        return super().requests(calls)

    def _nothing_in(self, case: Case) -> Reason | None:
        """Why nobody is asked about an answer; silence is said before emptiness."""
        if self.rubric.silent == "ask":
            return None
        if self.rubric.needs_audio:
            return Reason.SILENT if self.evidence.is_silent(case) else None
        return Reason.EMPTY_CANDIDATE if self.evidence.is_empty(case) else None

    def outcome(self, case: Case, prepared: None, asked: Sequence[Asked[ScoreReply]]) -> Outcome:
        """The score of the samples."""
        opinions = [_opinion(each) for each in asked]
        more: dict[str, Any] = {
            "caveats": self.evidence.caveats(case),
            "cropped": self.evidence.cropped(case),
        }
        return score_of(
            case.single, self.rubric, self.spec, opinions, self.options.min_samples, **more
        )


def _opinion(asked: Asked[ScoreReply]) -> ScoreOpinion:
    reply = asked.outcome.value
    return ScoreOpinion(
        choice=asked.outcome.choice,
        score=reply.score if reply else None,
        elements=reply.elements if reply else {},
        reasoning=reply.reasoning if reply else "",
        **asked.record,
    )
