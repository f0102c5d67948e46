"""How people listen by a rubric: raters, order, blinding, references, traps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from blueprints import Strict

#: Letters that a page needs for itself, whatever the raters mark.
RESERVED_KEYS = frozenset("cilnpv")

#: Labels of pairs, in the pair's own order: of a plain preference, of typed ties.
PLAIN_LABELS = ("1", "2", "tie")
TYPED_LABELS = ("1", "2", "both_good", "both_bad")

#: Most steps of a scale that a message lists one by one.
_MOST_STEPS = 7


def _as_tuple(value: object) -> object:
    return (value,) if isinstance(value, str) else value


def _as_text(value: object) -> object:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:g}" if is_number else value


def _as_moment(value: object) -> object:
    """Read a day as its end, and a time without an offset as UTC."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime.combine(value, time(23, 59, 59), UTC)
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    return value


#: Several names, or one that stands alone.
OneOrMore = Annotated[tuple[str, ...], BeforeValidator(_as_tuple)]

#: Names of systems; the first one that a question has is meant.
SystemNames = OneOrMore


class Trap(Strict):
    """An item whose right answer is known; it tells who listens, and is no data."""

    item: str | None = Field(
        None, min_length=1, description="id of the pair or of the answer"
    )
    system: SystemNames = Field(
        (),
        description="or whose answers: they stay data, as those of a hidden reference do",
    )
    answer: Annotated[str | None, BeforeValidator(_as_text)] = Field(
        None, description="the only right label or score; of a pair for its own A and B"
    )
    at_least: float | None = Field(None, description="lowest right score")
    at_most: float | None = Field(None, description="highest right score")

    @model_validator(mode="after")
    def _has_an_answer(self) -> Trap:
        if (self.item is None) == (not any(self.system)):
            raise ValueError("a trap is an item or a system; name one of them")
        has_bounds = self.at_least is not None or self.at_most is not None
        if self.answer is None and not has_bounds:
            raise ValueError(
                f"trap {self.name!r} has no right answer; give answer, at_least or"
                " at_most"
            )
        if self.answer is not None and has_bounds:
            raise ValueError(
                f"trap {self.name!r} has an answer and bounds; keep one of them"
            )
        return self

    @property
    def name(self) -> str:
        """The item, or the systems."""
        return self.item or " or ".join(self.system)

    def is_of(self, item: str, system: str | None) -> bool:
        """Whether an answer, or a pair, is this trap."""
        return item == self.item if self.item is not None else system in self.system

    @property
    def expected(self) -> str:
        """The right answers in words."""
        if self.answer is not None:
            return self.answer
        low = "" if self.at_least is None else f"at least {self.at_least:g}"
        high = "" if self.at_most is None else f"at most {self.at_most:g}"
        return ", ".join(filter(None, (low, high)))

    def is_right(self, given: str) -> bool:
        """Whether a rater's label or score is a right one."""
        if self.answer is not None:
            return given == self.answer
        low = -math.inf if self.at_least is None else self.at_least
        high = math.inf if self.at_most is None else self.at_most
        return low <= float(given) <= high

    def check(self, labels: Sequence[float] | Sequence[str]) -> None:
        """Raise ValueError where no label of the scale is a right answer."""
        names = [label if isinstance(label, str) else f"{label:g}" for label in labels]
        worded = any(isinstance(label, str) for label in labels)
        if worded and self.answer is None:
            raise ValueError(
                f"trap {self.name!r} has bounds, and the labels are no numbers; give"
                f" answer, one of {', '.join(names)}"
            )
        if not any(self.is_right(name) for name in names):
            steps = f"{names[0]} to {names[-1]}"
            if len(names) <= _MOST_STEPS:
                steps = ", ".join(names)
            raise ValueError(
                f"trap {self.name!r}: its right answer {self.expected} is not on"
                f" the scale {steps}"
            )


def _twice(names: Sequence[str]) -> list[str]:
    """Return the names that stand there before."""
    return [name for number, name in enumerate(names) if name in names[:number]]


