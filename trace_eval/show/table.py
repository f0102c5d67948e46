"""Printed tables from rows that name their columns.

A row is a dataclass. What a column of it is called and how its values are written are
metadata of the field (:func:`column`); a table picks fields by name. Everything else
that shows a table takes it from there: the terminal, pages, and :func:`figures` for
pictures and files.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, NamedTuple

from trace_eval.estimate.interval import IntervalEstimate, in_a_clause
from trace_eval.estimate.share import digits

#: Shown where a number is not defined.
NOTHING = "-"

#: Columns that say how many items the figures of a row rest on, the first of a table
#: counts.
COUNTS = frozenset(
    {"items", "pairs", "answers", "scored", "labelled", "comparisons", "human ties"}
)

#: Writes a value of a row: the value, and the row for those that need more of it.
Writer = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Table:
    """A table to show.

    Attributes:
        cells: what the texts of the rows were made of.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    cells: tuple[tuple[Any, ...], ...] = ()

    @property
    def caption(self) -> str:
        """The note, with those methods of the intervals shown that it does not name."""
        unnamed: list[str] = []
        for value in itertools.chain.from_iterable(self.cells):
            if not isinstance(value, IntervalEstimate) or value.interval is None:
                continue
            if value.method and value.method not in self.note:
                unnamed.append(value.method)
        if not unnamed:
            return self.note
        made_by = f"intervals: {in_a_clause(unnamed)}"
        return f"{self.note}; {made_by}" if self.note else made_by

    def beside(self, title: str, column: Sequence[Any]) -> Table:
        """Return the table with one more column at the right.

        It is for values that depend on more than their row.
        """
        rows: list[tuple[str, ...]] = []
        cells: list[tuple[Any, ...]] = []
        for texts, values, value in zip(self.rows, self.cells, column, strict=True):
            rows.append(texts + (cell(value),))
            cells.append(values + (value,))
        return replace(
            self,
            columns=self.columns + (title,),
            rows=tuple(rows),
            cells=tuple(cells),
        )


class TableNumber(NamedTuple):
    """One number of a table, for pictures and files."""

    name: str  # of its row
    column: str  # the title of its column
    value: float
    low: float | None  # of its interval; None: it has none
    high: float | None
    n: int | None  # items that it rests on; None: the row does not say
    unit: str = ""  # of figures of turns; empty: none


def column(title: str = "", shown: Writer | str = "") -> Mapping[str, Any]:
    """Make the metadata of a field: how tables show it.

    Args:
        title: of the column; empty: the name of the field.
        shown: a format, or a function of the value and its row; empty: see
            :func:`cell`.
    """
    return {"title": title, "shown": shown}


def table(
    title: str,
    rows: Iterable[Any],
    pick: str,
    note: str = "",
    number: int | None = None,
    **titles: str,
) -> Table:
    """Make a table of some fields of rows.

    Args:
        pick: names of the fields or properties in reading order, with spaces between
            them; ``bias.p`` is a field of a field, or a key of a mapping.
        number: items behind every row; None: the rows tell, see :data:`COUNTS`.
        titles: name -> title, where the table calls a column otherwise.
    """
    rows = list(rows)
    columns = {path: _column(rows, path) for path in pick.split()}
    heads: list[str] = []
    for path, metadata in columns.items():
        name = path.rpartition(".")[2]
        heads.append(titles.get(name) or metadata["title"] or name.replace("_", " "))
    shown_rows: list[list[Any]] = []
    value_rows: list[tuple[Any, ...]] = []
    for row in rows:
        cells = [
            _cell(row, path, metadata["shown"]) for path, metadata in columns.items()
        ]
        shown_rows.append([shown for _, shown in cells])
        value_rows.append(tuple(_figure(value, shown) for value, shown in cells))
    texts = grid(title, heads, shown_rows, note=note, number=number)
    return replace(texts, cells=tuple(value_rows))


def _figure(value: Any, shown: Any) -> Any:
    """Return what files and pictures take of a cell, an interval where one is shown."""
    return shown if isinstance(shown, IntervalEstimate) else value


def _column(rows: Sequence[Any], path: str) -> Mapping[str, Any]:
    """Return the metadata of a field, from the first row that has it."""
    path_of_owner, _, name = path.rpartition(".")
    for row in rows:
        owner = _value(row, path_of_owner)
        if is_dataclass(owner):
            by_name = {field.name: field.metadata for field in fields(owner)}
            return {**column(), **by_name.get(name, {})}
    return column()


def _value(row: Any, path: str) -> Any:
    """Return the value at a path; None where the row lacks a part of it."""
    if not path:
        return row
    for name in path.split("."):
        if isinstance(row, Mapping):
            row = row.get(name)
        elif row is not None:
            row = getattr(row, name)
    return row


