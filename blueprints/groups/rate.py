"""How fast the clip is spoken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field

import blueprints.norms as norms
from blueprints.axis import written
from blueprints.languages import UNSURE, language_name
from blueprints.notation import number, percent
from blueprints.records import Contour, Fact, Present

#: Shorter clips, seconds, are no passage: the norms of rates and trends say nothing of
#: them.
PASSAGE_S = 5.0


class Rate(Present):
    """How fast the clip is spoken."""

    wpm: float | None = Field(
        ge=0,
        description="words per minute, from first to last speech; null: no words known",
    )
    articulation_wpm: float | None = Field(
        ge=0, description="words per minute of speech (VAD); null: no words known"
    )
    syllables_per_s: float | None = Field(
        ge=0,
        description="syllable nuclei per second of speech (VAD); null: not counted",
    )
    words: int | None = Field(ge=0, description="recognised words; null: no transcript")
    syllables: int | None = Field(
        ge=0, description="syllable nuclei (de Jong & Wempe 2009); null: not counted"
    )
    trend: float | None = Field(
        description="rate of the second half of the speech over that of the first, in syllables"
        " (in words where those are not counted); null: too little speech"
    )
    contour: Contour | None = Field(
        description="syllable nuclei per second; null where nobody speaks, or as a whole: not"
        " counted"
    )

    language: str | None = Field(
        None,
        exclude_if=lambda value: value is None,
        description="ISO 639-1 code where it is known to be another than English, of which the"
        " norms are; und: heard, but unsure; absent: English, or not known",
    )

    #: Syllables need longer stretches to be counted in.
    contour_steps: ClassVar[int] = 8
    contour_of: ClassVar[str] = "syllables"

    def _word(self, wpm: float) -> str:
        if self.language is None:
            return norms.SPEECH_RATE.word(wpm)
        if self.language == UNSURE:
            return "(no norm: language unsure)"
        return f"(no norm for {language_name(self.language)})"

    def render(self, clip_s: float | None) -> str:
        parts, short = ["no words known"], clip_s is not None and clip_s < PASSAGE_S
        if self.wpm is not None:
            word = self._word(self.wpm)
            usual = self.language is None and (short or word in norms.SPEECH_RATE.usual)
            rate = f"{number(self.wpm, 0)} WPM"
            parts = [rate if usual else f"{rate} {word}"]
        if self.articulation_wpm is not None:
            parts.append(f"articulation {number(self.articulation_wpm, 0)}")
        if self.syllables_per_s is not None:
            parts.append(f"syllables {number(self.syllables_per_s, 1)}")
        if self.trend is not None:
            mark = "" if short else norms.TEMPO_TREND.mark(self.trend)
            parts.append(f"trend {percent(self.trend)}{mark}")
        if self.contour is None:
            return " ".join(parts)
        return (
            f"{' '.join(parts)}:"
            f" {written(self.contour, clip_s, self.contour_steps, scale=10)}"
        )

    brief_units: ClassVar[str] = "rate in words/min, second half over first"
    brief_without: ClassVar[str] = (
        "the contour itself; rates without pauses and in syllables; an average rate and"
        " a steady trend as numbers; the trend of clips under 5 s"
    )

    def brief(self, clip_s: float | None) -> str:
        parts, short = ["no words known"], clip_s is not None and clip_s < PASSAGE_S
        if self.wpm is not None and self.language is None:
            level = (
                number(self.wpm, 0) if short else norms.SPEECH_RATE.level(self.wpm, 0)
            )
            parts = [level]
        elif self.wpm is not None:
            parts = [f"{number(self.wpm, 0)} {self._word(self.wpm)}"]
        if self.trend is not None and not short:
            parts.append(norms.TEMPO_TREND.level(self.trend, 2))
        return " ".join(parts)

    @classmethod
    def legend(cls) -> str:
        return (
            "words per minute, silences included; articulation: words per minute of"
            " speech alone; syllables per second of speech; trend: second half over"
            " first half; contour in tenths of a syllable per second. WPM:"
            f" {norms.SPEECH_RATE.scale()}; no word under {PASSAGE_S:g} s, where a"
            " single sentence is faster than a passage. Trend:"
            f" {norms.TEMPO_TREND.scale()}"
        )

    def facts(self, group: str) -> Iterator[Fact]:
        if self.wpm is not None:
            yield Fact("rate", f"{self.wpm:.0f} words/min", self._word(self.wpm))
        if self.articulation_wpm is not None:
            yield Fact("articulation", f"{self.articulation_wpm:.0f} words/min")
        if self.syllables_per_s is not None:
            yield Fact("syllables", f"{self.syllables_per_s:.1f} /s")
        if self.trend is not None:
            yield Fact(
                "tempo trend", f"×{self.trend:.2f}", norms.TEMPO_TREND.word(self.trend)
            )
