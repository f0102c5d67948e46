"""Rows that name their columns: titles, formats, parts of parts, and the numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.show.table import (
    TableNumber,
    column,
    figures,
    out_of,
    p_of,
    share_of,
    table,
    within,
)


@dataclass(frozen=True)
class Part:
    tied: int = field(metadata=column("tie", share_of("pairs")))
    pairs: int
    p: float = field(metadata=column("sign test p", p_of("pairs")))


@dataclass(frozen=True)
class Row:
    judge: str
    items: int
    scored: int = field(metadata=column(shown=out_of("items")))
    wait: float | None = field(metadata=column("waits", ".1f"))
    share: IntervalEstimate
    mean: float = field(metadata=column(shown=within("limits")))
    limits: tuple[float, float] | None
    part: Part | None

    @property
    def last_word(self) -> str:
        return "none"


FULL = Row(
    judge="a",
    items=4,
    scored=3,
    wait=1.25,
    share=IntervalEstimate(0.5, (0.1, 0.9)),
    mean=0.2,
    limits=(0.0, 0.4),
    part=Part(1, 4, 0.5),
)
BARE = Row(
    judge="b",
    items=4,
    scored=4,
    wait=None,
    share=IntervalEstimate(None),
    mean=0.25,
    limits=None,
    part=None,
)


def test_a_table_picks_fields_and_properties_by_name() -> None:
    shown = table(
        "T", [FULL], "judge items part.tied part.p wait last_word", "note", wait="t"
    )
    assert shown.columns == ("judge", "items", "tie", "sign test p", "t", "last word")
    # four items have two decimals; 1 of 4 is .25
    assert shown.rows == (("a", "4", "1 (0.25)", "0.5000", "1.2", "none"),)
    assert (shown.title, shown.note) == ("T", "note")
    assert table("T", [], "judge part.p").columns == ("judge", "p")


def test_what_is_not_there_is_a_dash() -> None:
    row = table("T", [FULL, BARE], "judge wait share mean part.p").rows[1]
    assert row == ("b", "-", "-", "0.2500", "-")
    assert table("T", [BARE, FULL], "wait").columns == ("waits",)


def test_a_column_beside_depends_on_more_than_the_row() -> None:
    shown = table("T", [FULL, BARE], "judge").beside("line", [None, 2])
    assert shown.columns == ("judge", "line")
    assert shown.rows == (("a", "-"), ("b", "2"))


def test_every_number_has_its_interval_and_its_items() -> None:
    shown = table("T", [FULL, BARE], "judge items wait share mean")
    assert list(figures(shown)) == [
        TableNumber(
            name="a", column="waits", value=1.25, low=None, high=None, n=4, unit=""
        ),
        TableNumber(
            name="a", column="share", value=0.5, low=0.1, high=0.9, n=4, unit=""
        ),
        TableNumber(
            name="a", column="mean", value=0.2, low=0.0, high=0.4, n=4, unit=""
        ),
        TableNumber(
            name="b", column="mean", value=0.25, low=None, high=None, n=4, unit=""
        ),
    ]
