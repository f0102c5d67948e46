"""How OpenAI-compatible servers differ: accepted fields, errors, counts and waits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, Literal

from trace_eval.judges.ask.base import Tokens

#: Statuses of faults that may pass. 529 is "overloaded" at some providers.
TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})

#: Statuses by which servers refuse a parameter.
REFUSALS = frozenset({400, 415, 422})

# Other statuses are about the request's form only when they say so.
ABOUT_STRUCTURE = re.compile(
    r"response_format|json_schema|json_object|json mode|schema|grammar"
)

# Errors (in lower case) by which a schema's maxLength is refused, or the grammar made
# of it.
_ABOUT_LENGTH = re.compile(r"(max|min)_?length|repetition|grammar|keyword")

Structured = Literal["json_schema", "json_object", "text"]
_NEXT: dict[Structured, Structured] = {
    "json_schema": "json_object",
    "json_object": "text",
}

#: Words of the errors by which servers refuse several replies to one request. OpenAI
#: and llama.cpp (which gives no more than its slots) quote the parameter; others speak
#: of choices.
_ABOUT_CHOICES = re.compile(
    r"""["'`]n\\?["'`]|\bn_cmpl\b|\bcompletion choices?\b|\bn (must|should|is|>|=)"""
)

#: OpenAI's models that listen: no structured outputs, and the request names text as
#: output.
AUDIO_MODEL = re.compile(r"(^|/)gpt-[\w.-]*audio")

#: Characters of an error that are searched for a refusal of sound.
_SEARCHED = 2000

_SOUND = r"(?:audio|input_audio|sound|speech)"
_SUPPORT = r"(?:support|accept|take|handle|process|understand|hear|allow|have)"
_NO = r"(?:not|n['’]t|cannot|unable to|never)"

#: Errors (in lower case) which mean that a model takes no sound: llama.cpp, vLLM,
#: OpenAI and gateways word it differently.
_NO_EARS = re.compile(
    rf"{_NO} (?:currently )?(?:be )?{_SUPPORT}\w{{0,4}}"
    rf" (?:[\w'\"`-]{{1,20}} ){{0,3}}['\"`]?{_SOUND}"
    rf"|\b{_SOUND}['\"`]? (?:\w{{1,20}} ){{0,4}}(?:not|n't|isn['’]t|aren['’]t)"
    rf" (?:\w{{1,20}} )?{_SUPPORT}"
    rf"|\b{_SOUND}['\"`]? (?:\w{{1,20}} ){{0,4}}(?:unsupported|not (?:available|enabled|possible))"
    rf"|\b(?:unsupported|unknown|invalid|unexpected|unrecognized)\b[^.]{{0,60}}['\"`]input_audio"
    rf"|\bno {_SOUND} (?:input|support|encoder|tower|capabilit|modalit)"
    r"|\b(?:unsupported|unknown|invalid) content type\b[^.]{0,20}\baudio"
    r"|\bno endpoints found that support [^.]{0,30}\baudio"
    r"|\bat most 0 audio|\bnot a multi-?modal model|\btext[- ]only (?:model|input)"
    r"|\bonly (?:supports?|accepts?|takes?) text\b|\bunsupported content\[\]\.type"
)

#: Words about one recording, or about another field; these do not condemn the model.
_ABOUT_ONE = re.compile(
    r"format|codec|sampl|bit ?rate|duration|second|longer|shorter|too (?:long|short|large|many)"
    r"|decode|corrupt|empty|exceed|maximum|modalities|response_format"
)


def takes_no_sound(refusal: str) -> bool:
    """Whether a lower-case error text says that the model takes no sound at all."""
    details = refusal[:_SEARCHED]
    return bool(_NO_EARS.search(details)) and not _ABOUT_ONE.search(details)


#: Words of the errors by which servers say that a prompt is too long.
TOO_LONG = ("exceed_context_size", "context_length_exceeded", "maximum context length")

#: Seconds of ``Retry-After``, and the longest that are believed: a day.
_SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
MAX_RETRY_AFTER_S = 86_400.0


@dataclass(frozen=True)
class Dialect:
    """The request fields that this server accepts."""

    structure: Structured = "json_schema"
    token_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    seed: bool = True
    top_p: bool = True
    top_k: bool = True  # no field of OpenAI's own; vLLM, SGLang and llama.cpp take it
    modalities: bool = False
    choices: bool = False  # ``n`` replies to one request; only where the user says so
    bounded: bool = True  # free texts of the schema have a maxLength

    def after(self, refusal: str) -> Dialect | None:
        """Return the dialect to try after this error text; None if none is left."""
        simpler = _NEXT.get(self.structure)
        if self.refuses_choices(refusal):
            return replace(self, choices=False)
        if (
            self.bounded
            and self.structure == "json_schema"
            and _ABOUT_LENGTH.search(refusal)
        ):
            return replace(self, bounded=False)
        if simpler and ABOUT_STRUCTURE.search(refusal):
            return replace(self, structure=simpler)
        if "max_completion_tokens" in refusal and self.token_field == "max_tokens":
            return replace(self, token_field="max_completion_tokens")
        for name in ("temperature", "seed", "top_p", "top_k", "modalities"):
            if name in refusal and getattr(self, name):
                without: dict[str, Any] = {name: False}
                return replace(self, **without)
        if self.choices:  # a saving of money is given up before the shape of replies
            return replace(self, choices=False)
        return replace(self, structure=simpler) if simpler else None

    def refuses_choices(self, refusal: str) -> bool:
        """Whether this error text is about the number of requested replies."""
        return self.choices and bool(_ABOUT_CHOICES.search(refusal))


#: Larger token counts are errors of the server.
MAX_COUNT = 10**12


def status_of(error: object) -> int:
    """Return the HTTP status that an error in a 200 stands for; 502 without one."""
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 502


def tokens_of(usage: object) -> Tokens:
    """Read the ``usage`` of a completion; unknown where it is missing or malformed."""
    if not isinstance(usage, dict):
        return Tokens()
    details = usage.get("prompt_tokens_details")
    details = details if isinstance(details, dict) else {}
    cached = details.get("cached_tokens_details")
    cached = cached if isinstance(cached, dict) else {}
    return Tokens(
        count_of(usage.get("prompt_tokens")),
        count_of(usage.get("completion_tokens")),
        count_of(details.get("cached_tokens")) or 0,
        audio=count_of(details.get("audio_tokens")),
        cached_audio=count_of(cached.get("audio_tokens")) or 0,
    )


def count_of(value: object) -> int | None:
    """Return a token count, if it can be one."""
    if (
        isinstance(value, int)
        and not isinstance(value, bool)
        and 0 <= value <= MAX_COUNT
    ):
        return value
    return None


def read_count(digits: str) -> int:
    """Parse a token count; return -1 if it is absurdly long."""
    return int(digits) if len(digits) <= 20 else -1


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that the server asks to wait (RFC 9110), None if it does not.

    Another value, or one over :data:`MAX_RETRY_AFTER_S`, is ignored: it would stop all
    calls.
    """
    value = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(value):
        seconds = float(value)
    else:
        try:
            seconds = max(0.0, parsedate_to_datetime(value[:40]).timestamp() - time())
        except (TypeError, ValueError, OverflowError, IndexError, OSError):
            return None
    return seconds if seconds <= MAX_RETRY_AFTER_S else None
