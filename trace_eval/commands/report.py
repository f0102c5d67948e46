"""``trace-eval report``: a run as one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from blueprints import UserError, counted
from trace_eval.commands.console import (
    EXIT_INCOMPLETE,
    complain,
    messages,
    say_each,
    warn,
)
from trace_eval.commands.render import AS_AGREE, LabelsOption
from trace_eval.commands.result_files import give
from trace_eval.commands.signatures import from_classes
from trace_eval.data.columns import OF_LABELS, OUR_NAMES, Columns

#: Of a folder of runs: as many are named on the terminal, the newest first.
MOST_LISTED = 3


@dataclass(frozen=True)
class ReportWritten:
    """The page that was written; its sentences come with it."""

    report: Path


@from_classes
def report(
    *,
    run: Annotated[
        Path,
        typer.Argument(
            help="Run folder of judge, or a folder of runs, which are listed on a page."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="HTML file; default: RUN/report.html, for several FOLDER/runs.html."
        ),
    ] = None,
    audio: Annotated[
        bool,
        typer.Option(
            "--audio",
            help="Copy the recordings beside the report, so that it can be sent.",
        ),
    ] = False,
    redact: Annotated[
        bool,
        typer.Option(
            "--redact",
            help=(
                "Remove digits, mail addresses, card and phone numbers from texts; mute"
                " them in copies of sound."
            ),
        ),
    ] = False,
    live: Annotated[
        bool,
        typer.Option(
            "--live",
            help="With several runs: renew the page while one of them goes on.",
        ),
    ] = False,
    audio_root: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the recordings, if they were moved without the run since they"
            " were judged."
        ),
    ] = None,
    labels: LabelsOption = None,
    columns: Annotated[Columns, OF_LABELS, AS_AGREE],
) -> None:
    """Write a run as one HTML file to read, hear and search, without judging again."""
    from trace_eval.report.answer import run_answer
    from trace_eval.report.run_list import write_run_list
    from trace_eval.report.write import write_report
    from trace_eval.runs.run import Run

    if labels is None and columns != OUR_NAMES:
        raise UserError(
            "--id, --map, --where, --scale, --column describe --labels; name that, too"
        )
    sentences: tuple[str, ...] = ()
    silent = 0
    replaced: Sequence[str] = ()
    if run.is_dir() and not Run(run).exists:
        of_one = {"--audio": audio, "--redact": redact, "--labels": labels}
        of_one["--audio-root"] = audio_root
        if option := next((name for name, value in of_one.items() if value), None):
            raise UserError(
                f"{run}: holds runs; {option} takes a single run; name one of them"
            )
        path, lines = write_run_list(run, out, live)
        sentences = tuple(
            f"{line.name}: {line.sentences[0]}" for line in lines[:MOST_LISTED]
        )
    else:
        if live:
            raise UserError(f"{run}: is one run; --live needs the folder that holds it")
        path = page = write_report(
            run,
            out,
            audio=audio,
            redact=redact,
            labels=labels,
            columns=columns,
            audio_root=audio_root,
        )
        sentences = run_answer(run, labels, columns)
        silent = page.recordings if not page.playable else 0
        replaced = page.replaced
    say_each(sentences)
    messages().print(f"report: {path}", highlight=False, markup=False, soft_wrap=True)
    give(ReportWritten(path), sentences)
    missing = None
    if replaced:
        those = counted(len(replaced), "recording was", "recordings were")
        missing = (
            f"{those} replaced since they were judged ({replaced[0]} first), so the page"
            " does not play them; judge again into a new --out"
        )
    elif silent:
        of_all = counted(silent, "recording is", "recordings are")
        missing = (
            f"none of its {of_all} there to play; name their folder with --audio-root"
        )
    if missing and silent and audio:
        complain(missing)
        raise typer.Exit(EXIT_INCOMPLETE)
    if missing:
        warn(missing)
