"""Why a pair needs a person: what the judgement itself tells of its weakness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fusion import DIMENSIONS, entropy
from trace_eval.data.judgement import UNSURE_BITS, DimensionVerdict, Judgement, Overall


class Need(StrEnum):
    """Reasons for a review, the most urgent first."""

    UNSCORED = "unscored"  # there is no rating at all
    LOW_CONFIDENCE = "low_confidence"  # the votes are spread
    INCONSISTENT = "inconsistent"  # the judge changed its mind with the order of A and B
    NEAR_THRESHOLD = "near_threshold"  # a measured value is close to the cut that decided


#: Threshold in a verdict's evidence -> (the value of an answer that it cuts, how close is
#: near, in the value's unit). The distances are about the noise of the measurement.
NEAR: Mapping[str, tuple[str, float]] = {
    "min_ovrl": ("ovrl", 0.2),
    "min_p808": ("p808", 0.2),
    "max_clipping": ("clipping_ratio", 0.005),
    "min_bandwidth_hz": ("bandwidth_hz", 250.0),
    "min_level_dbfs": ("rms_dbfs", 3.0),
    "min_literal_share": ("literal_share", 0.1),
    "off_topic_overlap": ("overlap", 0.05),
}

#: A delivery check whose strength (in units of its own uncertainty) is below this is near.
NEAR_STRENGTH = 0.5


@dataclass(frozen=True)
class Needed:
    """The need of one pair.

    Attributes:
        reasons: in the order of :class:`Need`; empty: nothing speaks against the judgement.
        bits: the highest entropy of its distributions, 0 to 2; 0 where there are none.
    """

    reasons: tuple[Need, ...]
    bits: float

    @property
    def order(self) -> tuple[int, float]:
        """Sort key: urgent first, then by falling entropy, then by the number of reasons."""
        rank = list(Need).index(self.reasons[0]) if self.reasons else len(Need)
        return rank, -self.bits - 0.001 * len(self.reasons)


def need_of(judgement: Judgement | None, overall: Overall | None) -> Needed:
    """Why a person should look at this pair."""
    if judgement is None or judgement.status != "scored":
        return Needed((Need.UNSCORED,), 0.0)
    verdicts = [v for d in DIMENSIONS if (v := judgement.dimensions.get(d))]
    bits = max((_bits(verdict) for verdict in verdicts), default=0.0)
    if overall is not None and overall.entropy_bits is not None:
        bits = max(bits, overall.entropy_bits)
    results = {
        Need.LOW_CONFIDENCE: bits >= UNSURE_BITS,
        Need.INCONSISTENT: any(verdict.consistent is False for verdict in verdicts),
        Need.NEAR_THRESHOLD: any(_near(verdict.evidence) for verdict in verdicts),
    }
    return Needed(tuple(need for need, true in results.items() if true), bits)


def _bits(verdict: DimensionVerdict) -> float:
    return entropy(verdict.distribution) if verdict.distribution else 0.0


def _near(evidence: Mapping[str, Any]) -> bool:
    thresholds = evidence.get("thresholds")
    if not isinstance(thresholds, Mapping):
        return False
    for name, (value, close) in NEAR.items():
        cut = _number(thresholds.get(name))
        if cut is None:
            continue
        for side in ("a", "b"):
            answer = evidence.get(side)
            measured = _number(answer.get(value)) if isinstance(answer, Mapping) else None
            if measured is not None and abs(measured - cut) <= close:
                return True
    return any(0 < abs(strength) <= NEAR_STRENGTH for strength in _strengths(evidence))


def _strengths(evidence: Mapping[str, Any]) -> Iterator[float]:
    findings = evidence.get("findings")
    for finding in findings if isinstance(findings, list) else ():
        for side in ("a", "b"):
            answer = finding.get(side) if isinstance(finding, Mapping) else None
            strength = _number(answer.get("strength")) if isinstance(answer, Mapping) else None
            if strength is not None:
                yield strength


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
