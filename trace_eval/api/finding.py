"""One result about a run: a sentence, tables, a data frame, a picture."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from blueprints import UserError, require
from trace_eval.data.settings import nearest
from trace_eval.runs.notebook import table_html
from trace_eval.show.records import flat
from trace_eval.show.table import Table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


#: Colours of the report's pages, by their names there; light, because figures are white.
_PALETTE = Path(__file__).parents[1] / "static" / "palette.css"


class Point(NamedTuple):
    """One line of a picture: a number, its interval where it has one, and whether it is a rule
    to beat.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    baseline: bool = False


@dataclass(frozen=True)
class Finding:
    """One result about a run.

    Attributes:
        title: what it is.
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
        return tuple(
            part.name
            for part in dataclasses.fields(self.report)
            if _records(getattr(self.report, part.name))
        )

    def to_pandas(self, name: str | None = None) -> pd.DataFrame:
        """A table of records as a data frame; bounds of intervals have columns of their own.

        Args:
            name: one of :attr:`names`; None: the one that the picture is of, else the first.

        Raises:
            UserError: pandas is not installed, or there is no such table.
        """
        pandas = require("pandas", "pandas", "agree", "a data frame")
        if name is None and self.points:
            return pandas.DataFrame([point._asdict() for point in self.points])
        known = self.names
        if not known and name is None:
            return pandas.DataFrame([flat(self.report)])
        if not known or (name is not None and name not in known):
            raise UserError(f"to_pandas: no table {name!r}; {nearest(str(name), known)}")
        rows = getattr(self.report, name or known[0])
        return pandas.DataFrame([flat(row) for row in rows])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the figures, a line each, in the colours of the report: counts as bars, shares
        and scores as dots with their intervals; the dots of baselines are open.

        Args:
            ax: where; None: a new figure.

        Raises:
            UserError: matplotlib is not installed, or there is nothing to draw.
        """
        pyplot = require("matplotlib.pyplot", "matplotlib", "plot", "a picture")
        if not self.points:
            raise UserError(f"{self.title}: nothing to draw")
        colours = palette()
        if ax is None:
            _, ax = pyplot.subplots(figsize=(6, 0.8 + 0.35 * len(self.points)), layout="tight")
        assert ax is not None
        counts = self.ends is not None and self.ends[1] is None
        if counts:
            ax.locator_params(axis="x", integer=True)
        for index, point in enumerate(self.points):
            if counts:
                ax.barh(index, point.value, height=0.6, color=colours["a"])
                continue
            if point.low is not None and point.high is not None:
                ends = [point.low, point.high]
                ax.plot(ends, [index, index], color=colours["a"], linewidth=2)
            inside = "white" if point.baseline else colours["a"]
            ax.plot([point.value], [index], "o", color=colours["a"], markerfacecolor=inside)
        ax.set_yticks(range(len(self.points)), [point.name for point in self.points])
        ax.set_ylim(len(self.points) - 0.5, -0.5)
        if self.ends is not None:
            low, high = self.ends
            high = ax.get_xlim()[1] if high is None else high
            room = 0.02 * (high - low)  # for a dot at the end
            ax.set_xlim(low - room, high + room)
        ax.set_xlabel(self.axis, color=colours["quiet"])
        ax.set_title(self.title, loc="left", color=colours["ink"])
        ax.tick_params(colors=colours["quiet"])
        ax.grid(axis="x", color=colours["line"])
        ax.set_axisbelow(True)
        for side in ("top", "right", "left"):
            ax.spines[side].set_visible(False)
        return ax

    def _repr_html_(self) -> str:
        said = [
            *self.sentences,
            *(f"warning: {text}" for text in self.warnings),
            *(f"note: {text}" for text in self.notes),
        ]
        parts = [(table.title, table.columns, table.rows, table.note) for table in self.tables]
        return table_html(self.title, said, parts)


def _records(value: Any) -> bool:
    return isinstance(value, tuple) and bool(value) and dataclasses.is_dataclass(value[0])


@cache
def palette() -> Mapping[str, str]:
    """The report's colours on white, by their names in its style sheet."""
    found = re.findall(r"--(\w+): light-dark\((#\w+),", _PALETTE.read_text(encoding="utf-8"))
    return dict(found)
