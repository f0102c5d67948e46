"""Requests about rate, pitch and loudness: met relative to the other answer, else by a norm.

A listener who asked for "slowly" and hears two answers hears which is the slower one.
Where they are clearly apart the answer that goes further meets the request; the norm
decides where they are not, and refuses both where even that one is outside the ordinary
range on the wrong side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from blueprints import Blueprint
from trace_eval.judges.beside.delivery import levelled
from trace_eval.judges.beside.rate import rates
from trace_eval.judges.beside.steps import LOUDNESS, PITCH, RATE, Step
from trace_eval.judges.rules.findings import (
    Read,
    RuleFinding,
    beside_limits,
    cannot_tell,
    read_rate,
    reader,
)
from trace_eval.judges.rules.thresholds import RuleThresholds
from trace_eval.judges.rules.vocabulary import RequestKind


@dataclass(frozen=True)
class Way:
    """One direction of a perceptual scale: steps of equal size sound equal."""

    group: str  # of the blueprint
    sign: int  # +1 where more is asked for, -1 where less is
    # value that meets the request where nothing else decides, in the measure's unit
    norm: float
    ordinary: tuple[
        float, float
    ]  # lowest and highest value of ordinary speech, in the same unit
    step: Step  # of the measure: a difference that is heard
    more: tuple[
        str, str
    ]  # how the answer is called that has more of it, and the one that has less

    def units(self, value: float) -> float:
        """Return how far a value passes the norm (+) or misses it (-), in steps."""
        return self.sign * self.step.between(value, self.norm)

    @property
    def cut(self) -> str:
        """In print, e.g. ``at most 140``."""
        return f"{'at least' if self.sign > 0 else 'at most'} {self.norm:g}"

    def apart(self, value: float, other: float, name: str) -> str:
        """Write e.g. ``1.6 times slower than B``."""
        word = self.more[value < other]
        if self.group == "rate":
            return (
                f"{max(value, other) / min(value, other):.2f} times {word} than {name}"
            )
        if self.group == "pitch":
            semitones = 12 * abs(math.log2(value) - math.log2(other))
            return f"{semitones:.1f} semitones {word} than {name}"
        return f"{abs(value - other):.1f} LU {word} than {name}"


def way_of(kind: RequestKind, cuts: RuleThresholds) -> Way | None:
    """Say which way a request points; None: it is not about rate, pitch or loudness."""
    rate = ((cuts.neutral_wpm_low, cuts.neutral_wpm_high), RATE, ("faster", "slower"))
    hertz = cuts.ordinary_hz_low, cuts.ordinary_hz_high
    pitch = (hertz, PITCH, ("higher", "lower"))
    lufs = cuts.ordinary_lufs_low, cuts.ordinary_lufs_high
    level = (lufs, LOUDNESS, ("louder", "softer"))
    ways = {
        RequestKind.SLOW: ("rate", -1, cuts.slow_wpm, *rate),
        RequestKind.FAST: ("rate", 1, cuts.fast_wpm, *rate),
        RequestKind.LOW_PITCH: ("pitch", -1, cuts.low_pitch_hz, *pitch),
        RequestKind.HIGH_PITCH: ("pitch", 1, cuts.high_pitch_hz, *pitch),
        RequestKind.SOFT: ("loudness", -1, cuts.soft_lufs, *level),
        RequestKind.LOUD: ("loudness", 1, cuts.loud_lufs, *level),
    }
    return Way(*ways[kind]) if kind in ways else None


def compare(
    way: Way, a: Blueprint, b: Blueprint, cuts: RuleThresholds
) -> tuple[RuleFinding, RuleFinding]:
    """Compare both answers by one request; one clear difference decides."""
    if way.group == "loudness" and (level := levelled(a, b)):
        return cannot_tell(level), cannot_tell(level)
    read_a, read_b = _values(way.group, a, b)
    if isinstance(read_a, RuleFinding) or isinstance(read_b, RuleFinding):
        return _alone(way, read_a, cuts), _alone(way, read_b, cuts)
    (x, what_a), (y, what_b) = read_a, read_b
    what_a, what_b = (
        beside_limits(what_a, x, [way.norm]),
        beside_limits(what_b, y, [way.norm]),
    )
    # Beyond the ordinary range more is not better: slower than slow is slow.
    most = way.units(way.ordinary[way.sign > 0])
    lead = min(way.units(x), most) - min(way.units(y), most)
    if abs(lead) < 1:
        met = max(way.units(x), way.units(y)) >= 0
        tail = f" ({way.cut}), not clearly apart from"
        return (
            RuleFinding(met, _limited(lead, cuts), f"{what_a}{tail} B"),
            RuleFinding(met, _limited(-lead, cuts), f"{what_b}{tail} A"),
        )
    why_a = f"{what_a}, {way.apart(x, y, 'B')}"
    why_b = f"{what_b}, {way.apart(y, x, 'A')}"
    return _apart(way, x, lead=lead, why=why_a, cuts=cuts), _apart(
        way, y, lead=-lead, why=why_b, cuts=cuts
    )


def _apart(
    way: Way, value: float, lead: float, why: str, cuts: RuleThresholds
) -> RuleFinding:
    """Make the finding of one of two answers that are clearly apart."""
    floor = way.ordinary[way.sign < 0]
    far = way.units(value) < way.units(floor)
    if lead > 0 and far:
        why += f", but {'under' if way.sign > 0 else 'over'} {floor:g}"
    met = not far if lead > 0 else way.units(value) >= 0
    return RuleFinding(met, _limited(lead, cuts), why)


def by_norm(way: Way, blueprint: Blueprint, cuts: RuleThresholds) -> RuleFinding:
    """Make the finding of one answer by the norm alone."""
    read, _ = _values(way.group, blueprint, blueprint)
    return _alone(way, read, cuts)


def _alone(way: Way, read: Read, cuts: RuleThresholds) -> RuleFinding:
    if isinstance(read, RuleFinding):
        return read
    value, what = read
    units = way.units(value)
    why = f"{beside_limits(what, value, [way.norm])} ({way.cut})"
    return RuleFinding(units >= 0, _limited(units, cuts), why)


def _limited(units: float, cuts: RuleThresholds) -> float:
    """Return a strength that gives answers one clear difference apart a margin."""
    return cuts.limited(units * cuts.strength_margin / 2)


def _values(group: str, a: Blueprint, b: Blueprint) -> tuple[Read, Read]:
    """Return both values and what to call them, by one method; else a finding."""
    if group != "rate":
        return _READERS[group](a), _READERS[group](b)
    first, second = rates(a, b)
    return read_rate(first), read_rate(second)


_READERS = {
    "pitch": reader(
        "pitch", lambda p: (p.median_hz, f"median pitch {p.median_hz:.0f} Hz")
    ),
    "loudness": reader(
        "loudness", lambda x: (x.integrated_lufs, f"{x.integrated_lufs:.1f} LUFS")
    ),
}
