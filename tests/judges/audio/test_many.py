"""Many pairs: bodies live as long as their calls, and hostile recordings cost one item."""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.support.audio_cases import case, said, write
from tests.support.cli import ROOT
from tests.support.llm_judges import listening_judge, scoring_judge
from trace_eval.data.answers import Answer, Turn
from trace_eval.data.items import Single
from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.base import Reply, Request, Tokens
from trace_eval.judges.ask.openai import OpenAIClient
from trace_eval.judges.ask.prices import FREE
from trace_eval.judges.base import Case
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.views.answer.audio import AudioView
from trace_eval.judges.views.sound.encode import Waveform, sound_of
from trace_eval.rubrics.load import load_rubric
from trace_eval.runs.pipeline import decode_recording

IN_FLIGHT = 8
PAIRS = 150


class Weighing(OpenAIClient):
    """Makes every body as it would be sent, and remembers the bytes of the examples."""

    alive = most = calls = 0
    reply = said("1")

    def __init__(self, model: str, options: JudgeOptions) -> None:
        super().__init__(model, options)
        self.prefixes: set[str] = set()

    async def chat(self, request: Request) -> Reply:
        self.alive += 1
        self.most = max(self.most, self.alive)
        body = await asyncio.to_thread(self.body, request)
        self.prefixes.add(json.dumps(body["messages"][:-1]))
        self.calls += 1
        await asyncio.sleep(0)
        self.alive -= 1
        return Reply(self.reply, Tokens(5000, 20))


def test_memory_is_flat_over_many_pairs() -> None:
    """The benchmark of 10,000 pairs with 150 of them, in a process of their own.

    Four are in flight, not 64: how many bodies there are at once then hardly matters.

    Kept bodies would add 200 MB between the thirds: 100 pairs in two orders, 1 MB each.
    """
    code = "import json; from benchmarks.audio_judge import memory; found = memory(150, 1, 4)"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; print(json.dumps(found))"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    found = json.loads(done.stdout)
    assert found["GB sent"] > 0.2
    assert found["bodies alive at most"] <= found["in flight"]
    assert found["peak of the last third over the first"] < 1.15


@pytest.mark.slow
def test_dialogues_rated_many_times_keep_no_sound(tmp_path: Path) -> None:
    """200 dialogues x 5 samples at 16 in flight stay under 12 MB; all bodies have 190 MB."""
    items, in_flight = 200, 16
    options = JudgeOptions(
        base_url="http://127.0.0.1:1/v1", samples=5, temperature=1.0, concurrency=in_flight
    )
    client = Weighing("m", options)
    client.reply = said(4, key="score")
    rubric = load_rubric("role_style")
    judge = scoring_judge(
        "audio:openai:m", client, options, FREE, rubric, AudioView(rubric, options)
    )
    turns = tuple(Turn(audio=write(tmp_path / f"{n}.wav", 0.5, 300.0 * n)) for n in (1, 2))

    async def some(numbers: range) -> int:
        window = asyncio.Semaphore(in_flight)

        async def one(number: int) -> None:
            item = Single(id=f"d{number}", answer=Answer(turns=turns))
            async with window:
                score = await judge.judge(Case(item, {}, decode_recording))
                assert (score.status, score.value, score.used) == ("scored", 4.0, 5)

        await asyncio.gather(*(one(n) for n in numbers))
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    async def both() -> tuple[int, int]:
        return await some(range(50)), await some(range(50, items))

    tracemalloc.start()
    try:
        before, after = asyncio.run(both())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert client.calls == 5 * items
    assert client.most <= in_flight
    # layouts are remembered (256 at most, without samples): far less than a 0.19 MB body each
    assert after - before < 1_000_000
    assert peak < 12_000_000


def test_an_empty_recording_costs_its_pair(tmp_path: Path) -> None:
    made = case(tmp_path)
    soundfile.write(tmp_path / "p_a.wav", np.zeros(0), 24_000)
    options = JudgeOptions(base_url="http://127.0.0.1:1/v1", task="s2s")
    judge = listening_judge("audio:openai:m", Weighing("m", options), options)
    judgement = asyncio.run(judge.judge(made))
    assert (judgement.status, judgement.reason) == ("unscored", Reason.CLIP_FAILED)
    assert "no samples" in str(judgement.detail)


def test_half_an_hour_is_refused_before_it_is_rendered(tmp_path: Path) -> None:
    path = tmp_path / "long.wav"
    soundfile.write(path, np.full(30 * 60 * 8000, 999, np.int16), 8000, subtype="PCM_16")
    recording = Answer(audio=path)
    clip = decode_recording(recording)
    waveform = Waveform((sound_of(clip, lambda: clip),), 24_000)
    assert waveform.part().base64_size > 100e6
    made = case(tmp_path)
    long = made.pair.model_copy(update={"b": recording})
    options = JudgeOptions(base_url="http://127.0.0.1:1/v1", task="s2s", max_clip_seconds=3600)
    client = Weighing("m", options)
    judge = listening_judge("audio:openai:m", client, options)
    judgement = asyncio.run(judge.judge(type(made).of(long, made.a, made.b, None, made.decode)))
    assert judgement.reason == Reason.TOO_LARGE
    assert client.calls == 0
