"""Calls as platforms export them: one reader over tables, a column map per platform.

A map names the places of a fact (:func:`places`): dots lead inward, a number into a
list. Recordings are looked for beside the export, by their name or by the call's id;
nothing is fetched.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from blueprints import InputError, counted
from trace_eval.conversations.layouts.base import (
    UNIX_S,
    CallLayout,
    Places,
    ReadCalls,
    ToolEntry,
    Unread,
    call_zero,
    json_file,
    mapping,
    moment,
    number_of,
    one,
    parsed,
    place,
    separate_lines,
    text_of,
    tool_events,
)
from trace_eval.conversations.layouts.recordings import (
    Recordings,
    recordings_of,
    with_recordings,
)
from trace_eval.conversations.layouts.sound import item_from_mix, item_from_sound
from trace_eval.conversations.layouts.table import item_of
from trace_eval.conversations.layouts.units import in_seconds
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.conversations.sound.apart import NO_ZERO, OF_LOG
from trace_eval.data.conversation import ROLES, Clock, ConversationItem, End

#: Bytes at the beginning of a file in which its marks are looked for.
_HEAD = 1 << 20

#: How many envelopes a call may lie in.
_DEPTH = 3

#: What a turn has whose time is not known.
_NO_END, _NO_START = "a start and no end", "an end and no start"

#: Keys under which an API lists calls.
_LISTS = ("calls", "results", "recordings", "data")


def named(text: str) -> dict[str, str]:
    """Name -> value of ``name=value`` with spaces between them."""
    return dict(part.split("=", 1) for part in text.split())


def places(text: str) -> dict[str, Places]:
    """Parse ``fact=place|place``; the first place that has something counts."""
    places_of_facts: dict[str, Places] = {}
    for fact, where in named(text).items():
        places_of_facts[fact] = tuple(where.split("|"))
    return places_of_facts


@dataclass(frozen=True)
class Platform:
    """The way in which one platform writes calls."""

    name: str
    about: str
    marks: tuple[str, ...]  # what its files contain near their beginning, all of them
    turns: Places = ()
    # of a turn: role, text, start, end (or from and to on another clock); of a tool:
    # call, name, arguments, response, at
    columns: Mapping[str, Places] = field(default_factory=dict)
    # of a call: id, system, zero (Unix time), length (seconds) or length_ms, reason,
    # recording, version, policy, kind (of what holds no turns)
    call: Mapping[str, Places] = field(default_factory=dict)
    # their word for who speaks, or for a tool -> user, agent, tool_call, tool_response
    roles: Mapping[str, str] = field(default_factory=dict)
    # their word for why a call ended -> ours, where ours counts
    reasons: Mapping[str, str] = field(default_factory=dict)
    expand: str = ""  # list inside a turn whose elements are turns of their own
    # all values of a file -> its calls; None: each value is one
    whole: Callable[[Sequence[Any]], list[dict[str, Any]]] | None = None
    # what a value of a file has at once, unless it stands inside a webhook's body or a
    # log's line; empty: what a call has
    inside: Places = ()

    @property
    def layout(self) -> CallLayout:
        """It as a layout."""
        return CallLayout(
            name=self.name,
            about=self.about,
            fits=partial(_fits, self),
            read=partial(_read, self),
        )


class _Rows(NamedTuple):
    """A call's turns as rows of a table, its tools, and what of it is not read.

    Attributes:
        skipped: roles that are not read, and how many entries have them.
        half_timed: turns with one edge alone, whose time is not known, by what lacks.
    """

    turns: list[tuple[int, dict[str, Any]]]
    tools: list[tuple[int, ToolEntry]]
    skipped: Counter[str]
    half_timed: Counter[str]


def _files(path: Path) -> list[Path]:
    files = [path] if path.is_file() else sorted(path.glob("*.json*"))
    return [file for file in files if file.suffix in (".json", ".jsonl")]


def _fits(platform: Platform, path: Path) -> bool:
    for file in _files(path)[:3]:
        with file.open("rb") as opened:
            head = opened.read(_HEAD).decode("utf-8", "replace")
        head = re.sub(r'\\+"', '"', head)  # a body that was stored as text
        if all(re.search(mark, head) for mark in platform.marks):
            return True
    return False


def _read(platform: Platform, path: Path, options: ReadOptions) -> ReadCalls:
    for file in _files(path):
        calls = one(str(file), partial(_calls, platform, file))
        if isinstance(calls, Unread):
            yield calls
            continue
        for number, (where, call) in enumerate(calls):
            name = f"{file.stem}-{number + 1}" if len(calls) > 1 else file.stem
            source = (file.parent, options)
            yield one(where, partial(_item, platform, call, name, source))


def _calls(platform: Platform, file: Path) -> list[tuple[str, Any]]:
    """Return the calls of a file with their places.

    In place of a line that is no call stands the reason.
    """
    if file.suffix == ".jsonl":
        rows = [
            (f"{file}, line {number}", value) for number, value in separate_lines(file)
        ]
    else:
        rows = _numbered(file, _listed_calls(json_file(file)))
    marks = platform.inside or platform.turns + platform.call.get("recording", ())
    rows = list(chain.from_iterable(_unwrapped(row, marks) for row in rows))
    if platform.whole is None:
        return rows
    for where, value in rows:
        if isinstance(value, str):
            raise InputError(f"{where}: {value}")
    return _numbered(file, platform.whole([value for _, value in rows]))


def _unwrapped(row: tuple[str, Any], marks: Places) -> Iterator[tuple[str, Any]]:
    """Yield the call in a row's envelope, or each of a list of envelopes in it.

    Queues and topics deliver several messages at once, each in an envelope of its own.
    """
    where, value = row
    call = unwrapped(value, marks)
    calls = [call]
    if place(call, marks) is None:
        lists = [one for one in mapping(value).values() if isinstance(one, list)]
        messages = [unwrapped(one, marks) for one in chain.from_iterable(lists)]
        calls = [one for one in messages if place(one, marks) is not None] or calls
    yield from ((where, one) for one in calls)


def _listed_calls(value: Any) -> list[Any]:
    """Return the calls of a file's value: those that it lists, or itself."""
    inside = place(value, _LISTS)
    if isinstance(inside, list):
        return inside
    return value if isinstance(value, list) else [value]


