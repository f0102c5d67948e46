"""``trace-eval best``: the most preferred of several recordings of one text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.options import run_options
from trace_eval.commands.signatures import from_classes
from trace_eval.data.input_options import InputOptions
from trace_eval.decide.best.options import BestOptions
from trace_eval.runs.options import Options


@from_classes
@run_options
def best(
    *,
    items: Annotated[
        str,
        typer.Argument(
            help="Candidates: group, text, audio, system; or a group with a list."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Output folder; continued if it exists.")],
    estimate: Annotated[
        bool,
        typer.Option(
            "--estimate", help="Print comparisons, tokens and cost; send nothing."
        ),
    ] = False,
    reading: Annotated[InputOptions, ("audio_root", "columns")],
    options: Options,
    chosen: BestOptions,
) -> None:
    """Pick the best of N recordings of each text; resumable."""
    from trace_eval.commands.work.best import open_candidates, select, tell_cost

    candidates = open_candidates(items, reading, options.extract.cache)
    chosen = replace(chosen, options=options, seed=options.judging.seed)
    if estimate:
        tell_cost(candidates, out, chosen)
    else:
        select(candidates, out, chosen)
