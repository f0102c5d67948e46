"""Sentences that compare or give the values of measures."""

from __future__ import annotations

import re
from collections.abc import Mapping

from benchmarks.reasons.measured import Format
from benchmarks.reasons.slots import (
    Task,
    Written,
    adjectives,
    any_measure,
    apart,
    clear,
    exchanged,
    fill,
    own,
    sides_of,
    wrong_value,
)


def compared(task: Task) -> Written:
    """Say which answer has more of a measure; a fault exchanges the sides."""
    measured = any_measure(task.shape.words, task.rng)
    sides = measured and sides_of(task.it, measured, task.style)
    if measured is None or not sides:
        return None
    slots = exchanged(sides[0]) if task.fault else sides[0]
    return fill(
        task.shape, slots | adjectives(measured, task.rng)
    ), "side" if task.fault else ""


def one_value(task: Task) -> Written:
    """Give a value of one answer.

    A fault gives another number, or the other answer's.
    """
    measured = any_measure(task.shape.words, task.rng)
    assert measured is not None
    place = task.rng.choice([1, 2])
    values = measured.values(task.it.at(place))
    if values[0] == 0:
        return None
    planted = ""
    value = values[0]
    if task.fault:
        others = measured.values(task.it.at(3 - place))
        if task.rng.random() < 0.4 and clear(others[0], values):
            value, planted = others[0], "side"
        else:
            value, planted = wrong_value(value, values, task.rng, measured), "number"
    name = task.style[place - 1]
    write = task.rng.choice(measured.formats)
    slots = {"X": name, "Xs": own(name), "v": write(value), **_range(value, write)}
    return fill(task.shape, slots | adjectives(measured, task.rng)), planted


def _range(value: float, write: Format) -> dict[str, str]:
    """Return the slots of a range around a value: its ends, and both with one unit."""
    below, above = sorted((0.96 * value, 1.04 * value))
    low, high = write(below), write(above)
    number = _LEADING.match(low)
    assert number is not None
    return {"lo": low, "hi": high, "vr": f"{number[0]} to {high}"}


_LEADING = re.compile(r"-?[\d.]+")


def both_values(task: Task) -> Written:
    """Give the values of both answers; a fault replaces one or exchanges them."""
    measured = any_measure(task.shape.words, task.rng)
    sides = measured and sides_of(task.it, measured, task.style)
    if measured is None or not sides:
        return None
    slots, high, low = sides
    write = task.rng.choice(measured.formats)
    planted = ""
    h, low_value = high[0], low[0]
    if task.fault:
        planted = task.rng.choice(["side", "number"])
        if planted == "side":
            if not (clear(h, low) and clear(low_value, high)):
                return None
            slots = exchanged(slots)
        elif task.rng.random() < 0.5:
            h = wrong_value(h, high, task.rng, measured)
        else:
            low_value = wrong_value(low_value, low, task.rng, measured)
    numbers = {"h": write(h), "l": write(low_value)}
    return fill(task.shape, slots | numbers | adjectives(measured, task.rng)), planted


_EVEN = re.compile(r"\bapart\b|\bbetween\b")


def difference(task: Task) -> Written:
    """Give a difference; a fault gives another or exchanges the sides."""
    measured = any_measure(task.shape.words, task.rng)
    sides = measured and sides_of(task.it, measured, task.style)
    if measured is None or not sides:
        return None
    slots, high, low = sides
    gaps = tuple(h - x for h, x in zip(high, low, strict=True))
    gap, planted = gaps[0], ""
    if task.fault:
        # "They are 3 dB apart" says of no side that it has more.
        sided = re.search(r"\{[HL]s?\}", task.shape.words)
        planted = "number" if not sided or _EVEN.search(task.shape.words) else "side"
        planted = task.rng.choice([planted, "number"])
        if planted == "side":
            slots = exchanged(slots)
        else:
            factors = task.rng.uniform(0.3, 0.6), task.rng.uniform(1.6, 2.5)
            gap = abs(gap) * task.rng.choice(factors)
            if not all(abs(gap - other) > 0.25 * other for other in gaps):
                return None
    write = task.rng.choice(measured.gaps)
    slots = slots | {"d": write(gap), "h": write(high[0]), "l": write(low[0])}
    return fill(task.shape, slots | adjectives(measured, task.rng)), planted


