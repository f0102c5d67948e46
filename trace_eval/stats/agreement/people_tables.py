"""Tables about raters, and about subsets of their items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trace_eval.show.table import Table, grid, table
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
    yield table(
        "Agreement of the data set: two people of one item, drawn at random",
        pairwise,
        "dimension group classes items agreement sd by_chance",
        "two classes: opinions that are ties are left out first; read it beside alpha",
    )
    yield table(
        "Reliability of each person: share of the others with the same label",
        raters,
        "dimension rater items agreement",
        f"people with fewer than {MIN_ITEMS} shared items are left out",
    )


def forced_table(rows: Sequence[Forced]) -> Table:
    """Table of the items on which raters name a winner, by subset."""
    return table(
        "Where people name a winner: accuracy by subset",
        rows,
        "judge dimension group items coverage accuracy accuracy_scored tie_half ties_out",
    )
