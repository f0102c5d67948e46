"""The pair: an instruction, two spoken answers, and what people said of them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Literal

from pydantic import Field, JsonValue, model_validator

from blueprints import Strict
from fusion import Rating

#: Labels of a plain preference, where people were not asked for typed ties.
Preference = Literal["1", "2", "tie"]


class Recording(Strict):
    """A clip by path, or by the bytes of its file (Hugging Face audio columns)."""

    audio: Path | None = Field(None, description="path of the recording")
    data: bytes | None = Field(
        None, exclude=True, repr=False, description="bytes of the file, where there is no path"
    )

    @property
    def has_audio(self) -> bool:
        """True when there is something to decode."""
        return self.audio is not None or self.data is not None

    @property
    def source_id(self) -> str:
        """Equal for equal sources: the path as given, or a hash of the bytes."""
        if self.data is not None:
            return "bytes:" + hashlib.sha256(self.data).hexdigest()
        return str(self.audio)


class Instruction(Recording):
    """What the user asked: spoken, written or both."""

    text: str | None = Field(None, description="the words of the instruction")


class Answer(Recording):
    """What one system answered."""

    system: str | None = Field(None, description="name of the system that answered")
    reference: str | None = Field(None, description="what should have been said, for WER")

    @model_validator(mode="after")
    def _needs_audio(self) -> Answer:
        if not self.has_audio:
            raise ValueError("an answer needs 'audio': the path of its recording")
        return self


class Labels(Strict):
    """Human ratings of a pair; null where people were not asked."""

    content: Rating | None = None
    voice_quality: Rating | None = None
    paralinguistics: Rating | None = None
    overall: Rating | None = None
    preference: Preference | None = Field(None, description="overall, where ties were not typed")


class Pair(Strict):
    """One comparison to judge."""

    id: str = Field(min_length=1, description="unique in its file")
    instruction: Instruction = Instruction()
    a: Answer
    b: Answer
    labels: Labels | None = Field(None, description="human ratings, never shown to a judge")
    category: str | None = None
    instruction_id: str | None = Field(None, description="equal where the instruction is the same")
    meta: dict[str, JsonValue] = Field(default_factory=dict, description="anything else")
