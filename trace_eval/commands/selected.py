"""Printing selections: the winners, what others say of them, what it would cost."""

from __future__ import annotations

from pathlib import Path

from blueprints import counted
from trace_eval.commands.console import print_rows, say, warn_all
from trace_eval.commands.tables import print_estimate
from trace_eval.select.best import BEST_FILE, BestEstimate, Selection
from trace_eval.select.ranking import Ranking
from trace_eval.select.summary import Gain


def print_selection(selection: Selection, out: Path) -> None:
    """The winner of each group, and the summary."""
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
    say(*map(gain_line, counts.gains) if counts.gains else [counts.note])
    gone = [one for ranking in selection.rankings for one in ranking.unscored]
    warn_all(f"{one.candidate}: {one.reason}" for one in gone)
    say(f"all rankings: {out / BEST_FILE}")


def _row(ranking: Ranking) -> tuple[str, ...]:
    if not ranking.ranking:
        return ranking.group, "-", "-", "-", str(len(ranking.unscored)), ranking.detail or ""
    first = ranking.ranking[0]
    value = first.strength if first.score is None else first.score
    return (
        ranking.group,
        first.candidate.removeprefix(f"{ranking.group}/"),
        first.system or "-",
        "-" if value is None else f"{value:.3f}",
        str(len(ranking.ranking)),
        "tied" if ranking.tied else "",
    )


def gain_line(gain: Gain) -> str:
    """What one check says, as a sentence."""
    if not gain.groups:
        return f"{gain.by}: no group can be checked"
    said = f"{gain.by}, {counted(gain.groups, 'group')}:"
    if gain.gain is not None:
        said += f" winners {gain.winner:.3f}, a random candidate {gain.all:.3f}"
        said += f", gain {gain.gain:+.3f}"
        if gain.low is not None:
            said += f" [{gain.low:+.3f}, {gain.high:+.3f}]"
        said += ";"
    said += f" against one other: {gain.wins} better, {gain.ties} equal, {gain.losses} worse"
    return said + (f", {gain.unscored} unscored" if gain.unscored else "")


def print_best_estimate(estimate: BestEstimate) -> None:
    """Comparisons and cost of a selection."""
    comparisons = counted(estimate.comparisons, "comparison")
    say(f"{comparisons} in all, {estimate.first} in the first round:")
    print_estimate(estimate.cost)
    cost = "unknown" if estimate.cost_usd is None else f"{estimate.cost_usd:.4f} US dollars"
    say(f"all rounds, at the mean of the first: {counted(estimate.calls, 'call')}, {cost}")
