"""``--fail-under``: exit code 1 and a line per condition that failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import typer

from blueprints import UserError
from trace_eval.commands.console import EXIT_INCOMPLETE, complain


def close(
    texts: Sequence[str] | None,
    values: Mapping[str, Mapping[str, float | None]],
    junit: Path | None = None,
    suite: str = "trace-eval",
) -> None:
    """End with exit code 1 where a figure is too low.

    Args:
        texts: the conditions, ``NAME=NUMBER``.
        values: whose -> figure -> value; None: not known.
        junit: a file to write every condition to.
        suite: its name there.
    """
    if not texts:
        if junit:
            raise UserError("--junit writes the conditions of --fail-under NAME=NUMBER; give one")
        return
    from trace_eval.stats import checked

    found = checked(texts, values)
    failed = [condition for condition in found if condition.failed]
    if junit:
        from trace_eval.gate import junit_conditions, write_junit

        write_junit(
            junit,
            junit_conditions(
                suite, [(c.who, c.name, c.text) for c in found], [c.failed for c in found]
            ),
        )
    for condition in failed:
        complain(condition.text)
    if failed:
        raise typer.Exit(EXIT_INCOMPLETE)
