"""Options that the statistical commands share, declared once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Missing(StrEnum):
    """What to do with items that only one side has."""

    ERROR = "error"
    DROP = "drop"


Labels = Annotated[
    Path | None,
    typer.Option(help="Human labels (CSV, JSONL, HCoT JSON). Default: those in the run or file."),
]
Cluster = Annotated[
    bool, typer.Option("--cluster", help="Resample whole instructions instead of items.")
]
Resamples = Annotated[int, typer.Option(min=0, help="Bootstrap resamples; 0: none.")]
Level = Annotated[float, typer.Option(min=0.5, max=0.999, help="Interval coverage.")]
Seed = Annotated[int, typer.Option(help="Seed of the random numbers.")]
CsvFolder = Annotated[
    Path | None, typer.Option("--csv", help="Write one CSV per table to this folder.")
]
Full = Annotated[bool, typer.Option("--full", help="Print every table after the sentences.")]

_FILES = "Files with other names"
Prediction = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column of the judge's label.", rich_help_panel=_FILES),
]
Truth = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="Column of people's label, in the same file.", rich_help_panel=_FILES
    ),
]
Id = Annotated[
    str | None,
    typer.Option("--id", metavar="COLUMN", help="Column of the item.", rich_help_panel=_FILES),
]
Map = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="VALUE=LABEL",
        help="What a value means, e.g. --map A=1 --map B=2 --map True=1.",
        rich_help_panel=_FILES,
    ),
]
FlipB = Annotated[
    bool,
    typer.Option(
        "--flip-b",
        help="The judge was shown B first: exchange its 1 and 2, not the truth's.",
        rich_help_panel=_FILES,
    ),
]
FailUnder = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-under",
        metavar="NAME=NUMBER",
        help="Exit with 1 where a figure is lower, e.g. agreement=0.6, kappa=0.2, coverage=0.9.",
    ),
]
Junit = Annotated[
    Path | None,
    typer.Option("--junit", help="Write JUnit XML to this file: a test case per condition."),
]
