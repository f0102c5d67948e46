"""What all three dimensions share: one answer's standing and the typed-tie decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from blueprints import Absent, Blueprint, Signal, Status
from extractors import unmeasured
from fusion import Rating, from_steps
from trace_eval.data.judgement import DimensionVerdict
from trace_eval.judges.rules.thresholds import RuleThresholds


class MeasurementMissing(Exception):
    """A dimension has no rating, because a group that it needs was not measured."""


@dataclass(frozen=True)
class AnswerStanding:
    """The standing of one answer in one dimension."""

    #: Why it is not acceptable, for readers; empty when it is acceptable.
    faults: tuple[str, ...] = ()
    summary: str = ""  # its numbers, for readers
    values: dict[str, JsonValue] = field(default_factory=dict)  # the same for programs

    @property
    def acceptable(self) -> bool:
        """True without faults."""
        return not self.faults

    def sentence(self, name: str) -> str:
        """Write one clause for the reasoning, e.g. ``A is acceptable (OVRL 3.1)``."""
        if self.faults:
            return f"{name} is not acceptable: {'; '.join(self.faults)}"
        if not self.summary:
            return f"{name} is acceptable"
        return f"{name} is acceptable ({self.summary})"


def margin_of(a: AnswerStanding, b: AnswerStanding, difference: float) -> float:
    """Return how far A is ahead, in units of uncertainty, to stand beside a typed tie.

    The measured difference stands whether or not it is large enough to decide. Where
    one answer alone is acceptable, it is ahead by at least the one unit that decides.
    ``difference`` is what was measured, A less B, in those units; 0 where nothing was.
    """
    if a.acceptable == b.acceptable:
        return round(difference, 3)
    ahead = 1.0 if a.acceptable else -1.0
    return round(ahead * max(1.0, ahead * difference), 3)


def verdict_of(
    a: AnswerStanding,
    b: AnswerStanding,
    lead: float,
    *,
    notes: Sequence[str] = (),
    evidence: dict[str, JsonValue] | None = None,
) -> DimensionVerdict:
    """Return the verdict on two standings: the acceptable one wins, none is both bad.

    Two acceptable ones are compared. The reasoning is a sentence on each, then the
    notes.

    Args:
        lead: how far A is ahead of B in units of the margin; from 1 on it wins.
        evidence: the numbers behind it; default: those of both standings.
    """
    better = None
    if abs(lead) >= 1:
        better = Rating.A if lead > 0 else Rating.B
    parts = [a.sentence("A"), b.sentence("B")]
    parts.extend(notes)
    return DimensionVerdict(
        rating=from_steps(a.acceptable, b.acceptable, better),
        reasoning="; ".join(parts) + ".",
        margin=margin_of(a, b, lead),
        evidence=evidence or {"a": a.values, "b": b.values},
    )


def no_voice(blueprint: Blueprint, group: str, cuts: RuleThresholds) -> str | None:
    """Say why there is no speech in this clip; None: there is some, or it is unknown.

    A clip that was too short to measure has none only when its speech is too short to
    say anything.
    """
    signal = blueprint.signal
    result = blueprint.group(group)
    for absent in (result, signal):
        if isinstance(absent, Absent) and absent.status in (
            Status.SILENT,
            Status.NO_SPEECH,
        ):
            return f"nothing is said ({absent.reason})"
    if isinstance(signal, Signal):
        if signal.peak_dbfs is None:
            return "nothing is said (all samples are zero)"
        if signal.speech_s <= 0:
            return "nothing is said (no speech was detected)"
        if isinstance(result, Absent) and result.status is Status.TOO_SHORT:
            spoken = min(signal.speech_s, signal.duration_s)
            if spoken < cuts.min_speech_s:
                return f"nothing is said ({spoken:.2f} s of speech)"
    return None


def missing(name: str, group: str, absent: Absent) -> MeasurementMissing:
    """Return the error for a group that is absent for a technical reason."""
    return MeasurementMissing(
        f"{group} of answer {name} {unmeasured(group, absent, why=True)}"
    )
