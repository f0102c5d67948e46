"""A published figure beside the one that the released files give."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from trace_eval.estimate.share import Share

#: Said of a printed figure for which the released files hold no answers or no verdicts.
NOT_REPRODUCIBLE = "published, not reproducible from these files"


@dataclass(frozen=True)
class Figure:
    """One number of a benchmark.

    Attributes:
        name: of the figure, e.g. ``knowledge, heard``.
        system: whose answers it is about; empty: of the benchmark.
        published: as the authors print it; None: they print none.
        decimals: how many of them they print.
        where: the table that prints it.
        ours: from the released files, by the authors' rule, in the published unit, over the
            answers that the rule could read; None: there are none.
        n: answers that the rule was asked about.
        unscored: of them, those that it could not read.
        worst, best: the figure if every unscored answer were the worst or the best possible.
        expected: under the authors' own fallback, where that is a random draw.
        interval: 95 % (Wilson 1927) of a share.
        tolerance: what rounding of printed numbers, of which ours is made, can do to it.
        note: what differs, or what the figure rests on.
        difference: ours minus the published one, at the published number of decimals.
        verdict: how the two compare, in words.
    """

    name: str
    system: str = ""
    published: float | None = None
    decimals: int = 2
    where: str = ""
    ours: float | None = None
    n: int = 0
    unscored: int = 0
    worst: float | None = None
    best: float | None = None
    expected: float | None = None
    interval: tuple[float, float] | None = None
    tolerance: float = 0.0
    note: str = ""

    difference: float | None = field(init=False, default=None)
    verdict: str = field(init=False, default="")

    def __post_init__(self) -> None:
        difference = None
        if self.ours is not None and self.published is not None:
            difference = round(self.ours - self.published, self.decimals) + 0.0
        object.__setattr__(self, "difference", difference)
        object.__setattr__(self, "verdict", self._verdict())

    def _verdict(self) -> str:
        if self.ours is None:
            return "no answers" if self.published is None else NOT_REPRODUCIBLE
        if self.published is None:
            return "ours"
        if self.unscored and self.worst is not None and self.best is not None:
            inside = round(self.worst, self.decimals) <= self.published
            inside = inside and self.published <= round(self.best, self.decimals)
            return "between worst and best" if inside else "differs"
        near = abs(self.ours - self.published) <= self.tolerance
        return "equal" if near or self.difference == 0 else "differs"


def share_figure(
    name: str, right: int, n: int, unscored: int = 0, chance: float = 0.0, **more: Any
) -> Figure:
    """A share of right answers in per cent, with its worst and best case.

    Args:
        right: of the ``n`` answers, those that the rule calls right.
        unscored: of the ``n``, those that the rule cannot read; in neither case drawn.
        chance: the chance of a random fallback to be right; 0: there is none.
    """
    if not n:
        return Figure(name, **more)
    read = n - unscored
    low, high = Share(right, read).interval()
    return Figure(
        name,
        n=n,
        unscored=unscored,
        ours=100 * right / read if read else None,
        worst=100 * right / n,
        best=100 * (right + unscored) / n,
        expected=100 * (right + unscored * chance) / n if chance else None,
        interval=(100 * low, 100 * high) if read else None,
        **more,
    )


def mean_figure(
    name: str,
    values: list[float],
    unscored: int,
    scale: tuple[float, float],
    factor: float = 1.0,
    **more: Any,
) -> Figure:
    """A mean on a scale, with its worst and best case.

    Args:
        scale: lowest and highest possible value.
        factor: unit of the published figure, e.g. 20 where 1 to 5 is printed as 20 to 100.
    """
    n = len(values) + unscored
    if not n:
        return Figure(name, **more)
    total = math.fsum(values)
    low, high = (factor * (total + unscored * end) / n for end in scale)
    ours = factor * total / len(values) if values else None
    return Figure(name, n=n, unscored=unscored, ours=ours, worst=low, best=high, **more)


def rank_correlation(one: Mapping[str, float], other: Mapping[str, float]) -> float | None:
    """Spearman's rho over the names that both sides score; None where one side ties all."""
    import numpy as np

    from trace_eval.estimate.ranks import spearman

    names = [name for name in one if name in other]
    # sums in another order differ in the last digits, and are equal all the same
    rho = spearman(*(np.round([side[name] for name in names], 9) for side in (one, other)))
    return None if np.isnan(rho) else round(rho, 12)
