"""Bodies and errors of OpenAI-compatible servers, as replies and typed failures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import JsonValue

from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.base import (
    CallFailed,
    Choices,
    Reply,
    Request,
    Tokens,
    Unusable,
    check_read,
    check_text,
)
from trace_eval.judges.ask.connection import Redactor
from trace_eval.judges.ask.openai_dialect import (
    ABOUT_STRUCTURE,
    REFUSALS,
    TOO_LONG,
    TRANSIENT,
    read_count,
    retry_after,
    status_of,
    takes_no_sound,
    tokens_of,
)
from trace_eval.judges.ask.reply_length import cut_detail

#: Statuses that are about key, limits or load, whatever their words.
_OF_THE_ACCOUNT = frozenset({401, 402, 403, 408, 413, 429, 503, 529})


@dataclass(eq=False)
class Refused(CallFailed):
    """The server does not take the request as it stands."""

    text: str


class OpenAIReplies:
    """Reads the responses of one server; ``identity``: the model as they name it."""

    def __init__(self, server: str, model: str, redact: Redactor) -> None:
        self.server, self.model = server, model
        self.redact = redact
        self.identity: dict[str, JsonValue] = {}

    def read_choices(self, data: bytes, request: Request | None) -> Choices:
        """Read the replies in a response body.

        Raises:
            Unusable: not a completion, empty, cut or filtered.
            CallFailed: the server read less than was sent, or reports an error with
                200.
        """
        try:
            body = json.loads(data, parse_int=read_count)
        except (ValueError, RecursionError):
            raise Unusable(
                Reason.UNPARSEABLE,
                "the response is not JSON",
                self.redact.full(data[:1000].decode("utf-8", "replace")),
            ) from None
        if not isinstance(body, dict):
            raise Unusable(Reason.UNPARSEABLE, "the response is not a JSON object")
        if body.get("error") and not body.get("choices"):  # OpenRouter, gateways
            raise self.failure_of(
                status_of(body["error"]), json.dumps(body["error"]), {}
            )
        tokens = tokens_of(body.get("usage"))
        if request is not None:
            tokens = replace(tokens, audio_s=request.audio_s)
        for name in ("model", "system_fingerprint"):
            if isinstance(body.get(name), str):
                self.identity[name] = self.redact(body[name])
        if request is not None:
            check_read(request, tokens)
        choices = body.get("choices")
        if not isinstance(choices, list) or not choices:
            raise Unusable(
                Reason.UNPARSEABLE, "the response has no choices", None, tokens
            )
        choices = choices[: request.choices if request else 1]
        divided = zip(choices, shares(tokens, len(choices)), strict=True)
        return Choices(
            tuple(self._reply(choice, share) for choice, share in divided), tokens
        )

    def _reply(self, choice: object, tokens: Tokens) -> Reply | Unusable:
        try:
            return Reply(check_text(self._text(choice, tokens), tokens), tokens)
        except Unusable as unusable:
            return unusable

    def _text(self, choice: object, tokens: Tokens) -> str:
        if not isinstance(choice, dict):
            raise Unusable(
                Reason.UNPARSEABLE, "the response has no choices", None, tokens
            )
        message = choice.get("message")
        message = message if isinstance(message, dict) else {}
        text = self.redact.exact(_content_text(message.get("content")))
        finish = choice.get("finish_reason")
        raw = text or None
        if finish == "content_filter" or message.get("refusal"):
            refusal = self.redact(str(message.get("refusal") or "content_filter"))
            raise Unusable(
                Reason.FILTERED, f"the reply was withheld: {refusal}", raw, tokens
            )
        if finish == "length":
            detail = cut_detail(text, "at the token limit; raise -J max_tokens")
            raise Unusable(Reason.REPLY_CUT, detail, raw, tokens)
        if not text.strip() and (elsewhere := _elsewhere(message)):
            raise Unusable(Reason.UNPARSEABLE, elsewhere, raw, tokens)
        return text

    def refusal(self, response: Any) -> CallFailed:
        """Return the failure that a response with an error's status stands for."""
        try:
            body = json.loads(response.content)
            error = body.get("error", body) if isinstance(body, dict) else body
            text = json.dumps(error, ensure_ascii=False)
        except (ValueError, RecursionError):
            text = response.content.decode("utf-8", "replace")
        return self.failure_of(response.status_code, text, response.headers)

    def failure_of(
        self, status: int, text: str, headers: Mapping[str, str]
    ) -> CallFailed:
        """Return the failure that an HTTP status with this error text stands for."""
        low = text.lower()
        detail = self.redact(f"{self.server}: HTTP {status}: {text}")
        if status not in _OF_THE_ACCOUNT and takes_no_sound(low):
            message = (
                f"{detail}; serve a model that listens, or use openai:{self.model}"
            )
            return CallFailed(Reason.REFUSED, message, deaf=True)
        if status == 413:
            return CallFailed(Reason.TOO_LARGE, detail)
        if any(words in low for words in TOO_LONG):
            return CallFailed(Reason.PROMPT_CUT, detail)
        if status == 400 and ("content_filter" in low or "content management" in low):
            return CallFailed(Reason.FILTERED, detail)
        if status == 429 and "insufficient_quota" not in low:
            return CallFailed(
                Reason.RATE_LIMITED,
                detail,
                retry=True,
                retry_after=retry_after(headers),
            )
        if status in REFUSALS or (status >= 400 and ABOUT_STRUCTURE.search(low)):
            return Refused(Reason.REFUSED, detail, low)
        if status >= 500 or (status in TRANSIENT and status != 429):
            wait, again = retry_after(headers), status in TRANSIENT
            return CallFailed(
                Reason.SERVER_ERROR, detail, retry=again, retry_after=wait
            )
        return CallFailed(Reason.REFUSED, detail)


