"""The pair: an instruction, two spoken answers, and what annotators said of them."""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from blueprints import FiniteJson, Strict, language_code
from fusion import Rating
from trace_eval.data.answers import IN_PAIR, Answer, Instruction, Judged, Recording, is_none

#: Labels of a plain preference, where annotators were not asked for typed ties.
Preference = Literal["1", "2", "tie"]

#: Longest id, characters: every message and table shows it.
MAX_ID = 1000

#: An ISO 639-1 code, made from what a file says.
SpokenLanguage = Annotated[str, AfterValidator(language_code)]


class Labels(Strict):
    """Human ratings of a pair; null where annotators were not asked."""

    content: Rating | None = None
    voice_quality: Rating | None = None
    paralinguistics: Rating | None = None
    overall: Rating | None = None
    preference: Preference | None = Field(None, description="overall, where ties were not typed")
    match: bool | None = Field(None, description="same word, or same speaker, in both answers")


class Pair(Judged):
    """One comparison to judge."""

    id: str = Field(min_length=1, max_length=MAX_ID, description="unique in its file")
    instruction: Instruction = Instruction()
    a: Annotated[Answer, IN_PAIR]
    b: Annotated[Answer, IN_PAIR]
    labels: Labels | None = Field(None, description="human ratings, never shown to a judge")
    category: str | None = None
    language: SpokenLanguage | None = Field(
        None,
        exclude_if=is_none,
        description="ISO 639-1 code or English name of what is spoken; then none is detected",
    )
    instruction_id: str | None = Field(None, description="equal where the instruction is the same")
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
    meta: dict[str, FiniteJson] = Field(default_factory=dict, description="anything else")

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
        """Role -> what there is to decode.

        ``instruction``, ``a`` and ``b`` (of conversations their turns: ``a/turn-0``, ...), and
        ``voice``.
        """
        requested, voice = {"instruction": self.instruction}, {"voice": self.voice or Recording()}
        roles = {**requested, **self.answer_recordings, **voice}
        return {role: recording for role, recording in roles.items() if recording.has_audio}


def noisy_side(item: str) -> int:
    """Which answer gets the noise, 0 (A) or 1 (B): the lowest bit of the first byte of
    SHA-256 of the item's id.
    """
    return sha256(item.encode("utf-8", "replace")).digest()[0] & 1
