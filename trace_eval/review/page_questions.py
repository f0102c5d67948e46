"""A question to a rater as its page shows it: words, buttons, keys, a slider."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import sub
from typing import NamedTuple

from trace_eval.data.rubrics.protocols import PairProtocol
from trace_eval.data.rubrics.single import ScaleSpec, ScoreRubric
from trace_eval.review.forms import (
    CONFIDENCE,
    EQUAL,
    FIRST,
    NO,
    NO_SCORE,
    SECOND,
    YES,
    Form,
    ReviewQuestion,
    ReviewScoreForm,
    turn_of,
)

#: Most labels that have a key each, 1 to 9.
MOST_KEYS = 9


@dataclass(frozen=True)
class PageChoice:
    """A button: its answer, its key and its words."""

    value: str
    key: str
    text: str
    style: str


_ACCEPT = (
    PageChoice(YES, "G", "Good: acceptable", "good"),
    PageChoice(NO, "X", "Bad: not acceptable", ""),
)
_BETTER = (
    PageChoice(FIRST, "1", "A is better", "a"),
    PageChoice(SECOND, "2", "B is better", "b"),
    PageChoice(EQUAL, "3", "Equally good", ""),
)
_NEXT = (PageChoice("", "Enter", "Next pair", "good"),)


class ShownScale(NamedTuple):
    """A scale of too many labels for buttons: type a number or move a slider."""

    low: float
    high: float
    step: float
    marks: Sequence[
        tuple[float, float, str]
    ]  # (label, its place from 0 to 100, its words)


class PageQuestion(NamedTuple):
    """A step on its page, with its buttons or its slider."""

    title: str
    heading: str
    hint: str
    choices: Sequence[PageChoice]
    slider: ShownScale | None = None


def question(step: ReviewQuestion, form: Form) -> PageQuestion:
    """Make the heading, hint and buttons of a step."""
    if step.kind == "comment":
        hint = "Optional. Write a comment, or go on to the next pair."
        return PageQuestion("Comment", "Anything to add?", hint, _NEXT)
    if step.kind == "confidence":
        hint = "Say here how far the recordings leave it open."
        sure = [PageChoice(key, key, text, "") for key, text in CONFIDENCE.items()]
        return PageQuestion(
            "Confidence", "How sure are you of this rating?", hint, sure
        )
    if isinstance(form, ReviewScoreForm):
        return _score_question(step, form.rubric)
    part = next(part for part in form.parts if part.name == step.phase)
    if step.kind == "label":
        choices, slider = _label_choices(form.protocol)
        return PageQuestion(
            title=part.title,
            heading=form.protocol.title,
            hint=part.question,
            choices=choices,
            slider=slider,
        )
    headings = {
        "first": "Is A acceptable?",
        "second": "Is B acceptable?",
        "better": "Both are acceptable. Which is better?",
    }
    steps = _BETTER if step.kind == "better" else _ACCEPT
    return PageQuestion(part.title, headings[step.kind], part.question, steps)


def _score_question(step: ReviewQuestion, rubric: ScoreRubric) -> PageQuestion:
    turn = turn_of(step.key)
    title = "Score" if turn is None else f"Turn {turn}"
    values = [value for value in reversed(step.values) if value != NO_SCORE]
    keys = keys_of(values)
    if keys is None:
        return PageQuestion(
            title=title,
            heading=rubric.title,
            hint=rubric.question,
            choices=(),
            slider=shown_scale(rubric.scale, rubric.points),
        )
    choices = [
        PageChoice(value, keys[value], rubric.points[value], "") for value in values
    ]
    return PageQuestion(title, rubric.title, rubric.question, choices)


def keys_of(values: Sequence[str]) -> dict[str, str] | None:
    """Return the keys of scores, highest first; None without a key for each.

    There is none where scores are too many, or not all whole numbers.

    It is the last digit of the score, so that 0 is the key of 10; where that cannot be,
    the lowest score has the key 1.
    """
    if not all(float(value).is_integer() for value in values):
        return None
    digits = [value[-1] for value in values]
    has_negative = any(value.startswith("-") for value in values)
    if len(set(digits)) == len(values) and not has_negative:
        return dict(zip(values, digits, strict=True))
    if len(values) > MOST_KEYS:
        return None
    return {value: str(key) for key, value in enumerate(reversed(values), start=1)}


#: Sides and words of plain labels.
_SIDES = {"1": "a", "2": "b"}
_WORDS = {"1": "A is better", "2": "B is better", "tie": "No difference"}


def _label_choices(
    protocol: PairProtocol,
) -> tuple[list[PageChoice], ShownScale | None]:
    """Return a button for each label, from A to B, or the slider of a long scale."""
    labels = protocol.labels
    if isinstance(protocol.scale, ScaleSpec):
        if len(labels) > MOST_KEYS:
            return [], shown_scale(protocol.scale, protocol.points)
        sides = [_side_of(float(label)) for label in labels]
    else:
        sides = [_SIDES.get(label, "") for label in labels]
    words = _WORDS | protocol.points
    choices: list[PageChoice] = []
    for key, (label, side) in enumerate(zip(labels, sides, strict=True), start=1):
        choices.append(PageChoice(label, str(key), words.get(label, label), side))
    return choices, None


def _side_of(comparison: float) -> str:
    """Return the side that a signed comparison prefers; empty: neither."""
    if comparison == 0:
        return ""
    return "a" if comparison < 0 else "b"


def shown_scale(scale: ScaleSpec, points: Mapping[str, str]) -> ShownScale:
    """Return a long scale as a slider shows it."""
    labels = scale.labels
    low, high = labels[0], labels[-1]
    step = scale.step
    if scale.values is not None:
        step = min(map(sub, labels[1:], labels))
    marks: list[tuple[float, float, str]] = []
    for label, words in points.items():
        value = float(label)
        percent = 100 * (value - low) / (high - low)
        marks.append((value, percent, words))
    return ShownScale(low, high, step, sorted(marks))
