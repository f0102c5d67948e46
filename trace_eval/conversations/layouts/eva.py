"""EVA record folders: logs of a simulated caller, of the framework and of an audit.

Log spans are sessions of a speech service, not speech: a caller's span lasts until the
service closes it. ``started_at`` of ``result.json`` is local time without a zone, and
not used.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from blueprints import InputError, counted
from trace_eval.conversations.layouts.base import (
    UNIX_MS,
    USER_AND_AGENT,
    CallLayout,
    ReadCalls,
    ToolEntry,
    call_zero,
    each,
    json_file,
    listed,
    mapping,
    number_of,
    objects,
    one,
    place,
    rows_of,
    text_of,
    tool_events,
)
from trace_eval.conversations.layouts.eva_numbers import (
    Entry,
    LogName,
    Numbered,
    merged,
    number,
)
from trace_eval.conversations.layouts.eva_texts import (
    rows_if_there,
    stamped_texts,
    with_transcript,
)
from trace_eval.conversations.layouts.recordings import recordings_in, with_recordings
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.conversations.sound.stamped import STAMPED, WITHOUT_SPAN
from trace_eval.conversations.spans import joined
from trace_eval.data.conversation import (
    Clock,
    Conversation,
    ConversationItem,
    End,
    Role,
    SourceEvent,
    Turn,
)

#: Logs of the simulated caller; the older name is read where ``result.json`` says so.
EVENT_FILES = ("user_simulator_events.jsonl", "elevenlabs_events.jsonl")

PIPELINES = ("cascade", "s2s", "audio_llm")

_ROLES: dict[str, Role] = {
    "elevenlabs_user": "user",
    "simulated_user": "user",
    "framework_agent": "agent",
    "pipecat_agent": "agent",
    "assistant": "agent",
}

#: Entries of a log whose clock may run backwards, as a share.
_BACKWARDS = 0.01


def fits(path: Path) -> bool:
    """Tell whether a path holds record folders, or is a file of event histories."""
    if path.is_dir():
        return next(_records(path), None) is not None
    if path.suffix != ".json":
        return False
    with path.open("rb") as file:
        head = file.read(1 << 14)
    return b'"history"' in head and b'"timestamp_ms"' in head


def _records(path: Path) -> Iterator[Path]:
    if _is_record(path):
        yield path
        return
    for pattern in ("*", "*/*", "*/*/*"):
        yield from (child for child in sorted(path.glob(pattern)) if _is_record(child))


def _is_record(path: Path) -> bool:
    return path.is_dir() and any(
        (path / name).is_file() for name in ("audit_log.json", *EVENT_FILES)
    )


def read(path: Path, options: ReadOptions) -> ReadCalls:
    """Read every record below a path, or every history of a file."""
    if options.pipeline not in (None, *PIPELINES):
        raise InputError(
            f"pipeline {options.pipeline!r}: use one of {', '.join(PIPELINES)}"
        )
    if path.is_dir():
        yield from each(_records(path), lambda folder: _record(folder, path, options))
        return
    content = json_file(path)
    histories = content if isinstance(content, list) else [content]
    for position, history in enumerate(map(mapping, histories)):
        name = text_of(history.get("id")) or str(position)
        read_history = partial(_history, history, name, options.pipeline)
        yield one(f"{path}, {name}", read_history)


def _record(folder: Path, root: Path, options: ReadOptions) -> ConversationItem:
    results = folder / "result.json"
    result = mapping(json_file(results)) if results.is_file() else {}
    log: list[Entry] = []
    audit = folder / "audit_log.json"
    whole = mapping(json_file(audit)) if audit.is_file() else {}
    for value in objects(whole, "transcript"):
        _add(
            log,
            "audit",
            kind=text_of(value.get("message_type")),
            time=value.get("timestamp"),
            value=value,
        )
    for value in rows_if_there(folder / "pipecat_logs.jsonl"):
        _add(
            log,
            "pipecat",
            kind=text_of(value.get("type")),
            time=value.get("timestamp"),
            value=value,
        )
    for _, value in rows_of(_event_file(folder, result)):
        kind = text_of(value.get("type")) or text_of(value.get("event_type"))
        _add(log, "events", kind=kind, time=value.get("timestamp"), value=value)
    record_id = text_of(result.get("record_id"))
    name = question = record_id or folder.name
    if not result.get("record_id") and folder.name.startswith("trial"):
        question = folder.parent.name
    instructions: dict[str, str] = {}
    policy = _policy(whole)
    if policy is not None:
        instructions["policy"] = policy
    shown = name if folder == root else str(folder.relative_to(root))
    item = _item(
        log,
        result,
        name=shown,
        pipeline=options.pipeline,
        reason_at="conversation_ended_reason",
    )
    call = item.conversation.model_copy(update={"instructions": instructions})
    item = item.model_copy(update={"question_id": question, "conversation": call})
    if not whole:
        item = with_transcript(item, folder / "transcript.jsonl")
    return with_recordings(item, recordings_in(folder, options))


def _event_file(folder: Path, result: dict[str, Any]) -> Path:
    """Return the file of events that a result names, else the first that is there."""
    names = [name for name in EVENT_FILES if (folder / name).is_file()]
    if not names:
        raise InputError(
            f"{folder}: no {EVENT_FILES[0]}; without it no speech has times"
        )
    mentioned = {Path(text).name for text in result.values() if isinstance(text, str)}
    for name in names:
        if name in mentioned:
            return folder / name
    return folder / names[0]


def _policy(audit: dict[str, Any]) -> str | None:
    """Return the agent's instructions: the first system message of its prompts."""
    for prompt in objects(audit, "llm_prompts"):
        for message in objects(prompt, "messages") or objects(prompt, "prompt"):
            if message.get("role") == "system":
                return text_of(message.get("content"))
    return None


