"""What the evidence says of one check: met, not met, or cannot tell; and how clearly.

Strengths say by how many units of measurement noise a value passes (+) or misses (-) its cut,
so that checks in different units can be averaged.
"""

from __future__ import annotations

from dataclasses import dataclass

from blueprints import Absent, Blueprint, Contour, Rate, Transcript
from extractors import guessed, unmeasured
from trace_eval.judges.rules.thresholds import Thresholds

#: Flag of a transcript whose words are mostly guesses.
LOW_CONFIDENCE = "low_confidence"


@dataclass(frozen=True)
class Finding:
    """What the evidence says of one request.

    Attributes:
        met: None when it cannot be told.
        strength: distance from the cut in units of noise, limited; 0 when it cannot be told.
        why: the value and the cut, or what is missing; for people.
    """

    met: bool | None
    strength: float
    why: str

    def negated(self) -> Finding:
        """The finding on the opposite request."""
        if self.met is None:
            return self
        return Finding(not self.met, -self.strength, self.why)


def cannot_tell(why: str) -> Finding:
    """Nothing is known."""
    return Finding(None, 0.0, why)


def above(value: float, cut: float, noise: float, what: str, limit: float) -> Finding:
    """Met when ``value >= cut``."""
    strength = max(-limit, min(limit, (value - cut) / noise))
    return Finding(value >= cut, strength, f"{what} (at least {cut:g})")


def below(value: float, cut: float, noise: float, what: str, limit: float) -> Finding:
    """Met when ``value <= cut``."""
    strength = max(-limit, min(limit, (cut - value) / noise))
    return Finding(value <= cut, strength, f"{what} (at most {cut:g})")


def absence(blueprint: Blueprint, group: str, field: str = "") -> Finding:
    """ "Cannot tell" for an absent group or a null field."""
    found = blueprint.group(group)
    if isinstance(found, Absent):
        return cannot_tell(f"{group} {unmeasured(group, found)}")
    return cannot_tell(f"{group} has no {field or 'value'}")


def words_per_minute(blueprint: Blueprint, cuts: Thresholds) -> tuple[float | None, str]:
    """Articulation rate in words per minute, and how to call it.

    Words that the recogniser itself distrusts are not counted: what it cannot understand it
    shortens, and fast speech would read as slow. Nor are words of another language, which are
    longer or shorter than English ones. Syllable nuclei need no recogniser.
    """
    rate, transcript = blueprint.rate, blueprint.transcript
    if not isinstance(rate, Rate):
        return None, ""
    heard = (
        isinstance(transcript, Transcript)
        and transcript.language == "en"  # the thresholds are of English words
        and guessed(blueprint) is None
    )
    spoken: float | None = rate.articulation_wpm
    if heard and spoken:
        return spoken, f"{spoken:.0f} words/min of speech"
    if rate.syllables_per_s:
        estimate = 60 * rate.syllables_per_s / cuts.nuclei_per_word
        return estimate, f"about {estimate:.0f} words/min of speech, by syllables"
    return None, ""


def length_s(contour: Contour) -> float:
    """Seconds from the first to the last known value of a contour."""
    known = [i for i, value in enumerate(contour.values) if value is not None]
    return (known[-1] - known[0]) * contour.step_s if known else 0.0
