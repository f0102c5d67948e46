"""The boards that benchmarks print, and their overall column computed again from the others.

Numbers only, as printed in the README of the repositories at the commits named below.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from trace_eval.data.tables import records
from trace_eval.datasets.figures import Figure

_FOLDER = Path(__file__).parent / "boards"

#: One row of a board: column -> number; what is not printed is missing.
Columns = Mapping[str, float]


@dataclass(frozen=True)
class Board:
    """A board and the formula of its last column.

    Attributes:
        file: stem of its CSV file.
        where: which table of which commit.
        overall: the formula, from the other columns.
        tolerance: what rounding of the printed columns can do to it.
        decimals: of the printed overall.
        remarks: system -> why its printed overall is not the one that its columns give.
    """

    file: str
    where: str
    overall: Callable[[Columns], float]
    tolerance: float
    decimals: int = 2
    remarks: Mapping[str, str] = field(default_factory=dict)

    def rows(self) -> dict[str, dict[str, float]]:
        """System -> its printed columns."""
        return {
            row["system"]: {
                name: float(cell) for name, cell in row.items() if name != "system" and cell
            }
            for _, row in records(_FOLDER / f"{self.file}.csv")
            if isinstance(row, dict)
        }

    def row(self, system: str) -> Columns | None:
        """The printed columns of a system, whatever the case of its name; None: it is not there."""
        names = {name.lower(): row for name, row in self.rows().items()}
        return names.get(system.lower())

    def figures(self) -> list[Figure]:
        """The overall column as printed and as computed, one figure per system."""
        return [
            Figure(
                "overall of the board",
                system,
                published=row["overall"],
                decimals=self.decimals,
                where=self.where,
                ours=self.overall(row),
                tolerance=self.tolerance,
                note=self.remarks.get(system, ""),
            )
            for system, row in self.rows().items()
        ]


def wer_step(wer: float) -> int:
    """VocalBench's points for a word error rate in per cent: 10 below 2, 9 below 4, ..., 1."""
    return max(1, 10 - int(wer // 2))


def vocalbench_overall(row: Columns) -> float:
    """VocalBench's overall; multi-round and latency are not in it."""
    return (
        (row["knowledge"] + row["instruction"] + row["safety"]) / 10
        + 2 * (row["reasoning"] + row["creativity"] + row["single_round"])
        + row["utmos"]
        + wer_step(row["wer"])
        + row["emotion"]
        + 0.15 * row["robustness"]
    )


def voicebench_overall(row: Columns) -> float:
    """VoiceBench's overall: mean of nine, the means of 1 to 5 times 20."""
    means = ("alpacaeval", "commoneval", "wildvoice")
    return math.fsum(20 * v if k in means else v for k, v in row.items() if k != "overall") / 9


def mean_overall(row: Columns) -> float:
    """URO-Bench's overall: the plain mean of the sets of a track and language."""
    values = [value for name, value in row.items() if name != "overall"]
    return math.fsum(values) / len(values)


VOCALBENCH = Board(
    "vocalbench",
    "README at eb22bd0",
    vocalbench_overall,
    0.002,
    3,
    {
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
