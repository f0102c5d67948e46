"""What is judged: a pair of answers, or a single answer with its question.

Everything between manifest and report loops over ``answers``: two of a :class:`Pair`,
one of a :class:`Single`.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AliasChoices,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from blueprints import FiniteJson, Strict, language_code
from fusion import Rating
from trace_eval.data.answers import (
    ALONE,
    IN_PAIR,
    Answer,
    Answered,
    Instruction,
    Recording,
    SystemName,
    is_none,
)
from trace_eval.data.conversation import ConversationItem
from trace_eval.data.spelling import visible

#: Labels of a plain preference, where annotators were not asked for typed ties.
PlainLabel = Literal["1", "2", "tie"]

#: Longest id, characters: every message and table shows it.
MAX_ID = 1000

#: An ISO 639-1 code, made from what a file says.
SpokenLanguage = Annotated[str, AfterValidator(language_code)]

_Id = Annotated[
    str, Field(min_length=1, max_length=MAX_ID, description="unique in its file")
]
_Language = Annotated[
    SpokenLanguage | None,
    Field(
        exclude_if=is_none,
        description="ISO 639-1 code or English name of what is spoken; then none is detected",
    ),
]


class Labels(Strict):
    """Human ratings of a pair; null where annotators were not asked."""

    content: Rating | None = None
    voice_quality: Rating | None = None
    paralinguistics: Rating | None = None
    overall: Rating | None = None
    preference: PlainLabel | None = Field(
        None, description="overall, where ties were not typed"
    )
    match: bool | None = Field(
        None, description="same word, or same speaker, in both answers"
    )


class Pair(Answered):
    """One comparison to judge."""

    id: _Id
    instruction: Instruction = Instruction()
    a: Annotated[Answer, IN_PAIR]
    b: Annotated[Answer, IN_PAIR]
    labels: Labels | None = Field(
        None, description="human ratings, never shown to a judge"
    )
    category: str | None = None
    language: _Language = None
    instruction_id: str | None = Field(
        None, description="equal where the instruction is the same"
    )
    turn: int | None = Field(
        None,
        ge=0,
        exclude_if=is_none,
        description="of two conversations: the user turn of A whose answers are compared",
    )
    voice: Recording | None = Field(
        None,
        exclude_if=is_none,
        description="the voice that both answers should speak in (prompt of a TTS system)",
    )
    meta: dict[str, FiniteJson] = Field(
        default_factory=dict, description="anything else"
    )

    @property
    def sides(self) -> dict[str, Answer]:
        """A and B by role."""
        return {"a": self.a, "b": self.b}

    @property
    def systems(self) -> tuple[str | None, ...]:
        """Who gave each of the answers."""
        return self.a.system, self.b.system

    @property
    def question_id(self) -> str | None:
        """Equal where the instruction is the same."""
        return self.instruction_id

    def recordings(self) -> dict[str, Recording]:
        """Return what to decode by role: ``instruction``, ``a``, ``b``, ``voice``.

        Of conversations ``a/turn-0``, ... are the answer.
        """
        roles = {"instruction": self.instruction} | self.answer_recordings
        if self.voice is not None:
            roles["voice"] = self.voice
        return {
            role: recording for role, recording in roles.items() if recording.has_audio
        }


#: First character of the names of raters who are known by their place in a list only;
#: such a name says nothing across items.
ANONYMOUS = "#"

#: Feedback of raters -> what it says (correctness.md, section 3).
FEEDBACK_CODES: dict[str, str] = {
    "q": "question incomplete",
    "a": "rationale not enough, had to listen",
    "r": "reference wrong or incomplete",
    "u": "cannot be judged",
    "e": "rater lacks the expertise",
}


class ScoreLabels(Strict):
    """Human labels of a single answer."""

    scores: dict[str, float | None] = Field(
        default_factory=dict,
        description="rater -> score on the rubric's scale; null: the rater gave none;"
        f" raters known by their place only are {ANONYMOUS}1, {ANONYMOUS}2, ...",
    )
    feedback: dict[str, list[str]] = Field(
        default_factory=dict,
        description="rater -> feedback codes (q, a, r, u, e) and free texts",
    )

    @model_validator(mode="before")
    @classmethod
    def _by_rater(cls, values: Any) -> Any:
        """Name the unknown raters of lists by place; refuse lists of other lengths."""
        if not isinstance(values, dict):
            return values
        scores, feedback = values.get("scores"), values.get("feedback")
        if (
            isinstance(scores, list)
            and isinstance(feedback, list)
            and len(scores) != len(feedback)
        ):
            raise ValueError(
                f"{len(scores)} scores and {len(feedback)} feedback entries; give"
                " one per rater"
            )
        lists = {"scores": scores, "feedback": feedback}
        placed = {
            name: _placed(one) for name, one in lists.items() if isinstance(one, list)
        }
        return {**values, **placed}

    @field_validator("feedback", mode="before")
    @classmethod
    def _listed(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        listed: dict[Any, Any] = {}
        for rater, entries in values.items():
            if isinstance(entries, str):
                listed[rater] = [entries]
            elif entries:
                listed[rater] = entries
        return listed

    turns: dict[str, dict[str, float]] = Field(
        default_factory=dict,
        exclude_if=lambda value: not value,
        description="of a conversation: number of a turn -> rater -> score",
    )

    @property
    def ratings(self) -> dict[str, float]:
        """Rater -> score, without raters who gave none."""
        return {
            rater: score for rater, score in self.scores.items() if score is not None
        }


def _placed(entries: list[Any]) -> dict[str, Any]:
    return {
        f"{ANONYMOUS}{position}": entry
        for position, entry in enumerate(entries, start=1)
    }


class Single(Answered):
    """One answer to judge by itself."""

    model_config = ConfigDict(populate_by_name=True)

    id: _Id
    question_id: str | None = Field(
        None,
        validation_alias=AliasChoices("question_id", "instruction_id"),
        description="equal where the question is the same",
    )
    instruction: Instruction = Instruction()
    reference: tuple[str, ...] = Field(
        (), description="right answers; any one suffices"
    )
    answer: Annotated[Answer, ALONE]
    system: SystemName | None = Field(
        None, description="who answered; never shown to a judge"
    )
    context: str | None = Field(
        None, description="the scene and its roles, for dialogues"
    )
    rationale: str | None = Field(None, description="why the reference is right")
    transcription: str | None = Field(
        None, description="words of the audio that is asked about"
    )
    labels: ScoreLabels | None = Field(
        None, description="human scores, never shown to a judge"
    )
    category: str | None = None
    language: _Language = None
    split: str | None = Field(None, description="train, dev or test")
    meta: dict[str, FiniteJson] = Field(
        default_factory=dict, description="anything else"
    )

    @property
    def sides(self) -> dict[str, Answer]:
        """The one answer by its role."""
        return {"answer": self.answer}

    @property
    def systems(self) -> tuple[str | None, ...]:
        """Who gave it."""
        return (self.system,)

    @property
    def call(self) -> ConversationItem | None:
        """Its conversation under the item's names; None for an answer without one."""
        held = self.answer.conversation
        names = {"id": self.id, "question_id": self.question_id, "system": self.system}
        return (
            ConversationItem.model_validate({**names, "conversation": held})
            if held
            else None
        )

    @property
    def has_reference(self) -> bool:
        """Whether any reference says anything."""
        return any(text.strip() for text in self.reference)

    def recordings(self) -> dict[str, Recording]:
        """Return what there is to decode by role: ``instruction``, and ``answer``.

        Of a dialogue ``turn-1``, ..., of a conversation ``answer/turn-0``, ... are its
        answer.
        """
        of_instruction = (
            {"instruction": self.instruction} if self.instruction.has_audio else {}
        )
        return {**of_instruction, **self.answer_recordings}


