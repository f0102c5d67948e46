"""Turns in a table: CSV or JSONL with speaker, start, end, and text and audio if known.

Further columns: ``conversation``, ``role``, ``kind`` (speech, backchannel, tic,
non_directed, noise), ``heard``, ``audio`` (of the row, or of the whole conversation
where all rows name one), ``system``, ``question_id``; other names of them:
:data:`trace_eval.data.names.TURNS`. Times are seconds, Unix times, or ``hh:mm:ss.mmm``;
``start_ms`` and ``end_ms`` milliseconds, as are numbers that cannot be seconds. Where
nobody is named the role is the speaker.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from blueprints import InputError, UserError, counted
from trace_eval.conversations.layouts.base import (
    CallLayout,
    ReadCalls,
    call_zero,
    first_row,
    moment,
    number_of,
    one,
    rows_of,
    text_of,
)
from trace_eval.conversations.layouts.recordings import (
    Recordings,
    is_stereo,
    lanes_of_file,
    recordings_of,
    with_recordings,
)
from trace_eval.conversations.layouts.units import in_seconds
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.conversations.sound.apart import NO_ZERO
from trace_eval.data.conversation import (
    Channel,
    Clock,
    Conversation,
    ConversationItem,
    Role,
    SourceEvent,
    Speaker,
    Turn,
)
from trace_eval.data.names import AGENTS, TURNS, USERS, first_of

#: Values of ``kind``; those that are no speech become events.
KINDS = {
    "speech": None,
    "backchannel": None,
    "tic": "vocal_tic",
    "non_directed": "non_directed",
    "noise": "noise",
}

_MERGED = (
    "row that overlaps one of its speaker was",
    "rows that overlap one of their speaker were",
)
_COLUMNS = ("speaker", "start", "end", "text")

#: Times of a call that are all whole seconds: so many are no accident.
_SURE_TIMES = 6


@dataclass
class _Row:
    number: int
    speaker: str
    start: float | None
    end: float | None
    cells: dict[str, Any]
    texts: list[str]
    kind: str


def fits(path: Path) -> bool:
    """Tell whether a CSV or JSONL file's rows have a speaker, or a role and times."""
    named = first_of(TURNS, first_row(path)) if path.is_file() else {}
    return "speaker" in named or ("role" in named and is_timed(named))


def is_timed(fields: Collection[str]) -> bool:
    """Tell whether fields of turns say when they begin."""
    return bool({"start", "start_ms"} & set(fields))


