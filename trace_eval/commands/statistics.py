"""Options that the statistical commands share, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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

Judge = Annotated[str | None, typer.Option(help="Which judge, where the file has several.")]
Refused = Annotated[
    str | None, typer.Option(help="Re-fuse the judge's overall label with this policy.")
]
Dimension = Annotated[
    str | None, typer.Option(help="Which labels, e.g. content; default: overall.")
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
