"""``trace-eval best``: the most preferred of several recordings of one text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands import options as shared
from trace_eval.commands.console import EXIT_INCOMPLETE, continuable, warn
from trace_eval.commands.judging import judge_options
from trace_eval.commands.progress import progress
from trace_eval.judges.options import JudgeOptions
from trace_eval.options import DEFAULT_JUDGE, ExtractOptions, Options


@judge_options
@shared.extract_options
def best(
    *,
    items: Annotated[
        str,
        typer.Argument(help="Candidates: group, text, audio, system; or a group with a list."),
    ],
    out: Annotated[Path, typer.Option(help="Folder, continued if it is there.")],
    judge: Annotated[
        str, typer.Option(help="Who compares; see trace-eval doctor.")
    ] = DEFAULT_JUDGE,
    by: Annotated[
        str,
        typer.Option(
            help="What decides: overall or a dimension of the judge's verdicts; or a number of"
            " the blueprint, e.g. quality.p808 or loudness:lower, and then no judge is asked."
        ),
    ] = "overall",
    scheme: Annotated[
        str, typer.Option(help="Which are compared: all, knockout, or auto (all up to 8).")
    ] = "auto",
    rubric: Annotated[
        str | None,
        typer.Option(help="Let the judge score each candidate by this rubric, not compare two."),
    ] = None,
    check: Annotated[
        list[str] | None,
        typer.Option(help="Another judge or number that says what was gained; may be repeated."),
    ] = None,
    audio_root: shared.AudioRoot = None,
    column: shared.ColumnOption = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Print comparisons, tokens and cost; send nothing.")
    ] = False,
    extracting: ExtractOptions,
    judging: JudgeOptions,
) -> None:
    """Pick the best of N recordings of each text; resumable."""
    from trace_eval.commands.json_option import give
    from trace_eval.commands.selected import print_best_estimate, print_selection
    from trace_eval.data import parse_columns, spill_to
    from trace_eval.extracting import audio_folder
    from trace_eval.select import BestOptions, estimate_best, read_candidates, select_best

    spill = spill_to(audio_folder(extracting.cache))
    manifest = read_candidates(items, audio_root, spill, parse_columns(column or ()))
    for problem in manifest.problems:
        warn(problem)
    options = Options(extracting, judge, judging)
    chosen = BestOptions(options, by, scheme, rubric, tuple(check or ()), judging.seed)
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