def _history(
    history: dict[str, Any], name: str, pipeline: str | None
) -> ConversationItem:
    log: list[Entry] = []
    sources: dict[Any, LogName] = {"audit_log": "audit", "pipecat": "pipecat"}
    for value in map(mapping, listed(history.get("history"), "history")):
        data = value.get("data")
        source = sources.get(str(value.get("source")), "events")
        more = {"value": data, "data": data}
        if source == "events":
            more = mapping(data) or more
        _add(
            log,
            source,
            kind=text_of(value.get("event_type")),
            time=value.get("timestamp_ms"),
            value=more,
        )
    return _item(
        log,
        history,
        name=name,
        pipeline=pipeline,
        reason_at="expected.conversation_ended_reason",
    )


def _add(
    log: list[Entry],
    source: LogName,
    kind: str | None,
    time: Any,
    value: dict[str, Any],
) -> None:
    """Add one entry of a log; those without kind or time are left out."""
    t_ms = number_of(time, "timestamp in ms")
    if kind is None or t_ms is None:
        return
    data, at = mapping(value.get("data")), value.get("audio_timestamp")
    if kind == "connection_state" and data.get("state") == "session_ended":
        kind = "session_ended"
    if at is not None and (isinstance(at, bool) or not isinstance(at, int | float)):
        raise InputError(f"audio_timestamp {at!r:.40}: expected Unix seconds")
    log.append(
        Entry(
            t_ms=t_ms,
            source=source,
            kind=kind,
            role=_ROLES.get(str(value.get("user"))),
            at_s=None if at is None else float(at),
            text=text_of(data.get("text")) or "",
            value=value.get("value"),
        )
    )


def _item(
    log: list[Entry],
    source: dict[str, Any],
    name: str,
    pipeline: str | None,
    reason_at: str,
) -> ConversationItem:
    """Build the call of a log from its ``result.json`` or history."""
    pipeline = pipeline or text_of(source.get("pipeline_type")) or "cascade"
    reason = text_of(place(source, (reason_at,)))
    caveats = list(_clocks_that_run_back(log))
    entries = merged(log)
    numbered = number(entries, pipeline)
    first = min((entry.t_ms for entry in entries), default=0.0) / 1000
    zero = call_zero([first]) or 0.0
    turns = _turns(numbered, entries, zero)
    events = _tools(numbered, entries, zero, turns)
    events.extend(_flags(numbered, entries, zero))
    end_s = None
    for entry in entries:
        if entry.kind == "session_ended":
            end_s = entry.t_ms / 1000 - zero
    if numbered.dropped:
        caveats.append(
            f"{numbered.dropped} ends of speech without a start were dropped"
        )
    if numbered.unended:
        why = "starts of speech without an end last until the session's end"
        caveats.append(f"{numbered.unended} {why}")
    unplaced = 0
    for key, texts in numbered.texts.items():
        unplaced += key not in numbered.spans and any(texts)
    if unplaced:
        turns_of_log = counted(unplaced, "turn")
        caveats.append(f"the words of {turns_of_log} {WITHOUT_SPAN}")
    return ConversationItem(
        id=name,
        question_id=name,
        conversation=Conversation(
            speakers=USER_AND_AGENT,
            clock=Clock(kind="log", zero=zero or None, resolution_s=0.001),
            turns=tuple(turns),
            events=tuple(events),
            start_s=first - zero,
            end=End(at_s=end_s, reason=reason),
            meta={
                "pipeline": pipeline,
                "sessions": True,
                "error": text_of(source.get("error")),
                STAMPED: list(stamped_texts(entries, zero)),
            },
        ),
        caveats=("spans of a log are sessions, not speech", *caveats),
    )


