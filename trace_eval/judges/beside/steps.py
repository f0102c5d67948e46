"""The steps: from which difference on a listener hears one, each with its source.

This is the only place where these sizes stand. The judge ``rules``, the prompts of text
judges, the page of a pair and the table in the docs read them here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

#: How two values are subtracted: as they are, by the logarithm of their ratio, or in
#: semitones.
StepScale = Literal["linear", "ratio", "semitones"]


@dataclass(frozen=True)
class Step:
    """The difference in one measure from which on most listeners hear one.

    Attributes:
        name: key in results.
        label: how prompts and pages call the measure.
        unit: unit of the two values.
        size: one step: in the unit, as a ratio, or in semitones.
        scale: how two values are subtracted.
        source: rated sound with its counts, or who published the difference.
        digits: decimals of the values in print.
    """

    name: str
    label: str
    unit: str
    size: float
    scale: StepScale
    source: str
    digits: int = 1

    def between(self, a: float, b: float) -> float:
        """Return how many steps ``a`` is above ``b``; ratio scales need positives."""
        if self.scale == "ratio":
            return (math.log(a) - math.log(b)) / math.log(self.size)
        if self.scale == "semitones":
            return 12 * (math.log2(a) - math.log2(b)) / self.size
        return (a - b) / self.size

    @property
    def printed(self) -> str:
        """The size with its unit, for a table."""
        if self.scale == "ratio":
            return f"a ratio of {self.size:g}"
        unit = "semitones" if self.scale == "semitones" else self.unit
        return f"{self.size:g} {unit}"


_RATED = (
    "MUSHRA by 8 to 14 listeners: 48 clips of 8 sentences in neural codecs, 18 clips of"
    " 3 noises in enhanced speech; by `python -m benchmarks.people.weights`"
)

#: Speech above it is not missed, Hz: the upper edge of ITU-T G.722.1 Annex C.
FULL_BAND_HZ = 14_000.0

#: Measures of voice quality: leads add up in steps. Listeners' ratings are few (six
#: contrasts of enhancement, eight sentences of codecs), so sizes are round numbers of a
#: coarse grid.
P808 = Step(
    name="p808",
    label="P808",
    unit="MOS",
    size=0.3,
    scale="linear",
    source=f"of equally long speech: {_RATED}",
    digits=2,
)
BANDWIDTH = Step(
    name="bandwidth",
    label="bandwidth",
    unit="kHz",
    size=1.35,
    scale="ratio",
    source=f"of equally long speech; above 14 kHz it is not missed: {_RATED}",
)
PROMINENCE = Step(
    name="prominence",
    label="periodicity",
    unit="dB",
    size=6.0,
    scale="linear",
    source="smoothed cepstral peak prominence of the same words at one pitch; the smallest step of"
    f" the grid that makes no set worse: {_RATED}",
)
#: Where Distill-MOS was measured of both answers, these three: steps of P.808 and
#: bandwidth are then larger, since Distill-MOS hears some of the same.
DISTILLMOS = Step(
    name="distillmos",
    label="Distill-MOS",
    unit="MOS",
    size=0.8,
    scale="linear",
    source=_RATED,
    digits=2,
)
P808_BESIDE = replace(P808, size=0.5, source=f"beside Distill-MOS: {_RATED}")
BANDWIDTH_BESIDE = replace(BANDWIDTH, size=1.42, source=f"beside Distill-MOS: {_RATED}")
CLIPPING = Step(
    name="clipping",
    label="clipped",
    unit="%",
    size=0.5,
    scale="linear",
    source="half of the 1 % from which on clipping is audible (our cut)",
)

_PLANTED = "`python -m benchmarks.people`, planted delivery"

#: Measures of delivery: each stands for itself.
RATE = Step(
    name="rate",
    label="rate",
    unit="words/min",
    size=1.19,
    scale="ratio",
    source="more than three times the 5 % that listeners notice (Quené 2007, J. Phonetics 35): one"
    " voice reads one text at another pitch or level up to 18 % faster (442 pairs,"
    f" {_PLANTED})",
    digits=0,
)
PITCH = Step(
    name="pitch",
    label="median pitch",
    unit="Hz",
    size=3.0,
    scale="semitones",
    source="smaller differences play no part in speech ('t Hart 1981, JASA 69)",
    digits=0,
)
VARIATION = Step(
    name="variation",
    label="pitch variation",
    unit="st",
    size=1.0,
    scale="linear",
    source="excursions of 3 semitones are heard ('t Hart 1981): the 5th and the 95th percentile of"
    " a normal spread are 3.3 deviations apart",
)
LOUDNESS = Step(
    name="loudness",
    label="loudness",
    unit="LUFS",
    size=3.0,
    scale="linear",
    source="what is just noticed in daily life (Bies & Hansen 2009, ch. 2); one voice gets up to"
    " 2.8 LU louder by its pitch alone"
    f" (203 pairs, {_PLANTED})",
    digits=0,
)
PAUSE = Step(
    name="pause",
    label="longest pause",
    unit="s",
    size=0.5,
    scale="linear",
    source="twice the 0.25 s from which on a gap is a pause (Goldman-Eisler 1968; de Jong & Bosker"
    " 2013)",
)
TREND = Step(
    name="trend",
    label="second half over first",
    unit="",
    size=1.5,
    scale="ratio",
    source="ten times the 5 % that listeners notice (Quené 2007): of few syllables the ratio is"
    f" coarse, and between readings of one text it is up to 1.5 in 90 % of 500 pairs ({_PLANTED})",
    digits=2,
)

#: Measures of each dimension, in the order in which they are printed.
VOICE = (P808, BANDWIDTH, PROMINENCE, CLIPPING)
VOICE_WITH_DISTILLMOS = (DISTILLMOS, P808_BESIDE, BANDWIDTH_BESIDE, CLIPPING)
DELIVERY = (RATE, PITCH, VARIATION, LOUDNESS, PAUSE, TREND)
