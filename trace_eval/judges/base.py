"""What every judge is: a base class with defaults, and what it is given."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from pydantic import JsonValue

from blueprints import Blueprint, Transcript, UserError
from fusion import TRACE
from fusion.rubric import ItemKind
from trace_eval.data.items import Single
from trace_eval.data.judgement import Judgement
from trace_eval.data.outcome import Reason
from trace_eval.data.pairs import Pair, Recording
from trace_eval.data.scores import Score
from trace_eval.rubrics import ScoreRubric

if TYPE_CHECKING:
    from extractors.audio import Clip
    from trace_eval.judges.chat.judge import ChatJudge

Evidence = Literal["blueprint", "audio"]


class Activity(NamedTuple):
    """What a judge is doing just now.

    Attributes:
        calls: in flight; None: it makes none.
        cost_usd: spent so far, with what may have been charged; None: no price is known.
    """

    calls: int | None = None
    cost_usd: float | None = None


def _no_audio(recording: Recording) -> Clip:
    raise LookupError(f"{recording.source_id}: this case was made without its recordings")


@dataclass(frozen=True)
class Case:
    """What a judge is given: the pair and the blueprints of its clips.

    A judge must not look at ``pair.labels``, nor at the systems' names.

    Attributes:
        pair: what is judged.
        a, b: blueprints of the answers.
        instruction: blueprint of a spoken instruction.
        decode: the samples of one of the pair's recordings, made when they are asked for.
    """

    pair: Pair
    a: Blueprint
    b: Blueprint
    instruction: Blueprint | None = None
    decode: Callable[[Recording], Clip] = field(default=_no_audio, repr=False, compare=False)

    @property
    def instruction_text(self) -> str | None:
        """The written instruction, else what the recogniser heard of the spoken one."""
        if self.pair.instruction.text:
            return self.pair.instruction.text
        if self.instruction and isinstance(self.instruction.transcript, Transcript):
            return self.instruction.transcript.text or None
        return None


class JudgeUnreachable(UserError):
    """Nobody answers for the judge any more: the session ends, and what is finished stays."""


@dataclass(frozen=True)
class SingleCase:
    """What a rater is given: one answer and the blueprints of its recordings.

    A rater must not look at ``item.labels``, nor at the system's name.

    Attributes:
        item: what is rated.
        blueprints: role of :meth:`Single.recordings` -> blueprint, for those that were wanted.
        decode: as of :class:`Case`.
    """

    item: Single
    blueprints: Mapping[str, Blueprint] = field(default_factory=dict)
    decode: Callable[[Recording], Clip] = field(default=_no_audio, repr=False, compare=False)

    @property
    def instruction_text(self) -> str | None:
        """The written instruction, else what the recogniser made of the spoken one."""
        if self.item.instruction.text:
            return self.item.instruction.text
        spoken = self.blueprints.get("instruction")
        if spoken and isinstance(spoken.transcript, Transcript):
            return spoken.transcript.text or None
        return None

    @property
    def answers(self) -> dict[str, Blueprint]:
        """The blueprints of the answer: one, or one per turn."""
        return {role: b for role, b in self.blueprints.items() if role != "instruction"}


AnyCase = Case | SingleCase


class Judge(ABC):
    """Turns a case into a judgement. One instance serves a whole run, concurrently.

    A judge of one's own needs ``spec`` and :meth:`judge`; the rest has defaults.

    Attributes:
        spec: what the user typed to get it, e.g. ``rules`` or ``ollama:qwen3:8b``.
        reads: what it looks at; a judge that reads no blueprint has no extractors run for it.
        rubric: what its verdicts are, a :class:`~fusion.Rubric`; None: a yes or no about the
            pair as a whole. Raters have score rubrics, see :class:`Rater`.
        accepts: the kinds of items that it takes.
        concurrency: cases in flight.
        uses: fields of ``JudgeOptions`` that mean something to it; others that the user sets
            are refused. None: it does not say, and nothing is refused.
    """

    spec: str
    reads: ClassVar[frozenset[Evidence]] = frozenset({"blueprint"})
    rubric: Any = TRACE
    accepts: ClassVar[frozenset[ItemKind]] = frozenset({"pair"})
    uses: ClassVar[frozenset[str] | None] = None

    @property
    def concurrency(self) -> int:
        """How many cases may be in flight."""
        return 1

    @property
    def chat(self) -> ChatJudge[Any] | None:
        """The judge as one that sends messages, for estimates and batches; None: it sends none."""
        return None

    @property
    def chats(self) -> Sequence[ChatJudge[Any]]:
        """All judges behind this one that send messages."""
        return [self.chat] if self.chat else []

    def parameters(self) -> dict[str, JsonValue]:
        """What decides its output, equal for equal options; in the record, so no secrets."""
        return {}

    def observed(self) -> dict[str, JsonValue]:
        """What turned out during the run and decides nothing: prices, the server's ways."""
        return {}

    def activity(self) -> Activity:
        """What it is doing just now, for people who wait."""
        return Activity()

    def needs_instruction(self, pair: Pair) -> bool:
        """Whether the blueprint of a spoken instruction would change its prompt or verdict."""
        return True

    @abstractmethod
    async def judge(self, case: Case) -> Judgement:
        """Judge one case. Expected failures are an unscored judgement, not an exception."""

    async def close(self) -> None:  # noqa: B027 - most judges hold nothing
        """Release connections."""


class Rater(Judge):
    """Gives single answers scores on the scales of its rubrics.

    Attributes:
        rubrics: what it rates by; one record each.
    """

    accepts: ClassVar[frozenset[ItemKind]] = frozenset({"single"})
    rubrics: Sequence[ScoreRubric]

    async def judge(self, case: Case) -> Judgement:
        """Refused: it compares no pairs."""
        raise UserError(f"judge {self.spec}: rates single answers; use trace-eval rate")

    @abstractmethod
    def roles(self, item: Single) -> list[str]:
        """The recordings of an item whose blueprints it needs."""

    @abstractmethod
    async def rate(self, case: SingleCase) -> list[Score]:
        """Rate one answer by every rubric. Expected failures are unscored, no exceptions."""

    def rubric_records(self) -> dict[str, dict[str, JsonValue]]:
        """Rubric -> everything it says, for the run's record."""
        return {
            rubric.name: {**rubric.model_dump(mode="json"), "sha256": rubric.sha256}
            for rubric in self.rubrics
        }

    def unscored(self, item: Single, reason: Reason, detail: str) -> list[Score]:
        """Scores that only say why there are none."""
        return [
            Score.unscored(
                item.id,
                rubric.name,
                rubric.sha256,
                self.spec,
                reason,
                detail,
                question_id=item.question_id,
                system=item.system,
            )
            for rubric in self.rubrics
        ]


def missing_members(judge: object) -> list[str]:
    """Names that an object lacks to be a judge; see :class:`Judge`."""
    members = ["spec", *(name for name in vars(Judge) if not name.startswith("_"))]
    return [name for name in members if not hasattr(judge, name)]
