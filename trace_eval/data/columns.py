"""What the columns of a file mean: by accepted names, or as a user says with ``--column``."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import chain, islice
from pathlib import PurePosixPath
from typing import Any, Literal, TypeVar

from blueprints import UserError
from trace_eval.data.names import SOUND_NAMES, folded
from trace_eval.data.settings import nearest, option_field, split_settings
from trace_eval.data.spelling import LABELS, NO_LABEL

#: Items that only one side has: refuse them, or leave them out and count them.
Missing = Literal["error", "drop"]

#: From this likeness on, 0 to 1, a column is proposed for a field.
_ALIKE = 0.55

#: Records that are looked at for columns: a missing value may have no name.
FIRST = 20

#: Columns of a file that a message names.
_SHOWN = 24

#: What makes a column that holds paths of recordings more likely to be a field of recordings.
_SOUNDS = 0.3
_SOUND = re.compile(r"\.(wav|flac|ogg|oga|opus|mp3|aiff?|au|caf|m4a|mp4|aac|webm|mka|wma)\Z", re.I)

T = TypeVar("T")

#: Heading of the help pages.
_FILES = "Files with other names"


@dataclass(frozen=True)
class Fields:
    """The fields of one kind of record."""

    names: Mapping[str, tuple[str, ...]]  # field -> its accepted column names, ours first
    needed: tuple[str, ...] = ()  # fields without which no record can be read
    sounds: frozenset[str] = frozenset()  # fields that are recordings
    instead: frozenset[str] = frozenset()  # columns that give the needed fields in another way
    numbered: bool = True  # records without an id are called by their row number

    def field(self, name: str) -> str:
        """Return the field of any of its accepted names; ``a.system`` is one, too.

        Of an unknown one the nearest is named.
        """
        wanted = name.replace(".", "_")
        for available, names in self.names.items():
            if wanted == available or wanted in names:
                return available
        raise UserError(f"--column {name}: no such field; {nearest(wanted, self.names)}")


def parse_columns(texts: Iterable[str]) -> dict[str, str]:
    """Map fields to columns of a file, from ``FIELD=COLUMN`` texts, see :func:`split_settings`."""
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
    """Which rows of a table count: those that hold a value in a column, or that do not."""

    column: str
    value: str
    equal: bool = True

    def __str__(self) -> str:
        sign = "=" if self.equal else "!="
        return f"--where {shlex.quote(self.column + sign + self.value)}"

    def holds(self, cell: object) -> bool:
        """Whether a row with this cell meets it; capitals and blanks around do not count."""
        same = _cell(cell) == _cell(self.value)
        return same is self.equal


def _cell(value: object) -> str:
    return "" if value is None else str(value).strip().casefold()


def parse_conditions(texts: Iterable[str]) -> tuple[RowFilter, ...]:
    """Parse conditions from ``COLUMN=VALUE`` and ``COLUMN!=VALUE``; others are refused."""
    conditions = []
    for text in texts:
        parts = _CONDITION.fullmatch(text)
        if parts is None:
            raise UserError(
                f"--where {text!r}: write COLUMN=VALUE or COLUMN!=VALUE, e.g. --where"
                " status=Approved"
            )
        conditions.append(RowFilter(parts["column"], parts["value"], parts["sign"] == "="))
    return tuple(conditions)


_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"

#: ``0..100``, ``-3..3``, ``1..5:0.5``.
_ENDS = re.compile(rf"\A({_NUMBER})\.\.({_NUMBER})(?::({_NUMBER}))?")


@dataclass(frozen=True)
class Ends:
    """A scale by its ends, as a user declares it.

    Attributes:
        first: of scores the worst one; of comparisons the number that says that A is better.
        last: of scores the best one; of comparisons the number that says that B is better.
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
        """Say which answer a number of a comparison calls better: ``1``, ``2``, or ``tie``."""
        middle = (self.first + self.last) / 2
        if abs(number - middle) < _SAME_STEP:
            return "tie"
        return "1" if (number < middle) == (self.first < self.last) else "2"


#: Numbers closer than this are one.
_SAME_STEP = 1e-9


def parse_ends(text: str | None) -> Ends | None:
    """Parse the ends of a scale: ``0..100``, ``-3..3`` or ``1..5:0.5``; None: none declared."""
    if text is None:
        return None
    ends = _ENDS.fullmatch(text.strip().replace("\u2212", "-"))
    if ends is None:
        raise UserError(
            f"--scale {text}: write FIRST..LAST, e.g. --scale 0..100, --scale -3..3, or with the"
            " step between two values --scale 1..5:0.5"
        )
    first, last = float(ends[1]), float(ends[2])
    step = None if ends[3] is None else float(ends[3])
    if first == last or (step is not None and step <= 0):
        raise UserError(f"--scale {text}: give two different ends, and a step above 0")
    if step is not None:
        steps = abs(last - first) / step
        if abs(steps - round(steps)) > _SAME_STEP or steps > _MOST_STEPS:
            raise UserError(
                f"--scale {text}: from one end to the other are {steps:g} steps; give a step that"
                f" fits, at most {_MOST_STEPS:,} times"
            )
    return Ends(first, last, step)


