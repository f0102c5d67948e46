"""The English accent of the voice, by a classifier."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from blueprints.notation import hundredths
from blueprints.records import Present


class Accent(Present):
    """Similarity to the accents of a classifier (English accents only)."""

    similarities: dict[str, float] = Field(
        min_length=1, description="label -> cosine, -1 to 1"
    )
    top: str = Field(description="label with the highest similarity")

    def render(self, clip_s: float | None) -> str:
        return hundredths(self.similarities)

    brief_units: ClassVar[str] = "accent in hundredths"
    brief_without: ClassVar[str] = "all similarities but the two highest"

    def brief(self, clip_s: float | None) -> str:
        return hundredths(self.similarities, most=2)

    @classmethod
    def legend(cls) -> str:
        return "similarity (cosine) to English accents in hundredths, highest first"
