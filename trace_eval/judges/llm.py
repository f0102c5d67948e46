"""The judge over a chat model: a case is refused, prepared, asked about and reconciled, once.

Subclasses say what of an answer is shown (its words, blueprint or sound), which questions are
asked about it, and how opinions become an outcome; the steps and their order are here.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import JsonValue

from extractors import AudioError
from trace_eval.data import Order, Outcome, Reason
from trace_eval.judges.base import Case
from trace_eval.judges.chat import Call, CallOutcome, ChatJudge, Message, sent_record

T = TypeVar("T")


@dataclass(frozen=True)
class Question:
    """What a case is asked in one order; every sample of it is a call.

    Attributes:
        messages, schema: of the request.
        order: in which the answers are shown.
        part: of a rubric that asks several questions.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, JsonValue]
    order: Order = "ab"
    part: str | None = None


@dataclass(frozen=True)
class Asked(Generic[T]):
    """A question, its call, and what became of it.

    Attributes:
        sent: what is heard in the call; None: nothing.
    """

    question: Question
    call: Call
    sent: dict[str, JsonValue] | None
    outcome: CallOutcome[T]

    @property
    def record(self) -> dict[str, Any]:
        """What every opinion says of its call."""
        seed = self.outcome.seed
        return {
            "sample": self.call.sample,
            "seed": self.call.request.sent_seed if seed is None else seed,
            "sent": self.sent,
            **self.outcome.record(),
        }

    @property
    def pair_record(self) -> dict[str, Any]:
        """What every opinion on a pair says of its call."""
        return {"order": self.call.order, "part": self.question.part, **self.record}


class LLMJudge(ChatJudge[T]):
    """A judge over a chat model. One instance serves a whole run, concurrently."""

    # --- what differs --------------------------------------------------------------------

    def prepare(self, case: Case) -> Any:
        """What is known of a case's sound before anything is asked; None: none is needed.

        Raises:
            AudioError: a recording cannot be decoded, or a model would not hear it as it is.
        """
        return None

    def not_asked(self, case: Case, prepared: Any) -> Outcome | None:
        """The outcome of a case about which nobody is asked: it is an example, or silent."""
        return None

    @abstractmethod
    def questions(self, case: Case, prepared: Any) -> Iterable[Question]:
        """What is asked about a case, in the order of its opinions."""

    @abstractmethod
    def outcome(self, case: Case, prepared: Any, asked: Sequence[Asked[T]]) -> Outcome:
        """What the answered questions come to."""

    # --- what is the same ----------------------------------------------------------------

    def calls(self, case: Case) -> list[Call]:
        """Every question that this case needs, in the order of its opinions; maybe none."""
        prepared = self.prepare(case)
        if self.not_asked(case, prepared):
            return []
        return [call for _, call in self._calls(case, prepared)]

    async def judge(self, case: Case) -> Outcome:
        """Judge one case; nothing is sent where something is missing, or there is no need."""
        if lacking := self.lacking(case):
            return self.unscored(case.item, Reason.EVIDENCE_MISSING, lacking)
        try:
            prepared = await self._prepared(case)
        except AudioError as error:
            return self.unscored(case.item, reason_of(error), str(error))
        if found := self.not_asked(case, prepared):
            return found
        asked = self._calls(case, prepared)
        calls = [call for _, call in asked]
        ask = self.answers_together if self.options.choices else self.answers
        outcomes = await ask(calls)
        sent = {id(question): sent_record(question.messages) for question, _ in asked}
        answered = [
            Asked(question, call, sent[id(question)], outcome)
            for (question, call), outcome in zip(asked, outcomes, strict=True)
        ]
        return self.outcome(case, prepared, answered)

    async def _prepared(self, case: Case) -> Any:
        """Decoding is done beside the event loop."""
        if "audio" in self.reads:
            return await asyncio.to_thread(self.prepare, case)
        return self.prepare(case)

    def _calls(self, case: Case, prepared: Any) -> list[tuple[Question, Call]]:
        return [
            (question, self._call(case, question, sample))
            for question in self.questions(case, prepared)
            for sample in range(self.options.samples)
        ]

    def _call(self, case: Case, question: Question, sample: int) -> Call:
        messages, schema = question.messages, question.schema
        return self.call(case.item.id, question.order, sample, messages, schema)


def reason_of(error: AudioError) -> Reason:
    """Why a recording was not sent."""
    return Reason.SILENT if getattr(error, "silent", False) else Reason.CLIP_FAILED