class Listening(Strict):
    """The rules for raters under a protocol.

    Attributes:
        raters: raters that an item needs; it is shown to no more. None: everybody rates
            all.
        third_rater: ask one more rater where those of an item differ; most of them
            decide.
        items: items that are drawn at random of all; None: all.
        repeat: items that every rater is shown a second time.
        order: order of the items: a random one for each rater, or that of the queue.
        sides: order of A and B, or of the answers on one page.
        blind: hide the names of the systems.
        together: rate all answers to one question beside each other, on one page.
        reference: system whose recording is shown as the reference.
        hidden_reference: rate the reference too, unnamed, among the others.
        anchor: systems that are anchors; their scores are kept under these names.
        lowpass_hz: anchors to make of the reference, by cutting it off at these
            frequencies.
        loudness: play everything of one page equally loud, or say by how much it
            differs.
        played: take no answer before every recording was played.
        comment: ask for a comment after each item, or offer a field for one.
        marks: what raters may tick beside an answer, by its key.
        training: items that every rater hears first, to learn the scale; what they say
            of them never counts. Where answers share a page: questions.
        traps: items with a known right answer.
        most_failed: share of the trap items, or of the answers of one trap system, that
            a rater may fail; who fails more is named as one to leave out.
        until: end of the review; later answers are kept and do not count.
    """

    raters: int | None = Field(None, ge=1)
    third_rater: bool = False
    items: int | None = Field(None, ge=1)
    repeat: int = Field(0, ge=0)
    order: Literal["random", "given"] = "random"
    sides: Literal["random", "given"] = "random"
    blind: bool = True
    together: bool = False
    reference: SystemNames = ()
    hidden_reference: bool = False
    anchor: SystemNames = ()
    lowpass_hz: tuple[Annotated[int, Field(ge=500, le=20_000)], ...] = ()
    loudness: Literal["matched", "announced"] = "announced"
    played: bool = True
    comment: Literal["asked", "offered"] = "offered"
    marks: dict[Annotated[str, Field(pattern="^[a-z]$")], str] = Field(
        default_factory=dict
    )
    training: OneOrMore = ()
    traps: tuple[Trap, ...] = ()
    most_failed: float | None = Field(None, ge=0, lt=1)
    until: Annotated[datetime | None, BeforeValidator(_as_moment)] = None

    @model_validator(mode="after")
    def _does_not_contradict_itself(self) -> Listening:
        both = [name for name in self.anchor if name in self.reference]
        traps = [trap.name for trap in self.traps]
        twice = _twice(traps)
        taught_twice = _twice(self.training)
        both_kinds = [name for name in self.training if name in traps]
        problems = {
            "hidden_reference: there is no reference; name its system": (
                self.hidden_reference and not self.reference
            ),
            "lowpass_hz: anchors are made of the reference; name its system": (
                bool(self.lowpass_hz) and not self.reference
            ),
            (
                "hidden_reference: nothing is hidden with blind = false; leave one of"
                " them out"
            ): (self.hidden_reference and not self.blind),
            f"anchor: {', '.join(both)} is the reference too; keep one": bool(both),
            (
                "lowpass_hz, anchor: belong to together = true, where answers share a"
                " page"
            ): (bool(self.lowpass_hz or self.anchor) and not self.together),
            (
                "reference: is shown with together = true; leave it out, or rate them"
                " together"
            ): (bool(self.reference) and not self.together),
            f"traps: {', '.join(twice)} is there twice; keep one": bool(twice),
            f"training: {', '.join(taught_twice)} is there twice; keep one": (
                bool(taught_twice)
            ),
            (
                f"training: {', '.join(both_kinds)} is a trap too, and no answer of the"
                " training counts; keep one"
            ): bool(both_kinds),
            "third_rater: name the raters that come first, e.g. raters = 2": (
                self.third_rater and self.raters is None
            ),
            "third_rater: belongs to together = false; leave one of them out": (
                self.third_rater and self.together
            ),
            f"repeat: {self.repeat} is more than items = {self.items}; repeat fewer": (
                self.items is not None and self.repeat > self.items
            ),
            (
                f"marks: the page needs the keys {', '.join(sorted(RESERVED_KEYS))};"
                " use others"
            ): (bool(RESERVED_KEYS & self.marks.keys())),
            "most_failed: there are no traps; add some, or leave it out": (
                self.most_failed is not None and not self.traps
            ),
        }
        for problem, is_there in problems.items():
            if is_there:
                raise ValueError(problem)
        return self

    def check(self, labels: Sequence[float] | Sequence[str], is_pair: bool) -> None:
        """Raise ValueError for what does not fit the rubric's scale or items."""
        if is_pair and (self.together or self.marks or self.third_rater):
            names = ("together", "marks", "third_rater")
            name = next(name for name in names if getattr(self, name))
            raise ValueError(
                f"listening.{name}: belongs to single answers; leave it out"
            )
        for trap in self.traps:
            if is_pair and trap.item is None:
                raise ValueError(
                    f"trap {trap.name!r}: names no item; where pairs are rated, it must"
                )
            trap.check(labels)
