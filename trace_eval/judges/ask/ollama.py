"""``ollama:MODEL``: Ollama's native chat, through the ollama package.

The native route and not the OpenAI-compatible one, because only it takes ``num_ctx``:
Ollama's default context is a few thousand tokens, and it cuts longer prompts with HTTP
200.
"""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import suppress
from typing import Any

import httpx
import ollama
import pydantic
from pydantic import JsonValue

from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.base import (
    CallFailed,
    ChatClient,
    Reply,
    Request,
    Tokens,
    Unusable,
    check_read,
    check_text,
)
from trace_eval.judges.ask.connection import (
    ENCODINGS,
    BodyLost,
    BodyTooLarge,
    PerLoop,
    Redactor,
    bound_body,
    checked_url,
    is_transport,
    lost,
    public_url,
)
from trace_eval.judges.ask.message import upper_tokens
from trace_eval.judges.ask.openai_dialect import count_of
from trace_eval.judges.ask.reply_length import bounded_schema, cut_detail
from trace_eval.judges.options.groups import OllamaOptions, names_of
from trace_eval.judges.options.judge_options import JudgeOptions

DEFAULT_URL = "http://127.0.0.1:11434"

#: Smallest context that is asked for, tokens. Steps are powers of two, and never go
#: down in a run: Ollama reloads the model whenever num_ctx changes.
MIN_NUM_CTX = 4096

#: Room beside prompt and reply, tokens.
SPARE = 64

#: Our name of a parameter -> Ollama's, where they differ.
_NAMES = {"max_tokens": "num_predict"}

#: Statuses that may be gone on the next attempt.
TRANSIENT = frozenset({408, 429, 500, 502, 503, 504})


