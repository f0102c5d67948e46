"""What is judged: a pair of answers, or a single answer with its question.

Everything between manifest and report loops over :attr:`answers`: two of a
:class:`~trace_eval.data.pairs.Pair`, one of a :class:`Single`.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AliasChoices, ConfigDict, Field, field_validator, model_validator

from blueprints import FiniteJson, Strict
from trace_eval.data.conversation import Conversation
from trace_eval.data.pairs import (
    MAX_ID,
    Answer,
    Instruction,
    Pair,
    Recording,
    SpokenLanguage,
    is_none,
    same_but_signatures,
    turn_recordings,
    turn_role,
)

#: First character of the names of raters who are known by their place in a list only; such a
#: name says nothing across items.
ANONYMOUS = "#"

#: Feedback of raters -> what it says (correctness.md, section 3).
FEEDBACK_CODES: dict[str, str] = {
    "q": "question incomplete",
    "a": "rationale not enough, had to listen",
    "r": "reference wrong or incomplete",
    "u": "cannot be judged",
    "e": "rater lacks the expertise",
}


class Turn(Recording):
    """One turn of a dialogue."""

    speaker: str | None = Field(None, description="who speaks, e.g. the role's name")

    @model_validator(mode="after")
    def _needs_audio(self) -> Turn:
        if not self.has_audio:
            raise ValueError("a turn needs 'audio': the path or URL of its recording")
        return self


class Candidate(Recording):
    """A single answer: a recording, the turns of a dialogue, a conversation, or words."""

    text: str | None = Field(None, description="the answer's words; may be empty, then it is too")
    turns: tuple[Turn, ...] = Field((), description="a dialogue's recordings in order")
    conversation: Conversation | None = Field(
        None, exclude_if=is_none, description="turns and events on one clock"
    )

    @model_validator(mode="after")
    def _one_form(self) -> Candidate:
        if self.conversation is not None:
            if self.has_audio or self.turns or self.text is not None:
                raise ValueError("an answer that is a conversation has no other form; keep one")
        elif not self.has_audio and not self.turns and self.text is None:
            raise ValueError("an answer needs 'audio', 'turns' or 'text', or a 'conversation'")
        if self.has_audio and self.turns:
            raise ValueError("an answer has 'audio' or 'turns', not both")
        return self

    @property
    def is_spoken(self) -> bool:
        """True where there is something to hear."""
        return self.has_audio or bool(self.spoken_turns)

    @property
    def spoken_turns(self) -> dict[str, Turn]:
        """Role -> what is heard of it, turn by turn: of a dialogue, or of a conversation."""
        if self.conversation is None:
            return {f"turn-{n}": turn for n, turn in enumerate(self.turns, start=1)}
        said = self.conversation.turns
        return {
            role: Turn(**dict(recording), speaker=said[int(role.rpartition("-")[2])].speaker)
            for role, recording in turn_recordings("answer", self.conversation).items()
        }

    @property
    def agent_turns(self) -> list[int]:
        """Numbers of a conversation's turns of its agent that have words or sound."""
        if self.conversation is None:
            return []
        heard = self.spoken_turns
        return [
            number
            for number, turn in self.conversation.turns_of("agent")
            if turn.text or turn.heard or turn_role("answer", number) in heard
        ]


def is_empty(value: object) -> bool:
    """For fields that only some records have: the others leave them out."""
    return not value


