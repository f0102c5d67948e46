"""Printed tables from rows that name their columns.

A row is a dataclass. What a column of it is called and how its values are written are metadata of
the field (:func:`column`); a table picks fields by name. Everything else that shows a table takes
it from there: the terminal, pages, and :func:`figures` for pictures and files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, NamedTuple

from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.share import digits

#: Shown where a number is not defined.
NOTHING = "-"

#: Columns that say how many items the figures of a row rest on, the first of a table counts.
COUNTS = frozenset({"items", "pairs", "answers", "scored", "labelled", "comparisons", "human ties"})

#: Writes a value of a row: the value, and the row for those that need more of it.
Writer = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Table:
    """A table to show."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    cells: tuple[tuple[Any, ...], ...] = ()  # what the texts were made of

    def beside(self, title: str, column: Sequence[Any]) -> Table:
        """With one more column at the right, which depends on more than the row."""
        return replace(
            self,
            columns=(*self.columns, title),
            rows=tuple((*row, cell(value)) for row, value in zip(self.rows, column, strict=True)),
            cells=tuple((*row, value) for row, value in zip(self.cells, column, strict=True)),
        )


class Figure(NamedTuple):
    """One number of a table, for pictures and files."""

    name: str  # of its row
    column: str  # the title of its column
    value: float
    low: float | None  # of its interval; None: it has none
    high: float | None
    n: int | None  # items that it rests on; None: the row does not say
    unit: str = ""  # of figures of turns; empty: none


def column(title: str = "", shown: Writer | str = "") -> Mapping[str, Any]:
    """Metadata of a field: how tables show it.

    Args:
        title: of the column; empty: the name of the field.
        shown: a format, or a function of the value and its row; empty: see :func:`cell`.
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
    """A table of some fields of rows.

    Args:
        pick: names of the fields or properties in reading order, with spaces between them;
            ``bias.p`` is a field of a field, or a key of a mapping.
        number: items behind every row; None: the rows tell, see :data:`COUNTS`.
        titles: name -> title, where the table calls a column otherwise.
    """
    rows, paths = list(rows), pick.split()
    available = [_column(rows, path) for path in paths]
    names = [path.rpartition(".")[2] for path in paths]
    heads = [
        titles.get(name) or how["title"] or name.replace("_", " ")
        for name, how in zip(names, available, strict=True)
    ]
    lines = [
        [_cell(row, path, how["shown"]) for path, how in zip(paths, available, strict=True)]
        for row in rows
    ]
    made = grid(title, heads, [[shown for _, shown in line] for line in lines], note, number)
    kept = (
        tuple(shown if isinstance(shown, IntervalEstimate) else value for value, shown in line)
        for line in lines
    )
    return replace(made, cells=tuple(kept))


def _column(rows: Sequence[Any], path: str) -> Mapping[str, Any]:
    """The metadata of a field, from the first row that has it."""
    owner, _, name = path.rpartition(".")
    holders = (_value(row, owner) for row in rows)
    holder = next((one for one in holders if is_dataclass(one)), None)
    own = {} if holder is None else {field.name: field.metadata for field in fields(holder)}
    return {**column(), **own.get(name, {})}


def _value(row: Any, path: str) -> Any:
    for name in path.split(".") if path else ():
        if isinstance(row, Mapping):
            row = row.get(name)
        else:
            row = None if row is None else getattr(row, name)
    return row


def _cell(row: Any, path: str, how: Writer | str) -> tuple[Any, Any]:
    """A value of a row, and what is shown of it."""
    value, owner = _value(row, path), _value(row, path.rpartition(".")[0])
    if owner is None or not how:
        return value, value
    if isinstance(how, str):
        return value, None if value is None else format(value, how)
    return value, how(value, owner)


def grid(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    note: str = "",
    number: int | None = None,
) -> Table:
    """A table whose columns depend on the data; a row of few items has few decimals.

    Args:
        number: items behind every row; None: the rows tell, see :data:`COUNTS`.
    """
    cells = tuple(map(tuple, rows))

    def texts(row: Sequence[Any]) -> tuple[str, ...]:
        items = _items(columns, row) if number is None else number
        return tuple(cell(value, digits(items)) for value in row)

    return Table(title, tuple(columns), tuple(map(texts, cells)), note, cells)


def figures(table: Table) -> Iterator[Figure]:
    """Every number of a table; columns up to the first one name the rows, but for counts."""
    for cells, texts in zip(table.cells, table.rows, strict=True):
        items = _items(table.columns, texts)
        first = next((n for n, value in enumerate(cells) if not isinstance(value, str)), 0)
        named = zip(table.columns[:first], texts, strict=False)
        name = ", ".join(text for title, text in named if title not in COUNTS)
        for title, value in zip(table.columns, cells, strict=True):
            result = value if isinstance(value, IntervalEstimate) else IntervalEstimate(value)
            if isinstance(result.value, int | float) and title not in COUNTS:
                yield Figure(name, title, result.value, *result.ends, items)


def _items(columns: Sequence[str], row: Sequence[Any]) -> int | None:
    """Items that a row rests on, also of ``13/20``; None: it does not say."""
    lines = (
        str(v).partition("/")[0] for name, v in zip(columns, row, strict=True) if name in COUNTS
    )
    return next((int(text) for text in lines if text.isdecimal()), None)


def cell(value: Any, decimals: int = digits(None)) -> str:
    """A value in print: intervals in brackets, nothing for None."""
    if value is None:
        return NOTHING
    if isinstance(value, IntervalEstimate):
        if (limits := value.interval) is None:
            return cell(value.value, decimals)
        shown = (f"{number:.{min(decimals, 3)}f}" for number in (value.value or 0.0, *limits))
        return "{} [{}, {}]".format(*shown)
    if isinstance(value, float):
        return f"{value:.{decimals}f}"
    return str(value)


def p_value(value: float | None, items: int | None = None) -> str:
    """A p value in print: small ones in powers of ten, never 0.0000; one item tests nothing."""
    if value is None or (items is not None and items < 2):
        return NOTHING
    if value == 0:
        return "< 1e-300"
    return f"{value:.4f}" if value >= 0.0001 else f"{value:.1e}"


def p_of(items: str) -> Writer:
    """Writes p values; ``items`` is the field that says how many items are behind them."""
    return lambda value, row: p_value(value, getattr(row, items))


def p_text(value: float | None, row: Any) -> str:
    """Writes p values of any number of items."""
    return p_value(value)


def out_of(whole: str, between: str = "/") -> Writer:
    """Writes counts as ``13/20``, of another field."""
    return lambda value, row: f"{value}{between}{getattr(row, whole)}"


def share_of(whole: str) -> Writer:
    """Writes counts with their share of another field: ``13 (0.65)``."""

    def text(value: int, row: Any) -> str:
        total = getattr(row, whole)
        return f"{value} ({value / total:.{digits(total)}f})" if total else str(value)

    return text


def joined(between: str) -> Writer:
    """Writes several texts in one cell."""
    return lambda value, row: between.join(map(str, value))


def within(limits: str) -> Writer:
    """Writes numbers with their interval, which is another field."""
    return lambda value, row: IntervalEstimate(value, getattr(row, limits))
