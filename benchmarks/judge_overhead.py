"""What judging costs beside the model: CPU per call, concurrency, and memory.

    python -m benchmarks.judge_overhead            # all three, about two minutes
    python -m benchmarks.judge_overhead --quick    # a fortieth of the calls

A loopback server in a process of its own answers every chat completion with the same
verdict after a fixed latency, so all CPU that this process spends is ours. Printed:

- CPU per call at 0 ms latency: our rendering, request, parsing, reconciling and reply
  cache, with the openai package and HTTP (target: under 5 ms), and how much of it is ours;
- concurrency efficiency at 200 ms latency with 64 and with 256 calls in flight: the time that a
  server of that latency makes unavoidable, over the time it took (target: at least 0.9). 256 in
  flight are 1,280 calls a second, more than one core can make: that row shows what one core does;
- 20,000 pairs: resident memory after 2,000 pairs against that at the end;
- a cache of 1,000,000 replies, each read once: resident memory after a tenth and at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sqlite3
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

from benchmarks.llm_server import VERDICT, server
from benchmarks.report import save, table
from blueprints import Blueprint, Contour, Span, Word
from tests.support import blueprints as make
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.judgement import Judgement
from trace_eval.data.pairs import Pair
from trace_eval.judges.ask.base import Reply, Request, Tokens
from trace_eval.judges.ask.calls import Backend
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.ask.replies import ReplyCache, StoredReply
from trace_eval.judges.base import Case
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge
from trace_eval.judges.registry.kinds import compares

IN_FLIGHT = 64
LATENCY_S = 0.2
MANY = 20_000
WORDS = "the leaning tower of pisa began to lean while it was being built because the soil is soft"


def blueprint(number: int) -> Blueprint:
    """A clip of 20 s with all groups, contours of full length included."""
    words = f"{WORDS} {number} ".split() * 3
    return Blueprint(
        clip=f"{number:064x}",
        signal=make.signal(
            duration_s=20.0,
            speech_s=17.0,
            speech=[Span(start_s=0.2, end_s=17.2)],
            pauses=[Span(start_s=n, end_s=n + 0.4) for n in range(2, 17, 3)],
        ),
        transcript=make.transcript(
            " ".join(words),
            words=[
                Word(text=word, start_s=0.3 * n, end_s=0.3 * n + 0.25, confidence=0.9)
                for n, word in enumerate(words)
            ],
        ),
        quality=make.quality(windows=2),
        pitch=make.pitch(
            contour=Contour(
                start_s=0.0,
                step_s=0.04,
                values=[None if n % 5 == 0 else 150.0 + n % 60 for n in range(500)],
            )
        ),
        loudness=make.loudness(
            contour=Contour(start_s=0.0, step_s=0.1, values=[-20.0 - n % 7 for n in range(200)])
        ),
        rate=make.rate(
            words=len(words),
            contour=Contour(start_s=0.0, step_s=0.5, values=[4.0 + n % 3 for n in range(40)]),
        ),
        emotion=make.emotion(happy=0.7, neutral=0.2, sad=0.1),
    )


CLIPS = (blueprint(0), blueprint(1))


def case(number: int) -> Case:
    """A pair whose prompt no other pair has; the clips are shared, to be made quickly."""
    pair = Pair(
        id=f"p{number}",
        instruction=Instruction(text=f"Tell me number {number} of the leaning tower of Pisa."),
        a=Answer(audio=Path("a.wav")),
        b=Answer(audio=Path("b.wav")),
    )
    return Case.of(pair, CLIPS[0], CLIPS[1])


async def judge_all(judge: LLMJudge, pairs: int, at_once: int) -> AsyncIterator[Judgement]:
    """Judge so many fresh cases with a bounded number in flight; keeps none."""
    numbers = iter(range(pairs))
    results: asyncio.Queue[Judgement] = asyncio.Queue(maxsize=at_once)

    async def worker() -> None:
        for number in numbers:
            await results.put(await judge.judge(case(number)))

    workers = [asyncio.create_task(worker()) for _ in range(at_once)]
    try:
        for _ in range(pairs):
            yield await results.get()
    finally:
        await asyncio.gather(*workers)
        await judge.close()


async def count(judge: LLMJudge, pairs: int, at_once: int) -> int:
    """Judge; returns how many calls were made."""
    calls = 0
    async for judgement in judge_all(judge, pairs, at_once):
        assert judgement.status == "scored", judgement.detail
        calls += len(judgement.opinions)
    return calls


def made(url: str, folder: str, in_flight: int) -> LLMJudge:
    """An openai judge with both orders and a reply cache."""
    judge = create_judge(
        "openai:m",
        JudgeOptions(
            base_url=url, concurrency=in_flight, cache=Path(folder) / "replies.sqlite", retries=0
        ),
    )
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
        """The verdict."""
        return Reply(VERDICT, Tokens(3000, 200))

    async def close(self) -> None:
        """Nothing."""


def making(pairs: int) -> float:
    """CPU seconds of the benchmark's own making of cases."""
    started = time.process_time()
    for number in range(pairs):
        case(number)
    return time.process_time() - started