def _clocks_that_run_back(log: list[Entry]) -> Iterator[str]:
    """Yield a caveat for each clock that runs back; refuse two clocks in one log."""
    for source in ("audit", "pipecat", "events"):
        times = [entry.t_ms for entry in log if entry.source == source]
        back = sum(after < before for before, after in pairwise(times))
        if back > max(1, _BACKWARDS * len(times)):
            raise InputError(
                f"the clock of {source} goes backwards {back} times in {len(times)}"
                " entries: two clocks in one log; separate them"
            )
        if back:
            yield f"the clock of {source} goes backwards {counted(back, 'time')}; sorted"
    if any(entry.at_s is not None and entry.at_s > UNIX_MS for entry in log):
        raise InputError(
            "audio_timestamp is in milliseconds; write Unix seconds, as EVA does"
        )


def _turns(numbered: Numbered, entries: list[Entry], zero: float) -> list[Turn]:
    audited: dict[tuple[Role, int], list[str]] = {}
    for index, entry in enumerate(entries):
        if entry.source == "audit" and entry.kind in ("user", "assistant"):
            role: Role = "user" if entry.kind == "user" else "agent"
            text = text_of(entry.value) or ""
            audited.setdefault((role, numbered.turn_of[index]), []).append(text)
    turns = []
    for (role, exchange), spans in numbered.spans.items():
        relative = [(start - zero, end - zero) for start, end in spans]
        if any(end < start for start, end in relative):
            raise InputError(
                f"turn {exchange} of the {role} ends before it starts; mend its log"
            )
        apart = joined(relative)
        audit = " ".join(audited.get((role, exchange), ())) or None
        spoken = " ".join(numbered.texts.get((role, exchange), ())) or None
        if role == "user":
            words, heard = spoken, audit
        else:
            words, heard = audit or spoken, spoken
        turns.append(
            Turn(
                speaker=role,
                start_s=apart[0][0],
                end_s=apart[-1][1],
                segments=tuple(apart),
                text=words,
                heard=heard,
                exchange=exchange,
            )
        )
    return sorted(turns, key=lambda turn: (turn.start_s or 0.0, turn.speaker))


def _tools(
    numbered: Numbered, entries: list[Entry], zero: float, turns: list[Turn]
) -> list[SourceEvent]:
    positions: dict[int | None, int] = {}
    for position, turn in enumerate(turns):
        if turn.speaker == "agent":
            positions[turn.exchange] = position
    calls = []
    for index, entry in enumerate(entries):
        if entry.source != "audit" or entry.kind not in ("tool_call", "tool_response"):
            continue
        value, exchange = mapping(entry.value), numbered.turn_of[index]
        is_call = entry.kind == "tool_call"
        calls.append(
            ToolEntry(
                is_call=is_call,
                name=str(value.get("tool")),
                value=value.get("parameters" if is_call else "response"),
                at_s=entry.t_ms / 1000 - zero,
                turn=positions.get(exchange),
                exchange=exchange,
            )
        )
    return tool_events(calls)


def _flags(numbered: Numbered, entries: list[Entry], zero: float) -> list[SourceEvent]:
    exchanges = {
        "agent_interrupted": numbered.agent_interrupted,
        "user_interrupted": numbered.user_interrupted,
        "fallback": numbered.fallbacks,
    }
    flags: list[SourceEvent] = []
    for kind, numbers in exchanges.items():
        for exchange in sorted(numbers):
            flags.append(SourceEvent(kind=kind, data={"exchange": exchange}))
    for entry in entries:
        spoke = entry.kind == "assistant" and (text_of(entry.value) or "").strip()
        if entry.source == "audit" and (entry.kind == "user" or spoke):
            at_s = entry.t_ms / 1000 - zero
            flags.append(SourceEvent(kind=f"log_{entry.kind}", at_s=at_s))
    return flags


EVA = CallLayout(
    name="eva", about="record folders of EVA, by their logs", fits=fits, read=read
)
