"""Values in columns of labels that are no label, and what to type for them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from blueprints import InputError, counted
from trace_eval.data.spelling import EITHER_SIDE, NO_LABEL, is_missing
from trace_eval.opinions.cells import SHOWN, Texts, map_option, number_of

#: From here on a number beside labels of 0 to 2 is a code for something else: -99, 9,
#: 888.
_CODE = 8


#: Numbers that may as well be the codes of A, B, and ties.
_CODES_OF_CHOICES = frozenset((0.0, 1.0, 2.0, 3.0, 4.0))


#: Scales of comparison that are in use, by their least and greatest number.
_COMPARISONS = (
    (1, 3),
    (1, 5),
    (1, 7),
    (1, 9),
    (0, 2),
    (0, 4),
    (0, 6),
    (0, 10),
    (0, 100),
)


def scale_remedy(low: float, high: float) -> str:
    """Say how to declare a scale of comparison of which these are the ends that occur.

    Zero is the middle of signed numbers, however far they go. Of others the ends decide
    where the middle is: unless they are usual ones, they are left blank.
    """
    where = "numbers are a scale; declare its ends, first the one that says A is better"
    if low < 0:
        end = max(-low, high)
        low = -end
        high = end
    elif (low, high) not in _COMPARISONS:
        return f"{where}: --scale END_OF_A..END_OF_B"
    return (
        f"{where}: --scale {low:g}..{high:g} where {low:g} says so,"
        f" --scale {high:g}..{low:g} where {high:g} does"
    )


def _remedy_of_numbers(distinct: Collection[float]) -> str:
    """Say how to declare a scale, or what each number means if it may be a choice."""
    remedy = scale_remedy(min(distinct), max(distinct))
    are_codes = _CODES_OF_CHOICES.issuperset(distinct)
    if 2 in distinct and -1 in distinct and _holds_labels(set(distinct) - {-1}):
        are_codes = True  # -1 stands for a tie, or for nothing, beside 1 and 2
    if not are_codes:
        return remedy
    typed = [map_option(f"{number:g}", "LABEL") for number in sorted(distinct)]
    codes = " ".join(typed)
    return f"where they are codes of choices: {codes}; otherwise {remedy}"


def _holds_labels(numbers: Collection[float]) -> bool:
    """Tell whether numbers are labels of 0 to 2, perhaps with codes beside them."""
    labels = {number for number in numbers if abs(number) < _CODE}
    if not labels:
        return not numbers
    return labels <= {0.0, 1.0, 2.0}


@dataclass
class _Value:
    """A value that is not understood: how often, where first, and why."""

    row: int
    why: str
    allowed: tuple[str, ...]
    rows: int = 0


@dataclass
class UnreadValues:
    """Values in the label columns of a table that are not understood."""

    source: str
    ids: Sequence[Any] | Texts  # of its rows; empty: they have none
    others: str = ""  # what a cell may hold besides labels, in words
    _values: dict[tuple[str, str], _Value] = field(default_factory=dict)
    _columns: dict[str, Sequence[Any]] = field(default_factory=dict)

    def add(
        self,
        column: str,
        values: Sequence[Any],
        *,
        value: object,
        row: int,
        why: str,
        allowed: tuple[str, ...],
    ) -> None:
        """Keep a value of a row, counted from 0, and its column's allowed labels.

        Args:
            values: all of the column, which tell its scale.
        """
        self._columns[column] = values
        key = column, str(value)
        self._values.setdefault(key, _Value(row, why, allowed)).rows += 1

    def __bool__(self) -> bool:
        return bool(self._values)

    def refuse(self, mappable: bool) -> None:
        """Refuse the table if it holds any: say which, how often, where, what to do.

        Where it is mappable, ``--map`` and ``--scale`` are the remedies. What a value
        means is left blank in them, unless the value itself says it.
        """
        if not self:
            return
        (column, value), first = next(iter(self._values.items()))
        also = self._also()
        labels = ", ".join(first.allowed)
        if "1" in first.allowed:
            labels += " (1 is A, 2 is B)"
        remedy = "write each as one of them"
        if mappable:
            remedy = self._remedy(column, numbers_are_sides="1" in first.allowed)
        raise InputError(
            f"{self.source}, record {first.row + 1}{self._id(first)}: {column} is"
            f" {value!r:.80} in {counted(first.rows, 'row')} ({first.why}){also};"
            f" labels are {labels}{self.others}; {remedy}"
        )

    def _also(self) -> str:
        """Name the values after the first one in a clause; empty without any."""
        others: list[str] = []
        for key, other in islice(self._values.items(), 1, SHOWN):
            others.append(self._described(key, other))
        if len(self._values) > SHOWN:
            others.append(f"{len(self._values) - SHOWN} more values")
        if not others:
            return ""
        return f"; also {', '.join(others)}"

    def _remedy(self, column: str, numbers_are_sides: bool) -> str:
        """Say what to type; ``LABEL`` is a blank for what only the user can know.

        Args:
            numbers_are_sides: they are on no scale that is declared.
        """
        numbers = self._numbers(column)
        distinct = {number for number in numbers.values() if number is not None}
        are_numbers = None not in numbers.values()
        if numbers_are_sides and are_numbers and not _holds_labels(distinct):
            return _remedy_of_numbers(distinct)
        meanings: dict[str, str] = {}
        if numbers_are_sides and 0.0 in distinct:  # then 1 may be B, or no label at all
            for value in sorted(numbers)[:SHOWN]:
                meanings[value] = "LABEL"
        else:
            of_either_side = self._of_either_side()
            for _, value in islice(self._values, SHOWN):
                number = numbers[value]
                is_side = numbers_are_sides and number in (1, 2)
                is_side = is_side and value not in of_either_side
                meanings[value] = f"{number:g}" if is_side else "LABEL"
        typed = [map_option(value, meaning) for value, meaning in meanings.items()]
        blank = ", or"
        if "LABEL" in meanings.values():
            blank = " with one of these labels or"
        wider = ""
        ratings = [value for value in meanings if numbers[value] is not None]
        if ratings and not numbers_are_sides:  # the declared scale may be too short
            wider = f"; where {' or '.join(ratings)} is a rating, give a wider --scale"
        return (
            f"say what each means{blank} {NO_LABEL} (left out):"
            f" {' '.join(typed)}{wider}"
        )

    def _of_either_side(self) -> set[str]:
        """Return the values that may name either side."""
        values: set[str] = set()
        for (_, value), unread in self._values.items():
            if unread.why == EITHER_SIDE:
                values.add(value)
        return values

    def _numbers(self, column: str) -> dict[str, float | None]:
        """Return the numbers of a column's values and of all that are not understood.

        A value that is no number has None.
        """
        numbers: dict[str, float | None] = {}
        for value in self._columns[column]:
            if not is_missing(value) and str(value) not in numbers:
                numbers[str(value)] = number_of(str(value))
        for _, value in self._values:
            numbers[value] = number_of(value)
        return numbers

    def _described(self, key: tuple[str, str], unread: _Value) -> str:
        column, value = key
        rows = counted(unread.rows, "row")
        place = f"record {unread.row + 1}{self._id(unread)}"
        return f"{value!r:.80} in {rows} of {column} ({place})"

    def _id(self, value: _Value) -> str:
        return f" (id {self.ids[value.row]})" if len(self.ids) else ""
