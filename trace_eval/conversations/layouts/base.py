"""Shared by all readers of conversations: unread ones, rows, times, places, tools."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError

from blueprints import InputError, UserError
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.data import strict_json
from trace_eval.data.conversation import ConversationItem, SourceEvent, Speaker
from trace_eval.data.tables import records
from trace_eval.data.urls import redact_urls

#: The speakers where a source has two, and names them by what they are.
USER_AND_AGENT = (
    Speaker(name="user", role="user"),
    Speaker(name="agent", role="agent"),
)

#: How a calendar time begins.
_CALENDAR = re.compile(r"\d{4}-\d{2}-\d{2}[T ]")

_HOURS = re.compile(r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2}(?:[.,]\d{1,6})?)", re.ASCII)

_SUFFIXES = (".csv", ".jsonl")

#: Where a fact may stand: the first place that has something counts.
Places = tuple[str, ...]

#: Times above this are Unix seconds, and above the second Unix milliseconds.
UNIX_S, UNIX_MS = 1e8, 1e11


@dataclass(frozen=True)
class Unread:
    """A conversation that could not be read, and why."""

    name: str
    reason: str

    def __post_init__(self) -> None:
        for field in ("name", "reason"):  # which are printed and stored
            object.__setattr__(self, field, redact_urls(getattr(self, field)))

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


ReadCalls = Iterator[ConversationItem | Unread]
Result = TypeVar("Result")


@dataclass(frozen=True)
class CallLayout:
    """A way in which conversations are stored."""

    name: str
    about: str
    fits: Callable[
        [Path], bool
    ]  # looks like it by its beginning, which is cheap to read
    read: Callable[[Path, ReadOptions], ReadCalls]
    count: Callable[[Path], int] | None = None  # None: unknown before reading


def json_file(path: Path) -> Any:
    """Read a JSON file; raises a UserError that names it where it cannot be read."""
    try:
        return strict_json.read_file(path)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror or error})"
        ) from None
    except strict_json.BadJson as error:
        raise InputError(f"{path}: {error}") from None


def separate_lines(path: Path) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yield the lines of a JSON Lines file by number: an object, or an error.

    Raises:
        UserError: as :func:`json_file`.
    """
    try:
        for number, value in strict_json.lines(path):
            if isinstance(value, strict_json.BadJson):
                yield number, f"{value}; mend or delete that line"
            elif not isinstance(value, dict):
                yield number, f"expected an object (got {value!r:.60})"
            else:
                yield number, value
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror or error})"
        ) from None


def problem(error: ValidationError) -> str:
    """Say in one sentence why a record cannot be read."""
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] not in ("missing", "value_error"):
        message += f" (got {first['input']!r:.80})"
    return f"{where}: {message}" if where else message


def each(paths: Iterable[Path], read: Callable[[Path], ConversationItem]) -> ReadCalls:
    """Read files or folders one by one; a bad one costs itself only."""
    return (one(str(path), partial(read, path)) for path in paths)


def one(name: str, read: Callable[[], Result]) -> Result | Unread:
    """Call a reader, and return its fault, which costs no other conversation."""
    try:
        return read()
    except ValidationError as error:
        return Unread(name, problem(error))
    except UserError as error:
        why = str(error).removeprefix(f"{name}: ").removeprefix(f"{name}, ")
        return Unread(name, why)
    except Exception as error:  # a value that its reader did not think of
        return Unread(name, f"cannot be read ({type(error).__name__}: {error!s:.200})")


def text_of(value: Any) -> str | None:
    """Return a text, or None where the source has something else."""
    return value if isinstance(value, str) else None


def listed(value: Any, name: str) -> list[Any]:
    """Return a list, empty where the source has None.

    Raises:
        UserError: it has anything else.
    """
    if value is not None and not isinstance(value, list):
        raise InputError(f"{name}: expected a list (got {value!r:.60})")
    return value or []


def mapping(value: Any) -> dict[str, Any]:
    """Return an object, empty where the source has None or something else."""
    return value if isinstance(value, dict) else {}


def objects(value: Any, key: str) -> list[dict[str, Any]]:
    """Return the list under a key as objects, see :func:`mapping`; empty without it."""
    listed = mapping(value).get(key)
    if not isinstance(listed, list):
        return []
    return [mapping(one) for one in listed]


