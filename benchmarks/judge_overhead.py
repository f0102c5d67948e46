"""What judging costs beside the model: CPU per call, and calls in flight.

    python -m benchmarks.judge_overhead            # a minute
    python -m benchmarks.judge_overhead --quick    # a fortieth of the calls

A loopback server in a process of its own answers every chat completion with the same
verdict after a fixed latency, so all CPU that this process spends is ours. Printed:

- CPU per call at 0 ms latency: our rendering, request, parsing, checks of reasons,
  reconciling and reply cache, with HTTP (target: under 5 ms), and how much of it is
  ours;
- concurrency efficiency at 200 ms latency with 16, 64 and 256 calls in flight: the time
  that a server of that latency makes unavoidable, over the time it took (target: at
  least 0.9). 256 in flight are 1,280 calls a second, more than one core can make: that
  row shows what one core does.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from benchmarks.report import arguments, lines_of, save, timed
from benchmarks.synthetic_run import blueprint
from fusion import DIMENSIONS
from tests.support.servers import completion
from trace_eval.data.items import Pair
from trace_eval.judges.ask.base import Reply, Request, Tokens
from trace_eval.judges.ask.calls import Backend
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.base import Case
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge
from trace_eval.judges.registry.kinds import compares

IN_FLIGHT = 64
LATENCY_S = 0.2

VERDICT = json.dumps(
    {
        name: {"reasoning": "as measured " * 12, "rating": "both_good"}
        for name in DIMENSIONS
    }
)

#: Reads a request, waits, answers. Plain sockets, so that it is never the bottleneck.
_SERVER = """
import asyncio, sys
latency, body = float(sys.argv[1]), sys.argv[2].encode()
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
def server(latency_s: float) -> Iterator[str]:
    """Serve one reply on loopback, in a process of its own; yields the base URL."""
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            _SERVER,
            str(latency_s),
            json.dumps(completion(VERDICT)),
        ],
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


#: Clips of 20 s with all groups.
CLIPS = tuple(blueprint(f"{number:064x}", number, 20.0) for number in range(33))


def case(number: int) -> Case:
    """Make a pair whose prompt no other has.

    A clip stands in many pairs, to be quick.
    """
    text = f"Tell me number {number} of the leaning tower of Pisa."
    sides = {side: {"audio": f"{side}.wav"} for side in "ab"}
    pair = Pair.model_validate(
        {"id": f"p{number}", "instruction": {"text": text}, **sides}
    )
    first = number % (len(CLIPS) - 1)
    return Case.of(pair, *CLIPS[first : first + 2])


async def count(judge: LLMJudge, pairs: int, at_once: int) -> int:
    """Judge fresh cases, a bounded number in flight; return how many calls."""
    numbers, calls = iter(range(pairs)), 0

    async def worker() -> None:
        nonlocal calls
        for number in numbers:
            judgement = await judge.judge(case(number))
            assert judgement.status == "scored", judgement.detail
            calls += len(judgement.opinions)

    await asyncio.gather(*(worker() for _ in range(at_once)))
    await judge.close()
    return calls


def made(url: str, folder: str, in_flight: int) -> LLMJudge:
    """Make an openai judge with both orders and a reply cache."""
    cache = Path(folder) / "replies.sqlite"
    options = JudgeOptions(base_url=url, concurrency=in_flight, cache=cache, retries=0)
    judge = create_judge("openai:m", options)
    assert isinstance(judge, LLMJudge)
    return judge


class Instant:
    """A client without a server: what is left is our own work."""

    server, model, ordered, usual_concurrency = "instant", "m", False, IN_FLIGHT

    def parameters(self) -> dict[str, object]:
        """Nothing."""
        return {}

    observed = parameters

    async def chat(self, request: Request) -> Reply:
        """Return the verdict."""
        return Reply(VERDICT, Tokens(3000, 200))

    async def close(self) -> None:
        """Nothing."""


def cpu_per_call(pairs: int) -> dict[str, float]:
    """CPU milliseconds per call at 0 ms latency, all of it and ours alone."""
    with server(0.0) as url, tempfile.TemporaryDirectory() as folder:
        asyncio.run(count(made(url, folder, 8), 20, 8))
        _, making = timed(lambda: [case(number) for number in range(pairs)])
        judge = made(url, f"{folder}/fresh", 8)
        calls, whole = timed(lambda: asyncio.run(count(judge, pairs, 8)))
        options = JudgeOptions(cache=Path(folder) / "instant.sqlite", retries=0)
        instant = compares(Backend("openai:m", Instant()), options)  # type: ignore[arg-type]
        _, own = timed(lambda: asyncio.run(count(instant, pairs, 8)))
    spent, ours = (1000 * (seconds - making) / calls for seconds in (whole, own))
    return {
        "calls": calls,
        "CPU ms per call": spent,
        "of it ours": ours,
        "target, under": 5.0,
    }


def efficiency(pairs: int, in_flight: int) -> dict[str, float]:
    """Latency-bound ideal over what it took."""
    with server(LATENCY_S) as url, tempfile.TemporaryDirectory() as folder:
        judge = made(url, folder, in_flight)
        # More pairs in flight than that: each has two calls.
        work = partial(count, judge, pairs, in_flight)
        calls, took = timed(lambda: asyncio.run(work()), time.monotonic)
    efficiency = calls / in_flight * LATENCY_S / took
    return {
        "calls": calls,
        "in flight": in_flight,
        "efficiency": efficiency,
        "at least": 0.9,
    }


def main() -> None:
    """Measure, print, save."""
    quick = arguments(__doc__, quick=(False, "a fortieth of the calls")).quick
    parts = {
        "CPU per call": cpu_per_call(20 if quick else 800),
        "concurrency, 16": efficiency(16 if quick else 640, IN_FLIGHT // 4),
        "concurrency": efficiency(64 if quick else 2560, IN_FLIGHT),
        "concurrency, 256": efficiency(256 if quick else 2560, 4 * IN_FLIGHT),
    }
    for title, result in parts.items():
        lines_of(title, [result])
    if not quick:
        save("judge_overhead", parts)


if __name__ == "__main__":
    main()
