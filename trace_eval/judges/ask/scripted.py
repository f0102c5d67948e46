"""``scripted:FILE``: replays replies in order, and keeps a history of its requests.

A line of the file is a JSON value: a string is a reply as it would come; an object with
``reply`` and ``finish`` (``stop``, ``length`` or ``content_filter``) one that ended so;
an object with ``error`` (a reason code) and ``detail`` a failed call; any other object
a verdict, sent as JSON. Beside ``reply`` or ``error``, ``pair`` (an id) and ``order``
(``ab`` or ``ba``) make it answer the next call about that pair; all other calls take
the lines without ``pair`` in order.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from pydantic import JsonValue

from blueprints import JudgeError
from trace_eval.data import strict_json
from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.base import (
    CallFailed,
    ChatClient,
    Reply,
    Request,
    Tokens,
    Unusable,
)

#: How a reply that did not end by itself is reported.
FINISHES = {"length": Reason.REPLY_CUT, "content_filter": Reason.FILTERED}


class ScriptExhausted(JudgeError):
    """More calls were made than the script has replies."""


class ScriptedClient(ChatClient):
    """A client whose replies come from a list; ``history``: every request so far."""

    server = "scripted"
    ordered = True
    usual_concurrency = 1

    def __init__(self, replies: Iterable[JsonValue], name: str = "script") -> None:
        self.model = name
        self.history: list[Request] = []
        self._replies = list(replies)
        self._left = list(self._replies)

    @classmethod
    def from_file(cls, path: Path) -> ScriptedClient:
        """Read a script; raises UserError if it is unreadable or a line is no JSON."""
        try:
            lines = list(strict_json.lines(path))
        except (OSError, ValueError) as error:  # ValueError: a NUL in the name
            raise JudgeError(
                f"script {path}: cannot be read ({error}); check the path"
            ) from error
        replies: list[JsonValue] = []
        for number, reply in lines:
            if isinstance(reply, strict_json.BadJson):
                raise JudgeError(
                    f"script {path}, line {number}: {reply}; write one JSON value"
                    " per line"
                )
            replies.append(reply)
        return cls(replies, str(path))

    def parameters(self) -> dict[str, JsonValue]:
        return {"replies": len(self._replies)}

    def observed(self) -> dict[str, JsonValue]:
        return {"calls": len(self.history)}

    async def chat(self, request: Request) -> Reply:
        """Return the next reply.

        Raises:
            ScriptExhausted: there is none.
            UserError: the script names an unknown reason or finish.
        """
        self.history.append(request)
        entry = self._next(request)
        where = f"script {self.model}, call {len(self.history)}"
        if isinstance(entry, dict) and "error" in entry:
            try:
                reason = Reason(str(entry["error"]))
            except ValueError:
                raise JudgeError(
                    f"{where}: error {entry['error']!r} is unknown; use one of"
                    f" {', '.join(Reason)}"
                ) from None
            raise CallFailed(reason, str(entry.get("detail", "scripted")))
        if isinstance(entry, dict) and "reply" in entry:
            text, finish = str(entry["reply"]), entry.get("finish", "stop")
            if finish in FINISHES:
                raise Unusable(
                    FINISHES[str(finish)], f"the reply ended with {finish}", text
                )
            if finish != "stop":
                raise JudgeError(
                    f"{where}: finish {finish!r}; use stop, {', '.join(FINISHES)}"
                )
            return Reply(text, Tokens())
        text = entry if isinstance(entry, str) else json.dumps(entry)
        return Reply(text, Tokens())

    def _next(self, request: Request) -> JsonValue:
        pair, order = request.about
        left = self._left
        for index, entry in enumerate(left):
            if (
                not isinstance(entry, dict)
                or entry.get("pair", entry.get("item")) != pair
            ):
                continue
            if entry.get("order", order) == order:
                return left.pop(index)
        for index, entry in enumerate(left):
            if not (isinstance(entry, dict) and ("pair" in entry or "item" in entry)):
                return left.pop(index)
        raise ScriptExhausted(
            f"script {self.model}: call {len(self.history)} (pair {pair!r}, order"
            f" {order}) finds none of the {len(self._replies)} replies left; add lines,"
            " or ask for fewer pairs or orders"
        )
