"""Typed ties: the four ratings of a pair, and the lattice they form.

A rating says for each answer whether it is acceptable. Written as (A acceptable,
B acceptable) the four ratings are the corners of the unit square, and TRACE's
``RatingMin`` (paper, Algorithm 3) is the meet of that lattice.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, get_args

Dimension = Literal["content", "voice_quality", "paralinguistics"]

#: The three judged dimensions, in the order in which policies take them.
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)


class Rating(StrEnum):
    """A typed tie: which answer is better, or that both are good or both bad."""

    A = "1"
    B = "2"
    BOTH_GOOD = "both_good"
    BOTH_BAD = "both_bad"

    @property
    def acceptability(self) -> tuple[bool, bool]:
        """Return whether A and B are acceptable: ``1`` is (1, 0).

        ``both_good`` is (1, 1), and ``both_bad`` (0, 0).
        """
        return self in (Rating.A, Rating.BOTH_GOOD), self in (
            Rating.B,
            Rating.BOTH_GOOD,
        )

    @property
    def is_winner(self) -> bool:
        """Whether one answer is preferred, as in ``1`` and ``2``."""
        return self in (Rating.A, Rating.B)

    @property
    def swapped(self) -> Rating:
        """The same opinion after A and B have changed places."""
        return {Rating.A: Rating.B, Rating.B: Rating.A}.get(self, self)

    @classmethod
    def from_acceptability(cls, a: bool, b: bool) -> Rating:
        """Return the rating whose :attr:`acceptability` is ``(a, b)``."""
        if a and b:
            return cls.BOTH_GOOD
        if a:
            return cls.A
        return cls.B if b else cls.BOTH_BAD

    @classmethod
    def parse(cls, text: object, where: str = "rating") -> Rating:
        """Read one of the four labels exactly as it is written.

        Raises:
            ValueError: the text is none of them; the message begins with ``where``.
        """
        try:
            return cls(str(text))
        except ValueError:
            labels = ", ".join(cls)
            raise ValueError(
                f"{where}: {text!r} is not a rating; use one of {labels}"
            ) from None


#: Every rating once, in the declared order; tables and matrices use this order.
RATINGS: tuple[Rating, ...] = tuple(Rating)


def from_steps(a: bool, b: bool, better: Rating | None) -> Rating:
    """Return the rating that HCoT's steps give (the annotation protocol of TRACE).

    One acceptable answer wins, none is ``both_bad``, two are compared. ``better`` (one
    of the two winners, or None) counts only when both are acceptable: an unacceptable
    answer cannot win.
    """
    if a and b and better is not None and better.is_winner:
        return better
    return Rating.from_acceptability(a, b)


def rating_min(x: Rating, y: Rating) -> Rating:
    """Accept the answers that both ratings accept: TRACE's RatingMin (Algorithm 3)."""
    x_accepts_a, x_accepts_b = x.acceptability
    y_accepts_a, y_accepts_b = y.acceptability
    return Rating.from_acceptability(
        x_accepts_a and y_accepts_a, x_accepts_b and y_accepts_b
    )