def _cell(row: Any, path: str, how: Writer | str) -> tuple[Any, Any]:
    """Return a value of a row, and what is shown of it."""
    value = _value(row, path)
    owner = _value(row, path.rpartition(".")[0])
    if owner is None or not how:
        return value, value
    if callable(how):
        return value, how(value, owner)
    if value is None:
        return None, None
    return value, format(value, how)


def count_text(number: float) -> str | int:
    """Write the items of a cell, which are no whole number where raters share one."""
    return f"{number:.3g}" if number % 1 else int(number)


def grid(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    note: str = "",
    number: int | None = None,
) -> Table:
    """Make a table whose columns depend on the data.

    A row of few items has few decimals.

    Args:
        number: items behind every row; None: the rows tell, see :data:`COUNTS`.
    """
    cells = tuple(map(tuple, rows))

    def texts(row: Sequence[Any]) -> tuple[str, ...]:
        items = _items(columns, row) if number is None else number
        return tuple(cell(value, digits(items)) for value in row)

    return Table(
        title=title,
        columns=tuple(columns),
        rows=tuple(map(texts, cells)),
        note=note,
        cells=cells,
    )


def figures(table: Table) -> Iterator[TableNumber]:
    """Yield every number of a table.

    The columns before the first number name the rows, but for counts.
    """
    for cells, texts in zip(table.cells, table.rows, strict=True):
        items = _items(table.columns, texts)
        name = _row_name(table.columns, cells, texts)
        for title, value in zip(table.columns, cells, strict=True):
            estimate = value
            if not isinstance(estimate, IntervalEstimate):
                estimate = IntervalEstimate(value)
            if isinstance(estimate.value, int | float) and title not in COUNTS:
                low, high = estimate.ends
                yield TableNumber(
                    name=name,
                    column=title,
                    value=estimate.value,
                    low=low,
                    high=high,
                    n=items,
                )


def _row_name(
    columns: Sequence[str], cells: Sequence[Any], texts: Sequence[str]
) -> str:
    """Join the texts before the first number of a row, but for counts."""
    parts: list[str] = []
    if all(isinstance(value, str) for value in cells):
        return ""
    for title, value, text in zip(columns, cells, texts, strict=True):
        if not isinstance(value, str):
            break
        if title not in COUNTS:
            parts.append(text)
    return ", ".join(parts)


def _items(columns: Sequence[str], row: Sequence[Any]) -> int | None:
    """Return the number of items of a row, also of ``13/20``; None: it has none."""
    for name, value in zip(columns, row, strict=True):
        count = str(value).partition("/")[0]
        if name in COUNTS and count.isdecimal():
            return int(count)
    return None


def cell(value: Any, decimals: int = digits(None)) -> str:
    """Write a value: intervals in brackets, a dash for None."""
    if value is None:
        return NOTHING
    if isinstance(value, IntervalEstimate):
        if value.interval is None:
            return cell(value.value, decimals)
        low, high = value.interval
        places = min(decimals, 3)
        return f"{value.value or 0.0:.{places}f} [{low:.{places}f}, {high:.{places}f}]"
    if isinstance(value, float):
        return f"{value:.{decimals}f}"
    return str(value)


def p_value(value: float | None, items: int | None = None) -> str:
    """Write a p value, a small one in powers of ten, and never 0.0000.

    One item tests nothing.
    """
    if value is None or (items is not None and items < 2):
        return NOTHING
    if value == 0:
        return "< 1e-300"
    return f"{value:.4f}" if value >= 0.0001 else f"{value:.1e}"


def p_of(items: str) -> Writer:
    """Make a writer of p values; ``items`` is the field that counts what is tested."""
    return lambda value, row: p_value(value, getattr(row, items))


def p_text(value: float | None, row: Any) -> str:
    """Write a p value of any number of items."""
    return p_value(value)


def out_of(whole: str, between: str = "/") -> Writer:
    """Make a writer of counts as ``13/20``, of another field."""
    return lambda value, row: f"{value}{between}{getattr(row, whole)}"


def share_of(whole: str) -> Writer:
    """Make a writer of counts with their share of another field: ``13 (0.65)``."""

    def text(value: int, row: Any) -> str:
        total = getattr(row, whole)
        if not total:
            return str(value)
        return f"{value} ({value / total:.{digits(total)}f})"

    return text


def joined(between: str) -> Writer:
    """Make a writer of several texts in one cell."""
    return lambda value, row: between.join(map(str, value))


def within(limits: str) -> Writer:
    """Make a writer of numbers with their interval, which is another field."""
    return lambda value, row: IntervalEstimate(value, getattr(row, limits))