#: Steps that a declared scale may have.
_MOST_STEPS = 10_000


#: Fields of :class:`Columns` that say how a file of human labels beside a run is read.
OF_LABELS = ("id", "mapping", "where", "scale", "named")


@dataclass(frozen=True)
class Columns:
    """How a file names its columns and labels, and which of its rows count.

    Attributes:
        prediction: column of the judge's label; None: by our names.
        truth: column of the human label, in the same file; None: by our names.
        id: column that names the item; None: by our names, else the row's number where both
            labels are in one file.
        mapping: value in the file -> label, e.g. --map A=1 --map B=2 --map N/A=missing; of
            scores a number or missing, e.g. --map Good=4 --map 99=missing.
        flip_b: the judge was shown B first: its 1 and 2 (and scores) are exchanged. The truth
            is left alone.
        named: what other fields are called in the file, e.g. a=system_a_audio; may be repeated.
            The columns of several raters: rater=ann,bob.
        tail: of whole replies, in how many last characters the verdict stands; None: anywhere.
        where: only rows with this value in a column, or, as COLUMN!=VALUE, without it; may be
            repeated, and one of several values of a column is enough.
        scale: scale of the human scores, e.g. 0..100 or 1..5:0.5 (with its step). Of comparisons
            the end that says A is better comes first: -3..3, 7..1. None: found by the values,
            and stated.
    """

    prediction: str | None = option_field(None, metavar="COLUMN", panel=_FILES)
    truth: str | None = option_field(None, metavar="COLUMN", panel=_FILES)
    id: str | None = option_field(None, metavar="COLUMN", panel=_FILES)
    mapping: Mapping[str, str] = field(
        default_factory=dict,
        metadata={"flag": "--map", "metavar": "VALUE=LABEL", "panel": _FILES, "read": read_mapping},
    )
    flip_b: bool = option_field(False, panel=_FILES)
    tail: int | None = option_field(None, shown=False)
    where: tuple[RowFilter, ...] = option_field(
        (), metavar="COLUMN=VALUE", panel=_FILES, read=parse_conditions
    )
    scale: Ends | None = option_field(None, metavar="FIRST..LAST", panel=_FILES, read=parse_ends)
    named: Mapping[str, str] = field(
        default_factory=dict,
        metadata={"flag": "--column", "metavar": "FIELD=COLUMN", "read": parse_columns},
    )

    @property
    def fields(self) -> Mapping[str, str]:
        """Field -> column, the id's as well."""
        return {**self.named, **({} if self.id is None else {"id": self.id})}

    def __post_init__(self) -> None:
        for value, label in self.mapping.items():
            if label not in (*LABELS, NO_LABEL) and not is_number(label):
                offered = ", ".join((*LABELS, NO_LABEL))
                raise UserError(
                    f"--map to {label!r}, of {value!r}: labels are {offered}, and of scores"
                    " numbers; write what it means in its place"
                )


def is_number(text: str) -> bool:
    """Whether a text is a plain decimal number."""
    return re.fullmatch(_NUMBER, text) is not None


