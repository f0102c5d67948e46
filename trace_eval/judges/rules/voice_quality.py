"""Voice quality: predicted opinion scores, clipping, bandwidth and level against cuts.

Which numbers decide between two acceptable voices, and from which lead on, was measured on human
ratings of neural codecs and of enhanced speech (docs/explanation/how-good.md). Personalised OVRL
and SIG order enhanced speech the wrong way round: they are a floor here, and decide nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from blueprints import Absent, Blueprint, Extension, Quality, Signal
from trace_eval.data.judgement import DimensionVerdict
from trace_eval.judges.rules.heard import unasked
from trace_eval.judges.rules.outcome import (
    AnswerStanding,
    MeasurementMissing,
    missing,
    no_voice,
    verdict_of,
)
from trace_eval.judges.rules.requests import RuleInstruction
from trace_eval.judges.rules.thresholds import RuleThresholds

#: Number that decides -> its name for readers.
_NAMES = {
    "p808": "P.808",
    "bandwidth": "log bandwidth",
    "bak": "BAK",
    "distillmos": "Distill-MOS",
}

#: Kind of a defect for which an answer is not acceptable -> what it is. Other kinds move nothing:
#: what they take from an answer was not measured on human labels.
_UNACCEPTED = {"loop": "its sound repeats itself", "silence": "half of it or more is silence"}


def judge_voice_quality(
    a: Blueprint,
    b: Blueprint,
    cuts: RuleThresholds,
    instruction: RuleInstruction | None = None,
) -> DimensionVerdict:
    """Typed tie on voice quality; silence has none and is not acceptable.

    With the instruction also by music and changes of the voice that it does not ask for.

    Raises:
        MeasurementMissing: quality is absent for a technical reason.
    """
    standing_a, standing_b = _stand("A", a, cuts), _stand("B", b, cuts)
    lead, note = _lead(a, b, cuts)
    thresholds = cuts.named(
        *("min_ovrl", "min_p808", "max_clipping", "min_bandwidth_hz", "min_level_dbfs"),
        *("p808_margin", "bandwidth_margin", "bak_margin", "clipping_margin"),
    )
    notes = [note] if standing_a.acceptable and standing_b.acceptable else []
    more, reasons = unasked(a, b, instruction, cuts)
    if reasons:
        lead, notes = lead + more, [*notes, *reasons]
        thresholds |= cuts.named("background_music_s", "voice_change_likeness")
    evidence = {"a": standing_a.values, "b": standing_b.values, "thresholds": thresholds}
    return verdict_of(standing_a, standing_b, lead, *notes, evidence={**evidence})


def _stand(name: str, blueprint: Blueprint, cuts: RuleThresholds) -> AnswerStanding:
    if silent := no_voice(blueprint, "quality", cuts):
        return AnswerStanding((f"there is no voice, {silent}",))
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
        band, level = signal.bandwidth_hz, signal.rms_dbfs
        if signal.clipping_ratio > cuts.max_clipping:
            faults.append(f"{signal.clipping_ratio:.1%} of it clips, over {cuts.max_clipping:.1%}")
        if band is not None and band < cuts.min_bandwidth_hz:
            faults.append(f"its band ends at {band:.0f} Hz")
        if level is not None and level < cuts.min_level_dbfs:
            faults.append(f"its level is {level:.0f} dBFS")
        values |= {
            "clipping_ratio": signal.clipping_ratio,
            "bandwidth_hz": band,
            "rms_dbfs": level,
        }
    defects = blueprint.extensions.get("defects")
    for event in (defects.events or ()) if isinstance(defects, Extension) else ():
        if defect := _UNACCEPTED.get(event.kind):
            faults.append(f"{defect} from {event.start_s:.1f} to {event.end_s:.1f} s")
    return AnswerStanding(tuple(faults), summary, values)


def sounds_bad(blueprint: Blueprint, cuts: RuleThresholds) -> bool:
    """Whether the sound has a fault, which may be why its words were not understood."""
    try:
        return not _stand("", blueprint, cuts).acceptable
    except MeasurementMissing:
        return False


def voice_numbers(blueprint: Blueprint, cuts: RuleThresholds) -> dict[str, float]:
    """What decides between two voices, by name: MOS, and the bandwidth's natural logarithm.

    Without a quality there is nothing, because bandwidth alone would prefer noise to speech.
    """
    quality, signal = blueprint.quality, blueprint.signal
    if not isinstance(quality, Quality):
        return {}
    numbers = {"p808": quality.p808, "bak": quality.bak}
    if isinstance(signal, Signal) and signal.bandwidth_hz:
        numbers["bandwidth"] = math.log(min(signal.bandwidth_hz, cuts.full_band_hz))
    group = blueprint.extensions.get("distillmos")
    if isinstance(group, Extension) and isinstance(mos := group.values.get("mos"), float):
        numbers["distillmos"] = mos
    return numbers


def voice_lead(
    a: Mapping[str, float], b: Mapping[str, float], cuts: RuleThresholds
) -> tuple[float, str]:
    """Lead of A in margins, the sum over the numbers that both have; and a note for readers."""
    margins = {"p808": cuts.p808_margin, "bandwidth": cuts.bandwidth_margin, "bak": cuts.bak_margin}
    if "distillmos" in a and "distillmos" in b:
        margins = {
            "distillmos": cuts.distillmos_margin,
            "p808": cuts.p808_beside_distillmos,
            "bandwidth": cuts.bandwidth_beside_distillmos,
        }
    gaps = {name: a[name] - b[name] for name in margins if name in a and name in b}
    lead = math.fsum(gap / margins[name] for name, gap in gaps.items())
    message = ", ".join(f"{_NAMES[name]} {gap:+.2f}" for name, gap in gaps.items())
    return lead, f"A less B: {message}; {abs(lead):.2f} of the margin" if gaps else ""


def _lead(a: Blueprint, b: Blueprint, cuts: RuleThresholds) -> tuple[float, str]:
    """Lead of A in margins, less audible clipping, which none of the numbers sees."""
    lead, note = voice_lead(voice_numbers(a, cuts), voice_numbers(b, cuts), cuts)
    if note and isinstance(a.signal, Signal) and isinstance(b.signal, Signal):
        clipped = b.signal.clipping_ratio - a.signal.clipping_ratio
        if abs(clipped) >= cuts.clipping_margin:
            lead += clipped / cuts.clipping_margin
            note += f"; clipping differs by {abs(clipped):.1%}"
    return lead, note
