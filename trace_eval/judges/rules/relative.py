"""Requests about rate, pitch and loudness: met beside the other answer, or by a norm.

A listener who asked for "slowly" and hears two answers hears which is the slower one.
Where they are clearly apart the answer that goes further meets the request; the norm
decides where they are not, and refuses both where even that one is outside the ordinary
range on the wrong side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

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


@dataclass(frozen=True, kw_only=True)
class Way:
    """One direction of a perceptual scale: steps of equal size sound equal.

    Attributes:
        group: of the blueprint.
        sign: +1 where more is asked for, -1 where less is.
        norm: value that meets the request where nothing else decides, in the measure's
            unit.
        ordinary: lowest and highest value of ordinary speech, in the same unit.
        step: of the measure: a difference that is heard.
        more: how the answer is called that has more of it, and the one that has less.
    """

    group: str
    sign: int
    norm: float
    ordinary: tuple[float, float]
    step: Step
    more: tuple[str, str]

    def units(self, value: float) -> float:
        """Return how far a value passes the norm (+) or misses it (-), in steps."""
        return self.sign * self.step.between(value, self.norm)

    @property
    def cut(self) -> str:
        """In print, e.g. ``at most 140``."""
        bound = "at least" if self.sign > 0 else "at most"
        return f"{bound} {self.norm:g}"

    def apart(self, value: float, other: float, name: str) -> str:
        """Write e.g. ``1.6 times slower than B``."""
        word = self.more[value < other]
        if self.group == "rate":
            factor = max(value, other) / min(value, other)
            return f"{factor:.2f} times {word} than {name}"
        if self.group == "pitch":
            semitones = 12 * abs(math.log2(value) - math.log2(other))
            return f"{semitones:.1f} semitones {word} than {name}"
        return f"{abs(value - other):.1f} LU {word} than {name}"


def way_of(kind: RequestKind, cuts: RuleThresholds) -> Way | None:
    """Say which way a request points; None: not to rate, pitch or loudness."""
    rate = partial(
        Way,
        group="rate",
        ordinary=(cuts.neutral_wpm_low, cuts.neutral_wpm_high),
        step=RATE,
        more=("faster", "slower"),
    )
    pitch = partial(
        Way,
        group="pitch",
        ordinary=(cuts.ordinary_hz_low, cuts.ordinary_hz_high),
        step=PITCH,
        more=("higher", "lower"),
    )
    level = partial(
        Way,
        group="loudness",
        ordinary=(cuts.ordinary_lufs_low, cuts.ordinary_lufs_high),
        step=LOUDNESS,
        more=("louder", "softer"),
    )
    ways = {
        RequestKind.SLOW: rate(sign=-1, norm=cuts.slow_wpm),
        RequestKind.FAST: rate(sign=1, norm=cuts.fast_wpm),
        RequestKind.LOW_PITCH: pitch(sign=-1, norm=cuts.low_pitch_hz),
        RequestKind.HIGH_PITCH: pitch(sign=1, norm=cuts.high_pitch_hz),
        RequestKind.SOFT: level(sign=-1, norm=cuts.soft_lufs),
        RequestKind.LOUD: level(sign=1, norm=cuts.loud_lufs),
    }
    return ways.get(kind)


def compare(
    way: Way, a: Blueprint, b: Blueprint, cuts: RuleThresholds
) -> tuple[RuleFinding, RuleFinding]:
    """Compare both answers by one request; one clear difference decides."""
    if way.group == "loudness" and (level := levelled(a, b)):
        return cannot_tell(level), cannot_tell(level)
    read_a, read_b = _values(way.group, a, b)
    if isinstance(read_a, RuleFinding) or isinstance(read_b, RuleFinding):
        return _alone(way, read_a, cuts), _alone(way, read_b, cuts)
    value_a, what_a = read_a
    value_b, what_b = read_b
    limits = [way.norm] + list(way.ordinary)
    what_a = beside_limits(what_a, value_a, limits)
    what_b = beside_limits(what_b, value_b, limits)
    units_a, units_b = way.units(value_a), way.units(value_b)
    # Beyond the ordinary range more is not better: slower than slow is slow.
    most = way.units(way.ordinary[way.sign > 0])
    lead = min(units_a, most) - min(units_b, most)
    if abs(lead) < 1:
        is_met = max(units_a, units_b) >= 0
        tail = f" ({way.cut}), not clearly apart from"
        return (
            RuleFinding(is_met, _limited(lead, cuts), f"{what_a}{tail} B"),
            RuleFinding(is_met, _limited(-lead, cuts), f"{what_b}{tail} A"),
        )
    why_a = f"{what_a}, {way.apart(value_a, value_b, 'B')}"
    why_b = f"{what_b}, {way.apart(value_b, value_a, 'A')}"
    return (
        _apart(way, value_a, lead=lead, why=why_a, cuts=cuts),
        _apart(way, value_b, lead=-lead, why=why_b, cuts=cuts),
    )


def _apart(
    way: Way, value: float, lead: float, why: str, cuts: RuleThresholds
) -> RuleFinding:
    """Make the finding of one of two answers that are clearly apart."""
    floor = way.ordinary[way.sign < 0]
    is_far = way.units(value) < way.units(floor)
    is_met = way.units(value) >= 0
    if lead > 0:
        is_met = not is_far
        if is_far:
            beyond = "under" if way.sign > 0 else "over"
            why += f", but {beyond} {floor:g}"
    return RuleFinding(is_met, _limited(lead, cuts), why)


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
