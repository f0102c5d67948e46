"""``trace-eval extract``: blueprints only."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands import options as shared
from trace_eval.console import EXIT_INCOMPLETE, messages, warn
from trace_eval.options import ExtractOptions
from trace_eval.progress import progress


@shared.extract_options
def extract(
    *,
    inputs: Annotated[
        list[Path], typer.Argument(help="Recordings, folders of recordings, or manifests.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for blueprints.jsonl and clips.jsonl.")],
    audio_root: shared.AudioRoot = None,
    extracting: ExtractOptions,
) -> None:
    """Turn recordings into blueprints, without judging."""
    from trace_eval.cache import audio_folder
    from trace_eval.export import extract_to
    from trace_eval.manifests import recordings_of
    from trace_eval.records import spill_to

    sources, problems = recordings_of(inputs, audio_root, spill_to(audio_folder(extracting.cache)))
    for problem in problems:
        warn(problem)
    with progress(len(sources), what="extracting") as listener:
        failed = extract_to(out, sources, extracting, listener)
    for error in failed:
        warn(error)
    count = len(sources) - len(failed)
    messages().print(f"{count} of {len(sources)} recordings -> {out / 'blueprints.jsonl'}")
    if failed or problems:
        raise typer.Exit(EXIT_INCOMPLETE)
