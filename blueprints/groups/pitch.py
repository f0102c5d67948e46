"""How high the voice is, and how it moves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field

import blueprints.norms as norms
from blueprints.axis import course, written
from blueprints.notation import number, percent
from blueprints.records import Contour, Fact, Present

#: Pitch that moves less between thirds of a clip is even, semitones: sentences decline
#: by as much.
COURSE_ST = 3.0

#: A smaller share of voiced time is named in a brief rendering.
BRIEF_VOICED = 0.25


def _semitones(hz: float | None) -> float | None:
    """Return a pitch on a logarithmic scale; None where there is none."""
    if hz is None or hz <= 0:
        return None
    return 12 * math.log2(hz)


class Pitch(Present):
    """Fundamental frequency of the voiced parts."""

    mean_hz: float = Field(gt=0, description="Hz")
    std_hz: float = Field(ge=0, description="Hz")
    median_hz: float = Field(gt=0, description="Hz")
    std_semitones: float = Field(ge=0, description="semitones re the median")
    range_semitones: float = Field(
        ge=0, description="5th to 95th percentile, semitones"
    )
    slope_semitones_per_s: float = Field(description="linear trend over voiced time")
    voiced_ratio: float = Field(gt=0, le=1, description="voiced frames / all frames")
    floor_hz: float = Field(gt=0, description="search floor of the second pass, Hz")
    ceiling_hz: float = Field(gt=0, description="search ceiling of the second pass, Hz")
    contour: Contour = Field(description="Hz; null where unvoiced")

    contour_unit: ClassVar[str] = "Hz"

    def render(self, clip_s: float | None) -> str:
        contour = written(self.contour, clip_s, self.contour_steps)
        return (
            f"{number(self.mean_hz, 0)} Hz{norms.PITCH.mark(self.mean_hz)}"
            f" SD {number(self.std_semitones, 1)} st"
            f"{norms.PITCH_VARIATION.mark(self.std_semitones)}"
            f" slope {number(100 * self.slope_semitones_per_s, 0)}"
            f" voiced {percent(self.voiced_ratio)}: {contour}"
        )

    brief_units: ClassVar[str] = "pitch in Hz and semitones"
    brief_without: ClassVar[str] = (
        "median, deviation in Hz, span, slope; typical variation in semitones; the"
        " contour itself; share of voiced time from 25 % on"
    )

    def brief(self, clip_s: float | None) -> str:
        semitones = [_semitones(hz) for hz in self.contour.values]
        contour = self.contour.model_copy(update={"values": semitones})
        parts = [
            norms.PITCH.level(self.mean_hz, 0),
            norms.PITCH_VARIATION.level(self.std_semitones, 1),
            course(contour, clip_s, COURSE_ST),
        ]
        if self.voiced_ratio < BRIEF_VOICED:
            parts.append(f"voiced {percent(self.voiced_ratio)}")
        return " ".join(parts)

    @classmethod
    def legend(cls) -> str:
        return (
            "mean in Hz; SD in semitones (st);"
            " slope in hundredths of st per second; share of voiced time; contour in"
            " Hz, where a lone far-off step may be the tracker's error."
            f" Mean: {norms.PITCH.scale()}."
            f" SD in st: {norms.PITCH_VARIATION.scale()}"
        )

    def facts(self, group: str) -> Iterator[Fact]:
        yield Fact(
            "mean pitch", f"{self.mean_hz:.0f} Hz", norms.PITCH.word(self.mean_hz)
        )
        word = norms.PITCH_VARIATION.word(self.std_semitones)
        yield Fact("pitch variation", f"{self.std_semitones:.1f} semitones", word)
        yield Fact("pitch trend", f"{self.slope_semitones_per_s:+.2f} semitones/s")
        yield Fact("voiced", f"{self.voiced_ratio:.0%}")
