"""Texts of EVA's logs, with the times at which they were stamped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from trace_eval.conversations.layouts.base import number_of, rows_of, text_of
from trace_eval.conversations.layouts.eva_numbers import Entry
from trace_eval.conversations.sound.stamped import STAMPED, StampedText, TextField
from trace_eval.data.conversation import ConversationItem, Role


def rows_if_there(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file; none where there is no such file."""
    if path.is_file():
        for _, value in rows_of(path):
            yield value


def stamped_texts(entries: Sequence[Entry], zero: float) -> Iterator[StampedText]:
    """Yield each text of both sides with its time.

    What an agent says is its own text where an audit log has that.
    """
    audits = any(one.source == "audit" and one.kind == "assistant" for one in entries)
    for entry in entries:
        at_s = entry.t_ms / 1000 - zero
        if entry.source == "audit" and entry.kind in ("user", "assistant"):
            text = text_of(entry.value) or ""
            spoken: list[tuple[Role, TextField]] = [("agent", "text")]
            if entry.kind == "user":
                spoken = [("user", "heard")]
        elif entry.kind == "user_speech":
            text = entry.text
            spoken = [("user", "text")]
        elif entry.kind == "assistant_speech":
            text = entry.text
            spoken = [("agent", "heard")]
            if not audits:
                spoken.append(("agent", "text"))
        else:
            continue
        if text.strip():
            for role, field in spoken:
                yield StampedText(role=role, field=field, at_s=at_s, text=text)


def with_transcript(item: ConversationItem, path: Path) -> ConversationItem:
    """Add what the agent's recogniser wrote of the user, where no audit log has it.

    A fragment is stamped when its text was ready: it belongs to the last turn that
    began before.
    """
    call = item.conversation
    words: dict[int, list[str]] = {}
    before: Any = call.meta[STAMPED]
    stamped: list[Any] = list(before)
    for value in rows_if_there(path):
        t_ms = number_of(value.get("timestamp"), "timestamp in ms")
        text = value.get("content")
        if t_ms is None or value.get("type") != "user" or not isinstance(text, str):
            continue
        at_s = t_ms / 1000 - (call.clock.zero or 0.0)
        begun: list[int] = []
        for position, turn in call.turns_of("user"):
            if (turn.start_s or 0.0) <= at_s:
                begun.append(position)
        if begun:
            words.setdefault(begun[-1], []).append(text)
        stamped.append(StampedText(role="user", field="heard", at_s=at_s, text=text))
    turns = list(call.turns)
    for position, fragments in words.items():
        heard = {"heard": " ".join(fragments)}
        turns[position] = turns[position].model_copy(update=heard)
    meta = call.meta | {STAMPED: stamped}
    call = call.model_copy(update={"turns": tuple(turns), "meta": meta})
    return item.model_copy(update={"conversation": call})
