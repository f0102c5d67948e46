"""``trace-eval best``: the most preferred of several recordings of one text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.console import EXIT_INCOMPLETE, continuable, warn_all
from trace_eval.commands.json_option import give
from trace_eval.commands.judging import run_options
from trace_eval.commands.progress import progress
from trace_eval.commands.signatures import from_classes
from trace_eval.data.input_options import InputOptions
from trace_eval.options import Options
from trace_eval.select.options import BestOptions


@from_classes
@run_options
def best(
    *,
    items: Annotated[
        str,
        typer.Argument(help="Candidates: group, text, audio, system; or a group with a list."),
    ],
    out: Annotated[Path, typer.Option(help="Folder, continued if it is there.")],
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Print comparisons, tokens and cost; send nothing.")
    ] = False,
    reading: Annotated[InputOptions, ("audio_root", "columns")],
    options: Options,
    chosen: BestOptions,
) -> None:
    """Pick the best of N recordings of each text; resumable."""
    from trace_eval.commands.selected import print_best_estimate, print_selection
    from trace_eval.data.records import spill_to
    from trace_eval.extracting.cache import audio_folder
    from trace_eval.select.best import estimate_best, select_best
    from trace_eval.select.candidates import read_candidates

    spill = spill_to(audio_folder(options.extract.cache))
    manifest = read_candidates(items, reading.audio_root, spill, reading.columns)
    warn_all(manifest.problems)
    chosen = replace(chosen, options=options, seed=options.judging.seed)
    if estimate:
        expected = estimate_best(manifest, out, chosen)
        print_best_estimate(expected)
        give(expected)
        return
    with continuable(out), progress(0) as listener:
        selection = select_best(manifest, out, replace(chosen, listener=listener))
    print_selection(selection, out)
    give(selection)
    if manifest.problems or selection.summary.selected < selection.summary.groups:
        raise typer.Exit(EXIT_INCOMPLETE)
