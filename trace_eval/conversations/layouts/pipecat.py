"""Pipecat's transcripts and events of speech -> the turns of one call.

Messages of a transcript say when somebody was heard, not for how long. The events of
``SpeakingObserver`` say when each stretch of speech began and ended, and the messages
of RTVI do where their logger wrote when it got them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trace_eval.conversations.layouts.base import mapping, moment, place, text_of
from trace_eval.conversations.layouts.realtime import RECEIVED
from trace_eval.conversations.layouts.stretches import LoggedSpeech, Words, worded_turns
from trace_eval.data.conversation import Role

#: What begins or ends a stretch of speech; a detector's, not a strategy's of turns,
#: where a log has both.
_BEGINS: dict[str, Role] = {
    "user_speech_started": "user",
    "bot_speech_started": "agent",
    "user-started-speaking": "user",
    "bot-started-speaking": "agent",
}
_ENDS: dict[str, Role] = {
    kind.replace("started", "stopped"): role for kind, role in _BEGINS.items()
}

#: RTVI's messages with whole sentences. Others repeat them by words.
_WORDS: dict[str, Role] = {"user-transcription": "user", "bot-transcription": "agent"}

_ROLES: dict[str, Role] = {"user": "user", "assistant": "agent"}


def spoken_in_lines(lines: Sequence[Any]) -> list[dict[str, Any]]:
    """Read the one call of a log, its turns under our names of columns."""
    log = _Log()
    for line in lines:
        log.take(mapping(line))
    return [{"turns": log.turns()}]


class _Log:
    def __init__(self) -> None:
        self._stretches: list[LoggedSpeech] = []
        self._open: dict[Role, float] = {}
        self._words: list[Words] = []
        self._last: float | None = None
        self._others: list[dict[str, Any]] = []

    def take(self, line: dict[str, Any]) -> None:
        kind = str(place(line, ("kind", "type")))
        at = moment(place(line, RECEIVED), "time of an event")
        if kind in _BEGINS:
            self._begin(_BEGINS[kind], at)
        elif kind in _ENDS:
            began = moment(line.get("started_at"), "started_at")
            self._end(_ENDS[kind], began, at)
        elif kind in _WORDS:
            data = mapping(line.get("data"))
            if data.get("final", True):
                written = moment(data.get("timestamp"), "time of a transcription")
                self._say(_WORDS[kind], data.get("text"), written if at is None else at)
        elif str(line.get("role")) in _ROLES:
            self._say(_ROLES[str(line["role"])], line.get("content"), at)
        elif line.get("role"):
            self._others.append({"role": line["role"]})
        if at is not None:
            self._last = at

    def _begin(self, role: Role, at: float | None) -> None:
        """Open a stretch; one before it whose end was not logged has none."""
        before = self._open.pop(role, None)
        if before is not None:
            self._stretches.append(LoggedSpeech(role, before, None))
        if at is not None:
            self._open[role] = at

    def _end(self, role: Role, began: float | None, at: float | None) -> None:
        opened = self._open.pop(role, None)
        start = began if began is not None else opened
        if start is not None:
            self._stretches.append(LoggedSpeech(role, start, at))
        else:  # a role that no reader knows is reported
            self._others.append({"role": f"{role} whose speech ends and never began"})

    def _say(self, role: Role, content: Any, at: float | None) -> None:
        parts = content if isinstance(content, list) else [content]
        texts: list[str] = []
        for part in parts:
            text = text_of(mapping(part).get("text", part))
            if text and text.strip():
                texts.append(text.strip())
        if texts:
            self._words.append(
                Words(role, " ".join(texts), self._last if at is None else at)
            )

    def turns(self) -> list[dict[str, Any]]:
        for role in tuple(self._open):
            self._begin(role, None)
        return [*worded_turns(self._stretches, self._words), *self._others]
