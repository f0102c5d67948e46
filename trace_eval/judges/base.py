"""The base class of judges with its defaults, and the cases that they judge."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from pydantic import JsonValue

from blueprints import Blueprint, ServerError, Transcript
from fusion import TRACE, ItemKind
from trace_eval.data.answers import Recording
from trace_eval.data.items import Item, Pair, Single
from trace_eval.data.judgement import Judgement
from trace_eval.data.outcome import Outcome, Reason
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.data.scores import Score

if TYPE_CHECKING:
    from extractors import Clip

Modality = Literal["blueprint", "audio"]


def listening(transcripts: str) -> frozenset[Modality]:
    """Return the modalities of a judge that hears sound and may read its words."""
    return frozenset({"audio", "blueprint"} if transcripts == "asr" else {"audio"})


class Activity(NamedTuple):
    """The activity of a judge now: calls in flight, money spent or perhaps charged."""

    calls: int | None = None  # None: it makes none
    cost_usd: float | None = None  # None: no price is available


def _no_audio(recording: Recording) -> Clip:
    raise LookupError(
        f"{recording.source_id}: this case was made without its recordings"
    )


@dataclass(frozen=True)
class Case:
    """The input of a judge: an item, and the blueprints of its recordings.

    A judge must not look at ``item.labels``, nor at the systems' names.

    Attributes:
        item: a pair, or a single answer.
        blueprints: role of ``item.recordings()`` -> blueprint, for the roles that the
            judge needs.
        decode: the samples of one of the item's recordings, on demand.
    """

    item: Item
    blueprints: Mapping[str, Blueprint] = field(default_factory=dict)
    decode: Callable[[Recording], Clip] = field(
        default=_no_audio, repr=False, compare=False
    )

    @classmethod
    def of(
        cls,
        pair: Pair,
        a: Blueprint,
        b: Blueprint,
        instruction: Blueprint | None = None,
        decode: Callable[[Recording], Clip] = _no_audio,
    ) -> Case:
        """Make the case of a pair whose answers have these blueprints."""
        spoken = {} if instruction is None else {"instruction": instruction}
        return cls(pair, {"a": a, "b": b, **spoken}, decode)

    @property
    def answers(self) -> dict[str, Blueprint]:
        """The answers' blueprints by role: ``a``, ``b``; ``answer``; one a turn."""
        roles = self.item.answer_roles
        return {
            role: self.blueprints[role] for role in roles if role in self.blueprints
        }

    @property
    def instruction(self) -> Blueprint | None:
        """The blueprint of a spoken instruction."""
        return self.blueprints.get("instruction")

    @property
    def instruction_text(self) -> str | None:
        """The written instruction, or the transcript of the spoken one."""
        return self.item.instruction.text or self.spoken_instruction

    @property
    def spoken_instruction(self) -> str | None:
        """The transcript of the spoken instruction."""
        if self.instruction and isinstance(self.instruction.transcript, Transcript):
            return self.instruction.transcript.text or None
        return None

    # For judges of one kind of item, as ``accepts`` promises.

    @property
    def pair(self) -> Pair:
        """The item, for a judge that accepts pairs."""
        assert isinstance(self.item, Pair)
        return self.item

    @property
    def single(self) -> Single:
        """The item, for a judge that accepts single answers."""
        assert isinstance(self.item, Single)
        return self.item

    @property
    def a(self) -> Blueprint:
        """The blueprint of a pair's first answer."""
        return self.blueprints["a"]

    @property
    def b(self) -> Blueprint:
        """The blueprint of a pair's second answer."""
        return self.blueprints["b"]


class JudgeUnreachable(ServerError):
    """No other call would bring an answer: the session ends, finished items stay."""


