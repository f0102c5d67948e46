"""Tables about the people behind the labels, and about subsets of their items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trace_eval.show.table import Table, grid
from trace_eval.stats.agreement.forced import Forced
from trace_eval.stats.agreement.levels import LEVELS, LevelRow
from trace_eval.stats.agreement.reliability import MIN_ITEMS, PairwiseRow, ReliabilityRow


def people_tables(
    levels: Sequence[LevelRow], pairwise: Sequence[PairwiseRow], raters: Sequence[ReliabilityRow]
) -> Iterator[Table]:
    """Levels of agreement, agreement of the data set, and each person."""
    shown = [name for name in LEVELS if name != "none"]
    yield grid(
        "How far people agree: items by level",
        ("dimension", "items of", "items", *shown, "have a majority"),
        (
            (
                row.dimension,
                row.group,
                row.items,
                *(f"{row.counts[name]} ({row.shares[name]:.1%})" for name in shown),
                row.majority,
            )
            for row in levels
        ),
        "; ".join(f"{name}: {LEVELS[name]}" for name in shown),
    )
    yield grid(
        "Agreement of the data set: two people of one item, drawn at random",
        ("dimension", "items of", "classes", "items", "agree", "sd of draws", "by chance"),
        (
            (r.dimension, r.group, r.classes, r.items, r.agreement, r.sd, r.by_chance)
            for r in pairwise
        ),
        "two classes: opinions that are ties are left out first; read it beside alpha",
    )
    yield grid(
        "Reliability of each person: share of the others with the same label",
        ("dimension", "person", "items", "agree"),
        ((row.dimension, row.rater, row.items, row.agreement) for row in raters),
        f"people with fewer than {MIN_ITEMS} shared items are left out",
    )


def forced_table(rows: Sequence[Forced]) -> Table:
    """Where people name a winner, by subset."""
    return grid(
        "Where people name a winner: accuracy by subset",
        (
            "judge",
            "dimension",
            "items of",
            "items",
            "coverage",
            "all, unscored and ties wrong",
            "scored, ties wrong",
            "ties half",
            "ties out",
        ),
        (
            (
                row.judge,
                row.dimension,
                row.group,
                row.items,
                row.coverage,
                row.accuracy,
                row.accuracy_scored,
                row.tie_half,
                row.ties_out,
            )
            for row in rows
        ),
    )
