"""A rubric: the dimensions that are judged, their scale, and the kind of item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from fusion.ratings import DIMENSIONS
from fusion.scales import PREFERENCE, TYPED_TIE, Scale

#: Two answers against each other, or one answer by itself.
ItemKind = Literal["pair", "single"]


@dataclass(frozen=True)
class Rubric:
    """The dimensions that a judge rates, each on its own, and their verdicts' labels.

    Attributes:
        name: e.g. ``trace``; ``version`` is raised when its meaning changes.
        item: ``pair`` for pairwise scales, else ``single``.

    Raises:
        ValueError: no dimension, or the scale does not fit the kind of item.
    """

    name: str
    version: str
    dimensions: tuple[str, ...]
    scale: Scale
    item: ItemKind

    def __post_init__(self) -> None:
        if not self.dimensions or len(set(self.dimensions)) < len(self.dimensions):
            raise ValueError(
                f"rubric {self.name}: name one or more different dimensions"
            )
        if self.scale.pairwise != (self.item == "pair"):
            raise ValueError(
                f"rubric {self.name}: scale {self.scale.name} does not rate a"
                f" {self.item}; pairwise scales compare pairs, numbers rate single"
                " answers"
            )

    def parse(self, where: str, value: object) -> Any:
        """Return the label of a verdict, as :meth:`Scale.parse` does.

        Raises:
            OffScale: the value is no label; the message begins with ``where``.
        """
        try:
            return self.scale.parse(value)
        except ValueError as error:
            raise type(error)(f"{where}: {error}") from None


def preference_rubric(name: str) -> Rubric:
    """Make a rubric about the pair as a whole, whose ties are not typed."""
    return Rubric(
        name=name,
        version="1",
        dimensions=("overall",),
        scale=PREFERENCE,
        item="pair",
    )


#: TRACE: content, voice quality and paralinguistics of a pair, as typed ties.
TRACE = Rubric(
    name="trace",
    version="1",
    dimensions=DIMENSIONS,
    scale=TYPED_TIE,
    item="pair",
)
