"""The emotion of the voice, by a classifier."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from blueprints.notation import hundredths, label, number
from blueprints.records import Present, Span


class EmotionWindow(Span):
    """Emotions of one stretch of a long clip."""

    scores: dict[str, float]


class Emotion(Present):
    """Scores of an emotion classifier, by its own labels in English."""

    scores: dict[str, float] = Field(min_length=1, description="label -> score, 0-1")
    top: str = Field(description="label with the highest score")
    trajectory: list[EmotionWindow] = Field(default_factory=list)

    def render(self, clip_s: float | None) -> str:
        return self._line(None)

    def _line(self, most: int | None) -> str:
        """Print the highest scores, and ``label at start`` at every change of label."""
        course: list[str] = []
        before = None
        for window in self.trajectory:
            top = max(window.scores, key=window.scores.__getitem__, default=before)
            if top is not None and top != before:
                course.append(f"{label(top)} at {number(window.start_s, 1)}")
                before = top
        scores = hundredths(self.scores, most)
        if not course:
            return scores
        return f"{scores}; {' '.join(course)}"

    brief_units: ClassVar[str] = "emotion in hundredths"
    brief_without: ClassVar[str] = "all scores but the two highest"

    def brief(self, clip_s: float | None) -> str:
        return self._line(2)

    @classmethod
    def legend(cls) -> str:
        return (
            "a classifier's labels with scores in hundredths, highest first; labels in"
            " a row share the number behind them; after `;` the leading label and the"
            " second it begins"
        )
