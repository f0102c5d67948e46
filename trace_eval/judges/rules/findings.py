"""The finding of one check: met, not met, or cannot tell; and how clearly.

Strengths say by how many units of measurement noise a value passes (+) or misses (-) its cut,
so that checks in different units can be averaged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from blueprints import (
    UNSURE,
    Absent,
    Blueprint,
    Contour,
    Rate,
    Signal,
    Transcript,
    language_name,
)
from extractors import guessed, unmeasured
from trace_eval.judges.rules.thresholds import RuleThresholds

#: Syllables per second of read speech by language: Pellegrino, Coupé & Marsico 2011, "A
#: cross-language perspective on speech information rate", Language 87(3). Of others no norm is
#: known here.
SYLLABLES_PER_S = {
    "de": 5.97,
    "en": 6.19,
    "es": 7.82,
    "fr": 7.18,
    "it": 6.99,
    "ja": 7.84,
    "vi": 5.22,
    "zh": 5.18,
}


@dataclass(frozen=True)
class RuleFinding:
    """What the evidence says of one request."""

    met: bool | None  # None when it cannot be told
    strength: float  # distance from the cut in units of noise, limited; 0 when it cannot be told
    why: str  # the value and the cut, or what is missing; for readers

    def negated(self) -> RuleFinding:
        """The finding on the opposite request."""
        if self.met is None:
            return self
        return RuleFinding(not self.met, -self.strength, self.why)


def cannot_tell(why: str) -> RuleFinding:
    """The finding where the evidence does not decide."""
    return RuleFinding(None, 0.0, why)


#: A value and how to call it, or why it cannot be told.
Read = tuple[float, str] | RuleFinding


def within(
    read: Read,
    noise: float,
    cuts: RuleThresholds,
    low: float | None = None,
    high: float | None = None,
) -> RuleFinding:
    """Met when a value is ``low`` or more and ``high`` or less; None: no bound on that side."""
    if isinstance(read, RuleFinding):
        return read
    value, what = read
    if low is None or high is None:
        bounds = f"at most {high:g}" if low is None else f"at least {low:g}"
    else:
        bounds = f"{low:g} to {high:g}"
    gaps = [*([] if low is None else [value - low]), *([] if high is None else [high - value])]
    return RuleFinding(min(gaps) >= 0, cuts.limited(min(gaps) / noise), f"{what} ({bounds})")


def absence(blueprint: Blueprint, group: str, field: str = "") -> RuleFinding:
    """ "Cannot tell" for an absent group or a None field."""
    result = blueprint.group(group)
    if isinstance(result, Absent):
        return cannot_tell(f"{group} {unmeasured(group, result)}")
    return cannot_tell(f"{group} has no {field or 'value'}")


class WordRate(NamedTuple):
    """Articulation rate of one answer."""

    wpm: float | None  # English words per minute of speech; None: not known
    what: str  # how to call it, or why it is not known
    by_syllables: bool = True  # estimated from syllable nuclei, not from words

    @property
    def read(self) -> Read:
        """The rate and how to call it, or why it cannot be told."""
        return cannot_tell(self.what) if self.wpm is None else (self.wpm, self.what)


def words_per_minute(
    blueprint: Blueprint, cuts: RuleThresholds, trust_words: bool = True
) -> WordRate:
    """Articulation rate in English words per minute, or why it is not known.

    Words that the recogniser itself distrusts are not counted: what it cannot understand it
    shortens, and fast speech would read as slow. Nor are words of another language, which are
    longer or shorter than English ones. Syllable nuclei need no recogniser, but a norm of their
    language: what is fast in Mandarin is slow in Spanish.

    ``trust_words=False``: by syllables in any case, for a comparison with an answer whose words
    cannot be trusted.
    """
    rate = blueprint.rate
    recognised = blueprint.transcript
    language = recognised.language if isinstance(recognised, Transcript) else "en"
    if isinstance(recognised, Transcript) and "unsure_language" in recognised.suspect:
        language = UNSURE
    if not isinstance(rate, Rate):
        return WordRate(None, absence(blueprint, "rate").why)
    if trust_words and language == "en" and rate.articulation_wpm and guessed(blueprint) is None:
        what = f"{rate.articulation_wpm:.0f} words/min of speech"
        return WordRate(rate.articulation_wpm, what, by_syllables=False)
    if not rate.syllables_per_s:
        return WordRate(None, "rate has no word rate")
    if (norm := SYLLABLES_PER_S.get(language)) is None:
        name = "an unsure language" if language == UNSURE else language_name(language)
        return WordRate(None, f"no norm of syllable rates for {name}")
    as_english = rate.syllables_per_s * SYLLABLES_PER_S["en"] / norm
    estimate = 60 * as_english / cuts.nuclei_per_word
    of = "" if language == "en" else f" against the norm of {language_name(language)}"
    return WordRate(estimate, f"about {estimate:.0f} words/min of speech, by syllables{of}")


def reader(group: str, of: Callable[[Any], Read]) -> Callable[[Blueprint], Read]:
    """How to read one number of a group; where the group is absent, that is the finding."""

    def read(blueprint: Blueprint) -> Read:
        present = blueprint.group(group)
        return absence(blueprint, group) if isinstance(present, Absent) else of(present)

    return read


def _longest(signal: Signal) -> Read:
    longest = max((pause.seconds for pause in signal.pauses), default=0.0)
    return longest, f"longest pause {longest:.1f} s"


#: The standard deviation of the pitch, semitones.
variation = reader(
    "pitch", lambda p: (p.std_semitones, f"pitch varies by {p.std_semitones:.1f} semitones (std)")
)
#: The longest pause, seconds, 0 without any.
longest_pause = reader("signal", _longest)


def length_s(contour: Contour) -> float:
    """Seconds from the first to the last value of a contour that is not None."""
    available = [i for i, value in enumerate(contour.values) if value is not None]
    return (available[-1] - available[0]) * contour.step_s if available else 0.0
