"""Estimates: counted by hand where possible, and bounds never under the truth."""

import asyncio
from pathlib import Path

import pytest

from blueprints import Absent, Status
from tests.support.cases import blueprint, case
from tests.support.llm_judges import replied
from trace_eval.judges.ask.estimate import estimate
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.ask.message import (
    PER_MESSAGE,
    Message,
    typical_tokens,
    upper_tokens,
)
from trace_eval.judges.base import Case
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge


def made(**options: object) -> LLMJudge:
    return create_judge("openai:gpt-4.1-mini", JudgeOptions(**options))


def test_calls_and_cost_are_known_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    judge = made(samples=3, max_tokens=500)
    failed = blueprint(transcript=Absent(status=Status.UNAVAILABLE, reason="x"))
    cases = [
        case(pair="p1"),
        case(pair="p2"),
        Case.of(case(pair="p3").pair, failed, blueprint()),
    ]
    forecast = estimate(judge, iter(cases))
    assert (forecast.cases, forecast.unscored, forecast.calls, forecast.cached) == (
        3,
        1,
        12,
        0,
    )
    assert forecast.output_tokens == 12 * 300
    assert forecast.output_tokens_at_most == 12 * 500
    assert forecast.input_tokens < forecast.input_tokens_at_most
    # $0.40 and $1.60 per million tokens.
    expected = (forecast.input_tokens * 0.4 + 3600 * 1.6) / 1e6
    assert forecast.cost_usd == pytest.approx(expected, abs=1e-9)


def test_no_price_means_no_cost() -> None:
    judge = made(base_url="http://10.0.0.1:1/v1")
    forecast = estimate(judge, [case()])
    assert forecast.cost_usd is None
    assert forecast.input_tokens > 0
    nothing = estimate(judge, [])  # to send, as where every reply is kept
    assert (nothing.cost_usd, nothing.cost_usd_at_most) == (0.0, 0.0)
    here = estimate(made(base_url="http://127.0.0.1:1/v1"), [case()])
    assert (here.calls, here.cost_usd) == (2, 0.0)


def test_cached_calls_cost_nothing(llama: str, tmp_path: Path) -> None:
    options = {
        "base_url": f"{llama}/v1",
        "cache": tmp_path / "r.sqlite",
        "temperature": 1.0,
    }
    judge = create_judge("openai:tiny", JudgeOptions(**options))
    assert asyncio.run(judge.judge(case())).status == "scored"
    forecast = estimate(judge, [case(), case(a="other")])
    assert (forecast.calls, forecast.cached) == (2, 2)
    asyncio.run(judge.close())


def test_token_bounds_by_hand() -> None:
    # "hello" is 2 pieces of four letters, "," 1, "12" two digits, "你" two: 7.
    assert upper_tokens([Message("user", "hello, 12 你")]) == PER_MESSAGE + 7
    # A line break, and the second and third space of an indent: 1 + 1 + 2 + 1.
    assert upper_tokens([Message("user", "a\n   b")]) == PER_MESSAGE + 5
    # (16 + 114) / 1.3 = 100.
    assert typical_tokens([Message("user", "1" * 114)]) == 100


def test_the_bound_holds_for_a_real_tokenizer(
    llama: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The model's words are whole tokens, as a large vocabulary has them.
    judge = create_judge(
        "openai:tiny",
        JudgeOptions(base_url=f"{llama}/v1", swap="off", temperature=1, seed=3),
    )
    call = judge.calls(case())[0]
    counted = replied(judge.client, call.request).tokens.input
    assert counted <= upper_tokens(call.request.messages) < 2 * counted
