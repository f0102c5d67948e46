"""How loud the clip is, and how that changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field

import blueprints.norms as norms
from blueprints.axis import course, written
from blueprints.notation import number
from blueprints.records import Contour, Fact, Present

#: The number in the loudness contour for the clip's integrated loudness: high enough
#: that the quietest momentary loudness, 70 LU under full scale, has no sign for clips
#: under -20 LUFS.
LOUDNESS_ZERO = 50

#: Loudness that moves less between thirds of a clip is even, LU.
COURSE_LU = 5.0

#: A wider range is named in a brief rendering, LU: speech programmes stay mostly under
#: it.
BRIEF_RANGE_LU = 20.0


class Loudness(Present):
    """Loudness after ITU-R BS.1770-4 / EBU R 128, on the clip's own channels."""

    integrated_lufs: float = Field(description="gated integrated loudness, LUFS")
    std_lu: float = Field(ge=0, description="standard deviation of the contour, LU")
    range_lu: float | None = Field(
        ge=0,
        description=(
            "10th to 95th percentile of the gated momentary loudness, LU; null: too"
            " short"
        ),
    )
    slope_lu_per_s: float = Field(description="linear trend of the contour, LU/s")
    contour: Contour = Field(
        description="momentary loudness (400 ms), LUFS; null where silent"
    )

    contour_unit: ClassVar[str] = "LUFS"

    def render(self, clip_s: float | None) -> str:
        zero = self.integrated_lufs - LOUDNESS_ZERO
        return (
            f"{number(self.integrated_lufs, 0)} LUFS"
            f"{norms.LOUDNESS.mark(self.integrated_lufs)}"
            f" SD {number(self.std_lu, 0)} slope"
            f" {number(100 * self.slope_lu_per_s, 0)}:"
            f" {written(self.contour, clip_s, self.contour_steps, zero)}"
        )

    brief_units: ClassVar[str] = "loudness in LUFS and LU"
    brief_without: ClassVar[str] = (
        "deviation, slope, the contour itself; range up to 20 LU; a normal level in"
        " LUFS"
    )

    def brief(self, clip_s: float | None) -> str:
        parts = [
            norms.LOUDNESS.level(self.integrated_lufs, 0),
            course(self.contour, clip_s, COURSE_LU),
        ]
        if self.range_lu is not None and self.range_lu > BRIEF_RANGE_LU:
            parts.append(f"range {number(self.range_lu, 0)}")
        return " ".join(parts)

    @classmethod
    def legend(cls) -> str:
        return (
            "integrated, in LUFS; SD in LU; slope in"
            f" hundredths of LU per second; contour in LU, where {LOUDNESS_ZERO} is"
            " this clip's own integrated value and more is louder. Integrated:"
            f" {norms.LOUDNESS.scale()}"
        )

    def facts(self, group: str) -> Iterator[Fact]:
        lufs = self.integrated_lufs
        yield Fact("loudness", f"{lufs:.1f} LUFS", norms.LOUDNESS.word(lufs))
        if self.range_lu is not None:
            yield Fact("loudness range", f"{self.range_lu:.1f} LU")
        yield Fact("loudness trend", f"{self.slope_lu_per_s:+.2f} LU/s")
