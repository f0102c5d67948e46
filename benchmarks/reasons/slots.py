"""What the slots of a shape are filled with."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.reasons.measured import MEASURED, Measured
from benchmarks.reasons.shapes import Shape
from benchmarks.reasons.spelling import loosened, spelled
from benchmarks.reasons.worlds import World


@dataclass(frozen=True)
class Task:
    """A sentence to be written.

    Attributes:
        style: what the two answers are called.
        fault: whether the sentence must be false.
    """

    shape: Shape
    rng: random.Random
    it: World
    style: tuple[str, str]
    fault: bool


#: A sentence and what was planted in it; None where it cannot be written.
Written = tuple[str, str] | None

#: Slots that hold a value of a measure.
VALUES = ("v", "vr", "lo", "hi", "h", "l", "d", "cap", "w", "x")


def fill(shape: Shape, slots: Mapping[str, str]) -> str:
    """Put values and names in the slots of a shape."""
    words = shape.words
    for name, value in slots.items():
        shown = _written(shape, value) if name in VALUES else value
        words = words.replace(f"{{{name}}}", shown)
    return words


def _written(shape: Shape, value: str) -> str:
    """Return a value in the style of a shape."""
    if shape.spelled:
        return spelled(value)
    if shape.hand is not None:
        return loosened(value, shape.hand)
    return value


def own(name: str) -> str:
    """Return the possessive of a name."""
    return f"{name}'s"


def apart(measured: Measured, high: float, low: float, steps: float = 1.0) -> bool:
    """Return whether two values are so far apart that everybody hears it."""
    if measured.ratio:
        return low > 0 and high / low >= measured.step**steps
    return high - low >= measured.step * steps


def sides_of(
    it: World, measured: Measured, style: tuple[str, str]
) -> tuple[dict[str, str], tuple[float, ...], tuple[float, ...]] | None:
    """Return both sides' names, and the higher and lower values; None if close."""
    one, other = measured.values(it.first), measured.values(it.second)
    swapped = one[0] < other[0]
    high, low = (other, one) if swapped else (one, other)
    if not apart(measured, high[0], low[0]):
        return None
    if any(h <= x for h, x in zip(high, low, strict=True)):
        return None
    names = style[::-1] if swapped else style
    slots = {"H": names[0], "L": names[1], "Hs": own(names[0]), "Ls": own(names[1])}
    return slots, high, low


def exchanged(slots: dict[str, str]) -> dict[str, str]:
    """Return the slots with the two sides exchanged."""
    return slots | {
        "H": slots["L"],
        "L": slots["H"],
        "Hs": slots["Ls"],
        "Ls": slots["Hs"],
    }


def clear(value: float, others: tuple[float, ...]) -> bool:
    """Return whether a value cannot be taken for any of these."""
    return all(abs(value - other) > 0.14 * abs(other) for other in others)


def wrong_value(
    value: float, others: tuple[float, ...], rng: random.Random, measured: Measured
) -> float:
    """Draw a number that is far from all of these."""
    additive, grain = (
        measured.step == 4,
        1.0 if measured.names[0] == "clipping" else 0.0,
    )
    for _ in range(200):
        if additive:
            made = value + rng.choice([-1, 1]) * rng.uniform(4, 9)
        else:
            made = value * rng.choice([rng.uniform(0.55, 0.8), rng.uniform(1.25, 1.7)])
        # Prompts print shares in whole percent: a false one is off by more than that.
        if all(abs(made - other) > max(0.14 * abs(other), grain) for other in others):
            return made
    return value * 3


def _needs(words: str, measured: Measured) -> bool:
    """Whether a measure has all that the words need."""
    return not (
        (("{up}" in words or "{down}" in words) and not measured.up)
        or ("{base}" in words and not measured.base)
        or ("{d}" in words and not measured.gaps)
    )


def any_measure(words: str, rng: random.Random, ratio: bool = False) -> Measured | None:
    """Draw a measure that has all that the words need."""
    fitting = [
        m for m in MEASURED.values() if _needs(words, m) and (m.ratio or not ratio)
    ]
    return rng.choice(fitting) if fitting else None


def adjectives(measured: Measured, rng: random.Random) -> dict[str, str]:
    """Draw how a measure is named and compared."""
    slots = {"m": rng.choice(measured.names)}
    if measured.up:
        slots |= {"up": rng.choice(measured.up), "down": rng.choice(measured.down)}
    if measured.base:
        slots["base"] = rng.choice(measured.base)
    return slots
