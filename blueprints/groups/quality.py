"""Predicted opinion scores."""

from __future__ import annotations

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
            f"SIG {self.sig:.2f} {norms.DISTORTION.word(self.sig)}"
            f" BAK {self.bak:.2f} {norms.NOISE.word(self.bak)}"
            f" OVRL {self.ovrl:.2f} {norms.OPINION.word(self.ovrl)}"
            f" P808 {self.p808:.2f} {norms.OPINION.word(self.p808)}"
        )
        return line if self.level_dbfs is None else f"{line} level {number(self.level_dbfs, 0)}"

    @classmethod
    def legend(cls) -> str:
        return (
            "predicted mean opinion scores, 1 worst to 5 best, by DNSMOS: SIG speech, BAK"
            " background, OVRL overall, P808 overall; level in dBFS (SIG and OVRL fall with low"
            f" level). SIG: {norms.DISTORTION.cited()}. BAK: {norms.NOISE.cited()}."
            f" OVRL, P808: {norms.OPINION.cited()}"
        )
