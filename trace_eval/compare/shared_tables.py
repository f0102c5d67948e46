"""Tables that the report on two judgings and that on two boards share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trace_eval.compare.boards import BoardChange
from trace_eval.compare.conclusions import ConclusionChange
from trace_eval.compare.mapping import Mapping
from trace_eval.compare.severe import SevereItem
from trace_eval.show.table import NOTHING, Table, table


def severe_table(
    items: Sequence[SevereItem], note: str, before: str = "first", after: str = "second"
) -> Table:
    """Items that turned from a win into a loss."""
    return table(
        "Severe items", items, "item metric before after why", note, before=before, after=after
    )


def conclusions_table(families: tuple[ConclusionChange, ...]) -> Table:
    """Conclusions that are lost, gained or reversed, beside those that noise changes."""
    return table(
        "Conclusions that change",
        families,
        "family size lost gained reversed reordered raw expected which",
        "two-sided at 5 %, Holm within the family; order only: another order, both undecided",
    )


def mapping_table(results: Mapping) -> Table:
    """The mapping from old to new scores, or why there is none."""
    return table(
        "Mapping of first to second",
        [results],
        "kind points line sd half_width left_out identity low",
        results.reason or "first scores stay as they are; mapped ones stand beside them",
        line="second =",
    )


def mapped_cells(results: Mapping | None, old: float | None) -> tuple[str, str]:
    """An old score on the new scale, and its 95 % interval."""
    at = None if results is None or old is None else results.at(old)
    if at is None:
        return NOTHING, NOTHING
    return f"{at[0]:.4g}", f"{at[1][0]:.3g} to {at[1][1]:.3g}"


#: Systems that the table lists.
_ROWS = 40


def board_tables(report: BoardChange) -> Iterator[Table]:
    """Two boards: shifts, conclusions, mapping."""
    yield table(
        f"{report.first} -> {report.second}",
        report.figures,
        "rows systems spearman kendall mean_absolute mean largest of rank_move moved reordered",
    )
    yield conclusions_table(report.conclusions)
    yield mapping_table(report.mapping)
    yield table(
        "Largest shifts",
        report.shifts[:_ROWS],
        "system first second shift ranks p_holm mapped mapped_range",
    )
