"""``trace-eval report``: a run as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.console import messages


def report(
    run: Annotated[Path, typer.Argument(help="Run folder of judge.")],
    out: Annotated[Path | None, typer.Option(help="HTML file; default: RUN/report.html.")] = None,
    audio: Annotated[
        bool,
        typer.Option(
            "--audio", help="Copy the recordings beside the report, so that it can be sent."
        ),
    ] = False,
) -> None:
    """Write a run as one HTML file to read, hear and search; nothing is judged again."""
    from trace_eval.commands.render import print_sentences
    from trace_eval.report import run_answer, write_report

    path = write_report(run, out, audio)
    print_sentences(run_answer(run))
    messages().print(f"report: {path}", highlight=False, markup=False, soft_wrap=True)
