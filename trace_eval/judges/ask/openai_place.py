"""Where an OpenAI-compatible server is, and the connections to it.

The openai package gives addresses, headers and connections. Calls go through its HTTP
client directly: the package walks a body and a reply through all their types, which
takes longer than sending them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, NamedTuple

import openai

from blueprints import JudgeError
from trace_eval.judges.ask.connection import (
    ENCODINGS,
    bound_body,
    checked_url,
    has_socks,
    public_url,
)
from trace_eval.judges.options.judge_options import JudgeOptions

DEFAULT_URL = "https://api.openai.com/v1"


@dataclass(frozen=True)
class ServerPlace:
    """The place of a server.

    Attributes:
        url: its address.
        key: that it takes.
        name: in records and messages.
        proxied: whether the environment's proxies lead to it.
    """

    url: str
    key: str | None
    name: str
    proxied: bool = True


class Connection(NamedTuple):
    """The package's client, and what a call needs of it."""

    client: openai.AsyncOpenAI
    http: Any  # the package's HTTP client, in whichever version of httpx it has
    address: str
    headers: dict[str, str]


def place_of(model: str, options: JudgeOptions) -> ServerPlace:
    """Return the place that the options and the environment name.

    Raises:
        UserError: OpenAI's own server is meant and there is no key.
    """
    url = checked_url(
        options.base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_URL
    )
    key = os.environ.get(options.key_env)
    if not key and public_url(url) == DEFAULT_URL and not options.offline:
        raise JudgeError(
            f"openai:{model}: the environment variable {options.key_env} is not set;"
            " export your key, or name another server with --base-url"
        )
    return ServerPlace(url, key, public_url(url))


def connect(place: ServerPlace, timeout_s: float) -> Connection:
    """Open connections to a server; they belong to the loop that first uses them."""
    key = (
        place.key or "none"
    )  # servers without keys get a header, too: the package insists
    # Of ``benchmarks.judge_http``: aiohttp takes a third of the CPU of httpx's own
    # connections, but knows no SOCKS.
    socks = place.proxied and has_socks()
    make = openai.DefaultAsyncHttpxClient if socks else openai.DefaultAioHttpClient
    http = make(
        event_hooks={"response": [bound_body]},
        trust_env=place.proxied,
        timeout=timeout_s,
    )
    client = openai.AsyncOpenAI(
        base_url=place.url,
        api_key=key,
        max_retries=0,  # our own retries are the only ones: two policies multiply
        timeout=timeout_s,
        default_headers={"Accept-Encoding": ENCODINGS},
        http_client=http,
    )
    named = client.default_headers.items()
    headers = {name: value for name, value in named if isinstance(value, str)}
    headers |= {"Authorization": f"Bearer {key}"}
    return Connection(client, http, f"{place.url}/chat/completions", headers)