def parse_sides(text: str | None) -> tuple[str, str] | None:
    """Parse two different names of systems, A's and B's, from ``new,old``; None: none given."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise UserError(f"--systems {text}: name those of A and B, e.g. --systems new,old")
    return names[0], names[1]


@dataclass
class Renamed:
    """Records under our names, and what columns they came with."""

    label: str  # of the file, for messages
    fields: Fields
    columns: Mapping[str, str] = field(default_factory=dict)  # field -> column, by the user
    values: dict[str, Any] = field(default_factory=dict)  # column -> its first that is not empty
    numbered: bool = False  # records have no ids and are called by their row number

    def __post_init__(self) -> None:
        self.columns = {self.fields.field(name): at for name, at in self.columns.items()}

    def record(self, record: Mapping[str, Any], number: int) -> dict[str, Any]:
        """Put a record under our names; without an id it has its number in the file, from 1."""
        for name, value in record.items():
            if self.values.get(name) in (None, ""):
                self.values[name] = value
        ours = self._renamed(record) if self.columns else dict(record)
        return {**ours, "id": str(number)} if self.numbered else ours

    def rows(self, rows: Iterable[T], record: Callable[[T], Any]) -> Iterator[tuple[T, Any]]:
        """Yield rows with their records under our names; what is no record stays as it is.

        The first records say whether the file brings ids, and which columns are ours but for
        capitals, spaces, hyphens and underscores.
        """
        rows = iter(rows)
        first = list(islice(rows, FIRST))
        self._look([one for one in map(record, first) if isinstance(one, Mapping) and one])
        for number, row in enumerate(chain(first, rows), start=1):
            one = record(row)
            yield row, self.record(one, number) if isinstance(one, Mapping) else one

    def _look(self, first: Sequence[Mapping[str, Any]]) -> None:
        have = {column for record in first for column in record}
        accepted = {alias for names in self.fields.names.values() for alias in names}
        for column, name in folded(have, accepted).items():
            field_name = self.fields.field(name)
            if name in SOUND_NAMES and not any(is_sound(one.get(column)) for one in first):
                continue
            if not {*self.fields.names[field_name]} & have:
                self.columns = {field_name: column, **self.columns}
        ids = {*self.fields.names.get("id", ())}
        ids |= {self.columns["id"].split(".")[0]} if "id" in self.columns else set()
        self.numbered = self.fields.numbered and bool(ids and first) and not ids & have

    def _renamed(self, record: Mapping[str, Any]) -> dict[str, Any]:
        results = {name: at(record, column) for name, column in self.columns.items()}
        named = set(self.columns.values())
        others = {alias for name in self.columns for alias in self.fields.names[name]} - named
        rest = {key: value for key, value in record.items() if key not in named | others}
        kept = {key: record[key] for key in others if record.get(key) not in (None, "")}
        meta = rest.get("meta")
        if kept and (meta is None or isinstance(meta, Mapping)):
            rest["meta"] = {**(meta or {}), **kept}
        return {**rest, **results}

    def check_named(self) -> None:
        """Refuse a ``--column`` that no record has; name the file's columns and the nearest."""
        for name, column in self.columns.items():
            if column not in self.values and column.split(".")[0] not in self.values:
                message = nearest(column, self.values) if self.values else ""
                raise UserError(
                    f"{self.label}: --column {name}={column}: no such column; {message};"
                    f" {self._has()}"
                )

    def missing(self, guess: Mapping[str, str] | None = None) -> str | None:
        """Say why no record of the file can be read: a field that none of its columns gives.

        Args:
            guess: field -> column to propose, of whoever knows more of the file than its header;
                None: by names and first values.
        """
        available = self.values.keys() | self.columns.keys()
        absent = [
            name
            for name in self.fields.needed
            if name not in self.columns and not available & set(self.fields.names[name])
        ]
        if not absent or not self.values or available & self.fields.instead:
            return None
        accepted = "; ".join(f"{name}: {', '.join(self.fields.names[name])}" for name in absent)
        if guess is None:
            guess = _guess(self.fields, absent, self.values)
        typed = (f"{name}={guess.get(name, 'COLUMN')}" for name in absent)
        options = " ".join(f"--column {shlex.quote(text)}" for text in typed)
        hint = f"perhaps {options}" if guess else f"name them, e.g. {options}"
        return (
            f"{self.label}: no column for {' and '.join(absent)}; {self._has()};"
            f" accepted are {accepted}; {hint}"
        )

    def _has(self) -> str:
        names = list(self.values)
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        return f"this file has {', '.join(names[:_SHOWN])}{more}"


def at(record: Mapping[str, Any], column: str) -> Any:
    """Return the value of a column; ``x.y.0`` is one inside of nested objects and lists."""
    if column in record:
        return record[column]
    value: Any = record
    for part in column.split("."):
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, Sequence) and not isinstance(value, str) and part.isdigit():
            value = value[int(part)] if int(part) < len(value) else None
        else:
            return None
    return value


def _guess(fields: Fields, absent: Sequence[str], results: Mapping[str, Any]) -> dict[str, str]:
    """Guess the most likely column of each missing field; no column serves two."""
    taken = {alias for names in fields.names.values() for alias in names}
    free = [name for name in results if name not in taken]
    scored = sorted(
        (-_likeness(fields, name, column, results[column]), position, name, column)
        for name in absent
        for position, column in enumerate(free)
    )
    guess: dict[str, str] = {}
    for unlike, _, name, column in scored:
        if -unlike >= _ALIKE and name not in guess and column not in guess.values():
            guess[name] = column
    return {name: guess[name] for name in absent if name in guess}


def _likeness(fields: Fields, name: str, column: str, value: Any) -> float:
    """Score how like a column is to a field, 0 to about 1.3: by name, by side and by values."""
    plain = column.casefold()
    score = max(SequenceMatcher(None, alias, plain).ratio() for alias in fields.names[name])
    side = next((part for part in re.split(r"[\W_]+", plain) if part in "ab12" and part), None)
    if side is not None and name[:1] in "ab" and name[:2].rstrip("_") in ("a", "b"):
        score += 0.2 if (side in "a1") == (name[0] == "a") else -1.0
    if name in fields.sounds:
        if not is_sound(value):
            return score - 1.0
        # Of a name like no other all that is known is that it is a recording: the first one is A.
        is_known = score >= _ALIKE or (side is not None and score > 0)
        score = score + _SOUNDS if is_known else _ALIKE
    return score


def is_sound(value: Any) -> bool:
    """Whether a cell is a recording, or the path of one."""
    if isinstance(value, str):
        return bool(_SOUND.search(PurePosixPath(value.partition("?")[0]).suffix))
    if isinstance(value, Mapping):
        return bool(value.keys() & {"bytes", "array", "audio", "url"})
    return isinstance(value, bytes)
