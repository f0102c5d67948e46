"""Which English accent a classifier hears."""

from __future__ import annotations

from pydantic import Field

from blueprints.notation import hundredths
from blueprints.records import Present


class Accent(Present):
    """Similarity to the accents that a classifier knows (English accents only)."""

    similarities: dict[str, float] = Field(min_length=1, description="label -> cosine, -1 to 1")
    top: str = Field(description="label with the highest similarity")

    def render(self, clip_s: float | None) -> str:
        return hundredths(self.similarities)

    @classmethod
    def legend(cls) -> str:
        return "similarity (cosine) to English accents in hundredths, highest first"
