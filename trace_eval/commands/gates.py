"""The outputs of a statistical command: tables, CSV, and exit code 1 by ``--fail-under``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from blueprints import UserError
from trace_eval.commands.console import EXIT_INCOMPLETE, complain
from trace_eval.data.settings import option_field

#: Name of a judge or system -> figure -> value; None: it is not known.
Values = Mapping[str, Mapping[str, float | None]]


@dataclass(frozen=True)
class Output:
    """The tables and files that a command prints and writes beside its sentences.

    Attributes:
        fail_under: exit with 1 where a figure is lower, e.g. agreement=0.6, kappa=0.2,
            coverage=0.9; may be repeated.
        csv: write a row per figure to this .csv file, or one CSV per table to this folder.
        full: print every table after the sentences.
    """

    fail_under: tuple[str, ...] = option_field((), metavar="NAME=NUMBER")
    csv: Path | None = None
    full: bool = False

    def close(self, values: Values, junit: Path | None = None, suite: str = "") -> None:
        """End with exit code 1 where a figure is too low."""
        if not self.fail_under:
            if junit:
                message = "--junit writes the conditions of --fail-under NAME=NUMBER; give one"
                raise UserError(message)
            return
        from trace_eval.decide.gates import checked

        checks = checked(self.fail_under, values)
        if junit:
            from trace_eval.compare.gate.junit_xml import junit_conditions, write_junit

            cases = [(check.who, check.name, check.text) for check in checks]
            write_junit(junit, junit_conditions(suite, cases, [check.failed for check in checks]))
        if failed := [check.text for check in checks if check.failed]:
            for text in failed:
                complain(text)
            raise typer.Exit(EXIT_INCOMPLETE)


Labels = Annotated[
    Path | None,
    typer.Option(help="Human labels (CSV, JSONL, HCoT JSON). Default: those in the run or file."),
]
Resamples = Annotated[int, typer.Option(min=0, help="Bootstrap resamples.")]
Junit = Annotated[
    Path | None,
    typer.Option("--junit", help="Write JUnit XML to this file: a test case per condition."),
]
