"""Options that the statistical commands share, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Labels = Annotated[
    Path | None,
    typer.Option(help="Human labels (CSV, JSONL, HCoT JSON). Default: those in the run or file."),
]
Junit = Annotated[
    Path | None,
    typer.Option("--junit", help="Write JUnit XML to this file: a test case per condition."),
]
