"""The two parts of a chat model's judge beside its client: a view and an answer form.

The *view* is what a prompt shows of a case (words, blueprints, sound, examples) and
asks about it. The *form* is the shape of replies, their reading, and how they become
one outcome.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import JsonValue

from extractors import AudioError
from trace_eval.data.items import Item
from trace_eval.data.outcome import Order, Outcome, Reason
from trace_eval.judges.ask.calls import Call, CallOutcome
from trace_eval.judges.ask.message import Message
from trace_eval.judges.base import Case, Modality
from trace_eval.judges.options.judge_options import JudgeOptions

T = TypeVar("T")


@dataclass(frozen=True)
class Question:
    """The question about a case in one order; every sample of it is a call.

    ``part`` names it in a rubric of several; ``turns`` are those of a conversation that
    it is about, and empty for the whole answer.
    """

    messages: tuple[Message, ...]
    order: Order = "ab"
    part: str | None = None
    turns: tuple[int, ...] = ()


@dataclass(frozen=True)
class AnsweredQuestion(Generic[T]):
    """A question, its call and the outcome; ``sent``: the sound in the call, if any."""

    question: Question
    call: Call
    sent: dict[str, JsonValue] | None
    outcome: CallOutcome[T]

    @property
    def record(self) -> dict[str, Any]:
        """The fields that every opinion has of its call."""
        outcome, seed = self.outcome, self.outcome.seed
        names = ("reason", "detail", "raw", "repaired", "cached", "seconds", "usage")
        return {
            "sample": self.call.sample,
            "seed": self.call.request.sampling.get("seed") if seed is None else seed,
            "sent": self.sent,
            **{name: getattr(outcome, name) for name in names},
        }

    @property
    def pair_record(self) -> dict[str, Any]:
        """Return the record of an opinion on a pair."""
        return {"order": self.call.order, "part": self.question.part, **self.record}


@dataclass(frozen=True)
class Replies(Generic[T]):
    """All replies about one item, in the order of the opinions.

    ``caveats`` are about what was shown; ``cropped``: it ends before the recording
    does.
    """

    item: Item
    judge: str
    questions: Sequence[AnsweredQuestion[T]]
    caveats: list[str]
    cropped: bool = False


class AnswerForm(ABC, Generic[T]):
    """The form of replies: their schema, and how they become an outcome."""

    rubric: Any  # as :attr:`trace_eval.judges.base.Judge.rubric`
    schema: Mapping[str, JsonValue]

    @abstractmethod
    def read(self, text: str) -> T:
        """Read a reply's answer in the order shown; raises ReplyError without one."""

    @abstractmethod
    def outcome(self, replies: Replies[T]) -> Outcome:
        """Return the outcome of all replies about an item."""

    def opinion(self, answered: AnsweredQuestion[T]) -> Any:
        """Return the opinion on a pair in a reply; None if it is on one answer."""
        return None

    def of_nothing(self, item: Item, judge: str, reason: Reason) -> Outcome | None:
        """Return the outcome of an empty or silent answer; None to send it anyway."""
        return None

    def parameters(self) -> dict[str, JsonValue]:
        """Return the parameters of the rubric that decide outcomes."""
        return {}


class View(ABC):
    """The material of a case that a prompt shows, and the question about it.

    ``uses``, ``reads`` and ``takes_conversations`` are as those of a judge.
    """

    options: JudgeOptions  # the user's, completed by the view
    uses: frozenset[str]
    reads: frozenset[Modality] = frozenset({"blueprint"})
    takes_conversations: bool = False
    sha256: str  # identity of all texts that are sent with every item
    static_messages: Sequence[Message]  # sent with every item

    @abstractmethod
    def roles(self, item: Item) -> list[str]:
        """Return the recordings of an item whose blueprints are needed."""

    def missing_evidence(self, case: Case) -> str | None:
        """Say why a case cannot be shown; None: it can."""
        return None

    def prepare(self, case: Case) -> Any:
        """Prepare a case's material before anything is sent, outside of the event loop.

        Raises:
            AudioError: a recording cannot be decoded, or a model would not hear it as
                it is.
        """
        return None

    def reason_of(self, error: AudioError) -> Reason:
        """Say why a case with such a recording is not shown."""
        return Reason.SILENT if getattr(error, "silent", False) else Reason.CLIP_FAILED

    def example_of(self, case: Case, prepared: Any) -> str | None:
        """Say why the case is one of the solved examples; None: it is not."""
        return None

    def nothing_in(self, case: Case, prepared: Any) -> Reason | None:
        """Say why there is nothing to judge: silence or no words; None if there is."""
        return None

    @abstractmethod
    def questions(
        self, case: Case, prepared: Any, orders: Sequence[Order]
    ) -> Iterator[Question]:
        """Yield the questions about a case, in the order of its opinions."""

    @abstractmethod
    def repair(
        self, messages: tuple[Message, ...], reply: str | None, problem: str
    ) -> tuple[Message, ...]:
        """Return the messages of the second chance."""

    def caveats(self, case: Case, prepared: Any) -> list[str]:
        """Return caveats about the shown material, for readers of the outcome."""
        return []

    def cropped(self, case: Case, prepared: Any) -> bool:
        """Tell whether the material ends before the recording does."""
        return False

    def if_cut(self, case: Case) -> str:
        """Return the remedy where a server read less than was sent."""
        return ""

    def parameters(self) -> dict[str, JsonValue]:
        """Return the material shown with every case, identified by its content."""
        return {}

    def observed(self) -> dict[str, JsonValue]:
        """Return doubts about the material, which decide nothing."""
        return {}