def unwrapped(value: Any, marks: Places, depth: int = _DEPTH) -> Any:
    """Return the object inside a value that has one of the marks.

    Webhooks and loggers put an object into an envelope, as itself or as text, with the
    time at which they got it. The object keeps what the envelope says beside it, where
    it says nothing. A value without a mark is returned as it is.
    """
    for mark in marks:
        result = _with_mark(value, mark, depth)
        if result is not None:
            return result
    return value


def _with_mark(value: Any, mark: str, depth: int) -> dict[str, Any] | None:
    layer = [mapping(value)]
    for _ in range(depth + 1):
        below = []
        for outer in layer:
            if place(outer, (mark,)) is not None:
                return outer
            envelope = {
                key: one for key, one in outer.items() if not isinstance(one, dict)
            }
            for value_inside in map(parsed, outer.values()):
                if isinstance(value_inside, dict):
                    below.append(envelope | value_inside)
        layer = below
    return None


def _numbered(file: Path, values: Sequence[Any]) -> list[tuple[str, Any]]:
    return [(f"{file}, {number}", value) for number, value in enumerate(values, 1)]


def _item(
    platform: Platform, call: Any, name: str, source: tuple[Path, ReadOptions]
) -> ConversationItem:
    if isinstance(call, str):
        raise InputError(call)
    if not isinstance(call, dict):
        raise InputError(f"expected a call (got {call!r:.60})")
    folder, options = source
    facts = {fact: place(call, where) for fact, where in platform.call.items()}
    name = text_of(facts.get("id")) or name
    listed = place(call, platform.turns)
    address = text_of(facts.get("recording"))
    file_names = [PurePosixPath(urlsplit(address).path).name] if address else []
    recorded = recordings_of(name, folder, options, file_names)
    channels = recorded.channels
    caveats = list(recorded.caveats)
    system = {"system": text_of(facts.get("system"))}
    if not listed and len(channels) == len(ROLES):
        return item_from_sound(name, channels, options, system)
    if not listed and recorded.mix:
        return item_from_mix(name, recorded.mix, options, system)
    if not isinstance(listed, list) or not listed:
        raise InputError(_nothing(platform, facts, folder, name))
    rows = _rows(platform, listed)
    if not rows.turns:
        raise InputError(
            f"{platform.name}: none of its {len(listed)} entries is a turn"
        )
    unit = in_seconds([row for _, row in rows.turns])
    if unit:
        caveats.append(unit)
    stated_zero = moment(facts.get("zero"), "start of the call")
    zero = _to_call_time(rows, stated_zero)
    if rows.skipped:
        skipped = [f"{number} of role {role}" for role, number in rows.skipped.items()]
        caveats.append(f"entries were left out: {', '.join(skipped)}")
    for lacks, number in rows.half_timed.items():
        turns = counted(number, "turn has", "turns have")
        caveats.append(f"{turns} {lacks}, so when that was said is not known")
    is_timed = any(row["start"] is not None for _, row in rows.turns)
    if is_timed:
        caveats.append(f"{OF_LOG} of {platform.name}, not of sound")
    policy = text_of(facts.get("policy"))
    tools = [tool._replace(turn=max(0, before - 1)) for before, tool in rows.tools]
    of_call = {
        "channels": tuple(channels.values()),
        "clock": Clock(kind="log" if is_timed else "none", zero=zero),
        "events": tuple(tool_events(tools)),
        "end": _end(platform, facts),
        "instructions": {} if policy is None else {"policy": policy},
        "meta": {} if zero == stated_zero else {"zero": NO_ZERO},
    }
    item = item_of(name, rows.turns, folder=folder, options=options, available=of_call)
    if recorded.mix:
        item = with_recordings(item, Recordings(mix=recorded.mix))
    return item.model_copy(update=system | {"caveats": item.caveats + tuple(caveats)})


