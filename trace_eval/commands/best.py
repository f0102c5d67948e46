"""``trace-eval best``: the most preferred of several recordings of one text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blueprints import counted
from trace_eval.commands.console import (
    EXIT_INCOMPLETE,
    continuable,
    print_rows,
    say,
    warn_all,
)
from trace_eval.commands.options import run_options
from trace_eval.commands.progress import progress
from trace_eval.commands.result_files import give
from trace_eval.commands.signatures import from_classes
from trace_eval.data.input_options import InputOptions
from trace_eval.decide.best.options import BestOptions
from trace_eval.runs.options import Options

if TYPE_CHECKING:
    from trace_eval.decide.best.best import BestEstimate, SelectionReport
    from trace_eval.decide.best.ranking import Ranking
    from trace_eval.decide.best.summary import Gain


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
    out: Annotated[Path, typer.Option(help="Folder, continued if it is there.")],
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
    from trace_eval.data.records import spill_into
    from trace_eval.decide.best.best import estimate_best, select_best
    from trace_eval.decide.best.candidates import read_candidates

    spill = spill_into(options.extract.cache)
    manifest = read_candidates(items, reading.audio_root, spill, reading.columns)
    warn_all(manifest.problems)
    chosen = replace(chosen, options=options, seed=options.judging.seed)
    if estimate:
        expected = estimate_best(manifest, out, chosen)
        _print_estimate(expected)
        give(expected)
        return
    with continuable(out), progress(0) as listener:
        selection = select_best(manifest, out, replace(chosen, listener=listener))
    _print_selection(selection, out)
    give(selection)
    if manifest.problems or selection.summary.selected < selection.summary.groups:
        raise typer.Exit(EXIT_INCOMPLETE)


def _print_selection(selection: SelectionReport, out: Path) -> None:
    from trace_eval.decide.best.best import BEST_FILE

    titles = ("group", "winner", "system", "by", "of", "note")
    print_rows(titles, map(_row, selection.rankings), out / BEST_FILE)
    counts = selection.summary
    of = f"of {counted(counts.groups, 'group')}"
    say(
        f"{counted(counts.selected, f'{of} has', f'{of} have')} a winner,"
        f" {counts.tied} of them tied; {counted(counts.candidates, 'candidate')}"
        f" ({counts.unscored} unscored, {counted(counts.same, 'copy', 'copies')}),"
        f" {counted(counts.comparisons, 'comparison')} ({counts.undecided} undecided)"
    )
    if counts.gains:
        say(*map(_gain_line, counts.gains))
    else:
        say(counts.note)
    gone = [one for ranking in selection.rankings for one in ranking.unscored]
    warn_all(f"{one.candidate}: {one.reason}" for one in gone)
    say(f"all rankings: {out / BEST_FILE}")


def _row(ranking: Ranking) -> tuple[str, ...]:
    if not ranking.ranking:
        return (
            ranking.group,
            "-",
            "-",
            "-",
            str(len(ranking.unscored)),
            ranking.detail or "",
        )
    first = ranking.ranking[0]
    value = first.strength if first.score is None else first.score
    figure = "-" if value is None else f"{value:.3f}"
    return (
        ranking.group,
        first.candidate.removeprefix(f"{ranking.group}/"),
        first.system or "-",
        figure,
        str(len(ranking.ranking)),
        "tied" if ranking.tied else "",
    )


def _gain_line(gain: Gain) -> str:
    """Put the result of one check into a sentence."""
    if not gain.groups:
        return f"{gain.by}: no group can be checked"
    text = f"{gain.by}, {counted(gain.groups, 'group')}:"
    if gain.gain is not None:
        text += f" winners {gain.winner:.3f}, a random candidate {gain.all:.3f}"
        text += f", gain {gain.gain:+.3f}"
        if gain.low is not None:
            text += f" [{gain.low:+.3f}, {gain.high:+.3f}; 95% {gain.method}]"
        elif gain.no_interval:
            text += f" (no interval: {gain.no_interval})"
        text += ";"
    text += (
        f" against one other: {gain.wins} better, {gain.ties} equal, {gain.losses}"
        " worse"
    )
    if gain.unscored:
        text += f", {gain.unscored} unscored"
    return text


def _print_estimate(estimate: BestEstimate) -> None:
    from trace_eval.commands.tables import print_estimate

    comparisons = counted(estimate.comparisons, "comparison")
    say(f"{comparisons} in all, {estimate.first} in the first round:")
    print_estimate(estimate.cost)
    cost = "unknown"
    if estimate.cost_usd is not None:
        cost = f"{estimate.cost_usd:.4f} US dollars"
    say(
        f"all rounds, at the mean of the first: {counted(estimate.calls, 'call')},"
        f" {cost}"
    )
