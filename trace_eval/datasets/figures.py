"""Published figures beside those of the released files, and the boards with them.

Boards hold numbers only, as printed in the README of the repositories at the commits
named below.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trace_eval.data.tables import records
from trace_eval.estimate.interval import WILSON
from trace_eval.estimate.share import Share, quotient

#: Said of a printed figure for which the released files hold no answers or no verdicts.
NOT_REPRODUCIBLE = "published, not reproducible from these files"


@dataclass(frozen=True)
class Figure:
    """One number of a benchmark, e.g. ``knowledge, heard``.

    Attributes:
        system: whose answers it is about; empty: of the benchmark.
        published, decimals, where: as the authors print it, and the table; None: they
            print none.
        ours: from the released files, by the authors' rule, in the published unit, over
            the answers that the rule could read; None: there are none.
        n, unscored: answers that the rule was asked about, and those that it could not
            read.
        worst, best: the figure if every unscored answer were the worst or the best
            possible.
        expected: under the authors' own fallback, where that is a random draw.
        interval: 95 % of a share, by :attr:`interval_by` (Wilson 1927).
        tolerance: what rounding of printed numbers, of which ours is made, can do to
            it.
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

    @property
    def interval_by(self) -> str:
        """The method of the interval."""
        return WILSON

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
    """Compute a share of right answers in per cent, with its worst and best case.

    Args:
        unscored: of the ``n`` answers, those that the rule cannot read.
        chance: the chance of a random fallback to be right; 0: there is none.
    """
    if not n:
        return Figure(name, **more)
    read = n - unscored
    interval = expected = None
    if read:
        low, high = Share(right, read).interval()
        interval = (100 * low, 100 * high)
    if chance:
        expected = 100 * (right + unscored * chance) / n
    return Figure(
        name,
        n=n,
        unscored=unscored,
        ours=quotient(100 * right, read),
        worst=100 * right / n,
        best=100 * (right + unscored) / n,
        expected=expected,
        interval=interval,
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
    """Compute a mean on a scale, with its worst and best case.

    Args:
        scale: lowest and highest possible value.
        factor: unit of the published figure, e.g. 20 where 1 to 5 is printed as 20 to
            100.
    """
    n = len(values) + unscored
    if not n:
        return Figure(name, **more)
    total = math.fsum(values)
    low, high = (factor * (total + unscored * end) / n for end in scale)
    ours = factor * total / len(values) if values else None
    return Figure(name, n=n, unscored=unscored, ours=ours, worst=low, best=high, **more)


def correlation_figure(
    name: str,
    one: Mapping[str, float],
    other: Mapping[str, float],
    least: int = 0,
    **more: Any,
) -> Figure:
    """Compute Spearman's rho over the names that both sides score; ``n`` counts them.

    It is unknown where one side ties all, and over fewer than ``least`` names.
    """
    import numpy as np

    from trace_eval.estimate.ranks import spearman

    names = [name for name in one if name in other]
    # sums in another order differ in the last digits, and are equal all the same
    first = np.round([one[name] for name in names], 9)
    second = np.round([other[name] for name in names], 9)
    rho = spearman(first, second) if len(names) >= least else np.nan
    ours = None if np.isnan(rho) else round(rho, 12)
    return Figure(name, decimals=4, ours=ours, n=len(names), **more)


_FOLDER = Path(__file__).parent / "boards"

#: One row of a board: column -> number; what is not printed is missing.
ValueByColumn = Mapping[str, float]


@dataclass(frozen=True)
class Board:
    """A board and the formula of its last column, from the others."""

    file: str  # stem of its CSV file
    where: str  # which table of which commit
    overall: Callable[[ValueByColumn], float]
    tolerance: float  # what rounding of the printed columns can do to the overall
    decimals: int = 2  # of the printed overall
    #: System -> why its printed overall is not the one that its columns give.
    remarks: Mapping[str, str] = field(default_factory=dict)

    def rows(self) -> dict[str, dict[str, float]]:
        """Return the printed columns of each system."""
        columns: dict[str, dict[str, float]] = {}
        for _, row in records(_FOLDER / f"{self.file}.csv"):
            if isinstance(row, dict):
                system = row.pop("system")
                columns[system] = {
                    name: float(cell) for name, cell in row.items() if cell
                }
        return columns

    def row(self, system: str) -> ValueByColumn | None:
        """Return the printed columns of a system in any case of its name, or None."""
        names = {name.lower(): row for name, row in self.rows().items()}
        return names.get(system.lower())

    def figures(self) -> list[Figure]:
        """Compare the overall column as printed and computed, one figure per system."""
        figures: list[Figure] = []
        for system, row in self.rows().items():
            figure = Figure(
                "overall of the board",
                system,
                published=row["overall"],
                decimals=self.decimals,
                where=self.where,
                ours=self.overall(row),
                tolerance=self.tolerance,
                note=self.remarks.get(system, ""),
            )
            figures.append(figure)
        return figures


def wer_step(wer: float) -> int:
    """Return VocalBench's points for a word error rate: 10 below 2 %, ..., 1."""
    return max(1, 10 - int(wer // 2))


def vocalbench_overall(row: ValueByColumn) -> float:
    """Compute VocalBench's overall; multi-round and latency are not in it."""
    return (
        (row["knowledge"] + row["instruction"] + row["safety"]) / 10
        + 2 * (row["reasoning"] + row["creativity"] + row["single_round"])
        + row["utmos"]
        + wer_step(row["wer"])
        + row["emotion"]
        + 0.15 * row["robustness"]
    )


def voicebench_overall(row: ValueByColumn) -> float:
    """Compute VoiceBench's overall: mean of nine, the means of 1 to 5 times 20."""
    means = ("alpacaeval", "commoneval", "wildvoice")
    parts: list[float] = []
    for name, value in row.items():
        if name in means:
            parts.append(20 * value)
        elif name != "overall":
            parts.append(value)
    return math.fsum(parts) / 9


def mean_overall(row: ValueByColumn) -> float:
    """Compute URO-Bench's overall: the plain mean of a track and language's sets."""
    values = [value for name, value in row.items() if name != "overall"]
    return math.fsum(values) / len(values)


VOCALBENCH = Board(
    file="vocalbench",
    where="README at eb22bd0",
    overall=vocalbench_overall,
    tolerance=0.002,
    decimals=3,
    remarks={
        "Kimi-Audio": "safety 83.35 is no share of 400 answers; 83.75 would fit",
        "LLaMA-Omni2-7B": "with 8 points for clarity, of a WER from 4 to 6 %, it would fit",
    },
)
VOICEBENCH = Board("voicebench", "README at b858eaf", voicebench_overall, 0.005)
URO_EN = Board("uro-basic-en", "README at 9e74bc0, basic track EN", mean_overall, 0.01)
URO_ZH = Board(
    "uro-basic-zh",
    "README at 9e74bc0, basic track ZH",
    mean_overall,
    0.01,
    remarks={"GLM-4-Voice": "no remark of the authors explains it"},
)