class Judge(ABC):
    """Turns a case into an outcome. One instance serves a whole run, concurrently.

    A judge of your own needs ``spec`` and :meth:`judge`; the rest has defaults. In
    Python it is used at once::

        class Longest(trace_eval.Judge):
            spec = "longest"

            async def judge(self, case):
                a, b = case.a.signal.duration_s, case.b.signal.duration_s
                rating = trace_eval.Rating.A if a > b else trace_eval.Rating.B
                verdict = trace_eval.DimensionVerdict(
                    rating=rating, reasoning=f"{a:.1f} s against {b:.1f} s"
                )
                names = ("content", "voice_quality", "paralinguistics")
                verdicts = dict.fromkeys(names, verdict)
                return trace_eval.Judgement.scored(case.pair.id, self.spec, verdicts)

        trace_eval.judge({"new": "DIR", "old": "DIR"}, judge=Longest(), out="run")

    For ``--judge longest`` an installed package offers a function that takes the text
    after the colon and a ``JudgeOptions``, as an entry point in its ``pyproject.toml``::

        [project.entry-points."trace_eval.judges"]
        longest = "my_module:create"

    Attributes:
        spec: its name on the command line, e.g. ``rules`` or ``ollama:qwen3:8b``.
        reads: its sources; no extractors run for a judge that reads no blueprint.
        groups: of a blueprint that it reads; only these are measured for it; None: all.
        rubric: a :class:`~fusion.Rubric` of pairs, or a
            :class:`~trace_eval.data.rubrics.ScoreRubric`.
        accepts: the kinds of items that it takes.
        concurrency: cases in flight.
        uses: fields of ``JudgeOptions`` that have an effect on it; others that the user
            sets are refused. None: it does not say, and nothing is refused.
        takes_conversations: whether an answer may be a conversation of many turns.
    """

    spec: str
    reads: ClassVar[frozenset[Modality]] = frozenset({"blueprint"})
    groups: ClassVar[frozenset[str] | None] = None
    rubric: Any = TRACE
    accepts: ClassVar[frozenset[ItemKind]] = frozenset({"pair"})
    uses: ClassVar[frozenset[str] | None] = None
    takes_conversations: ClassVar[bool] = False

    @property
    def concurrency(self) -> int:
        """Number of cases in flight at most."""
        return 1

    def parameters(self) -> dict[str, JsonValue]:
        """Return all that decides its output; it is recorded, so never a secret."""
        return {}

    def observed(self) -> dict[str, JsonValue]:
        """Return observations that decide nothing: prices, the server's dialect."""
        return {}

    def activity(self) -> Activity:
        """Return the current activity, for progress displays."""
        return Activity()

    def load(self) -> None:  # noqa: B027 - most judges have no model in this process
        """Load the model, so that a failure shows before any work begins.

        Raises:
            UserError: it does not load.
        """

    def needs_instruction(self, item: Item) -> bool:
        """Whether a spoken instruction's blueprint would change prompt or verdict."""
        return True

    def roles(self, item: Item) -> list[str]:
        """Name the recordings of an item whose blueprints it needs."""
        roles = list(item.answer_roles)
        if self.needs_instruction(item):
            roles.append("instruction")
        return roles

    @abstractmethod
    async def judge(self, case: Case) -> Outcome:
        """Judge one case: a judgement of a pair, a score of a single answer.

        Expected failures are an unscored outcome, not an exception.
        """

    def unscored(self, item: Item, reason: Reason, detail: str) -> Outcome:
        """Make an outcome without a verdict or score, with the reason."""
        return unscored(
            item, self.rubric, judge=self.spec, reason=reason, detail=detail
        )

    async def close(self) -> None:  # noqa: B027 - most judges hold nothing
        """Release connections."""


def refuses(judge: Judge, item: Item) -> str | None:
    """Say why a judge cannot judge an item at all; None: it can."""
    if not item.has_conversations or judge.takes_conversations:
        return None
    return (
        f"the answer is a conversation, and judge {judge.spec} takes one recording or"
        " text; use a judge that reads (rules, openai:MODEL), and of single ones a"
        " rubric of conversations"
    )


def unscored(
    item: Item, rubric: Any, judge: str, reason: Reason, detail: str
) -> Outcome:
    """Make an outcome with a reason but no verdict; see :attr:`Judge.rubric`."""
    if isinstance(item, Pair):
        judgement = Judgement.unscored(item.id, judge, reason, detail)
        return judgement.model_copy(update={"label_set": rubric.scale.label_set})
    fields = score_fields(item, rubric, judge)
    return Score(**fields, status="unscored", reason=reason, detail=detail)


def score_fields(item: Item, rubric: ScoreRubric, judge: str) -> dict[str, Any]:
    """Return the fields of a score that name the item, the rubric and the judge."""
    return {
        "item": item.id,
        "question_id": item.question_id,
        "system": item.systems[0],
        "rubric": rubric.name,
        "rubric_sha256": rubric.sha256,
        "judge": judge,
    }


async def judgement_of(judge: Judge, case: Case) -> Judgement:
    """Return the judgement of one pair."""
    outcome = await judge.judge(case)
    assert isinstance(outcome, Judgement)
    return outcome