class ScoreLabels(Strict):
    """What people said of a single answer."""

    scores: dict[str, float | None] = Field(
        default_factory=dict,
        description="rater -> score on the rubric's scale; null: the rater gave none;"
        f" raters known by their place only are {ANONYMOUS}1, {ANONYMOUS}2, ...",
    )
    feedback: dict[str, list[str]] = Field(
        default_factory=dict, description="rater -> feedback codes (q, a, r, u, e) and free texts"
    )

    @model_validator(mode="before")
    @classmethod
    def _by_rater(cls, given: Any) -> Any:
        """Lists, where raters are unknown, by place; of equal length or refused."""
        if not isinstance(given, dict):
            return given
        scores, feedback = given.get("scores"), given.get("feedback")
        if isinstance(scores, list) and isinstance(feedback, list) and len(scores) != len(feedback):
            raise ValueError(
                f"{len(scores)} scores and {len(feedback)} feedback entries; give one per rater"
            )
        return {
            **given,
            **({"scores": _placed(scores)} if isinstance(scores, list) else {}),
            **({"feedback": _placed(feedback)} if isinstance(feedback, list) else {}),
        }

    @field_validator("feedback", mode="before")
    @classmethod
    def _said(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        listed = {k: [v] if isinstance(v, str) else v for k, v in given.items()}
        return {rater: entries for rater, entries in listed.items() if entries}

    turns: dict[str, dict[str, float]] = Field(
        default_factory=dict,
        exclude_if=is_empty,
        description="of a conversation: number of a turn -> rater -> score",
    )

    @property
    def given(self) -> dict[str, float]:
        """Rater -> score, without those who gave none."""
        return {rater: score for rater, score in self.scores.items() if score is not None}


def _placed(entries: list[Any]) -> dict[str, Any]:
    return {f"{ANONYMOUS}{position}": entry for position, entry in enumerate(entries, start=1)}


class Single(Strict):
    """One answer to judge by itself."""

    model_config = ConfigDict(populate_by_name=True)

    id: str = Field(min_length=1, max_length=MAX_ID, description="unique in its file")
    question_id: str | None = Field(
        None,
        validation_alias=AliasChoices("question_id", "instruction_id"),
        description="equal where the question is the same",
    )
    instruction: Instruction = Instruction()
    reference: tuple[str, ...] = Field((), description="right answers; any one suffices")
    answer: Candidate
    system: str | None = Field(None, description="who answered; never shown to a judge")
    context: str | None = Field(None, description="the scene and its roles, for dialogues")
    rationale: str | None = Field(None, description="why the reference is right")
    transcription: str | None = Field(None, description="words of the audio that is asked about")
    labels: ScoreLabels | None = Field(None, description="people's scores, never shown to a judge")
    category: str | None = None
    language: SpokenLanguage | None = Field(
        None,
        exclude_if=lambda value: value is None,  # records without one stay as they were
        description="ISO 639-1 code or English name of what is spoken; then none is detected",
    )
    split: str | None = Field(None, description="train, dev or test")
    meta: dict[str, FiniteJson] = Field(default_factory=dict, description="anything else")

    @property
    def answers(self) -> tuple[Candidate]:
        """The one answer."""
        return (self.answer,)

    @property
    def systems(self) -> tuple[str | None, ...]:
        """Who gave it."""
        return (self.system,)

    @property
    def has_conversations(self) -> bool:
        """Whether the answer is a conversation."""
        return self.answer.conversation is not None

    @property
    def has_reference(self) -> bool:
        """Whether any reference says anything."""
        return any(text.strip() for text in self.reference)

    def recordings(self) -> dict[str, Recording]:
        """Role -> what there is to decode.

        ``instruction``, and ``answer``, the ``turn-1``, ... of a dialogue, or the
        ``answer/turn-0``, ... of a conversation.
        """
        roles: dict[str, Recording] = {"instruction": self.instruction, "answer": self.answer}
        roles |= self.answer.spoken_turns
        return {role: recording for role, recording in roles.items() if recording.has_audio}

    @property
    def answer_roles(self) -> list[str]:
        """The roles of :meth:`recordings` that belong to the answer."""
        return [role for role in self.recordings() if role != "instruction"]

    def same_as(self, other: object) -> bool:
        """Equal, though the URLs of its recordings may have been signed anew."""
        return isinstance(other, Single) and same_but_signatures(self, other)


#: What is judged. A record with an ``answer`` is a single one.
Item = Annotated[Pair | Single, Field(union_mode="smart")]


def items_of_pair(pair: Pair) -> tuple[Single, Single]:
    """Both answers of a pair as items ``ID/a`` and ``ID/b``."""

    def single(side: str, answer: Answer) -> Single:
        recording = answer.model_dump(include={"audio", "url"})
        return Single(
            id=f"{pair.id}/{side}",
            question_id=pair.instruction_id or pair.id,
            instruction=pair.instruction,
            reference=(answer.reference,) if answer.reference else (),
            answer=Candidate(
                **{**recording, "data": answer.data, "conversation": answer.conversation}
            ),
            system=answer.system,
            category=pair.category,
            language=pair.language,
            meta=pair.meta,
        )

    return single("a", pair.a), single("b", pair.b)