class OllamaClient(ChatClient):
    """One model on one Ollama server."""

    # A local server works on one or few at a time; calls that wait there run into our
    # timeout.
    usual_concurrency = 2
    uses = names_of(OllamaOptions)
    reports_context = True

    def __init__(self, model: str, options: JudgeOptions) -> None:
        url = checked_url(
            options.base_url or os.environ.get("OLLAMA_HOST") or DEFAULT_URL
        )
        self.model = model
        self.server = public_url(url)
        self.redact = Redactor(os.environ.get("OLLAMA_API_KEY"))
        self._options = options
        self._num_ctx = options.num_ctx or MIN_NUM_CTX
        self._limit: int | None = None  # the model's own context
        self._looked = False
        self._looking = PerLoop(asyncio.Lock)
        self._reported: dict[str, JsonValue] = {}
        self._client = PerLoop(
            lambda: ollama.AsyncClient(
                host=url,
                timeout=options.timeout_s,
                headers={"Accept-Encoding": ENCODINGS},
                event_hooks={"response": [bound_body]},
            ),
            _close,
        )

    def parameters(self) -> dict[str, JsonValue]:
        return self._options.deciding(self.uses)

    @property
    def model_context(self) -> int | None:
        return self._limit

    def observed(self) -> dict[str, JsonValue]:
        return {
            "num_ctx": self._num_ctx,
            "model_context": self._limit,
            **self._reported,
        }

    async def chat(self, request: Request) -> Reply:
        await self._look()
        num_ctx = self._context(request)
        sampling = {
            _NAMES.get(name, name): value for name, value in request.sampling.items()
        }
        try:
            with self._client.lend() as client:
                reply = await client.chat(
                    model=self.model,
                    messages=[
                        {"role": m.role, "content": m.text} for m in request.messages
                    ],
                    format=bounded_schema(request.schema),
                    options={"num_ctx": num_ctx, **sampling},
                    keep_alive=self._options.keep_alive,
                    think=self._options.think,
                )
        except Exception as error:
            raise self._failure(error) from None
        return self._read(reply, request, num_ctx)

    async def _look(self) -> None:
        """Ask once how long a context the model has; servers need not answer."""
        if self._looked:
            return
        async with self._looking.get():
            if self._looked:
                return
            client = self._client.get()
            try:
                shown = await client.show(self.model)
            except ollama.ResponseError as error:
                if _is_missing_model(error):
                    raise self._failure(error) from None
            except (pydantic.ValidationError, ValueError):
                pass
            except Exception as error:
                raise self._failure(error) from None
            else:
                self._limit = context_length(shown.modelinfo or {})
                # The digest of the model's files: one name may stand for others next
                # month.
                with suppress(
                    Exception
                ):  # the calls will show what is wrong, if anything is
                    for model in (await client.list()).models:
                        if (
                            model.model in (self.model, f"{self.model}:latest")
                            and model.digest
                        ):
                            self._reported["digest"] = model.digest
            self._looked = True

    def _context(self, request: Request) -> int:
        """Return the num_ctx of this call.

        Raises:
            CallFailed: the prompt and its reply cannot fit; nothing is sent.
        """
        need = upper_tokens(request.messages) + request.max_tokens + SPARE
        if self._options.num_ctx is None:
            while self._num_ctx < need:
                self._num_ctx *= 2
        num_ctx = min(self._num_ctx, self._limit or self._num_ctx)
        # The bound is generous, so only a prompt that cannot fit by any count is
        # refused unsent.
        certain = sum(len(m.text) for m in request.messages) // 8
        if certain + 1 > num_ctx:
            raise CallFailed(
                Reason.PROMPT_CUT,
                f"not sent: the prompt has over {certain} tokens and the context is"
                f" {num_ctx}; use a model with a longer context, -J drop, or a larger"
                " -J num_ctx",
            )
        return num_ctx

    def _read(self, made: ollama.ChatResponse, request: Request, num_ctx: int) -> Reply:
        tokens = Tokens(count_of(made.prompt_eval_count), count_of(made.eval_count))
        if isinstance(made.model, str):
            self._reported["model"] = made.model
        # A prompt that fills the whole context was cut to it.
        if tokens.input and tokens.input >= num_ctx - 1:
            raise CallFailed(
                Reason.PROMPT_CUT,
                f"the prompt filled the context of {num_ctx} tokens; raise -J num_ctx",
                billed=True,
            )
        check_read(request, tokens)
        text = self.redact.exact(made.message.content or "")
        if made.done_reason == "length":
            room = num_ctx - (tokens.input or 0)
            limit = (
                f"after {tokens.output} tokens (at most {request.max_tokens}, context"
                f" room {room}); raise -J max_tokens or -J num_ctx"
            )
            detail = cut_detail(text, limit)
            raise Unusable(Reason.REPLY_CUT, detail, text, tokens)
        if made.done is False or made.done_reason not in (None, "stop"):
            detail = f"the reply ended with {made.done_reason!r}"
            raise Unusable(Reason.UNPARSEABLE, detail, text, tokens)
        if not text.strip() and (elsewhere := self._elsewhere(made.message)):
            raise Unusable(Reason.UNPARSEABLE, elsewhere, text, tokens)
        return Reply(check_text(text, tokens), tokens)

    @staticmethod
    def _elsewhere(message: ollama.Message) -> str | None:
        """Return what a message without text holds instead; None if not known."""
        if message.tool_calls:
            return "the reply is a call of a tool (tool_calls), and no tool was offered"
        if message.thinking:
            return (
                "the reply has thinking and no answer; raise -J max_tokens or set -J"
                " think=false"
            )
        return None

    def _failure(self, error: Exception) -> Exception:
        if isinstance(error, BodyLost) and isinstance(error.__cause__, Exception):
            error = error.__cause__
        if isinstance(error, ollama.ResponseError):
            return self._by_status(error)
        if isinstance(error, BodyTooLarge):
            return Unusable(Reason.UNPARSEABLE, f"{self.server}: {error}")
        if isinstance(error, ollama.RequestError):
            return CallFailed(Reason.REFUSED, self.redact(str(error)))
        if isinstance(error, httpx.TimeoutException):
            return CallFailed.after(self._options.timeout_s, f"{self.server}: ")
        if isinstance(
            error, (json.JSONDecodeError, pydantic.ValidationError, UnicodeDecodeError)
        ):
            detail = self.redact(f"{self.server}: the response is not Ollama's")
            return Unusable(Reason.UNPARSEABLE, detail)
        if is_transport(error):
            detail = self.redact(
                f"{self.server}: cannot be reached ({type(error).__name__}: {error});"
                " run: ollama serve"
            )
            return lost(detail, error)
        return error

    def _by_status(self, error: ollama.ResponseError) -> CallFailed:
        status, text = error.status_code, str(error.error)
        detail = self.redact(f"{self.server}: HTTP {status}: {text}")
        if _is_missing_model(error):
            return CallFailed(
                Reason.REFUSED, f"{detail}; run: ollama pull {self.model}"
            )
        if "context" in text and ("exceed" in text or "length" in text):
            return CallFailed(Reason.PROMPT_CUT, detail)
        if status == 429:
            return CallFailed(Reason.RATE_LIMITED, detail, retry=True)
        if status in TRANSIENT:
            return CallFailed(Reason.SERVER_ERROR, detail, retry=True)
        return CallFailed(
            Reason.SERVER_ERROR if status >= 500 else Reason.REFUSED, detail
        )

    async def close(self) -> None:
        await self._client.close()


def _is_missing_model(error: ollama.ResponseError) -> bool:
    text = str(error.error)
    return error.status_code == 404 and "model" in text and "not found" in text


async def _close(client: ollama.AsyncClient) -> None:
    await client.close()  # type: ignore[no-untyped-call]


def context_length(info: Any) -> int | None:
    """Return a model's trained context in tokens, from ``/api/show``."""
    for name, value in dict(info).items():
        if (
            str(name).endswith(".context_length")
            and isinstance(value, int)
            and value > 0
        ):
            return value
    return None
