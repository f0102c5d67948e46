"""Tables that the report on two judgings and that on two boards share."""

from __future__ import annotations

from collections.abc import Sequence

from trace_eval.compare.conclusions import ConclusionChange
from trace_eval.compare.mapping import Mapping
from trace_eval.compare.severe import SevereItem
from trace_eval.show.table import NOTHING, Table, grid, table


def severe_table(
    items: Sequence[SevereItem], note: str, before: str = "first", after: str = "second"
) -> Table:
    """Items that turned from a win into a loss."""
    return table(
        "Severe items", items, "item metric before after why", note, before=before, after=after
    )


def conclusions_table(families: tuple[ConclusionChange, ...]) -> Table:
    """Conclusions that are lost, gained or reversed, beside those that noise changes."""
    rows = []
    for family in families:
        names = [
            f"{kind}: {name}"
            for kind in ("reversed", "lost", "gained")
            for name in getattr(family, kind)
        ]
        rows.append(
            (
                family.family,
                family.size,
                *(len(getattr(family, kind)) for kind in ("lost", "gained", "reversed")),
                family.reordered,
                "{} / {} / {}".format(*family.raw),
                NOTHING
                if family.expected is None
                else f"{family.expected:g} ({family.expected_from})",
                "; ".join(names[:3]) + ("; ..." if len(names) > 3 else "") or NOTHING,
            )
        )
    return grid(
        "Conclusions that change",
        (
            "family",
            "size",
            "lost",
            "gained",
            "reversed",
            "order only",
            "without Holm",
            "expected by noise",
            "which",
        ),
        rows,
        "two-sided at 5 %, Holm within the family; order only: another order, both undecided",
    )


def mapping_table(found: Mapping) -> Table:
    """The mapping from old to new scores, or why there is none."""
    line = NOTHING
    if found.slope_half is not None:
        error = f"(slope +- {found.slope_half:.3f})"
        line = f"{found.intercept:.3f} + {found.slope:.3f} first {error}"
    return grid(
        "Mapping of first to second",
        (
            "mapping",
            "points",
            "second =",
            "residual sd",
            "a new one is placed to +-",
            "left-out error",
            "without mapping",
            "only within",
        ),
        [
            (
                "no mapping" if found.kind == "none" else found.kind,
                found.points,
                line,
                *(
                    NOTHING if v is None else f"{v:.3g}"
                    for v in (found.sd, found.half_width, found.left_out, found.identity)
                ),
                f"{found.low:g} to {found.high:g}",
            )
        ],
        found.reason or "first scores stay as they are; mapped ones stand beside them",
    )


def mapped_cells(found: Mapping | None, old: float | None) -> tuple[str, str]:
    """An old score on the new scale, and its 95 % interval."""
    at = None if found is None or old is None else found.at(old)
    if at is None:
        return NOTHING, NOTHING
    return f"{at[0]:.4g}", f"{at[1][0]:.3g} to {at[1][1]:.3g}"