def turn_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read as :func:`rows_of` a table of turns or events under our names.

    Times become seconds.
    """
    columns: dict[frozenset[str], dict[str, str]] = {}
    for number, row in rows_of(path):
        header = frozenset(row)
        if header not in columns:
            columns[header] = first_of(TURNS, header)
        cells = row | {name: row[column] for name, column in columns[header].items()}
        for name in ("start", "end"):
            ms = cells.get(f"{name}_ms")
            if ms in (None, ""):
                continue
            cells[name] = ms
            with suppress(UserError):  # what is no number costs its conversation alone
                cells[name] = (number_of(ms, name) or 0.0) / 1000
        yield number, cells


def read(path: Path, options: ReadOptions) -> ReadCalls:
    """Read conversations in the order of their first rows.

    A bad row costs its conversation.
    """
    groups: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for number, row in turn_rows(path):
        row.setdefault("speaker", row.get("role"))
        name = str(row.get("conversation") or row.get("id") or path.stem)
        groups.setdefault(name, []).append((number, row))
    why = in_seconds([row for rows in groups.values() for _, row in rows])
    for name, rows in groups.items():
        read_item = partial(item_of, name, rows, path.parent, options)
        item = one(f"{path}, {name}", read_item)
        if isinstance(item, ConversationItem):
            item = _with_sound(item, path.parent, options)
            if why:
                item = item.model_copy(update={"caveats": item.caveats + (why,)})
        yield item


def _with_sound(
    item: ConversationItem, folder: Path, options: ReadOptions
) -> ConversationItem:
    """Give a call a channel for each side, where its recording has them."""
    call = item.conversation
    if any(turn.audio for turn in call.turns):
        return item
    if not call.channels:
        return with_recordings(item, recordings_of(item.id, folder, options))
    recording = call.channels[0].audio
    if not is_stereo(recording):
        return item
    return with_recordings(item, Recordings(lanes_of_file(recording, options)))


def item_of(
    name: str,
    cells: list[tuple[int, dict[str, Any]]],
    folder: Path,
    options: ReadOptions,
    available: Mapping[str, Any] | None = None,
) -> ConversationItem:
    """Make one conversation of numbered rows with the columns of this module.

    Recordings are named relative to the folder; ``available`` are fields of the
    conversation that no row has, in which channels are named by role.

    Raises:
        UserError: a row breaks a rule; the message names it.
    """
    of_call = available or {}
    rows = [_row(number, row) for number, row in cells]
    is_timed_call = any(row.start is not None for row in rows)
    zero = _to_seconds(rows) if is_timed_call else 0.0
    spoken = [row for row in rows if KINDS[row.kind] is None]
    speech, merged = _merged(_in_order(spoken))
    speakers = _speakers(rows, options)
    channel = _channel_of_all(rows, folder)
    folder_of_turns = folder if channel is None else None
    kind = "log" if is_timed_call else "none"
    fields: dict[str, Any] = {
        "channels": () if channel is None else (channel,),
        "clock": Clock(kind=kind, zero=zero or None, resolution_s=_steps_s(rows)),
        "events": tuple(_events(rows)),
        "meta": {"zero": NO_ZERO} if zero else {},
    }
    fields |= of_call
    first = rows[0].cells
    facts: dict[str, str] = {}
    for key in ("system", "question_id"):
        if first.get(key):
            facts[key] = str(first[key])
    caveats: tuple[str, ...] = ()
    if merged:
        caveats = (f"{counted(merged, *_MERGED)} merged",)
    return ConversationItem(
        id=name,
        conversation=Conversation(
            speakers=_with_channels(speakers, channel, of_call),
            turns=tuple(_turn(row, folder_of_turns) for row in speech),
            **fields,
        ),
        caveats=caveats,
        **facts,
    )


def _channel_of_all(rows: list[_Row], folder: Path) -> Channel | None:
    """Return the recording of the whole, where every row names the same one."""
    names = {text_of(row.cells.get("audio")) for row in rows}
    if len(names) != 1:
        return None
    name = names.pop()
    return Channel(name="mix", audio=folder / name) if name else None


def _with_channels(
    roles: Mapping[str, Role], mix: Channel | None, available: Mapping[str, Any]
) -> tuple[Speaker, ...]:
    """Return the speakers with their channels: the mix, else the lane of their role."""
    lanes = {lane.name for lane in available.get("channels", ())}
    speakers: list[Speaker] = []
    for name, role in roles.items():
        channel = None
        if mix:
            channel = mix.name
        elif role in lanes:
            channel = role
        speakers.append(Speaker(name=name, role=role, channel=channel))
    return tuple(speakers)


def _row(number: int, cells: dict[str, Any]) -> _Row:
    speaker = cells.get("speaker")
    if not isinstance(speaker, str) or not speaker.strip():
        raise InputError(
            f"row {number}: has no speaker; columns are {', '.join(_COLUMNS)}"
        )
    start = moment(cells.get("start"), f"row {number}: time")
    end = moment(cells.get("end"), f"row {number}: time")
    if (start is None) != (end is None):
        lacks = "end" if end is None else "start"
        raise InputError(
            f"row {number}: a turn without {lacks}; add it, or leave out both"
        )
    if start is not None and end is not None and end < start:
        raise InputError(
            f"row {number}: the clock goes backwards, from {start:g} to {end:g}; mend"
            " the begin or the end of that turn"
        )
    kind = str(cells.get("kind") or "speech")
    if kind not in KINDS:
        raise InputError(
            f"row {number}: kind {kind!r:.40}; use one of {', '.join(KINDS)}"
        )
    text = text_of(cells.get("text"))
    return _Row(
        number=number,
        speaker=speaker.strip(),
        start=start,
        end=end,
        cells=cells,
        texts=[text] if text else [],
        kind=kind,
    )


def _to_seconds(rows: list[_Row]) -> float:
    """Turn all times into seconds from the conversation's zero, which is returned."""
    cells = [row.cells.get(key) for row in rows for key in ("start", "end")]
    has_colon = {":" in str(cell) for cell in cells if cell not in (None, "")}
    if len(has_colon) > 1:
        raise InputError(
            "times are seconds in some rows and hh:mm:ss in others; use one kind"
        )
    times: list[float] = []
    for row in rows:
        times.extend(time for time in (row.start, row.end) if time is not None)
    zero = call_zero(times) or 0.0
    for row in rows:
        if row.start is not None:
            row.start -= zero
        if row.end is not None:
            row.end -= zero
    return zero


