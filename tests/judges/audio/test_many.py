"""Many pairs: bodies live as long as their calls; hostile recordings cost one item."""

from __future__ import annotations

import asyncio
import gc
import json
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests.support.audio_cases import case, examples, said, write
from tests.support.llm_judges import listening_judge, scoring_judge, unasked
from trace_eval.data.answers import Answer, RecordedTurn
from trace_eval.data.items import Single
from trace_eval.data.outcome import Reason
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.judges.ask.base import Reply, Request, Tokens
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.ask.openai import OpenAIClient
from trace_eval.judges.ask.prices import FREE
from trace_eval.judges.base import Case, Judge
from trace_eval.judges.views.answer.audio import AudioView
from trace_eval.judges.views.sound.encode import Waveform, sound_of
from trace_eval.runs.pipeline import decode_recording


class Weighing(OpenAIClient):
    """Makes every body as it would be sent."""

    alive = most = calls = sent = 0
    reply = said("1")

    async def chat(self, request: Request) -> Reply:
        self.alive += 1
        self.most = max(self.most, self.alive)
        body = await asyncio.to_thread(self.body, request)
        self.sent += len(json.dumps(body))
        self.calls += 1
        await asyncio.sleep(0)
        self.alive -= 1
        return Reply(self.reply, Tokens(5000, 20))


def weighed(**options: Any) -> tuple[LLMJudge, Weighing]:
    """Make a judge of pairs that sends its bodies nowhere."""
    chosen = unasked(**options)
    client = Weighing("m", chosen)
    return listening_judge("audio:openai:m", client, chosen), client


def grown(
    judge: Judge, case_of: Callable[[int], Case], items: int, in_flight: int
) -> tuple[int, int]:
    """Bytes that the last three quarters of the items leave behind, and the peak."""

    async def some(numbers: range) -> int:
        window = asyncio.Semaphore(in_flight)

        async def one(number: int) -> None:
            async with window:
                outcome = await judge.judge(case_of(number))
                assert outcome.status == "scored", outcome.detail

        await asyncio.gather(*(one(n) for n in numbers))
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    async def both() -> int:
        before = await some(range(items // 4))
        return await some(range(items // 4, items)) - before

    tracemalloc.start()
    try:
        return asyncio.run(both()), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_is_flat_over_many_pairs(tmp_path: Path) -> None:
    """80 pairs in two orders with four examples; kept bodies would add 27 MB."""
    cases = [case(tmp_path, f"p{n}", hertz=300.0 + n) for n in range(4)]
    solved = examples(tmp_path, [{"label": label} for label in "1212"])
    judge, client = weighed(preset="audiojudge", examples=solved)
    left, _ = grown(judge, lambda n: cases[n % 4], 80, 4)
    assert client.sent > 30e6
    assert client.most <= 8  # each pair has two orders
    assert left < 1_000_000


@pytest.mark.slow
def test_dialogues_rated_many_times_keep_no_sound(tmp_path: Path) -> None:
    """200 dialogues x 5 samples, 16 at once, take under 12 MB; all bodies, 190 MB."""
    items, in_flight = 200, 16
    options = unasked(samples=5, temperature=1.0, concurrency=in_flight)
    client = Weighing("m", options)
    client.reply = said(4, key="score")
    rubric = load_rubric("role_style")
    judge = scoring_judge(
        "audio:openai:m",
        client,
        options=options,
        price=FREE,
        rubric=rubric,
        heard=AudioView(rubric, options),
    )
    turns = tuple(
        RecordedTurn(audio=write(tmp_path / f"{n}.wav", 0.5, 300.0 * n)) for n in (1, 2)
    )

    def dialogue(number: int) -> Case:
        return Case(
            Single(id=f"d{number}", answer=Answer(turns=turns)), {}, decode_recording
        )

    left, peak = grown(judge, dialogue, items, in_flight)
    assert client.calls == 5 * items
    assert client.most <= in_flight
    # layouts are remembered (256 at most, without samples): far less than a 0.19 MB
    # body each
    assert left < 1_000_000
    assert peak < 12_000_000


def test_an_empty_recording_costs_its_pair(tmp_path: Path) -> None:
    one_case = case(tmp_path)
    soundfile.write(tmp_path / "p_a.wav", np.zeros(0), 24_000)
    judge, _ = weighed(task="s2s")
    judgement = asyncio.run(judge.judge(one_case))
    assert (judgement.status, judgement.reason) == ("unscored", Reason.CLIP_FAILED)
    assert "no samples" in str(judgement.detail)


def test_half_an_hour_is_refused_before_it_is_rendered(tmp_path: Path) -> None:
    path = tmp_path / "long.wav"
    soundfile.write(
        path, np.full(30 * 60 * 8000, 999, np.int16), 8000, subtype="PCM_16"
    )
    recording = Answer(audio=path)
    clip = decode_recording(recording)
    waveform = Waveform((sound_of(clip, lambda: clip),), 24_000)
    assert waveform.part().base64_size > 100e6
    one_case = case(tmp_path)
    long = one_case.pair.model_copy(update={"b": recording})
    judge, client = weighed(task="s2s", max_clip_seconds=3600)
    judgement = asyncio.run(judge.judge(replace(one_case, item=long)))
    assert judgement.reason == Reason.TOO_LARGE
    assert client.calls == 0
