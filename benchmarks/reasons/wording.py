"""Writes the sentences of made reasons. Nothing here knows the checker.

A fault replaces a number, exchanges the sides, or puts in words that nobody said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchmarks.reasons import comparing, quoting
from benchmarks.reasons.slots import Task, Written, adjectives, any_measure, fill, own


@dataclass(frozen=True)
class Sentence:
    """A made sentence; ``fault`` is what was planted, empty where it is true."""

    text: str
    kind: str
    fault: str


def say(task: Task) -> Sentence | None:
    """Write a sentence of a shape about a world.

    None: it cannot be said, or cannot be said wrongly.
    """
    written = _WRITERS[task.shape.kind](task)
    if written is None:
        return None
    text, planted = written
    return Sentence(text[0].upper() + text[1:], task.shape.kind, planted)


def _vague(task: Task) -> Written:
    """Name no measure of an answer; ``w`` is a value that neither answer has."""
    if task.fault:
        return None
    measured = any_measure(task.shape.words, task.rng)
    assert measured is not None
    place = task.rng.choice([1, 2])
    name, other = task.style[place - 1], task.style[2 - place]
    value = measured.values(task.it.at(place))[0] * task.rng.choice([0.5, 1.7])
    norm = task.rng.choice(measured.formats)(value)
    slots = {"X": name, "Xs": own(name), "Y": other, "w": norm}
    return fill(task.shape, slots | adjectives(measured, task.rng)), ""


_WRITERS: Mapping[str, Callable[[Task], Written]] = {
    "c": comparing.compared,
    "g": comparing.compared,
    "v": comparing.one_value,
    "w": comparing.both_values,
    "d": comparing.difference,
    "r": comparing.ratio,
    "q": quoting.quoted,
    "k": quoting.said_missing,
    "u": quoting.of_the_request,
    "b": comparing.bounded,
    "e": comparing.alike,
    "n": _vague,
}
