"""Values that are no labels: collected, and refused in one message."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from blueprints import UserError, counted
from trace_eval.opinions.cells import Texts

#: Values named in a message.
_SHOWN = 6


@dataclass
class _Value:
    """A value that is not understood: how often, where first, and why."""

    row: int
    why: str
    allowed: tuple[str, ...]
    rows: int = 0


@dataclass
class Unread:
    """Values in the label columns of a table that are not understood.

    Attributes:
        source: of the table.
        ids: of its rows; empty: they have none.
    """

    source: str
    ids: Sequence[Any] | Texts
    _values: dict[tuple[str, str], _Value] = field(default_factory=dict)

    def add(self, column: str, value: object, row: int, why: str, allowed: tuple[str, ...]) -> None:
        """Keep a value of a row, counted from 0, and the labels that its column may hold."""
        key = column, str(value)
        self._values.setdefault(key, _Value(row, why, allowed)).rows += 1

    def refuse(self, mappable: bool) -> None:
        """Refuse the table if anything was kept.

        Args:
            mappable: the command has ``--map``.

        Raises:
            UserError: names the values, how often and where each stands, and what to do.
        """
        if not self._values:
            return
        (column, value), first = next(iter(self._values.items()))
        others = [self._said(*one) for one in list(self._values.items())[1:_SHOWN]]
        if len(self._values) > _SHOWN:
            others.append(f"{len(self._values) - _SHOWN} more values")
        also = f"; also {', '.join(others)}" if others else ""
        meant = " ".join(
            f"--map {shlex.quote(value)[:60]}={first.allowed[number % 2]}"
            for number, (_, value) in enumerate(list(self._values)[:_SHOWN])
        )
        remedy = f"say what each means, e.g. {meant}" if mappable else "write each as one of them"
        raise UserError(
            f"{self.source}, record {first.row + 1}{self._id(first)}: {column} is {value!r:.80}"
            f" in {counted(first.rows, 'row')} ({first.why}){also}; labels are"
            f" {', '.join(first.allowed)}; {remedy}"
        )

    def _said(self, key: tuple[str, str], value: _Value) -> str:
        rows = counted(value.rows, "row")
        return f"{key[1]!r:.80} in {rows} of {key[0]} (record {value.row + 1}{self._id(value)})"

    def _id(self, value: _Value) -> str:
        return f" (id {self.ids[value.row]})" if len(self.ids) else ""
