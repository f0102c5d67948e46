"""Records with the columns of a user, called by our names."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher, get_close_matches
from itertools import chain, islice
from pathlib import PurePosixPath
from typing import Any, TypeVar

from blueprints import UserError
from trace_eval.data.columns import Fields
from trace_eval.data.names import SOUND_NAMES, folded
from trace_eval.data.settings import nearest

#: From this likeness on, 0 to 1, a column is proposed for a field.
_ALIKE = 0.55


#: From this likeness on, 0 to 1, a column is taken for a misspelt field.
_MISSPELT = 0.87

#: Names of fields whose misspellings are told from other words.
_WORD = re.compile("[a-z]{7,}")


#: Records that are looked at for columns: a missing value may have no name.
FIRST = 20


#: Columns of a file that a message names.
_SHOWN = 24


#: What makes a column that holds paths of recordings more likely to be a field of
#: recordings.
_SOUNDS = 0.3


_SOUND = re.compile(
    r"\.(wav|flac|ogg|oga|opus|mp3|aiff?|au|caf|m4a|mp4|aac|webm|mka|wma)\Z", re.I
)


#: A letter or digit that names a side, as a word of its own.
_SIDE_IN_NAME = re.compile(r"(?<![^\W_])[ab12](?![^\W_])")


T = TypeVar("T")


@dataclass
class Renamed:
    """Records under our names, and what columns they came with.

    Attributes:
        label: of the file, for messages.
        columns: field -> column, as the user says.
        values: column -> its first value that is not empty.
        numbered: records have no ids and are called by their row number.
    """

    label: str
    fields: Fields
    columns: Mapping[str, str] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    numbered: bool = False

    def __post_init__(self) -> None:
        self.columns = {
            self.fields.field(name): at for name, at in self.columns.items()
        }

    def record(self, record: Mapping[str, Any], number: int) -> dict[str, Any]:
        """Put a record under our names; without an id it has its number in the file."""
        for name, value in record.items():
            if self.values.get(name) in (None, ""):
                self.values[name] = value
        ours = self._renamed(record) if self.columns else dict(record)
        if self.numbered:
            ours["id"] = str(number)
        return ours

    def rows(
        self, rows: Iterable[T], record: Callable[[T], Any]
    ) -> Iterator[tuple[T, Any]]:
        """Yield rows with records under our names; what is no record stays as it is.

        The first records say whether the file brings ids, and which columns are ours
        but for capitals, spaces, hyphens and underscores.
        """
        rows = iter(rows)
        first = list(islice(rows, FIRST))
        records = [record(row) for row in first]
        self._look([one for one in records if isinstance(one, Mapping) and one])
        for number, row in enumerate(chain(first, rows), start=1):
            one = record(row)
            if isinstance(one, Mapping):
                one = self.record(one, number)
            yield row, one

    def misspelt(self) -> Iterator[tuple[str, str]]:
        """Yield (column, accepted name) where a misspelt word may be a missing field.

        A longer or shorter word, such as ``languages`` or ``rating``, is no misspelling.
        """
        accepted = set(chain.from_iterable(self.fields.names.values()))
        taken = {*self.columns, *map(self.fields.field, accepted & self.values.keys())}
        words: list[str] = []
        for field_name, names in self.fields.names.items():
            if field_name not in taken:
                words += [name for name in names if _WORD.fullmatch(name)]
        for column in self.values:
            if column in accepted or column in self.columns.values():
                continue
            for name in get_close_matches(column.lower(), words, 1, _MISSPELT):
                is_part = column.lower().startswith(name) or name.startswith(column)
                if column.isalpha() and not is_part and name[0] == column[0].lower():
                    yield column, name

    def _look(self, first: Sequence[Mapping[str, Any]]) -> None:
        """Learn from the first records which columns are ours, and whether ids lack."""
        present = set(chain.from_iterable(first))
        accepted = set(chain.from_iterable(self.fields.names.values()))
        for column, name in folded(present, accepted).items():
            field_name = self.fields.field(name)
            has_sound = any(is_sound(record.get(column)) for record in first)
            if name in SOUND_NAMES and not has_sound:
                continue
            if present.isdisjoint(self.fields.names[field_name]):
                self.columns = {field_name: column, **self.columns}
        ids = set(self.fields.names.get("id", ()))
        if "id" in self.columns:
            ids.add(self.columns["id"].split(".")[0])
        lacks_ids = bool(ids and first) and ids.isdisjoint(present)
        self.numbered = self.fields.numbered and lacks_ids

    def _renamed(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Put a record under our names; what else those name is kept in ``meta``."""
        ours = {name: at(record, column) for name, column in self.columns.items()}
        columns = set(self.columns.values())
        replaced: set[str] = set()
        for name in self.columns:
            replaced.update(self.fields.names[name])
        replaced -= columns
        rest: dict[str, Any] = {}
        for key, value in record.items():
            if key not in columns and key not in replaced:
                rest[key] = value
        kept = {
            key: record[key] for key in replaced if record.get(key) not in (None, "")
        }
        meta = rest.get("meta")
        if kept and (meta is None or isinstance(meta, Mapping)):
            rest["meta"] = {**(meta or {}), **kept}
        return {**rest, **ours}

    def check_named(self) -> None:
        """Refuse a ``--column`` that no record has; name the nearest of the file's.

        Where no record could be read, it is not known which columns there are.
        """
        if not self.values:
            return
        for name, column in self.columns.items():
            outermost = column.split(".")[0]
            if column not in self.values and outermost not in self.values:
                raise UserError(
                    f"{self.label}: --column {name}={column}: no such column;"
                    f" {nearest(column, self.values)}; {self._has()}"
                )

    def missing(self, guess: Mapping[str, str] | None = None) -> str | None:
        """Say why no record can be read: a field that none of its columns gives.

        Args:
            guess: field -> column to propose, of whoever knows more of the file than
                its header; None: by names and first values.
        """
        names = self.values.keys() | self.columns.keys()
        absent: list[str] = []
        for name in self.fields.needed:
            if name not in self.columns and names.isdisjoint(self.fields.names[name]):
                absent.append(name)
        if not absent or not self.values or names & self.fields.instead:
            return None
        if guess is None:
            guess = _guess(self.fields, absent, self.values)
        accepted: list[str] = []
        options: list[str] = []
        for name in absent:
            accepted.append(f"{name}: {', '.join(self.fields.names[name])}")
            setting = f"{name}={guess.get(name, 'COLUMN')}"
            options.append(f"--column {shlex.quote(setting)}")
        hint = "perhaps" if guess else "name them, e.g."
        return (
            f"{self.label}: no column for {' and '.join(absent)}; {self._has()};"
            f" accepted are {'; '.join(accepted)}; {hint} {' '.join(options)}"
        )

    def _has(self) -> str:
        """Name the first columns of the file."""
        names = list(self.values)
        columns = ", ".join(names[:_SHOWN])
        if len(names) > _SHOWN:
            columns += f" and {len(names) - _SHOWN} more"
        return f"this file has {columns}"


