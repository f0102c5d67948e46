"""``trace-eval extract``: blueprints only."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from blueprints import UserError, counted
from trace_eval.commands import options as shared
from trace_eval.commands.console import EXIT_INCOMPLETE, messages, warn, warn_all
from trace_eval.commands.progress import progress
from trace_eval.commands.result_files import give
from trace_eval.commands.signatures import from_classes
from trace_eval.data.input_options import InputOptions
from trace_eval.data.outputs import write_lines
from trace_eval.data.shards import Shard
from trace_eval.data.urls import location
from trace_eval.extracting.options import ExtractOptions


@from_classes
@shared.extract_options
def extract(
    *,
    inputs: Annotated[
        list[str],
        typer.Argument(help="Recordings, folders or manifests, as paths or URLs."),
    ],
    out: Annotated[
        str,
        typer.Option(
            help="Folder for blueprints.jsonl and clips.jsonl; with ray also a URL."
        ),
    ],
    csv_file: Annotated[
        Path | None,
        typer.Option(
            "--csv", help="Also write all measures to this file, a row per recording."
        ),
    ] = None,
    config: shared.ConfigOption = None,
    reading: Annotated[InputOptions, ("audio_root", "shard")],
    extracting: ExtractOptions,
) -> None:
    """Turn recordings into blueprints, without judging."""
    from trace_eval.data.recordings import recordings_in
    from trace_eval.data.records import spill_into
    from trace_eval.runs.extraction import extract_to

    part = Shard.parse(reading.shard) if reading.shard else None
    spill = spill_into(extracting.cache)
    sources, problems = recordings_in(inputs, reading.audio_root, spill, part)
    warn_all(problems)
    folder = location(out)
    if csv_file and not isinstance(folder, Path):
        message = (
            f"{csv_file}: a table is made of a folder on this machine, not of a URL"
        )
        raise UserError(message)
    with progress(len(sources), what="extracting") as listener:
        done = extract_to(folder, sources, extracting, listener)
    if csv_file and isinstance(folder, Path):
        from trace_eval.runs.exports import clip_table

        write_lines(csv_file, clip_table(folder).csv_lines())
    warn_all(done.errors)
    for group, reason in done.missing.items():
        warn(f"{group}: no clip has it; {reason}")
    count = len(sources) - len(done.errors)
    lacking = f", without {', '.join(done.missing)}" if done.missing else ""
    messages().print(
        f"{count} of {counted(len(sources), 'recording')}{lacking} -> {done.out}"
    )
    for voice in done.voices:
        messages().print(voice.sentence)
    give(replace(done, problems=[str(problem) for problem in problems]))
    if done.errors or done.missing or problems:
        raise typer.Exit(EXIT_INCOMPLETE)