def _content_text(content: object) -> str:
    """Return the text of a message's content; of several parts, those that are text."""
    if isinstance(content, str):
        return content
    texts = []
    for part in content if isinstance(content, list) else []:
        is_text = isinstance(part, dict) and part.get("type") in ("text", "output_text")
        if is_text and isinstance(part.get("text"), str):
            texts.append(part["text"])
    return "".join(texts)


#: Fields in which servers give the thinking of a model.
_THINKING = ("reasoning_content", "reasoning", "thinking", "reasoning_details")


def _elsewhere(message: Mapping[str, object]) -> str | None:
    """Return what a message without text holds instead; None: nothing that is known."""
    calls = "tool_calls" if message.get("tool_calls") else "function_call"
    if message.get(calls):
        return (
            f"the reply is a call of a tool ({calls}), and no tool was offered; serve"
            " the model without a tool parser"
        )
    for name in _THINKING:
        if message.get(name):
            return (
                f"the reply has thinking ({name}) and no answer; let the model think"
                " less, raise -J max_tokens, or serve it without a reasoning parser"
            )
    content = message.get("content")
    if isinstance(content, list) and content:
        kinds = {str(part.get("type")) for part in content if isinstance(part, dict)}
        return (
            f"the reply has no part of type text, but {', '.join(sorted(kinds))[:80]}"
        )
    return None


def shares(tokens: Tokens, count: int) -> list[Tokens]:
    """Split into equal shares whose counts add up to those of the request exactly.

    A remainder goes to the first ones. Sound and cached tokens are parts of the input,
    so each disjoint part is divided by itself: a share is a count that a call of its
    own could have.
    """
    sound, held = tokens.audio or 0, tokens.cached - tokens.cached_audio
    words = (tokens.input or 0) - sound - held
    parts = (
        words,
        sound - tokens.cached_audio,
        held,
        tokens.cached_audio,
        tokens.output or 0,
    )
    if min(parts) < 0:  # counts that contradict each other cannot be divided
        nothing = [
            None if n is None else 0
            for n in (tokens.input, tokens.output, tokens.audio)
        ]
        return [
            tokens,
            *[Tokens(nothing[0], nothing[1], audio=nothing[2])] * (count - 1),
        ]
    result = []
    for index in range(count):
        fresh, fresh_sound, kept, kept_sound, output = (
            part // count + (index < part % count) for part in parts
        )
        result.append(
            Tokens(
                input=None
                if tokens.input is None
                else fresh + fresh_sound + kept + kept_sound,
                output=None if tokens.output is None else output,
                cached=kept + kept_sound,
                audio=None if tokens.audio is None else fresh_sound + kept_sound,
                cached_audio=kept_sound,
                audio_s=tokens.audio_s / count,
            )
        )
    return result
