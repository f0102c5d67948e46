"""How high the voice is, and how it moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field

import blueprints.norms as norms
from blueprints.axis import written
from blueprints.notation import number, percent
from blueprints.records import Contour, Fact, Present


class Pitch(Present):
    """Fundamental frequency of the voiced parts."""

    mean_hz: float = Field(gt=0, description="Hz")
    std_hz: float = Field(ge=0, description="Hz")
    median_hz: float = Field(gt=0, description="Hz")
    std_semitones: float = Field(ge=0, description="semitones re the median")
    range_semitones: float = Field(ge=0, description="5th to 95th percentile, semitones")
    slope_semitones_per_s: float = Field(description="linear trend over voiced time")
    voiced_ratio: float = Field(gt=0, le=1, description="voiced frames / all frames")
    floor_hz: float = Field(gt=0, description="search floor of the second pass, Hz")
    ceiling_hz: float = Field(gt=0, description="search ceiling of the second pass, Hz")
    contour: Contour = Field(description="Hz; null where unvoiced")

    contour_unit: ClassVar[str] = "Hz"

    def render(self, clip_s: float | None) -> str:
        contour = written(self.contour, clip_s, self.contour_steps)
        return (
            f"{number(self.mean_hz, 0)} Hz {norms.PITCH.word(self.mean_hz)}"
            f" SD {number(self.std_hz, 0)} Hz {number(self.std_semitones, 1)} st"
            f" {norms.PITCH_VARIATION.word(self.std_semitones)}"
            f" span {number(self.range_semitones, 0)} slope {number(self.slope_semitones_per_s, 2)}"
            f" voiced {percent(self.voiced_ratio)}: {contour}"
        )

    @classmethod
    def legend(cls) -> str:
        return (
            "mean in Hz; SD in Hz and in semitones (st); span from 5th to 95th percentile in st;"
            " slope in st per second; share of voiced time; contour in Hz."
            f" Mean: {norms.PITCH.cited()}. SD in st: {norms.PITCH_VARIATION.cited()}"
        )

    def facts(self, group: str) -> Iterator[Fact]:
        yield Fact("mean pitch", f"{self.mean_hz:.0f} Hz", norms.PITCH.word(self.mean_hz))
        word = norms.PITCH_VARIATION.word(self.std_semitones)
        yield Fact("pitch variation", f"{self.std_semitones:.1f} semitones", word)
        yield Fact("pitch trend", f"{self.slope_semitones_per_s:+.2f} semitones/s")
        yield Fact("voiced", f"{self.voiced_ratio:.0%}")
