"""EVA's human-labelled files: conversations without a clock, and human labels of them.

Their keys tell the five files apart. Labels go to ``labels`` of the item; whatever else
holds or hints at a label (descriptions, failure modes, sample types, the ids of speech
fidelity) is not read at all, so that no prompt can show it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

from blueprints import InputError
from trace_eval.conversations.layouts.base import (
    USER_AND_AGENT,
    CallLayout,
    ReadCalls,
    ToolEntry,
    first_row,
    listed,
    mapping,
    one,
    separate_lines,
    text_of,
    tool_events,
)
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.data.conversation import (
    Clock,
    Conversation,
    ConversationItem,
    SourceEvent,
    Turn,
)

LabelRecord = dict[str, Any]

#: The facts of a labelled entity that are read; ``analysis`` states the label in words.
_ENTITY = ("type", "value", "transcribed_value", "correct")


def _trace(line: LabelRecord, name: str) -> ConversationItem:
    """Read faithfulness and progression: utterances, tool calls, one rating of all."""
    turns: list[Turn] = []
    tools: list[ToolEntry] = []
    for entry in _list(line, "trace"):
        kind = entry.get("event_type")
        if kind in ("user_utterance", "agent_utterance"):
            speaker = kind.removesuffix("_utterance")
            turns.append(Turn(speaker=speaker, text=_text(entry, "utterance")))
        elif kind in ("tool_call", "tool_response"):
            is_call = kind == "tool_call"
            tool = ToolEntry(
                is_call=is_call,
                name=_text(entry, "tool_name"),
                value=entry.get("params" if is_call else "response"),
                turn=len(turns) - 1 if turns else None,
                status=text_of(entry.get("status")),
            )
            tools.append(tool)
        else:
            raise InputError(f"event_type {kind!r:.40} is unknown")
    rating = _rating(line, (1, 2, 3))
    return _item(name, turns, {"rating": rating}, tool_events(tools))


def _turns(line: LabelRecord, name: str) -> ConversationItem:
    """Read conciseness: a rating of each turn of the agent."""
    turns = []
    ratings = {}
    for number, entry in enumerate(_list(line, "conv_turns")):
        speaker = _text(entry, "role")
        if speaker not in ("user", "agent"):
            raise InputError(f"role {speaker!r:.40}; expected user or agent")
        turns.append(Turn(speaker=speaker, text=_text(entry, "content")))
        if speaker == "agent" and entry.get("expected_rating") is not None:
            ratings[str(number)] = _rating(entry, (1, 2, 3))
    return _item(name, turns, {"turns": ratings})


def _fidelity(line: LabelRecord, name: str) -> ConversationItem:
    """Read speech fidelity: the agent's text, whose sound is not published."""
    turns = []
    entities = {}
    for number, entry in enumerate(_list(line, "intended_turns")):
        role = "agent" if entry.get("role") in ("assistant", "agent") else "user"
        turns.append(Turn(speaker=role, text=_text(entry, "text")))
        critical = entry.get("tts_critical_entities")
        if isinstance(critical, list) and critical:
            entities[str(number)] = [str(one) for one in critical]
    labels = {"rating": _rating(line, (0, 1))}
    item = _item(name, turns, labels, meta={"entities": entities})
    question = text_of(line.get("transcript_id")) or item.question_id
    return item.model_copy(update={"question_id": question})


def _entities(line: LabelRecord, name: str) -> ConversationItem:
    """Read key entities: the user's text, the recogniser's, and which are in both."""
    user_texts = _texts(line, "user_tts")
    written = _texts(line, "transcription")
    turns: list[Turn] = []
    for text, heard in zip_longest(user_texts, written):
        turns.append(Turn(speaker="user", text=text, heard=heard))
    labels: dict[str, Any] = {}
    for entry in _list(line, "labels"):
        entities: list[dict[str, Any]] = []
        for entity in listed(entry.get("entities"), "entities"):
            entities.append({key: mapping(entity).get(key) for key in _ENTITY})
        labels[str(entry.get("turn_id"))] = entities
    return _item(name, turns, {"entities": labels})


def _texts(line: LabelRecord, key: str) -> list[str]:
    """Return a list's texts, with an empty text in place of any other value."""
    values = listed(line.get(key), key)
    return [value if isinstance(value, str) else "" for value in values]


#: Key that identifies a file -> reader of its lines.
_KINDS: dict[str, Callable[[LabelRecord, str], ConversationItem]] = {
    "trace": _trace,
    "conv_turns": _turns,
    "intended_turns": _fidelity,
    "user_tts": _entities,
}


def fits(path: Path) -> bool:
    """Recognise JSON lines with one of the keys of EVA's files."""
    if not path.is_file() or path.suffix != ".jsonl":
        return False
    return bool(_KINDS.keys() & first_row(path))


def read(path: Path, options: ReadOptions) -> ReadCalls:
    """Read each line; ids are line numbers, which say nothing about the label."""
    del options  # who speaks is stated, and there is no clock
    for number, line in separate_lines(path):
        name = f"{path.stem}-{number}"
        yield one(f"{path}, line {number}", partial(_line, line, name))


def _line(line: LabelRecord | str, name: str) -> ConversationItem:
    if isinstance(line, str):
        raise InputError(line)
    kind = next((read for key, read in _KINDS.items() if key in line), None)
    if kind is None:
        raise InputError(f"none of {', '.join(_KINDS)}; is it a file of EVA?")
    return kind(line, name)


def _list(line: LabelRecord, key: str) -> list[LabelRecord]:
    value = line.get(key)
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise InputError(f"{key}: expected a list of objects (got {value!r:.60})")
    return value


def _text(entry: LabelRecord, key: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str):
        raise InputError(f"{key}: expected a text (got {value!r:.60})")
    return value


def _rating(entry: LabelRecord, allowed: tuple[int, ...]) -> int:
    value = entry.get("expected_rating")
    if isinstance(value, bool) or not isinstance(value, int) or value not in allowed:
        raise InputError(
            f"expected_rating: expected one of {allowed} (got {value!r:.60})"
        )
    return value


def _item(
    name: str,
    turns: list[Turn],
    labels: dict[str, Any],
    events: Sequence[SourceEvent] = (),
    meta: dict[str, Any] | None = None,
) -> ConversationItem:
    first = next((turn.text for turn in turns if turn.speaker == "user"), None)
    return ConversationItem(
        id=name,
        question_id=first or name,
        conversation=Conversation(
            speakers=USER_AND_AGENT,
            clock=Clock(kind="none"),
            turns=tuple(turns),
            events=tuple(events),
            meta=meta or {},
        ),
        labels=labels,
    )


EVA_LABELS = CallLayout(
    name="eva_labels",
    about="EVA's human-labelled JSON lines, without a clock",
    fits=fits,
    read=read,
)
