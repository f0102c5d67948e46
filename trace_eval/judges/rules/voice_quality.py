"""Voice quality: predicted opinion scores, clipping, bandwidth and level against cuts."""

from __future__ import annotations

import math

from blueprints import Absent, Blueprint, Quality, Signal
from trace_eval.data.judgement import DimensionVerdict
from trace_eval.judges.rules.outcome import (
    MeasurementMissing,
    Standing,
    margin_of,
    missing,
    no_voice,
    typed_tie,
)
from trace_eval.judges.rules.thresholds import Thresholds


def judge_voice_quality(a: Blueprint, b: Blueprint, cuts: Thresholds) -> DimensionVerdict:
    """Typed tie on voice quality; silence has none and is not acceptable.

    Raises:
        EvidenceMissing: quality is absent for a technical reason.
    """
    standing_a, standing_b = _stand("A", a, cuts), _stand("B", b, cuts)
    lead, note = _lead(a, b, cuts)
    rating = typed_tie(standing_a, standing_b, lead)
    parts = [standing_a.sentence("A"), standing_b.sentence("B")]
    if standing_a.acceptable and standing_b.acceptable:
        parts.append(note)
    return DimensionVerdict(
        rating=rating,
        reasoning="; ".join(parts) + ".",
        margin=margin_of(standing_a, standing_b, lead),
        evidence={
            "a": standing_a.values,
            "b": standing_b.values,
            "thresholds": {
                "min_ovrl": cuts.min_ovrl,
                "min_p808": cuts.min_p808,
                "max_clipping": cuts.max_clipping,
                "min_bandwidth_hz": cuts.min_bandwidth_hz,
                "min_level_dbfs": cuts.min_level_dbfs,
                "mos_margin": cuts.mos_margin,
                "clipping_margin": cuts.clipping_margin,
            },
        },
    )


def _stand(name: str, blueprint: Blueprint, cuts: Thresholds) -> Standing:
    if silent := no_voice(blueprint, "quality", cuts):
        return Standing((f"there is no voice, {silent}",))
    quality = blueprint.quality
    if isinstance(quality, Absent):
        raise missing(name, "quality", quality)
    faults = []
    if quality.ovrl < cuts.min_ovrl:
        faults.append(f"DNSMOS OVRL {quality.ovrl:.2f} is under {cuts.min_ovrl:g}")
    if quality.p808 < cuts.min_p808:
        faults.append(f"P.808 {quality.p808:.2f} is under {cuts.min_p808:g}")
    values = {name: round(getattr(quality, name), 3) for name in ("sig", "bak", "ovrl", "p808")}
    summary = f"OVRL {quality.ovrl:.2f}, P.808 {quality.p808:.2f}"
    signal = blueprint.signal
    if isinstance(signal, Signal):
        faults += _signal_faults(signal, cuts)
        values |= {
            "clipping_ratio": signal.clipping_ratio,
            "bandwidth_hz": signal.bandwidth_hz,
            "rms_dbfs": signal.rms_dbfs,
        }
    return Standing(tuple(faults), summary, values)


def sounds_bad(blueprint: Blueprint, cuts: Thresholds) -> bool:
    """Whether the sound has a fault, which may be why its words were not understood."""
    try:
        return not _stand("", blueprint, cuts).acceptable
    except MeasurementMissing:
        return False


def _signal_faults(signal: Signal, cuts: Thresholds) -> list[str]:
    faults = []
    if signal.clipping_ratio > cuts.max_clipping:
        faults.append(f"{signal.clipping_ratio:.1%} of it clips, over {cuts.max_clipping:.1%}")
    if signal.bandwidth_hz is not None and signal.bandwidth_hz < cuts.min_bandwidth_hz:
        faults.append(f"its band ends at {signal.bandwidth_hz:.0f} Hz")
    if signal.rms_dbfs is not None and signal.rms_dbfs < cuts.min_level_dbfs:
        faults.append(f"its level is {signal.rms_dbfs:.0f} dBFS")
    return faults


def _lead(a: Blueprint, b: Blueprint, cuts: Thresholds) -> tuple[float, str]:
    """Lead of A in margins: the mean of OVRL and P.808, less audible clipping.

    Both scores are predictions of the same opinion with different errors, so their mean is
    steadier than either. P.808 does not see clipping, hence its own term.
    """
    if not (isinstance(a.quality, Quality) and isinstance(b.quality, Quality)):
        return 0.0, ""
    mean_a, mean_b = (math.fsum((q.ovrl, q.p808)) / 2 for q in (a.quality, b.quality))
    difference = mean_a - mean_b
    lead = difference / cuts.mos_margin
    note = f"mean scores differ by {abs(difference):.2f}, the margin is {cuts.mos_margin:g}"
    if isinstance(a.signal, Signal) and isinstance(b.signal, Signal):
        clipped = b.signal.clipping_ratio - a.signal.clipping_ratio
        if abs(clipped) >= cuts.clipping_margin:
            lead += clipped / cuts.clipping_margin
            note += f"; clipping differs by {abs(clipped):.1%}"
    return lead, note
