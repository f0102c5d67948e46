"""The two parts of a judge over a chat model beside its client: a view and an answer form.

The *view* is what is shown of a case (words, blueprints, sound, examples) and in which words it is
asked about. The *form* is what the rubric makes of replies: their shape, how they are read, and how
samples and orders become one outcome.
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

    Attributes:
        messages: of the request.
        order: in which the answers are shown.
        part: of a rubric that asks several questions.
        turns: of a conversation that it is about; empty: the whole answer.
    """

    messages: tuple[Message, ...]
    order: Order = "ab"
    part: str | None = None
    turns: tuple[int, ...] = ()


@dataclass(frozen=True)
class AskedQuestion(Generic[T]):
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


@dataclass(frozen=True)
class Replies(Generic[T]):
    """All that came back about one item.

    Attributes:
        item, judge: what was judged, and the spec of who was asked.
        orders: in which it was shown.
        asked: every call, in the order of its opinions.
        caveats: what a reader must know of what was shown.
        cropped: what was shown ends before the recording does.
    """

    item: Item
    judge: str
    orders: tuple[Order, ...]
    asked: Sequence[AskedQuestion[T]]
    caveats: list[str]
    cropped: bool = False


class AnswerForm(ABC, Generic[T]):
    """How a rubric reads replies.

    Attributes:
        rubric: what outcomes are by; see :class:`~trace_eval.judges.base.Judge`.
        schema: JSON schema of a reply.
    """

    rubric: Any
    schema: Mapping[str, JsonValue]

    @abstractmethod
    def read(self, text: str) -> T:
        """A reply -> what it says, in the order shown.

        Raises:
            ReplyError: it says nothing that can be used.
        """

    @abstractmethod
    def outcome(self, replies: Replies[T]) -> Outcome:
        """What all replies about an item come to."""

    def of_nothing(self, item: Item, judge: str, reason: Reason) -> Outcome | None:
        """The outcome of an answer with nothing in it; None: it is asked about all the same."""
        return None

    def parameters(self) -> dict[str, JsonValue]:
        """What of the rubric decides the outcomes."""
        return {}


class View(ABC):
    """The material of a case that a prompt shows, and the question about it.

    Attributes:
        options: the user's, with what the view settles by itself.
        uses: fields of ``JudgeOptions`` that mean something to it.
        reads: what it is made from; audio is decoded on demand, blueprints are extracted.
        takes_conversations: whether an answer may be a conversation of many turns.
        sha256: identity of all texts that are sent with every item.
        static_messages: what is sent with every item, to size the context it needs.
    """

    options: JudgeOptions
    uses: frozenset[str]
    reads: frozenset[Modality] = frozenset({"blueprint"})
    takes_conversations: bool = False
    sha256: str
    static_messages: Sequence[Message]

    @abstractmethod
    def roles(self, item: Item) -> list[str]:
        """The recordings of an item whose blueprints are needed."""

    def missing_evidence(self, case: Case) -> str | None:
        """Why a case cannot be shown; None: it can."""
        return None

    def prepare(self, case: Case) -> Any:
        """What is known of a case before anything is asked, made beside the event loop.

        Raises:
            AudioError: a recording cannot be decoded, or a model would not hear it as it is.
        """
        return None

    def reason_of(self, error: AudioError) -> Reason:
        """Why a case with such a recording is not shown."""
        return Reason.SILENT if getattr(error, "silent", False) else Reason.CLIP_FAILED

    def example_of(self, case: Case, prepared: Any) -> str | None:
        """That the judge was shown this very case with its solution; None: it was not."""
        return None

    def nothing_in(self, case: Case, prepared: Any) -> Reason | None:
        """Why there is nothing to judge: nobody can be heard, or there are no words."""
        return None

    @abstractmethod
    def questions(self, case: Case, prepared: Any, orders: Sequence[Order]) -> Iterator[Question]:
        """The questions about a case, in the order of its opinions."""

    @abstractmethod
    def repair(
        self, messages: tuple[Message, ...], reply: str | None, problem: str
    ) -> tuple[Message, ...]:
        """The messages of the second chance."""

    def caveats(self, case: Case, prepared: Any) -> list[str]:
        """Caveats about the material that was shown, for readers of the outcome."""
        return []

    def cropped(self, case: Case, prepared: Any) -> bool:
        """True where what is shown ends before the recording does."""
        return False

    def if_cut(self, case: Case) -> str:
        """What to do where a server read less than was sent."""
        return ""

    def parameters(self) -> dict[str, JsonValue]:
        """The material shown with every case, identified by its content."""
        return {}

    def observed(self) -> dict[str, JsonValue]:
        """What is doubtful about it and decides nothing."""
        return {}