def rows_of(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (number from 1, row) of a table, CSV without its header.

    Raises:
        UserError: a row is bad; the message names file and line.
    """
    for number, row in separate_rows(path):
        if isinstance(row, str):
            raise InputError(f"{path}, line {number}: {row}")
        yield number, row


def separate_rows(path: Path) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yield rows as :func:`rows_of`, but the reason in place of a bad row."""
    if path.suffix.lower() == ".jsonl":
        yield from separate_lines(path)
        return
    for number, (_, row) in enumerate(records(path), start=1):
        if isinstance(row, str):
            yield number, row
        else:
            yield number, {name: value or "" for name, value in row.items()}


def first_row(path: Path) -> dict[str, Any]:
    """Return the first readable row of a table; an empty one if there is none."""
    if path.suffix.lower() not in _SUFFIXES:
        return {}
    with suppress(UserError):
        for _, row in separate_rows(path):
            if isinstance(row, dict):
                return row
    return {}


def time_of(value: Any, name: str) -> float | None:
    """Read seconds, also of ``hh:mm:ss.mmm`` and of Unix times of smaller units."""
    if isinstance(value, str):
        clock = _HOURS.fullmatch(value.strip())
        if clock:
            hours, minutes, seconds = clock.groups()
            whole_minutes = 3600 * int(hours or 0) + 60 * int(minutes)
            return whole_minutes + float(seconds.replace(",", "."))
    try:
        number = number_of(value, name)
    except InputError as error:
        raise InputError(f"{error}; write seconds, or hh:mm:ss.mmm") from None
    parts = 1.0
    while number is not None and number / parts >= UNIX_MS:
        parts *= 1000
    return number if number is None else number / parts


def number_of(value: Any, name: str) -> float | None:
    """Read a cell's finite number, None where it is empty.

    Raises:
        UserError: it is anything else.
    """
    if value is None or value == "":
        return None
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{name}: expected a number (got {value!r:.60})")
    return number


def place(value: Any, places: Places) -> Any:
    """Return the value of the first place that has one; None if none has."""
    for path in places:
        result = value
        for key in path.split("."):
            if isinstance(result, list) and key.lstrip("-").isdigit():
                result = (
                    result[int(key)] if -len(result) <= int(key) < len(result) else None
                )
            else:
                result = mapping(result).get(key)
        if result is not None:
            return result
    return None


def moment(value: Any, name: str) -> float | None:
    """Read seconds, see :func:`time_of`, or the Unix seconds of a calendar time."""
    if isinstance(value, str) and _CALENDAR.match(value.strip()):
        try:
            return datetime.fromisoformat(value.strip()).timestamp()
        except ValueError:
            raise InputError(f"{name}: expected a time (got {value!r:.60})") from None
    return time_of(value, name)


def call_zero(times: Iterable[float]) -> float | None:
    """Return the Unix time of a call's zero, a whole second; None: times are its own.

    Raises:
        UserError: some are Unix times and some are not.
    """
    times = list(times)
    calendar = sum(time > UNIX_S for time in times)
    if 0 < calendar < len(times):
        raise InputError(
            "some times are Unix times and some seconds of the call; use one kind"
        )
    return float(math.floor(min(times))) if calendar else None


def parsed(value: Any) -> Any:
    """Parse JSON that a platform writes as text; return other values as they are."""
    if not isinstance(value, str) or value[:1] not in "{[":
        return value
    try:
        return strict_json.loads(value)
    except strict_json.BadJson:
        return value


class ToolEntry(NamedTuple):
    """A call or a response as a source has it, with any JSON as its value."""

    is_call: bool
    name: str
    value: Any
    at_s: float | None = None
    turn: int | None = None
    exchange: int | None = None
    status: str | None = None


def tool_events(entries: Iterable[ToolEntry]) -> list[SourceEvent]:
    """Make events ``tool_call`` and ``tool_response``, or ``unanswered_call``."""
    events: list[SourceEvent] = []
    waiting: dict[str, list[tuple[str, ToolEntry]]] = defaultdict(list)
    for number, entry in enumerate(entries):
        if entry.is_call:
            name = f"t{number}"
            waiting[entry.name].append((name, entry))
            events.append(_event("tool_call", entry, name, arguments=entry.value))
        else:
            open_ = waiting[entry.name]
            name = open_.pop(0)[0] if open_ else f"t{number}"
            status = {} if entry.status is None else {"status": entry.status}
            events.append(
                _event("tool_response", entry, name, response=entry.value, **status)
            )
    for left in waiting.values():
        events += [_event("unanswered_call", entry, name) for name, entry in left]
    return events


def _event(kind: str, entry: ToolEntry, name: str, **more: Any) -> SourceEvent:
    data = {"id": name, "name": entry.name, **more}
    if entry.exchange is not None:
        data["exchange"] = entry.exchange
    return SourceEvent(kind=kind, at_s=entry.at_s, turn=entry.turn, data=data)
