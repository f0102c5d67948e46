"""Conclusions about systems that a change of judges reverses, beyond chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array
from trace_eval.estimate.paired import holm
from trace_eval.show.table import NOTHING, Table, column, joined, table

Signs = NDArray[np.int64]

#: Two-sided level of a conclusion, after Holm's correction within its family.
LEVEL = 0.05


@dataclass(frozen=True)
class Conclusions:
    """A family of comparisons as one judge sees them [shape=(m,) each]."""

    signs: Signs  # +1 better, -1 worse, 0 not told apart, after Holm's correction
    raw: Signs  # the same without the correction
    order: Signs  # sign of the difference itself

    @classmethod
    def of(cls, differences: Array, p: Array) -> Conclusions:
        """Build conclusions from differences and their two-sided p values."""
        order = np.sign(differences).astype(np.int64)
        adjusted = np.array(holm(p.tolist()))
        return cls(order * (adjusted <= LEVEL), order * (p <= LEVEL), order)


def _number(names: tuple[str, ...], _: object) -> int:
    return len(names)


def _expected(number: float | None, row: ConclusionChange) -> str | None:
    if number is None:
        return None
    return f"{number:g} ({row.expected_from})"


@dataclass(frozen=True)
class ConclusionChange:
    """The change of a family's conclusions from one judge to the other.

    Those that are lost, gained and reversed are named after Holm's correction within
    the family, and counted at 95 % each without it in ``raw``, of which
    ``raw_reversed`` names the last. ``expected`` are so many that the judge's own noise
    changes, None: not known; ``expected_from`` says how that was measured.
    """

    family: str  # what is compared, in words
    size: int  # comparisons
    lost: tuple[str, ...] = field(metadata=column(shown=_number))
    gained: tuple[str, ...] = field(metadata=column(shown=_number))
    reversed: tuple[str, ...] = field(metadata=column(shown=_number))
    # another order, and both undecided: counted, not listed
    reordered: int = field(metadata=column("order only"))
    raw: tuple[int, int, int] = field(metadata=column("without Holm", joined(" / ")))
    raw_reversed: tuple[str, ...]
    order: int  # comparisons in another order, decided or not
    expected: float | None = field(
        default=None, metadata=column("expected by noise", _expected)
    )
    expected_from: str = ""

    @property
    def which(self) -> str:
        """Some of them by name, the reversed ones first."""
        names = [f"reversed: {name}" for name in self.reversed]
        names += [f"lost: {name}" for name in self.lost]
        names += [f"gained: {name}" for name in self.gained]
        if len(names) > 3:
            names[3:] = ["..."]
        return "; ".join(names) or NOTHING

    @property
    def changed(self) -> int:
        """Lost, gained and reversed together."""
        return len(self.lost) + len(self.gained) + len(self.reversed)


def change(
    family: str,
    names: Sequence[str],
    first: Conclusions,
    second: Conclusions,
    expected: tuple[float | None, str] = (None, ""),
) -> ConclusionChange:
    """Compare two judges' conclusions on a family; ``expected``: see the report."""
    other_order = first.order * second.order < 0
    undecided = (first.signs == 0) & (second.signs == 0)
    lost, gained, turned = _kinds(first.signs, second.signs)
    raw_lost, raw_gained, raw_turned = _kinds(first.raw, second.raw)
    expected_number, expected_from = expected

    def named(mask: Array) -> tuple[str, ...]:
        return tuple(compress(names, mask.tolist()))

    return ConclusionChange(
        family=family,
        size=len(names),
        lost=named(lost),
        gained=named(gained),
        reversed=named(turned),
        reordered=int((other_order & undecided).sum()),
        raw=(int(raw_lost.sum()), int(raw_gained.sum()), int(raw_turned.sum())),
        raw_reversed=named(raw_turned),
        order=int(other_order.sum()),
        expected=expected_number,
        expected_from=expected_from,
    )


def changes(first: Conclusions, second: Conclusions) -> int:
    """Return the conclusions that are lost, gained or reversed."""
    return int(sum(mask.sum() for mask in _kinds(first.signs, second.signs)))


def _kinds(one: Signs, other: Signs) -> tuple[Array, Array, Array]:
    """Mark the conclusions that are lost, gained and reversed."""
    lost = (one != 0) & (other == 0)
    gained = (one == 0) & (other != 0)
    return lost, gained, one * other < 0


def z_conclusions(differences: Array, variances: Array) -> Conclusions:
    """Draw conclusions of normal differences, but none without variance."""
    return Conclusions.of(differences, z_p(differences, variances))


def z_p(differences: Array, variances: Array) -> Array:
    """Return two-sided p of normal differences; 1 without variance."""
    from scipy.special import ndtr

    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(variances > 0, np.abs(differences) / np.sqrt(variances), 0.0)
    return np.asarray(2 * ndtr(-z))


def sign_conclusions(wins: Array, losses: Array) -> Conclusions:
    """Draw conclusions by exact sign tests of wins against losses, without ties."""
    from scipy.special import bdtr

    number = (wins + losses).astype(np.int64)
    p = np.minimum(1.0, 2 * bdtr(np.minimum(wins, losses), number, 0.5))
    return Conclusions.of(wins - losses, p)


def conclusions_table(families: tuple[ConclusionChange, ...]) -> Table:
    """Show conclusions lost, gained or reversed, beside those that noise changes."""
    return table(
        "Conclusions that change",
        families,
        "family size lost gained reversed reordered raw expected which",
        "two-sided at 5 %, Holm within the family; order only: another order, both"
        " undecided",
    )
