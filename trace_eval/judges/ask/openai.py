"""``openai:MODEL``: any server with OpenAI's chat completions.

Servers differ in the fields that they accept. The first call settles them, once per
server: JSON schema, else JSON mode, else plain text; and the names of a few parameters.
Later calls keep to it.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

import openai
from pydantic import JsonValue

from blueprints import UserError
from trace_eval.data.outcome import Reason
from trace_eval.data.urls import redact_urls
from trace_eval.judges.ask.base import (
    CallFailed,
    ChatClient,
    Choices,
    Reply,
    Request,
    Unusable,
)
from trace_eval.judges.ask.connection import (
    BodyLost,
    BodyTooLarge,
    PerLoop,
    Redactor,
    is_transport,
    lost,
    public_url,
    ran_out_of_time,
)
from trace_eval.judges.ask.message import Message, Text
from trace_eval.judges.ask.openai_dialect import (
    AUDIO_MODEL,
    Dialect,
)
from trace_eval.judges.ask.openai_place import (
    DEFAULT_URL,
    ServerPlace,
    connect,
    place_of,
)
from trace_eval.judges.ask.openai_replies import OpenAIReplies, Refused
from trace_eval.judges.ask.reply_length import bounded_schema
from trace_eval.judges.options.groups import OpenAIOptions, names_of
from trace_eval.judges.options.judge_options import JudgeOptions

log = logging.getLogger(__name__)

#: Logged once, when a server turns out to give one reply at a time.
_ALONE = "choices are off, each sample is a request of its own: %s"

#: Timeout of the request for llama.cpp's properties, seconds, and which of them are
#: recorded.
_IDENTIFY_S = 5.0
_PROPS = ("build_info", "model_path")


class OpenAIClient(ChatClient):
    """One model on one server.

    Args:
        place: of the server; default: what the options and the environment name.

    Raises:
        UserError: OpenAI's own server is meant and there is no key, or the model is a
            URL.
    """

    uses = names_of(OpenAIOptions)
    gives_choices = True

    def __init__(
        self, model: str, options: JudgeOptions, place: ServerPlace | None = None
    ) -> None:
        if place is None and "://" in model:
            raise UserError(
                f"openai:{redact_urls(model)}: a URL is not a model; name the server by"
                " --base-url URL"
            )
        self.place = place or place_of(model, options)
        self.model = model
        self.server = self.place.name
        self.redact = Redactor(self.place.key)
        self.key_variable = None if place else options.key_env
        self._timeout = options.timeout_s
        fixed = None if options.structure == "auto" else options.structure
        is_openai = self.server == DEFAULT_URL
        listens = bool(AUDIO_MODEL.search(model))
        self._dialect = Dialect(
            structure=fixed or ("text" if listens else "json_schema"),
            token_field="max_completion_tokens" if is_openai else "max_tokens",
            bounded=not is_openai,  # its strict mode has no maxLength
            modalities=listens,
            choices=options.choices,
            top_k=not is_openai,
        )
        self._parameters = options.deciding(self.uses)
        self._fixed_structure = fixed is not None
        self._shape: tuple[Mapping[str, JsonValue], dict[str, Any]] | None = None
        self._settled = False
        self._in_vain: set[str] = set()  # refusals that no other dialect has changed
        self._settling = PerLoop(asyncio.Lock)
        self.replies = OpenAIReplies(self.server, model, self.redact)
        self._client = PerLoop(
            lambda: connect(self.place, self._timeout), lambda made: made.client.close()
        )

    def parameters(self) -> dict[str, JsonValue]:
        return self._parameters

    def observed(self) -> dict[str, JsonValue]:
        """Return the dialect, once settled, and the server's name of its model."""
        return {
            **(asdict(self._dialect) if self._settled else {}),
            **self.replies.identity,
        }

    @property
    def no_batches(self) -> str | None:
        """OpenAI's model pages list no Batch for the models that listen."""
        if self.server == DEFAULT_URL and AUDIO_MODEL.search(self.model):
            return (
                f"the page of model {self.model} lists no Batch; judge without"
                " --batch-file"
            )
        return None

    def body(self, request: Request) -> dict[str, Any]:
        """Return the request as this server takes it; also a line of a batch file."""
        dialect = self._dialect
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [
                {"role": m.role, "content": _content(m)} for m in request.messages
            ],
        }
        for name, value in request.sampling.items():
            if name == "max_tokens":
                body[dialect.token_field] = value
            elif getattr(dialect, name):
                body[name] = value
        if dialect.choices and request.choices > 1:
            body["n"] = request.choices
        if dialect.modalities:
            body["modalities"] = ["text"]
        if dialect.structure == "json_schema":
            shape = (
                self._bounded(request.schema)
                if dialect.bounded
                else dict(request.schema)
            )
            schema = {"name": "verdicts", "strict": True, "schema": shape}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif dialect.structure == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body

    def _bounded(self, schema: Mapping[str, JsonValue]) -> dict[str, Any]:
        """Bound a schema once: a judge has one, and asks with it again and again."""
        if self._shape is None or self._shape[0] is not schema:
            self._shape = schema, bounded_schema(schema)
        return self._shape[1]

    @property
    def takes_choices(self) -> bool:
        """Whether ``n`` is sent: until a server refuses it, or gives fewer."""
        return self._dialect.choices

    async def chat(self, request: Request) -> Reply:
        """Make one call; the first one settles the dialect while the others wait."""
        return (await self.choices(request)).first

    async def choices(self, request: Request) -> Choices:
        """Ask for several replies; a server that gives fewer gets single requests."""
        if not self._settled:
            async with self._settling.get():
                if not self._settled:
                    return await self._settle(request)
        try:
            return await self._send(request)
        except Refused as refused:
            if not self._dialect.refuses_choices(refused.text):
                raise
            self._without_choices(refused.detail)
            return await self._send(request)

    def _without_choices(self, why: str) -> None:
        if self._dialect.choices:
            self._dialect = replace(self._dialect, choices=False)
            log.warning(_ALONE, why)

    async def _settle(self, request: Request) -> Choices:
        start = self._dialect
        first: CallFailed | None = None
        alone: str | None = None
        try:
            while True:
                try:
                    reply = await self._send(request)
                except Refused as refused:
                    first = first or refused
                    if refused.text in self._in_vain:
                        raise first from None
                    following = self._dialect.after(refused.text)
                    if following is None or (
                        self._fixed_structure and following.structure != start.structure
                    ):
                        # Plain text is refused as well: its form is not the trouble.
                        self._in_vain.add(refused.text)
                        raise first from None
                    if self._dialect.choices and not following.choices:
                        alone = refused.detail
                    self._dialect = following
                else:
                    self._settled = True
                    if alone:
                        log.warning(_ALONE, alone)
                    return reply
        except Unusable:
            # the server took the request; the reply is another matter
            self._settled = True
            raise
        finally:
            if not self._settled:
                self._dialect = start

    async def _send(self, request: Request) -> Choices:
        try:
            # Decoding and joining sound takes time that other calls need not wait for.
            body = (
                await asyncio.to_thread(self.body, request)
                if request.audio_s
                else self.body(request)
            )
            connection = self._client.get()
            response = await connection.http.post(
                connection.address, content=_encoded(body), headers=connection.headers
            )
            if response.status_code >= 400:
                raise self.replies.refusal(response)
        except Exception as error:
            raise self._failure(error) from None
        choices = self.replies.read_choices(response.content, request)
        if "n" in body and len(choices.replies) < request.choices:
            message = f"{self.server} gave {len(choices.replies)} of {request.choices}"
            self._without_choices(message)
        return choices

    def _failure(self, error: Exception) -> Exception:
        """Map an exception of a call to a typed failure."""
        if isinstance(error, BodyTooLarge):
            return Unusable(Reason.UNPARSEABLE, str(error))
        if isinstance(error, BodyLost):
            return lost(self.redact(f"{self.server}: connection lost ({error})"), error)
        if ran_out_of_time(error):
            return CallFailed.after(self._timeout, f"{self.server}: ")
        if is_transport(error):
            detail = f"{self.server}: cannot be reached ({error}); is it running?"
            return lost(self.redact(detail), error)
        return error

    async def shutdown_date(self) -> str | None:
        """Return ``shutdown_date`` of ``GET /models/MODEL``."""
        try:
            listed = await self._client.get().client.models.retrieve(self.model)
        except Exception as error:
            if isinstance(error, openai.APIError) or is_transport(error):
                return None
            raise
        result = getattr(listed, "shutdown_date", None)
        return str(result)[:40] if result else None

    async def close(self) -> None:
        """Close the connections, after a note of llama.cpp's build and model file."""
        if (
            self._settled and self.server != DEFAULT_URL
        ):  # whose replies name the snapshot
            client = self._client.get().client.with_options(timeout=_IDENTIFY_S)
            # Beside the OpenAI routes.
            props = f"{public_url(self.place.url).removesuffix('/v1')}/props"
            with suppress(openai.APIError, ValueError, TypeError, RecursionError):
                details = await client.get(props, cast_to=object)
                if isinstance(details, dict):
                    self.replies.identity |= {
                        n: self.redact(str(details[n])) for n in _PROPS if n in details
                    }
        await self._client.close()


def _encoded(body: dict[str, Any]) -> bytes:
    """Return a request's JSON in as few bytes as httpx writes."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode()


def _content(message: Message) -> str | list[dict[str, Any]]:
    """Return a turn's content as the API takes it; sound is base64 without a prefix."""
    if isinstance(message.content, str):
        return message.content
    parts: list[dict[str, Any]] = []
    for part in message.content:
        if isinstance(part, Text):
            parts.append({"type": "text", "text": part.text})
        else:
            data = base64.b64encode(part.render()).decode("ascii")
            sound = {"data": data, "format": part.format}
            parts.append({"type": "input_audio", "input_audio": sound})
    return parts
