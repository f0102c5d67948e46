"""Which emotion a classifier hears."""

from __future__ import annotations

from collections.abc import Iterable
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
        line = hundredths(self.scores)
        windows = " ".join(_course(self.trajectory))
        return f"{line}; {windows}" if windows else line

    brief_units: ClassVar[str] = "emotion in hundredths"
    brief_without: ClassVar[str] = "all scores but the two highest"

    def brief(self, clip_s: float | None) -> str:
        line = hundredths(dict(_highest(self.scores)))
        windows = " ".join(_course(self.trajectory))
        return f"{line}; {windows}" if windows else line

    @classmethod
    def legend(cls) -> str:
        return (
            "a classifier's labels with scores in hundredths, highest first; labels in a row share"
            " the number behind them; after `;` the leading label and the second it begins"
        )


def _highest(scores: dict[str, float]) -> list[tuple[str, float]]:
    return sorted(scores.items(), key=lambda item: -item[1])[:2]


def _course(windows: Iterable[EmotionWindow]) -> list[str]:
    """``label start`` whenever the leading label changes."""
    course: list[str] = []
    before = None
    for window in windows:
        if not window.scores:
            continue
        top = max(window.scores, key=lambda name: window.scores[name])
        if top != before:
            course.append(f"{label(top)} at {number(window.start_s, 1)}")
            before = top
    return course
