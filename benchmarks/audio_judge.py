"""What a judge that listens costs beside the model: encoding, CPU per call, and memory.

    python -m benchmarks.audio_judge            # all three, some minutes
    python -m benchmarks.audio_judge --quick    # a twentieth of the calls

- encoding: milliseconds to decode, join and write a second of sound, at its own rate and
  resampled, and the base64 megabytes that it becomes;
- CPU per call at 0 ms latency: both orders of pairs of two 10 s answers with a 5 s instruction
  and four examples, everything joined; all of it with HTTP, and of it ours;
- 10,000 pairs with 64 calls in flight: resident memory after a tenth against that at the end,
  and the bodies that were alive at once. Every body is really made and really dropped.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from benchmarks.judge_overhead import IN_FLIGHT, resident_mb
from benchmarks.llm_server import server
from benchmarks.report import save, table
from blueprints import Blueprint
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.judgement import Judgement
from trace_eval.data.pairs import Pair
from trace_eval.judges.ask.base import Choices, Reply, Request, Tokens
from trace_eval.judges.ask.calls import Backend
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.ask.openai import OpenAIClient
from trace_eval.judges.base import Case
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.kinds import compares
from trace_eval.judges.views.sound.encode import Waveform, sound_of
from trace_eval.runs.pipeline import decode_recording

MANY = 10_000
DISTINCT = 40
#: A judge that listens reads no blueprint.
BLANK = Blueprint(clip="0" * 64)

REPLY = json.dumps({"reasoning": "as measured " * 12, "label": "1"})


def write(path: Path, seconds: float, seed: int, rate: int = 24_000) -> Path:
    """A recording of noise with a slow envelope."""
    draw = np.random.default_rng(seed)
    count = round(seconds * rate)
    envelope = 0.1 + 0.1 * np.sin(2 * np.pi * 3 * np.arange(count) / rate)
    soundfile.write(path, envelope * draw.standard_normal(count), rate, subtype="PCM_16")
    return path


def cases(folder: Path, seconds: float, instruction_s: float) -> list[Case]:
    """Distinct pairs of recordings on disk."""
    made = []
    for number in range(DISTINCT):
        a, b = (
            write(folder / f"{number}_{side}.wav", seconds, 2 * number + n)
            for n, side in enumerate("ab")
        )
        requested = write(folder / f"{number}_i.wav", instruction_s, 1000 + number, 16_000)
        pair = Pair(
            id=f"p{number}",
            instruction=Instruction(audio=requested),
            a=Answer(audio=a),
            b=Answer(audio=b),
        )
        made.append(Case.of(pair, BLANK, BLANK, None, decode_recording))
    return made


def examples(folder: Path, seconds: float) -> Path:
    """Four solved pairs of recordings of their own."""
    lines = []
    for number, label in enumerate(("1", "2", "1", "2")):
        names = [
            str(write(folder / f"ex{number}_{n}.wav", seconds, 500 + 3 * number + n))
            for n in range(3)
        ]
        record = {
            "instruction": {"audio": names[0]},
            "a": {"audio": names[1]},
            "b": {"audio": names[2]},
        }
        lines.append(json.dumps({"id": f"e{number}", **record, "answer": {"label": label}}))
    path = folder / "examples.jsonl"
    path.write_text("\n".join(lines))
    return path


class Weighing(OpenAIClient):
    """Makes every body as it would be sent, and weighs it instead of sending it."""

    alive = most = 0
    sent = 0

    async def chat(self, request: Request) -> Reply:
        """The same verdict for all."""
        body = await asyncio.to_thread(self.body, request)
        self.alive += 1
        self.most = max(self.most, self.alive)
        data = json.dumps(body)
        self.sent += len(data)
        await asyncio.sleep(0.01)
        self.alive -= 1
        return Reply(REPLY, Tokens(3000, 200))


def judge(folder: Path, url: str, client: type[OpenAIClient], **options: Any) -> LLMJudge:
    """The AudioJudge protocol with four examples."""
    options = {"concurrency": IN_FLIGHT, **options}
    chosen = JudgeOptions(
        base_url=url,
        preset="audiojudge",
        retries=0,
        examples=folder / "examples.jsonl",
        **options,
    )
    return compares(Backend("audio:openai:m", client("m", chosen)), chosen, listens=True)


def encoding() -> dict[str, float]:
    """Milliseconds and megabytes of a second of sound."""
    results: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, rate in (("24 kHz as it is", 24_000), ("16 kHz to 24 kHz", 16_000)):
            path = write(Path(folder) / f"{rate}.wav", 60.0, 1, rate)

            def read(path: Path = path) -> Any:
                return decode_recording(Answer(audio=path))

            waveform = Waveform((sound_of(read(), read),), 24_000)
            started = time.process_time()
            for _ in range(5):
                waveform.render()
            results[f"ms a second, {name}"] = 1000 * (time.process_time() - started) / 5 / 60
        results["base64 MB a minute"] = waveform.part().base64_size / 1e6
    return results


async def judge_all(made: LLMJudge, ready: list[Case], pairs: int) -> AsyncIterator[Judgement]:
    """A bounded window of pairs in flight, cycling through the cases."""
    window = asyncio.Semaphore(made.options.concurrency)

    async def one(number: int) -> Judgement:
        async with window:
            return await made.judge(ready[number % len(ready)])

    for start in range(0, pairs, 10 * IN_FLIGHT):
        stop = min(pairs, start + 10 * IN_FLIGHT)
        for done in asyncio.as_completed([one(n) for n in range(start, stop)]):
            yield await done


async def count(made: LLMJudge, ready: list[Case], pairs: int) -> int:
    """Judge so many pairs; returns the calls."""
    calls = 0
    async for judgement in judge_all(made, ready, pairs):
        assert judgement.status == "scored", judgement.detail
        calls += len(judgement.opinions)
    await made.close()
    return calls


def cpu_per_call(pairs: int) -> dict[str, float]:
    """CPU milliseconds per call, with HTTP and without."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ready = cases(folder, 10.0, 5.0)
        examples(folder, 3.0)
        with server(0.0) as url:
            sending = judge(folder, url, _Fixed)
            started = time.process_time()
            calls = asyncio.run(count(sending, ready, pairs))
            whole = time.process_time() - started
        weighing = judge(folder, "http://127.0.0.1:1/v1", Weighing)
        started = time.process_time()
        asyncio.run(count(weighing, ready, pairs))
        own = time.process_time() - started
        client = weighing.client
        assert isinstance(client, Weighing)
    return {
        "calls": calls,
        "MB a body": client.sent / calls / 1e6,
        "CPU ms per call": 1000 * whole / calls,
        "of it ours": 1000 * own / calls,
    }


