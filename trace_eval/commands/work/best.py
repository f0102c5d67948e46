"""A selection: candidates that are opened, compared, and the winners in a table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import typer

from blueprints import counted
from trace_eval.commands.console import (
    EXIT_INCOMPLETE,
    continuable,
    print_rows,
    say,
    say_each,
    warn_all,
)
from trace_eval.commands.progress import progress
from trace_eval.commands.result_files import give
from trace_eval.commands.tables import print_estimate
from trace_eval.data.input_options import InputOptions
from trace_eval.data.manifests import Manifest
from trace_eval.data.records import spill_into
from trace_eval.decide.best.best import (
    BEST_FILE,
    BestEstimate,
    SelectionReport,
    estimate_best,
    select_best,
)
from trace_eval.decide.best.candidates import read_candidates
from trace_eval.decide.best.options import BestOptions
from trace_eval.decide.best.ranking import Ranking
from trace_eval.decide.best.summary import Gain


def open_candidates(items: str, reading: InputOptions, cache: Path | None) -> Manifest:
    """Read the groups of candidates, and warn of rows that cannot be used."""
    spill = spill_into(cache)
    candidates = read_candidates(items, reading.audio_root, spill, reading.columns)
    warn_all(candidates.problems)
    return candidates


def tell_cost(candidates: Manifest, out: Path, options: BestOptions) -> None:
    """Print the comparisons, tokens and cost of a selection; send nothing."""
    expected = estimate_best(candidates, out, options)
    _say_cost(expected)
    give(expected)


def select(candidates: Manifest, out: Path, options: BestOptions) -> None:
    """Compare each group's candidates; end with 1 where a group has no winner."""
    with continuable(out), progress(0) as listener:
        selection = select_best(candidates, out, replace(options, listener=listener))
    _print_selection(selection, out)
    give(selection)
    if candidates.problems or selection.summary.selected < selection.summary.groups:
        raise typer.Exit(EXIT_INCOMPLETE)


def _print_selection(selection: SelectionReport, out: Path) -> None:
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
        say_each(map(_gain_line, counts.gains))
    else:
        say(counts.note)
    unscored = [one for ranking in selection.rankings for one in ranking.unscored]
    warn_all(f"{one.candidate}: {one.reason}" for one in unscored)
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
            text += f" ({gain.no_interval})"
        text += ";"
    text += (
        f" against one other: {gain.wins} better, {gain.ties} equal, {gain.losses}"
        " worse"
    )
    if gain.unscored:
        text += f", {gain.unscored} unscored"
    return text


def _say_cost(estimate: BestEstimate) -> None:
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
