"""The finding of one check: met, not met, or cannot tell; and how clearly.

Strengths say by how many units of measurement noise a value passes (+) or misses (-)
its cut, so that checks in different units can be averaged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from blueprints import Absent, Blueprint, Contour
from blueprints.decimals import written_apart
from extractors import unmeasured
from trace_eval.judges.beside.pauses import longest_pause
from trace_eval.judges.beside.rate import WordRate
from trace_eval.judges.rules.thresholds import RuleThresholds


@dataclass(frozen=True)
class RuleFinding:
    """The evidence for or against one request."""

    met: bool | None  # None when it cannot be told
    # distance from the cut in units of noise, limited; 0 when it cannot be told
    strength: float
    why: str  # the value and the cut, or what is missing; for readers

    def negated(self) -> RuleFinding:
        """Return the finding on the opposite request."""
        if self.met is None:
            return self
        return RuleFinding(not self.met, -self.strength, self.why)


def cannot_tell(why: str) -> RuleFinding:
    """Return the finding where the evidence does not decide."""
    return RuleFinding(None, 0.0, why)


#: A number in a text.
_NUMBER = re.compile(r"-?[0-9]+(?:[.][0-9]+)?")

#: A value and how to call it, or why it cannot be told.
Read = tuple[float, str] | RuleFinding


def within(
    read: Read,
    noise: float,
    cuts: RuleThresholds,
    low: float | None = None,
    high: float | None = None,
) -> RuleFinding:
    """Return a check that is met from ``low`` to ``high``; None: no bound there."""
    if isinstance(read, RuleFinding):
        return read
    value, what = read
    if low is None or high is None:
        bounds = f"at most {high:g}" if low is None else f"at least {low:g}"
    else:
        bounds = f"{low:g} to {high:g}"
    gaps: list[float] = []
    limits: list[float] = []
    if low is not None:
        gaps.append(value - low)
        limits.append(low)
    if high is not None:
        gaps.append(high - value)
        limits.append(high)
    why = f"{beside_limits(what, value, limits)} ({bounds})"
    return RuleFinding(min(gaps) >= 0, cuts.limited(min(gaps) / noise), why)


def beside_limits(what: str, value: float, limits: Sequence[float]) -> str:
    """Write a value with as many decimals as show on which side of its limits it lies.

    Args:
        what: a text whose first number is the value, rounded.

    >>> beside_limits("290 words/min", 290.37, [80.0, 290.0])
    '290.4 words/min'
    """
    match = _NUMBER.search(what)
    if match is None:
        return what
    unit = 100 if what[match.end() :].startswith("%") else 1
    digits = len(match[0].partition(".")[2])
    if abs(float(match[0]) - unit * value) > 0.51 * 10**-digits:
        return what  # it counts something else
    number = written_apart(unit * value, [unit * limit for limit in limits], digits)
    return f"{what[: match.start()]}{number}{what[match.end() :]}"


def absence(blueprint: Blueprint, group: str, field: str = "") -> RuleFinding:
    """Make the finding "cannot tell" for an absent group or a None field."""
    result = blueprint.group(group)
    if isinstance(result, Absent):
        return cannot_tell(f"{group} {unmeasured(group, result)}")
    return cannot_tell(f"{group} has no {field or 'value'}")


def read_rate(rate: WordRate) -> Read:
    """Return the rate and how to call it, or why it cannot be told."""
    return cannot_tell(rate.what) if rate.wpm is None else (rate.wpm, rate.what)


def reader(group: str, of: Callable[[Any], Read]) -> Callable[[Blueprint], Read]:
    """Make the reader of one number of a group; an absent group is the finding."""

    def read(blueprint: Blueprint) -> Read:
        present = blueprint.group(group)
        return absence(blueprint, group) if isinstance(present, Absent) else of(present)

    return read


def read_longest_pause(blueprint: Blueprint) -> Read:
    """Return the longest pause in seconds, 0 without any, or why it is not known."""
    longest = longest_pause(blueprint)
    if longest is None:
        return absence(blueprint, "signal")
    return longest, f"longest pause {longest:.1f} s"


#: The standard deviation of the pitch, semitones.
variation = reader(
    "pitch",
    lambda p: (
        p.std_semitones,
        f"pitch varies by {p.std_semitones:.1f} semitones (std)",
    ),
)


def length_s(contour: Contour) -> float:
    """Return the seconds from a contour's first value to its last, None left out."""
    known = [i for i, value in enumerate(contour.values) if value is not None]
    return (known[-1] - known[0]) * contour.step_s if known else 0.0