def at(record: Mapping[str, Any], column: str) -> Any:
    """Return a column's value; ``x.y.0`` lies inside of nested objects and lists."""
    if column in record:
        return record[column]
    value: Any = record
    for part in column.split("."):
        is_list = isinstance(value, Sequence) and not isinstance(value, str)
        if isinstance(value, Mapping):
            value = value.get(part)
        elif is_list and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return None
    return value


def _guess(
    fields: Fields, absent: Sequence[str], values: Mapping[str, Any]
) -> dict[str, str]:
    """Guess the most likely column of each missing field; no column serves two."""
    our_names = set(chain.from_iterable(fields.names.values()))
    free = [column for column in values if column not in our_names]
    candidates: list[tuple[float, int, str, str]] = []
    for name in absent:
        for position, column in enumerate(free):
            likeness = _likeness(fields, name, column, values[column])
            if likeness >= _ALIKE:
                candidates.append((-likeness, position, name, column))
    guess: dict[str, str] = {}
    for _, _, name, column in sorted(candidates):
        if name not in guess and column not in guess.values():
            guess[name] = column
    return {name: guess[name] for name in absent if name in guess}


def _likeness(fields: Fields, name: str, column: str, value: Any) -> float:
    """Score how like a column is to a field, 0 to about 1.3: name, side, values."""
    plain = column.casefold()
    score = max(
        SequenceMatcher(None, alias, plain).ratio() for alias in fields.names[name]
    )
    side = _SIDE_IN_NAME.search(plain)
    if side and name[:2].rstrip("_") in ("a", "b"):
        is_same_side = (side[0] in "a1") == (name[0] == "a")
        score += 0.2 if is_same_side else -1.0
    if name not in fields.sounds:
        return score
    if not is_sound(value):
        return score - 1.0
    is_known = score >= _ALIKE or (side and score > 0)
    # Of a name like no other all that is known is that it is a recording: the first
    # one is A.
    return score + _SOUNDS if is_known else _ALIKE


def is_sound(value: Any) -> bool:
    """Whether a cell is a recording, or the path of one."""
    if isinstance(value, str):
        return bool(_SOUND.search(PurePosixPath(value.partition("?")[0]).suffix))
    if isinstance(value, Mapping):
        return bool(value.keys() & {"bytes", "array", "audio", "url"})
    return isinstance(value, bytes)
