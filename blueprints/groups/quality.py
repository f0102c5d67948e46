"""Predicted opinion scores."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

import blueprints.norms as norms
from blueprints.notation import number
from blueprints.records import Present


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

    def render(self, clip_s: float | None) -> str:
        line = (
            f"SIG {100 * self.sig:.0f}{norms.DISTORTION.mark(self.sig)}"
            f" BAK {100 * self.bak:.0f}{norms.NOISE.mark(self.bak)}"
            f" OVRL {100 * self.ovrl:.0f}{norms.OPINION.mark(self.ovrl)}"
            f" P808 {100 * self.p808:.0f}{norms.OPINION.mark(self.p808)}"
        )
        return line if self.level_dbfs is None else f"{line} level {number(self.level_dbfs, 0)}"

    brief_units: ClassVar[str] = "quality MOS 1-5"
    brief_without: ClassVar[str] = "level; the scores of speech and noise where good"

    def brief(self, clip_s: float | None) -> str:
        # With their numbers always: half a point between two good answers decides.
        parts = [
            f"{number(self.ovrl, 1)} {norms.OPINION.word(self.ovrl)}",
            f"P808 {number(self.p808, 1)}{norms.OPINION.mark(self.p808)}",
        ]
        for name, norm, score in (
            ("speech", norms.DISTORTION, self.sig),
            ("noise", norms.NOISE, self.bak),
        ):
            if norm.word(score) not in norm.usual:
                parts.append(f"{name} {norm.level(score, 1)}")
        return " ".join(parts)

    @classmethod
    def legend(cls) -> str:
        return (
            "predicted mean opinion scores in hundredths, 100 worst to 500 best, by DNSMOS: SIG"
            " speech, BAK background, OVRL overall, P808 overall; level in dBFS (SIG and OVRL fall"
            f" with low level). SIG: {norms.DISTORTION.cited()}. BAK: {norms.NOISE.cited()}."
            f" OVRL, P808: {norms.OPINION.cited()}. Share of pairs that each orders as listeners"
            " do, in enhanced speech and in codecs: P808 1.00 and .70; BAK .81 and .58; OVRL .25"
            " and .68; SIG .25 and .74: do not trust OVRL and SIG of enhanced speech"
        )
