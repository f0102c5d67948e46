"""What a file's columns mean: by accepted names, or by a user's ``--column``."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from blueprints import UserError
from trace_eval.data.settings import nearest, option_field, split_settings
from trace_eval.data.spelling import LABELS, LETTERS, NO_LABEL

#: Items that only one side has: refuse them, or leave them out and count them.
Missing = Literal["error", "drop"]


#: Heading of the help pages.
_FILES = "Files with other names"


@dataclass(frozen=True)
class Fields:
    """The fields of one kind of record."""

    names: Mapping[
        str, tuple[str, ...]
    ]  # field -> its accepted column names, ours first
    needed: tuple[str, ...] = ()  # fields without which no record can be read
    sounds: frozenset[str] = frozenset()  # fields that are recordings
    instead: frozenset[str] = (
        frozenset()
    )  # columns that give the needed fields in another way
    numbered: bool = True  # records without an id are called by their row number

    def field(self, name: str) -> str:
        """Return the field of any of its accepted names; ``a.system`` is one, too.

        Of an unknown one the nearest is named.
        """
        wanted = name.replace(".", "_")
        for available, names in self.names.items():
            if wanted == available or wanted in names:
                return available
        raise UserError(
            f"--column {name}: no such field; {nearest(wanted, self.names)}"
        )

    def by_column(self, columns: Mapping[str, str]) -> dict[str, str]:
        """Map a file's columns to fields, by what a user says: field -> column."""
        return {column: self.field(name) for name, column in columns.items()}


def of_both_sides(numbers: Iterable[str]) -> dict[str, str]:
    """Map the columns of numbers of each answer of a pair to our names of them."""
    columns: dict[str, str] = {}
    for number in numbers:
        columns[f"{number}_a"] = f"{number}_a"
        columns[f"{number}_b"] = f"{number}_b"
    return columns


def parse_columns(texts: Iterable[str]) -> dict[str, str]:
    """Map fields to a file's columns, from ``FIELD=COLUMN`` texts."""
    return split_settings(texts, "--column")


def read_mapping(texts: Sequence[str]) -> dict[str, str]:
    """Map values to labels, from ``VALUE=LABEL`` texts; the last equals sign counts.

    A text without an equals sign or a value is refused.
    """
    pairs = {text: text.rpartition("=") for text in texts}
    for text, (value, _, _) in pairs.items():
        if not value:
            raise UserError(f"--map {text!r}: write VALUE=LABEL, e.g. --map A=1")
    return {value: label for value, _, label in pairs.values()}


#: ``COLUMN=VALUE`` or ``COLUMN!=VALUE``.
_CONDITION = re.compile(r"\A(?P<column>.+?)(?P<sign>!?=)(?P<value>.*)", re.S)


@dataclass(frozen=True)
class RowFilter:
    """The condition on a column by which rows of a table are read."""

    column: str
    value: str
    equal: bool = True

    def __str__(self) -> str:
        sign = "=" if self.equal else "!="
        return f"--where {shlex.quote(self.column + sign + self.value)}"

    def holds(self, cell: object) -> bool:
        """Whether a row with this cell meets it, whatever its capitals and blanks."""
        same = _cell(cell) == _cell(self.value)
        return same is self.equal


def _cell(value: object) -> str:
    return "" if value is None else str(value).strip().casefold()


def parse_conditions(texts: Iterable[str]) -> tuple[RowFilter, ...]:
    """Parse conditions, ``COLUMN=VALUE`` and ``COLUMN!=VALUE``; refuse others."""
    conditions = []
    for text in texts:
        parts = _CONDITION.fullmatch(text)
        if parts is None:
            raise UserError(
                f"--where {text!r}: write COLUMN=VALUE or COLUMN!=VALUE, e.g. --where"
                " status=Approved"
            )
        conditions.append(
            RowFilter(parts["column"], parts["value"], parts["sign"] == "=")
        )
    return tuple(conditions)


_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"

#: ``0..100``, ``-3..3``, ``1..5:0.5``.
_ENDS = re.compile(rf"\A({_NUMBER})\.\.({_NUMBER})(?::({_NUMBER}))?")


@dataclass(frozen=True)
class Ends:
    """A scale by its ends, as a user declares it.

    Attributes:
        first: of scores the worst one; of comparisons the number that says that A is
            better.
        last: of scores the best one; of comparisons the number that says that B is
            better.
        step: from one value to the next; None: every number between the ends is one.
    """

    first: float
    last: float
    step: float | None = None

    def __str__(self) -> str:
        step = "" if self.step is None else f":{self.step:g}"
        return f"{self.first:g}..{self.last:g}{step}"

    def holds(self, number: float) -> bool:
        """Whether a number is on the scale."""
        low, high = sorted((self.first, self.last))
        steps = 0.0 if self.step is None else (number - low) / self.step
        return low <= number <= high and abs(steps - round(steps)) < _SAME_STEP

    def label(self, number: float) -> str:
        """Say which answer a number of a comparison prefers: ``1``, ``2``, ``tie``."""
        middle = (self.first + self.last) / 2
        if abs(number - middle) < _SAME_STEP:
            return "tie"
        return "1" if (number < middle) == (self.first < self.last) else "2"


