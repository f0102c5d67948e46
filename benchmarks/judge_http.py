"""What one call over HTTP costs by each way to a server, without any judge.

    python -m benchmarks.judge_http [--calls 1024]

256 calls of 200 ms are in flight against the server of ``benchmarks.judge_overhead``,
which runs in a process of its own: through the openai package over either of its HTTP
clients, and through these clients alone. Ours is the last one.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import openai

from benchmarks.judge_overhead import LATENCY_S, server
from benchmarks.report import arguments, lines_of, save

IN_FLIGHT = 256

#: A prompt as long as a compact one.
BODY = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "x" * 6000},
        {"role": "user", "content": "y" * 3000},
    ],
    "max_tokens": 1000,
    "temperature": 0.0,
}

#: Way -> the HTTP client, and whether calls go through the package.
WAYS: dict[str, tuple[Callable[[], Any], bool]] = {
    "openai over httpx": (openai.DefaultAsyncHttpxClient, True),
    "openai over aiohttp": (openai.DefaultAioHttpClient, True),
    "httpx alone": (openai.DefaultAsyncHttpxClient, False),
    "its client over aiohttp alone": (openai.DefaultAioHttpClient, False),
}


async def seconds(
    call: Callable[[], Awaitable[Any]], calls: int
) -> tuple[float, float]:
    """Return wall and CPU seconds of some calls, after connections are open."""
    await asyncio.gather(*(call() for _ in range(IN_FLIGHT)))
    numbers = iter(range(calls))

    async def caller() -> None:
        for _ in numbers:
            await call()

    started, spent = time.monotonic(), time.process_time()
    await asyncio.gather(*(caller() for _ in range(IN_FLIGHT)))
    return time.monotonic() - started, time.process_time() - spent


async def measured(way: str, calls: int) -> dict[str, Any]:
    """Make calls by one way."""
    make, through_package = WAYS[way]
    with server(LATENCY_S) as url:
        http = make()
        client = openai.AsyncOpenAI(
            base_url=url, api_key="none", max_retries=0, http_client=http
        )

        async def call() -> Any:
            if through_package:
                binary = openai.HttpxBinaryResponseContent
                return await client.post("/chat/completions", body=BODY, cast_to=binary)
            content = json.dumps(BODY).encode()
            return await http.post(f"{url}/chat/completions", content=content)

        took, spent = await seconds(call, calls)
        await client.close()
    return {
        "way": way,
        "CPU ms per call": 1000 * spent / calls,
        "efficiency": calls / IN_FLIGHT * LATENCY_S / took,
    }


def main() -> None:
    """Measure, print, save."""
    calls = arguments(__doc__, calls=1024).calls
    lines = [asyncio.run(measured(way, calls)) for way in WAYS]
    lines_of(f"{calls} calls, {IN_FLIGHT} in flight", lines)
    save("judge_http", {"calls": calls, "lines": lines})


if __name__ == "__main__":
    main()