class _Fixed(OpenAIClient):
    """Sends for real; the benchmark's server knows one reply only."""

    def read_choices(self, data: bytes, request: Request | None) -> Choices:
        """The verdict, once the response has come."""
        tokens = super().read_choices(data, None).tokens
        return Choices((Reply(REPLY, tokens),), tokens)


def memory(pairs: int, seconds: float = 2.0, in_flight: int = IN_FLIGHT) -> dict[str, float]:
    """Resident memory over many pairs of answers of so many seconds."""

    async def main(made: LLMJudge, ready: list[Case]) -> list[float]:
        seen = [resident_mb() async for _ in judge_all(made, ready, pairs)]
        await made.close()
        return seen

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ready = cases(folder, seconds, 1.0)
        examples(folder, 1.0)
        made = judge(folder, "http://127.0.0.1:1/v1", Weighing, concurrency=in_flight)
        started = time.monotonic()
        seen = asyncio.run(main(made, ready))
        took = time.monotonic() - started
        client = made.client
        assert isinstance(client, Weighing)
    return {
        "pairs": pairs,
        "took s": took,
        "GB sent": client.sent / 1e9,
        "bodies alive at most": client.most,
        "in flight": in_flight,
        "MB after a tenth": seen[pairs // 10 - 1],
        "MB at the end": seen[-1],
        "ratio": seen[-1] / seen[pairs // 10 - 1],
        "peak of the last third over the first": max(seen[-(pairs // 3) :])
        / max(seen[: pairs // 3]),
        "target, under": 1.1,
    }


def main() -> None:
    """Run all three."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="a twentieth of the calls")
    quick = parser.parse_args().quick
    parts = {
        "encoding": encoding(),
        "CPU per call": cpu_per_call(20 if quick else 200),
        "memory": memory(MANY // 20 if quick else MANY),
    }
    for title, result in parts.items():
        table(title, list(result), [list(result.values())])
    if not quick:
        save("audio_judge", parts)


if __name__ == "__main__":
    main()
