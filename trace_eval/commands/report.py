"""``trace-eval report``: a run as one HTML file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.console import messages


@dataclass(frozen=True)
class ReportWritten:
    """Where the page is; its sentences come with it."""

    report: Path


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
    from trace_eval.commands.json_option import give
    from trace_eval.commands.render import print_sentences
    from trace_eval.report.answer import run_answer
    from trace_eval.report.write import write_report

    path = write_report(run, out, audio)
    sentences = run_answer(run)
    print_sentences(sentences)
    messages().print(f"report: {path}", highlight=False, markup=False, soft_wrap=True)
    give(ReportWritten(path), sentences)
