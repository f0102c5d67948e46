"""A loopback stand-in for a language model's server: same verdict, fixed latency.

It runs in a process of its own, so that what a benchmark's processes spend is ours.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from fusion import DIMENSIONS

VERDICT = json.dumps(
    {name: {"reasoning": "as measured " * 12, "rating": "both_good"} for name in DIMENSIONS}
)

#: Reads a request, waits, answers. Plain sockets, so that it is never the bottleneck.
_SERVER = """
import asyncio, json, sys
latency, text = float(sys.argv[1]), sys.argv[2]
body = json.dumps({"id": "x", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": text}}],
    "usage": {"prompt_tokens": 3000, "completion_tokens": 200, "total_tokens": 3200}}).encode()
head = "HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\ncontent-length: %d\\r\\n\\r\\n"
whole = (head % len(body)).encode() + body
async def serve(reader, writer):
    try:
        while True:
            lines = (await reader.readuntil(b"\\r\\n\\r\\n")).lower().split(b"\\r\\n")
            if lines[0].startswith(b"get"):  # what is known of the model
                writer.write((head % 2).encode() + b"{}")
                continue
            size = next(int(line[15:]) for line in lines if line.startswith(b"content-length:"))
            await reader.readexactly(size)
            if latency:
                await asyncio.sleep(latency)
            writer.write(whole)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


@contextmanager
def server(latency_s: float, reply: str = VERDICT) -> Iterator[str]:
    """A loopback server that says ``reply`` to everything; yields its base URL."""
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVER, str(latency_s), reply],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is for the benchmark
    )
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.terminate()
        process.wait()