def _steps_s(rows: list[_Row]) -> float | None:
    """Return the steps of a clock that rounds to seconds; None: it shows none."""
    times: set[float] = set()
    for row in rows:
        times.update(time for time in (row.start, row.end) if time is not None)
    is_rounded = all(time.is_integer() for time in times)
    return 1.0 if is_rounded and len(times) >= _SURE_TIMES else None


def _in_order(rows: list[_Row]) -> list[_Row]:
    """Sort rows by start; one without a time stays behind the row before it."""
    latest = -math.inf
    keys = []
    for row in rows:
        if row.start is not None:
            latest = row.start
        keys.append(latest)
    order = sorted(range(len(rows)), key=keys.__getitem__)
    return [rows[position] for position in order]


def _merged(rows: list[_Row]) -> tuple[list[_Row], int]:
    """Merge overlapping rows of one speaker; count how many went into another."""
    latest: dict[str, _Row] = {}
    kept: list[_Row] = []
    for row in rows:
        before = latest.get(row.speaker)
        ends = before.end if before else None
        if before and ends is not None and row.start is not None and row.start < ends:
            before.end = max(ends, row.end or ends)
            before.texts += row.texts
        else:
            latest[row.speaker] = row
            kept.append(row)
    return kept, len(rows) - len(kept)


def _speakers(rows: list[_Row], options: ReadOptions) -> dict[str, Role]:
    """Map speakers to roles: by a column, by options, or by their names."""
    names = list(dict.fromkeys(row.speaker for row in rows))
    result = _stated_roles(rows)
    for name, role in ((options.user, "user"), (options.agent, "agent")):
        if name is not None and name not in names:
            raise InputError(
                f"--{role} {name!r:.40}: no speaker has this name; there are {names}"
            )
        if name is not None:
            result[name] = role  # type: ignore[assignment]
    for role, known in (("user", USERS), ("agent", AGENTS)):
        called = [name for name in names if name.casefold() in known]
        if len(called) == 1 and role not in result.values():
            result.setdefault(called[0], role)  # type: ignore[arg-type]
    left = [name for name in names if name not in result]
    if "agent" not in result.values() and len(names) > 1:
        raise InputError(
            f"who of {names} is the agent? add a column 'role', or say --agent NAME"
        )
    if "user" not in result.values() and len(left) == 1:
        result[left[0]] = "user"
    return {name: result.get(name, "other") for name in names}


def _stated_roles(rows: list[_Row]) -> dict[str, Role]:
    """Map speakers to roles, as the column ``role`` says."""
    roles: dict[str, Role] = {}
    for row in rows:
        text = row.cells.get("role")
        if not text:
            continue
        role = _role(str(text).casefold())
        if role is None:
            raise InputError(
                f"row {row.number}: role {text!r:.40}; use user, agent or other"
            )
        if roles.setdefault(row.speaker, role) != role:
            raise InputError(
                f"row {row.number}: {row.speaker!r:.40} has two roles; keep one"
            )
    return roles


def _role(word: str) -> Role | None:
    """Return the role that a word of the column names; None: it names none."""
    if word in AGENTS:
        return "agent"
    if word in USERS:
        return "user"
    return "other" if word == "other" else None


def _turn(row: _Row, folder: Path | None) -> Turn:
    audio = text_of(row.cells.get("audio"))
    segments: tuple[tuple[float, float], ...] = ()
    if row.start is not None and row.end is not None:
        segments = ((row.start, row.end),)
    return Turn(
        speaker=row.speaker,
        start_s=row.start,
        end_s=row.end,
        segments=segments,
        text=" ".join(row.texts) or None,
        heard=text_of(row.cells.get("heard")) or None,
        audio=folder / audio if audio and folder is not None else None,
        backchannel=row.kind == "backchannel",
    )


def _events(rows: list[_Row]) -> Iterator[SourceEvent]:
    for row in rows:
        if row.kind != "speech" and row.start is not None:
            yield SourceEvent(
                kind=KINDS[row.kind] or row.kind,
                at_s=row.start,
                end_s=row.end,
                data={"speaker": row.speaker},
            )


TABLE = CallLayout(
    name="turns",
    about="CSV or JSONL of turns: speaker, start, end, text",
    fits=fits,
    read=read,
)
