"""Predicted opinion scores."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

import blueprints.norms as norms
from blueprints.notation import number
from blueprints.records import Present, Span


class QualityPart(Span):
    """One stretch of speech by what may be compared with a stretch of equal length."""

    p808: float = Field(description="DNSMOS P.808 overall quality, 1-5")
    bandwidth_hz: float | None = Field(description="as in signal, of this stretch")
    clipping_ratio: float = Field(
        ge=0, le=1, description="as in signal, of this stretch"
    )
    prominence_db: float | None = Field(
        None,
        exclude_if=lambda value: value is None,
        description="smoothed cepstral peak prominence: how clearly the voice is periodic, dB",
    )


class Quality(Present):
    """Predicted mean opinion scores, all on the 1 to 5 scale."""

    sig: float = Field(description="DNSMOS P.835 signal quality, 1-5")
    bak: float = Field(description="DNSMOS P.835 background quality, 1-5")
    ovrl: float = Field(description="DNSMOS P.835 overall quality, 1-5")
    p808: float = Field(description="DNSMOS P.808 overall quality, 1-5")
    windows: int = Field(gt=0, description="9.01 s windows that were averaged")
    level_dbfs: float | None = Field(
        description="RMS of what was scored, dB re full scale: SIG and OVRL fall with level"
    )
    parts: list[QualityPart] | None = Field(
        None,
        exclude_if=lambda value: value is None,
        description="the first seconds of the speech in growing lengths, then windows of 9.01 s;"
        " absent: the whole clip was scored, and how long it is counts",
    )

    def render(self, clip_s: float | None) -> str:
        # Not SIG and OVRL: they order real sound by chance, or backwards.
        return (
            f"P808 {100 * self.p808:.0f}{norms.OPINION.mark(self.p808)}"
            f" BAK {100 * self.bak:.0f}{norms.NOISE.mark(self.bak)}"
        )

    brief_units: ClassVar[str] = "quality MOS 1-5"
    brief_without: ClassVar[str] = (
        "scores of speech and of the whole, which order real sound by chance; level;"
        " the score of the background where good"
    )

    def brief(self, clip_s: float | None) -> str:
        parts = [f"{number(self.p808, 1)} {norms.OPINION.word(self.p808)}"]
        if norms.NOISE.word(self.bak) not in norms.NOISE.usual:
            parts.append(f"noise {norms.NOISE.level(self.bak, 1)}")
        return " ".join(parts)

    @classmethod
    def legend(cls) -> str:
        return (
            "mean opinion scores predicted by DNSMOS in hundredths, 100 worst to 500"
            " best: P808 overall, lower of short clips; BAK background, which takes a"
            f" creaky voice for noise. P808: {norms.OPINION.scale()}. BAK:"
            f" {norms.NOISE.scale()}"
        )