#: What is judged. A record with an ``answer`` is a single one.
Item = Annotated[Pair | Single, Field(union_mode="smart")]


def instruction_of(item: Pair | Single) -> str | None:
    """Return an item's instruction, by id, text or recording; None if it has none."""
    known = item.question_id or visible(item.instruction.text or "")
    if known:
        return known
    return item.instruction.source_id if item.instruction.has_audio else None


def items_of_pair(pair: Pair) -> tuple[Single, Single]:
    """Return both answers of a pair as items ``ID/a`` and ``ID/b``."""

    def single(side: str, answer: Answer) -> Single:
        return Single(
            id=f"{pair.id}/{side}",
            question_id=pair.instruction_id or pair.id,
            instruction=pair.instruction,
            reference=(answer.reference,) if answer.reference else (),
            answer=Answer(**ALONE.kept(dict(answer))),
            system=answer.system,
            category=pair.category,
            language=pair.language,
            meta=pair.meta,
        )

    return single("a", pair.a), single("b", pair.b)


def side_of_pair(item: Single, system: str | None) -> Answer:
    """Turn a single answer into the answer of a pair, without its written words."""
    reference = item.reference[0] if item.reference else None
    fields = IN_PAIR.kept(dict(item.answer))
    fields["system"] = system
    fields["reference"] = reference
    return Answer(**fields)


def noisy_side(item: str) -> int:
    """Return which answer gets the noise, 0 (A) or 1 (B).

    It is the lowest bit of the first byte of SHA-256 of the item's id.
    """
    return sha256(item.encode("utf-8", "replace")).digest()[0] & 1