def cpu_per_call(pairs: int) -> dict[str, float]:
    """CPU milliseconds per call at 0 ms latency, all of it and ours alone."""
    with server(0.0) as url, tempfile.TemporaryDirectory() as folder:
        asyncio.run(count(made(url, folder, 8), 20, 8))
        baseline = making(pairs)
        with tempfile.TemporaryDirectory() as fresh:
            started = time.process_time()
            calls = asyncio.run(count(made(url, fresh, 8), pairs, 8))
            whole = time.process_time() - started - baseline
    with tempfile.TemporaryDirectory() as folder:
        options = JudgeOptions(cache=Path(folder) / "replies.sqlite", retries=0)
        judge = compares(Backend("openai:m", Instant()), options)  # type: ignore[arg-type]
        started = time.process_time()
        asyncio.run(count(judge, pairs, 8))
        own = time.process_time() - started - baseline
    return {
        "calls": calls,
        "CPU ms per call": 1000 * whole / calls,
        "of it ours": 1000 * own / calls,
        "target, under": 5.0,
    }


def efficiency(pairs: int, in_flight: int) -> dict[str, float]:
    """Latency-bound ideal over what it took."""
    with server(LATENCY_S) as url, tempfile.TemporaryDirectory() as folder:
        started, worked = time.monotonic(), time.process_time()
        # More pairs in flight than that: each has two calls.
        calls = asyncio.run(count(made(url, folder, in_flight), pairs, in_flight))
        took, busy = time.monotonic() - started, time.process_time() - worked
    ideal = calls / in_flight * LATENCY_S
    return {
        "calls": calls,
        "latency s": LATENCY_S,
        "in flight": in_flight,
        "ideal s": ideal,
        "took s": took,
        "CPU s": busy,
        "efficiency": ideal / took,
        "target, at least": 0.9,
    }


def resident_mb() -> float:
    """Resident memory now, MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def memory(pairs: int) -> dict[str, float]:
    """Resident memory over many pairs, through the instant client."""

    async def main(judge: LLMJudge) -> list[float]:
        seen, done = [], 0
        async for _ in judge_all(judge, pairs, IN_FLIGHT):
            done += 1
            if done % (pairs // 10) == 0:
                seen.append(resident_mb())
        return seen

    with tempfile.TemporaryDirectory() as folder:
        options = JudgeOptions(cache=Path(folder) / "replies.sqlite", retries=0)
        judge = compares(Backend("openai:m", Instant()), options)  # type: ignore[arg-type]
        started = time.monotonic()
        seen = asyncio.run(main(judge))
        took = time.monotonic() - started
    return {
        "pairs": pairs,
        "took s": took,
        "MB after a tenth": seen[0],
        "MB at the end": seen[-1],
        "ratio": seen[-1] / seen[0],
        "target, under": 1.1,
    }


def kept_replies(number: int) -> dict[str, float]:
    """Resident memory while a cache of so many replies is read from one end to the other."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "replies.sqlite"
        ReplyCache(path).close()
        with closing(sqlite3.connect(path)) as db, db:
            # As an older version wrote them: without a digest.
            record = StoredReply(text=VERDICT, input_tokens=3000).model_dump_json()
            rows = ((f"{n:064x}", record) for n in range(number))
            db.executemany("INSERT INTO replies VALUES (?, ?)", rows)
        replies, seen = ReplyCache(path), []
        started = time.process_time()
        for n in range(number):
            assert replies.get(f"{n:064x}")
            if (n + 1) % (number // 10) == 0:
                seen.append(resident_mb())
        took = time.process_time() - started
        replies.close()
    return {
        "replies": number,
        "CPU s": took,
        "MB after a tenth": seen[0],
        "MB at the end": seen[-1],
        "ratio": seen[-1] / seen[0],
        "target, under": 1.1,
    }


def main() -> None:
    """Run all of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="a fortieth of the calls")
    quick = parser.parse_args().quick
    parts = {
        "CPU per call": cpu_per_call(20 if quick else 800),
        "concurrency": efficiency(64 if quick else 2560, IN_FLIGHT),
        "concurrency, 256": efficiency(256 if quick else 2560, 4 * IN_FLIGHT),
        "memory": memory(MANY // 40 if quick else MANY),
        "kept replies": kept_replies(25_000 if quick else 1_000_000),
    }
    for title, result in parts.items():
        table(title, list(result), [list(result.values())])
    if not quick:
        save("judge_overhead", parts)


if __name__ == "__main__":
    main()