def _end(platform: Platform, facts: dict[str, Any]) -> End:
    """Return when and why a call ended, as far as its facts say."""
    reason = text_of(facts.get("reason"))
    seconds = number_of(facts.get("length"), "length of the call")
    ms = number_of(facts.get("length_ms"), "length of the call")
    return End(
        at_s=seconds if ms is None else ms / 1000,
        reason=platform.reasons.get(reason or "", reason),
    )


def _nothing(platform: Platform, facts: dict[str, Any], folder: Path, name: str) -> str:
    version = facts.get("version")
    stated = "no version is stated"
    if version is not None:
        stated = f"its version is {version!r:.60}"
    kind = text_of(facts.get("kind"))
    if kind:
        stated += f", it is a {kind}"
    sought = list(platform.turns)
    if "recording" in platform.call:
        sought.append(f"a recording {name}.wav in {folder}")
    return (
        f"not as {platform.name} is known to write calls ({stated}): looked for"
        f" {' or '.join(sought)}"
    )


def _rows(platform: Platform, listed: list[Any]) -> _Rows:
    rows = _Rows([], [], Counter(), Counter())
    names: dict[str, str] = {}
    zero = _zero_of_other_clock(platform, listed)
    for number, value in enumerate(_expanded(listed, platform.expand), 1):
        cells = {
            column: place(value, where) for column, where in platform.columns.items()
        }
        word = str(cells.get("role"))
        role = platform.roles.get(word)
        if role in ("user", "agent"):
            start, end = _times(cells, zero)
            if (start is None) != (end is None):
                rows.half_timed[_NO_END if end is None else _NO_START] += 1
                start = end = None
            row = {"speaker": role, "role": role, "text": _words(cells)}
            rows.turns.append((number, row | {"start": start, "end": end}))
        elif role is None:
            rows.skipped[word[:40]] += 1
        else:
            is_call = role == "tool_call"
            key = str(cells.get("call"))
            tool = names.setdefault(key, str(cells.get("name") or key))
            value = cells.get("arguments" if is_call else "response")
            at_s = moment(cells.get("at"), "time of a tool")
            entry = ToolEntry(
                is_call=is_call, name=tool, value=parsed(value), at_s=at_s
            )
            rows.tools.append((len(rows.turns), entry))
    return rows


def _expanded(listed: list[Any], inside: str) -> Iterator[Any]:
    for value in listed:
        elements = mapping(value).get(inside)
        if not isinstance(elements, list):
            yield value
            continue
        for element in elements:
            yield {**value, inside: element}


def _words(cells: dict[str, Any]) -> Any:
    """Return the text of a turn, joined where it comes in parts."""
    text = cells.get("text")
    if not isinstance(text, list):
        return text
    return " ".join(part for part in text if isinstance(part, str))  # some are no text


def _zero_of_other_clock(platform: Platform, listed: list[Any]) -> float | None:
    """Return where the clock of ``from`` and ``to`` has the call's zero.

    It is 0 where no turn has a start, because that clock is then the only one. None: no
    turn has a time on both clocks.
    """
    starts = platform.columns.get("start", ())
    others = platform.columns.get("from", ())
    has_start = False
    for value in listed:
        start = moment(place(value, starts), "time of a turn")
        since = moment(place(value, others), "time of a turn")
        has_start = has_start or start is not None
        if start is not None and since is not None:
            return since - start
    return None if has_start else 0.0


def _times(
    cells: dict[str, Any], zero: float | None
) -> tuple[float | None, float | None]:
    """Return start and end of a turn, each where it is known, on either clock.

    A length is taken from the clock that has both of its ends.
    """
    start = moment(cells.get("start"), "time of a turn")
    end = moment(cells.get("end"), "time of a turn")
    since = moment(cells.get("from"), "time of a turn")
    until = moment(cells.get("to"), "time of a turn")
    if start is None and since is not None and zero is not None:
        start = since - zero
    if end is None and until is not None:
        if start is not None and since is not None:
            end = start + until - since
        elif zero is not None:
            end = until - zero
    return start, end


def _to_call_time(rows: _Rows, zero: float | None) -> float | None:
    """Turn calendar times into seconds of the call, and return its zero's Unix time."""
    edges = []
    for _, row in rows.turns:
        for key in ("start", "end"):
            if row[key] is not None:
                edges.append((row, key))
    zero_of_turns = call_zero(row[key] for row, key in edges)
    if zero_of_turns is not None:
        zero = zero_of_turns if zero is None else zero
        for row, key in edges:
            row[key] -= zero
    for number, (before, tool) in enumerate(rows.tools):
        if tool.at_s is not None and tool.at_s > UNIX_S:
            at_s = None if zero is None else tool.at_s - zero
            rows.tools[number] = (before, tool._replace(at_s=at_s))
    return zero
