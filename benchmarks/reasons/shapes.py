"""Shapes of sentences, read from the files of a style.

A shape is a sentence with slots. ``H`` is the answer that has more of a measure, ``L``
the other, ``X`` any and ``Y`` the one that ``X`` is not. ``\\n`` ends a line.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.reasons.spelling import HANDS

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Shape:
    """A sentence with slots.

    Attributes:
        kind: one of the letters of the files.
        spelled: numbers are written in words and units in full.
        loose: units are written in one of the ways of people who look nothing up.
        hand: the number of that way, once it is drawn.
    """

    kind: str
    words: str
    spelled: bool = False
    loose: bool = False
    hand: int | None = None


def shapes(name: str) -> list[Shape]:
    """Read the shapes of a file beside this one."""
    text = (HERE / name).read_text("utf-8")
    spelled = "\n# numbers: words\n" in text
    loose = "\n# units: loose\n" in text
    lines = [line for line in text.splitlines() if line.strip() and line[0] != "#"]
    split = [line.partition("|") for line in lines]
    return [
        Shape(kind.strip(), words.strip().replace("\\n", "\n"), spelled, loose)
        for kind, _, words in split
    ]


STYLES: tuple[tuple[str, str], ...] = (
    ("answer 1", "answer 2"),
    ("answer 1", "answer 2"),
    ("Answer 1", "Answer 2"),
    ("A", "B"),
    ("the first answer", "the second answer"),
    ("the first", "the second"),
    ("the former", "the latter"),
    ("Audio 1", "Audio 2"),
    ("response 1", "response 2"),
    ("recording 1", "recording 2"),
    ("Response A", "Response B"),
    ("speaker 1", "speaker 2"),
)


def names_of(name: str) -> tuple[tuple[str, str], ...]:
    """Return the answers' names in a file of shapes, its own or ``STYLES``."""
    text = (HERE / name).read_text("utf-8")
    line = re.search(r"^# names: (.+)$", text, re.M)
    if line is None:
        return STYLES
    pairs = [each.split("/") for each in line[1].split(", ")]
    return tuple((first, second) for first, second in pairs)


_CHOICE = re.compile(r"\[([^\[\]|]*\|[^\[\]]*)\]")


def chosen(shape: Shape, rng: random.Random) -> Shape:
    """Return the shape with one of each of its alternatives, ``[this|that]``."""
    words = _CHOICE.sub(lambda match: rng.choice(match[1].split("|")), shape.words)
    hand = rng.randrange(len(HANDS)) if shape.loose else None
    return replace(shape, words=words, hand=hand)
