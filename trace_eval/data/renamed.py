"""Records with the columns of a user, called by our names."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import chain, islice
from pathlib import PurePosixPath
from typing import Any, TypeVar

from blueprints import UserError
from trace_eval.data.columns import Fields
from trace_eval.data.names import SOUND_NAMES, folded
from trace_eval.data.settings import nearest

#: From this likeness on, 0 to 1, a column is proposed for a field.
_ALIKE = 0.55


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


T = TypeVar("T")


@dataclass
class Renamed:
    """Records under our names, and what columns they came with."""

    label: str  # of the file, for messages
    fields: Fields
    columns: Mapping[str, str] = field(
        default_factory=dict
    )  # field -> column, by the user
    values: dict[str, Any] = field(
        default_factory=dict
    )  # column -> its first that is not empty
    numbered: bool = False  # records have no ids and are called by their row number

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
        return {**ours, "id": str(number)} if self.numbered else ours

    def rows(
        self, rows: Iterable[T], record: Callable[[T], Any]
    ) -> Iterator[tuple[T, Any]]:
        """Yield rows with records under our names; what is no record stays as it is.

        The first records say whether the file brings ids, and which columns are ours
        but for capitals, spaces, hyphens and underscores.
        """
        rows = iter(rows)
        first = list(islice(rows, FIRST))
        self._look(
            [one for one in map(record, first) if isinstance(one, Mapping) and one]
        )
        for number, row in enumerate(chain(first, rows), start=1):
            one = record(row)
            yield row, self.record(one, number) if isinstance(one, Mapping) else one

    def _look(self, first: Sequence[Mapping[str, Any]]) -> None:
        have = {column for record in first for column in record}
        accepted = {alias for names in self.fields.names.values() for alias in names}
        for column, name in folded(have, accepted).items():
            field_name = self.fields.field(name)
            if name in SOUND_NAMES and not any(
                is_sound(one.get(column)) for one in first
            ):
                continue
            if not {*self.fields.names[field_name]} & have:
                self.columns = {field_name: column, **self.columns}
        ids = {*self.fields.names.get("id", ())}
        ids |= {self.columns["id"].split(".")[0]} if "id" in self.columns else set()
        self.numbered = self.fields.numbered and bool(ids and first) and not ids & have

    def _renamed(self, record: Mapping[str, Any]) -> dict[str, Any]:
        results = {name: at(record, column) for name, column in self.columns.items()}
        named = set(self.columns.values())
        others = {
            alias for name in self.columns for alias in self.fields.names[name]
        } - named
        rest = {
            key: value for key, value in record.items() if key not in named | others
        }
        kept = {key: record[key] for key in others if record.get(key) not in (None, "")}
        meta = rest.get("meta")
        if kept and (meta is None or isinstance(meta, Mapping)):
            rest["meta"] = {**(meta or {}), **kept}
        return {**rest, **results}

    def check_named(self) -> None:
        """Refuse a ``--column`` that no record has; name the nearest of the file's.

        Where no record could be read, it is not known which columns there are.
        """
        if not self.values:
            return
        for name, column in self.columns.items():
            if column not in self.values and column.split(".")[0] not in self.values:
                message = nearest(column, self.values)
                raise UserError(
                    f"{self.label}: --column {name}={column}: no such column;"
                    f" {message}; {self._has()}"
                )

    def missing(self, guess: Mapping[str, str] | None = None) -> str | None:
        """Say why no record can be read: a field that none of its columns gives.

        Args:
            guess: field -> column to propose, of whoever knows more of the file than
                its header; None: by names and first values.
        """
        available = self.values.keys() | self.columns.keys()
        absent = [
            name
            for name in self.fields.needed
            if name not in self.columns and not available & set(self.fields.names[name])
        ]
        if not absent or not self.values or available & self.fields.instead:
            return None
        accepted = "; ".join(
            f"{name}: {', '.join(self.fields.names[name])}" for name in absent
        )
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
    """Return a column's value; ``x.y.0`` lies inside of nested objects and lists."""
    if column in record:
        return record[column]
    value: Any = record
    for part in column.split("."):
        if isinstance(value, Mapping):
            value = value.get(part)
        elif (
            isinstance(value, Sequence)
            and not isinstance(value, str)
            and part.isdigit()
        ):
            value = value[int(part)] if int(part) < len(value) else None
        else:
            return None
    return value


def _guess(
    fields: Fields, absent: Sequence[str], results: Mapping[str, Any]
) -> dict[str, str]:
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
    """Score how like a column is to a field, 0 to about 1.3: name, side, values."""
    plain = column.casefold()
    score = max(
        SequenceMatcher(None, alias, plain).ratio() for alias in fields.names[name]
    )
    side = next(
        (part for part in re.split(r"[\W_]+", plain) if part in "ab12" and part), None
    )
    if side is not None and name[:1] in "ab" and name[:2].rstrip("_") in ("a", "b"):
        score += 0.2 if (side in "a1") == (name[0] == "a") else -1.0
    if name in fields.sounds:
        if not is_sound(value):
            return score - 1.0
        # Of a name like no other all that is known is that it is a recording: the first
        # one is A.
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
