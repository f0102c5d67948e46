"""``--fail-under``: exit code 1 and a line per condition that failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import typer

from trace_eval.commands.console import EXIT_INCOMPLETE, complain


def close(texts: Sequence[str] | None, values: Mapping[str, Mapping[str, float | None]]) -> None:
    """End with exit code 1 where a figure is too low."""
    if not texts:
        return
    from trace_eval.stats.inference.gates import failures

    failed = failures(texts, values)
    for line in failed:
        complain(line)
    if failed:
        raise typer.Exit(EXIT_INCOMPLETE)
