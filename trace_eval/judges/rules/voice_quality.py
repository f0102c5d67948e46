"""Voice quality: predicted opinion scores, clipping, bandwidth and level against cuts.

Which numbers decide between two acceptable voices, and from which lead on, was measured
on human ratings of neural codecs (docs/explanation/how-good.md):
:mod:`trace_eval.judges.beside`. SIG, BAK and OVRL decide nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from blueprints import Absent, Blueprint, Extension, Quality, Signal
from trace_eval.data.judgement import DimensionVerdict
from trace_eval.judges.beside.delivery import Difference
from trace_eval.judges.beside.steps import BANDWIDTH, CLIPPING, P808, VOICE
from trace_eval.judges.beside.voice import (
    Compared,
    compared,
    part_numbers,
    voice_lead,
    whole_numbers,
)
from trace_eval.judges.rules.findings import beside_limits
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

#: Kind of a defect for which an answer is not acceptable -> what it is. Other kinds
#: move nothing: what they take from an answer was not measured on human labels.
_UNACCEPTED = {
    "loop": "its sound repeats itself",
    "silence": "half of it or more is silence",
}


def judge_voice_quality(
    a: Blueprint,
    b: Blueprint,
    cuts: RuleThresholds,
    instruction: RuleInstruction | None = None,
) -> DimensionVerdict:
    """Judge the typed tie on voice quality; silence has none and is not acceptable.

    With the instruction, music and changes of the voice that it does not ask for are
    noted.

    Raises:
        MeasurementMissing: quality is absent for a technical reason.
    """
    heard_a, heard_b = _heard(a, b)
    standing_a, standing_b = (
        _stand("A", a, heard_a, cuts),
        _stand("B", b, heard_b, cuts),
    )
    lead, note = _lead(a, b)
    thresholds = cuts.named(
        "min_p808", "max_clipping", "min_bandwidth_hz", "min_level_dbfs"
    )
    steps: dict[str, JsonValue] = {one.name: one.printed for one in VOICE}
    notes = [note] if standing_a.acceptable and standing_b.acceptable else []
    sounds = unasked(a, b, instruction, cuts)
    evidence: dict[str, JsonValue] = {
        "a": standing_a.values,
        "b": standing_b.values,
        "thresholds": thresholds,
        "steps": steps,
    }
    if sounds.notes:
        notes += sounds.notes
        thresholds |= cuts.named(
            "background_music_s", "voice_change_likeness", "voice_change_decides"
        )
        evidence["unasked"] = sounds.spans
    return verdict_of(
        standing_a,
        standing_b,
        lead + sounds.lead,
        notes=notes,
        evidence=dict(evidence),
    )


@dataclass(frozen=True)
class _Heard:
    """The measurements that decide whether an answer is acceptable."""

    numbers: Mapping[str, float]
    seconds: float | None  # None: the whole clip


def _heard(a: Blueprint, b: Blueprint) -> tuple[_Heard, _Heard]:
    """Return both by stretches of one length, or else by all that each has."""
    if isinstance(a.quality, Quality) and isinstance(b.quality, Quality):
        result = compared(a, b)
        if isinstance(result, Compared):
            return _Heard(result.a, result.seconds), _Heard(result.b, result.seconds)
    return _alone(a), _alone(b)


def _alone(blueprint: Blueprint) -> _Heard:
    quality = blueprint.quality
    if not isinstance(quality, Quality) or quality.parts is None:
        return _Heard(whole_numbers(blueprint), None)
    longest = max(quality.parts, key=lambda part: part.seconds, default=None)
    if longest is None:
        return _Heard({}, 0.0)
    return _Heard(part_numbers([longest]), longest.seconds)


def _stand(
    name: str, blueprint: Blueprint, heard: _Heard, cuts: RuleThresholds
) -> AnswerStanding:
    if silent := no_voice(blueprint, "quality", cuts):
        return AnswerStanding((f"there is no voice, {silent}",))
    quality = blueprint.quality
    if isinstance(quality, Absent):
        raise missing(name, "quality", quality)
    mos, band = heard.numbers.get(P808.name), heard.numbers.get(BANDWIDTH.name)
    clipped, level = heard.numbers.get(CLIPPING.name, 0.0) / 100, _level(blueprint)
    # The score of the whole clip, which pages show, is another one.
    of = "" if heard.seconds is None else f" in {heard.seconds:.1f} s of speech"
    faults = []
    if mos is not None and mos < (least := _least_p808(heard.seconds, cuts)):
        shown = beside_limits(f"{mos:.2f}", mos, [least])
        faults.append(f"P.808 {shown}{of} is under {least:.2g}")
    if clipped > cuts.max_clipping:
        shown = beside_limits(
            f"{clipped:.1%} of it clips", clipped, [cuts.max_clipping]
        )
        faults.append(f"{shown}, over {cuts.max_clipping:.1%}")
    if band is not None and 1000 * band < cuts.min_bandwidth_hz:
        faults.append(f"its band ends at {1000 * band:.0f} Hz")
    if level is not None and level < cuts.min_level_dbfs:
        faults.append(f"its level is {level:.0f} dBFS")
    values: dict[str, JsonValue] = {
        "p808": None if mos is None else round(mos, 3),
        "bandwidth_hz": None if band is None else round(1000 * band),
        "clipping_ratio": clipped,
        "rms_dbfs": level,
        "seconds": heard.seconds,
    }
    faults += _defects(blueprint)
    summary = "too short for a score" if mos is None else f"P.808 {mos:.2f}{of}"
    return AnswerStanding(tuple(faults), summary, values)


def _least_p808(seconds: float | None, cuts: RuleThresholds) -> float:
    """Return the floor for so much speech: P.808 grows with scored length."""
    if seconds is None or seconds >= cuts.p808_settles_s or seconds <= 0:
        return cuts.min_p808
    return cuts.min_p808 - cuts.p808_growth * math.log2(cuts.p808_settles_s / seconds)


def _level(blueprint: Blueprint) -> float | None:
    """Return the level of the speech alone, dBFS, or else that of the clip."""
    quality, signal = blueprint.quality, blueprint.signal
    if isinstance(quality, Quality) and quality.parts is not None:
        return quality.level_dbfs
    return signal.rms_dbfs if isinstance(signal, Signal) else None


def _defects(blueprint: Blueprint) -> Iterator[str]:
    """Say why its defects are not accepted; silence around speech is not a defect."""
    defects, signal = blueprint.extensions.get("defects"), blueprint.signal
    speech = signal.speech if isinstance(signal, Signal) else []
    for event in (defects.events or ()) if isinstance(defects, Extension) else ():
        outside = bool(speech) and (
            event.end_s <= speech[0].start_s or event.start_s >= speech[-1].end_s
        )
        if (defect := _UNACCEPTED.get(event.kind)) and not (
            event.kind == "silence" and outside
        ):
            yield f"{defect} from {event.start_s:.1f} to {event.end_s:.1f} s"


def sounds_bad(blueprint: Blueprint, cuts: RuleThresholds) -> bool:
    """Whether the sound has a fault, which may be why its words were not understood."""
    try:
        return not _stand("", blueprint, _alone(blueprint), cuts).acceptable
    except MeasurementMissing:
        return False


def _lead(a: Blueprint, b: Blueprint) -> tuple[float, str]:
    """Return A's lead in steps and a note for readers; 0 if not comparable."""
    result = voice_lead(a, b)
    if result.steps is None:
        return 0.0, f"the voices are not comparable: {result.why}"
    gaps = ", ".join(_gap(one) for one in result.differences)
    of = ""
    if result.seconds is not None:
        of = f" in the first {result.seconds:.1f} s of speech"
    return result.steps, f"A less B{of}: {gaps}; {abs(result.steps):.2f} steps in all"


def _gap(one: Difference) -> str:
    """Write e.g. ``P.808 +0.21 MOS (+0.6 steps)``."""
    assert one.a is not None
    assert one.b is not None
    return (
        f"{one.step.label} {one.a - one.b:+.2f} {one.step.unit} ({one.steps:+.1f}"
        " steps)"
    )