#: Numbers closer than this are one.
_SAME_STEP = 1e-9


def parse_ends(text: str | None) -> Ends | None:
    """Parse a scale: ``0..100``, ``-3..3`` or ``1..5:0.5``; None if undeclared."""
    if text is None:
        return None
    ends = _ENDS.fullmatch(text.strip().replace("\u2212", "-"))
    if ends is None:
        raise UserError(
            f"--scale {text}: write FIRST..LAST, e.g. --scale 0..100, --scale -3..3, or"
            " with the step between two values --scale 1..5:0.5"
        )
    first, last = float(ends[1]), float(ends[2])
    step = None if ends[3] is None else float(ends[3])
    if first == last or (step is not None and step <= 0):
        raise UserError(f"--scale {text}: give two different ends, and a step above 0")
    if step is not None:
        steps = abs(last - first) / step
        if abs(steps - round(steps)) > _SAME_STEP or steps > _MOST_STEPS:
            raise UserError(
                f"--scale {text}: the step goes {steps:g} times into the scale; give one"
                f" that goes a whole number of times, at most {_MOST_STEPS:,}"
            )
    return Ends(first, last, step)


#: Steps that a declared scale may have.
_MOST_STEPS = 10_000


#: What a value may be mapped to, but for a number of a scale.
_MEANINGS = (*LABELS, *LETTERS, NO_LABEL)

#: Fields of :class:`Columns` that say how a file of human labels beside a run is read.
OF_LABELS = ("id", "mapping", "where", "scale", "named")


@dataclass(frozen=True)
class Columns:
    """The names of a file's columns and labels, and the rows that are read.

    Attributes:
        prediction: column of the judge's label; None: by our names.
        truth: column of the human label, in the same file; None: by our names.
        id: column that names the item; None: by our names, else the row's number where
            both labels are in one file.
        mapping: value in the file -> label, e.g. --map A=1 --map B=2 --map N/A=missing;
            of scores a number or missing, e.g. --map Good=4 --map 99=missing.
        flip_b: the judge was shown B first: its 1 and 2 (and scores) are exchanged. The
            truth is left alone.
        named: the name of another field in the file, e.g. preference=winner or
            rater=listener; may be repeated. The columns of several raters:
            rater=ann,bob.
        tail: of whole replies, in how many last characters the verdict stands; None:
            anywhere.
        where: only rows with this value in a column, or, as COLUMN!=VALUE, without it;
            may be repeated, and one of several values of a column is enough.
        scale: scale of the human scores, e.g. 0..100 or 1..5:0.5 (with its step). Of
            comparisons the end that says A is better comes first: -3..3, 7..1. None:
            found by the values, and stated.
    """

    prediction: str | None = option_field(None, metavar="COLUMN", panel=_FILES)
    truth: str | None = option_field(None, metavar="COLUMN", panel=_FILES)
    id: str | None = option_field(None, metavar="COLUMN", panel=_FILES)
    mapping: Mapping[str, str] = field(
        default_factory=dict,
        metadata={
            "flag": "--map",
            "metavar": "VALUE=LABEL",
            "panel": _FILES,
            "read": read_mapping,
        },
    )
    flip_b: bool = option_field(False, panel=_FILES)
    tail: int | None = option_field(None, shown=False)
    where: tuple[RowFilter, ...] = option_field(
        (), metavar="COLUMN=VALUE", panel=_FILES, read=parse_conditions
    )
    scale: Ends | None = option_field(
        None, metavar="FIRST..LAST", panel=_FILES, read=parse_ends
    )
    named: Mapping[str, str] = field(
        default_factory=dict,
        metadata={"flag": "--column", "metavar": "FIELD=COLUMN", "read": parse_columns},
    )

    @property
    def fields(self) -> Mapping[str, str]:
        """Field -> column, the id's as well."""
        return {**self.named, **({} if self.id is None else {"id": self.id})}

    def without_scale(self) -> Columns:
        """Return these for labels on no scale, such as a judge's beside annotators'.

        What is mapped to other numbers than 1 and 2 is on the scale, and left out.
        """
        if self.scale is None:
            return self
        mapping: dict[str, str] = {}
        for value, label in self.mapping.items():
            if label in _MEANINGS:
                mapping[value] = label
        return replace(self, scale=None, mapping=mapping)

    def __post_init__(self) -> None:
        for value, label in self.mapping.items():
            if label not in _MEANINGS and not is_number(label):
                offered = ", ".join((*LABELS, NO_LABEL))
                raise UserError(
                    f"--map to {label!r}, of {value!r}: labels are {offered}, and of"
                    " scores numbers; write what it means in its place"
                )


#: Columns that are called as we call them.
OUR_NAMES = Columns()


def is_number(text: str) -> bool:
    """Whether a text is a plain decimal number."""
    return re.fullmatch(_NUMBER, text) is not None


def parse_sides(text: str | None) -> tuple[str, str] | None:
    """Parse two names of systems, A's and B's, from ``new,old``; None without any."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise UserError(
            f"--systems {text}: name those of A and B, e.g. --systems new,old"
        )
    return names[0], names[1]