_TIMES = {
    2.0: ("twice",),
    3.0: ("three times",),
    1.5: ("one and a half times", "1.5 times"),
}

#: What is more than another by a part, and what is less, by the ratio.
_PARTS = {4 / 3: "a third", 1.5: "half", 5 / 3: "two thirds", 1.75: "three quarters"}
_PORTIONS = {4 / 3: "a quarter", 1.5: "a third", 2.0: "half", 3.0: "two thirds"}


def _nearest(words: Mapping[float, str], ratio: float) -> str | None:
    """Return the words of a ratio; None where none is within some percent."""
    near = min(words, key=lambda one: abs(one - ratio))
    return words[near] if 0.96 < near / ratio < 1.04 else None


def ratio(task: Task) -> Written:
    """Give a ratio; a fault gives another or exchanges the sides."""
    measured = any_measure(task.shape.words, task.rng, ratio=True)
    sides = measured and sides_of(task.it, measured, task.style)
    if measured is None or not sides:
        return None
    slots, high, low = sides
    ratios = tuple(h / x for h, x in zip(high, low, strict=True))
    ratio, planted = ratios[0], ""
    if task.fault:
        planted = task.rng.choice(["side", "number"])
        if planted == "side":
            slots = exchanged(slots)
        else:
            ratio = ratio * task.rng.uniform(1.5, 2.0)
            if not all(ratio / other > 1.4 for other in ratios):
                return None
    extra = {
        "pct": f"{100 * (ratio - 1):.0f} %",
        "less": f"{100 * (1 - 1 / ratio):.0f} %",
        "x": f"{ratio:.1f}",
    }
    if "{times}" in task.shape.words:
        near = min(_TIMES, key=lambda t: abs(t - ratio))
        if not 0.93 < near / ratio < 1.07:
            return None
        extra["times"] = task.rng.choice(_TIMES[near])
    if "{frac}" in task.shape.words:
        if not 1.9 < ratio < 2.15:
            return None
        extra["frac"] = "half"
    for slot, words in (("part", _PARTS), ("portion", _PORTIONS)):
        if f"{{{slot}}}" in task.shape.words:
            named = _nearest(words, ratio)
            if named is None:
                return None
            extra[slot] = named
    return fill(task.shape, slots | extra | adjectives(measured, task.rng)), planted


def bounded(task: Task) -> Written:
    """Make a claim that bounds both values; a planted fault states a wrong bound."""
    measured = any_measure(task.shape.words, task.rng)
    assert measured is not None
    if measured.step == 4:  # of negative numbers nobody says so
        return None
    values = [*measured.values(task.it.first), *measured.values(task.it.second)]
    lowest = min(
        max(measured.values(task.it.first)), max(measured.values(task.it.second))
    )
    highest = max(
        min(measured.values(task.it.first)), min(measured.values(task.it.second))
    )
    if min(values) <= 0:
        return None
    if task.fault:
        cap = min(values) + (highest - min(values)) * 0.6
        if cap > 0.95 * highest or lowest == 0:
            return None
    else:
        cap = max(values) * 1.15
    slots = {"cap": measured.formats[0](cap)}
    return fill(
        task.shape, slots | adjectives(measured, task.rng)
    ), "number" if task.fault else ""


def alike(task: Task) -> Written:
    """Say that both answers are alike; a fault says so of clearly unlike ones."""
    measured = any_measure(task.shape.words, task.rng)
    assert measured is not None
    one, other = measured.values(task.it.first)[0], measured.values(task.it.second)[0]
    high, low = max(one, other), min(one, other)
    if task.fault and not apart(measured, high, low, 1.5):
        return None
    if not task.fault and apart(measured, high, low, 0.25):
        return None
    return fill(
        task.shape, adjectives(measured, task.rng)
    ), "side" if task.fault else ""
