"""One result about a run: a sentence, tables, a data frame, a picture."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from blueprints import UserError, require
from trace_eval.data.settings import nearest
from trace_eval.runs.table import table_html
from trace_eval.show.draw import Point, dots, palette
from trace_eval.show.records import flat
from trace_eval.show.table import Table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Finding:
    """One result about a run.

    Attributes:
        report: all figures, as the statistics made them.
        tables: the same for people.
        sentences: what it comes to, in words, as the command prints them first.
        warnings: to be read before any figure.
        notes: what was left out, and how it was done.
        points: what :meth:`plot` draws.
        axis: what the points are, with their unit.
        ends: of the axis; None: where the points end.
    """

    title: str
    report: Any
    tables: tuple[Table, ...] = ()
    sentences: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    points: tuple[Point, ...] = ()
    axis: str = ""
    ends: tuple[float, float | None] | None = None

    def __str__(self) -> str:
        return " ".join(self.sentences) or self.title

    def __repr__(self) -> str:
        return f"<{self.title}: {self}>" if self.sentences else f"<{self.title}>"

    @property
    def names(self) -> tuple[str, ...]:
        """The tables of records that :meth:`to_pandas` gives."""
        names: list[str] = []
        for part in dataclasses.fields(self.report):
            if _records(getattr(self.report, part.name)):
                names.append(part.name)
        return tuple(names)

    def to_pandas(self, name: str | None = None) -> pd.DataFrame:
        """Return a table of records as a data frame; bounds of intervals are columns.

        Args:
            name: one of :attr:`names`; None: the one that the picture is of, else the
                first.

        Raises:
            UserError: pandas is not installed, or there is no such table.
        """
        pandas = require("pandas", "pandas", "agree", "a data frame")
        if name is None and self.points:
            return pandas.DataFrame([point._asdict() for point in self.points])
        available = self.names
        if not available and name is None:
            return pandas.DataFrame([flat(self.report)])
        if name not in (None, *available):
            raise UserError(
                f"to_pandas: no table {name!r}; {nearest(str(name), available)}"
            )
        rows = getattr(self.report, name or available[0])
        return pandas.DataFrame([flat(row) for row in rows])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the figures, a line each, in the colours of the report.

        Counts are bars; shares and scores are dots with their intervals, open for
        baselines.

        Args:
            ax: where; None: a new figure.

        Raises:
            UserError: matplotlib is not installed, or there is nothing to draw.
        """
        pyplot = require("matplotlib.pyplot", "matplotlib", "plot", "a picture")
        if not self.points:
            raise UserError(f"{self.title}: nothing to draw")
        if ax is None:
            _, ax = pyplot.subplots(
                figsize=(6, 0.8 + 0.35 * len(self.points)), layout="tight"
            )
        assert ax is not None
        dots(ax, self.points, self.axis, self.ends)
        ax.set_title(self.title, loc="left", color=palette()["ink"])
        return ax

    def _repr_html_(self) -> str:
        lines = list(self.sentences)
        lines += [f"warning: {text}" for text in self.warnings]
        lines += [f"note: {text}" for text in self.notes]
        parts = [
            (table.title, table.columns, table.rows, table.caption)
            for table in self.tables
        ]
        return table_html(self.title, lines, parts)


def _records(value: Any) -> bool:
    return (
        isinstance(value, tuple) and bool(value) and dataclasses.is_dataclass(value[0])
    )
