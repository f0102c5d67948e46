"""The rating judge: a chat model gives one answer a score on a rubric's scale.

It shows the model one answer, several times where asked, reads a score from every reply, and
keeps their distribution. How the answer is shown (words, blueprint, sound) is its
:class:`~trace_eval.judges.views.base.AnswerView`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pydantic import JsonValue

from trace_eval.data import Outcome, Pair, Reason, ScoreOpinion, Single
from trace_eval.judges import Asked, LLMJudge, Question, check_heard
from trace_eval.judges.base import Case
from trace_eval.judges.chat import Call, ChatClient, Message, Price
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
from trace_eval.judges.views import (
    NO_POLICY,
    AnswerView,
    BlueprintView,
    ConversationView,
    TranscriptView,
)
from trace_eval.rubrics import ScoreRubric

#: Turns of the agent that are asked about in one call; every call shows the whole conversation.
WINDOW = 40

#: Tokens that a reply about so many turns may have.
_TURNS_TOKENS = 4096

_MISSING = "the reply rates this turn not once"


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
        self.evidence = evidence or view_of(rubric, options)
        self.prompts = RatingPrompt(rubric, self.evidence, options.show)
        self._schema = reply_schema(rubric)
        most = RATING_TOKENS if rubric.unit == "answer" else _TURNS_TOKENS
        bounded = options if options.max_tokens else replace(options, max_tokens=most)
        super().__init__(spec, client, bounded, price)
        self.reads = self.evidence.reads  # type: ignore[misc] # follows what is shown

    @property
    def takes_conversations(self) -> bool:  # type: ignore[override]
        """Views of sound take the turns as a dialogue; one text is no conversation."""
        return not isinstance(self.evidence, TranscriptView)

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
        """One question; where turns are rated, one for so many of them."""
        if self.rubric.unit == "answer":
            yield Question(self.prompts.messages(case), self._schema)
            return
        for turns in self._windows(case):
            yield Question(self.prompts.messages(case, turns), self._schema, part=_part(turns))

    def _windows(self, case: Case) -> list[list[int]]:
        """The agent's turns, so many at once as are asked about in one call."""
        assert isinstance(self.evidence, ConversationView)
        turns = self.evidence.agent_turns(case)
        return [turns[n : n + WINDOW] for n in range(0, len(turns), WINDOW)]

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
        caveats = self.evidence.caveats(case)
        if self.rubric.unit == "turn":
            opinions = [one for each in asked for one in self._of_turns(case, each)]
        else:
            unknown = {"policy"} if any(c.startswith(NO_POLICY) for c in caveats) else set()
            opinions = [_opinion(each, self.rubric, unknown) for each in asked]
            stated = [each.outcome.value.score if each.outcome.value else None for each in asked]
            pairs = zip(opinions, stated, strict=True)
            if self.rubric.overall and any(one.score != total for one, total in pairs):
                caveats.append("total_differs: a reply's own total is not what its elements say")
        if not opinions:
            return self.unscored(case.single, Reason.EMPTY_CANDIDATE, "no turn of the agent")
        more: dict[str, Any] = {
            "caveats": caveats,
            "cropped": self.evidence.cropped(case),
        }
        return score_of(
            case.single, self.rubric, self.spec, opinions, self.options.min_samples, **more
        )

    def _of_turns(self, case: Case, asked: Asked[ScoreReply]) -> Iterator[ScoreOpinion]:
        """An opinion for every turn that was asked about; the first one has the usage."""
        reply = asked.outcome.value
        record = asked.record
        window = next(w for w in self._windows(case) if asked.question.part == _part(w))
        for place, number in enumerate(window):
            said = reply.turns.get(number) if reply else None
            if place:
                record = {**record, "usage": None, "raw": None, "seconds": None}
            told = {} if said or not reply else {"reason": Reason.UNPARSEABLE, "detail": _MISSING}
            yield ScoreOpinion(
                choice=asked.outcome.choice,
                turn=number,
                score=said.score if said else None,
                reasoning=said.reasoning if said else "",
                **{**record, **told},
            )


def view_of(rubric: ScoreRubric, options: JudgeOptions) -> AnswerView:
    """How a judge that reads is shown what a rubric is about."""
    if rubric.of_conversations:
        return ConversationView(rubric, options)
    return BlueprintView(options) if rubric.needs_audio else TranscriptView()


def _part(turns: Sequence[int]) -> str:
    return f"turns {turns[0]}-{turns[-1]}"


def _opinion(
    asked: Asked[ScoreReply], rubric: ScoreRubric, unknown: Collection[str] = ()
) -> ScoreOpinion:
    """What a reply says; the score follows from the elements where the rubric says so."""
    reply = asked.outcome.value
    given = reply.elements if reply else {}
    elements = {name: None if name in unknown else value for name, value in given.items()}
    total = rubric.total(elements)
    stated = reply.score if reply else None
    return ScoreOpinion(
        choice=asked.outcome.choice,
        score=stated if total is None else rubric.numbers.parse(total),
        elements=elements,
        reasoning=reply.reasoning if reply else "",
        **asked.record,
    )
