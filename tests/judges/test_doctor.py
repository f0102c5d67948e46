"""The doctor finds what is wrong before a run does."""

import asyncio
import json
from typing import Any

import pytest

from tests.support.cases import verdict
from tests.support.openai_faults import refusal
from tests.support.servers import (
    Answer,
    Server,
    chat,
    completion,
    in_turn,
    ollama_front,
    unused_url,
)
from trace_eval.judges.ask.openai import OpenAIClient
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import Check
from trace_eval.judges.registry.doctor import doctor, key_check


def checks(spec: str, **options: Any) -> dict[str, Check]:
    return {
        check.name: check
        for check in asyncio.run(doctor(spec, JudgeOptions(**options)))
    }


def answered(*answers: Answer, spec: str = "openai:m") -> dict[str, Check]:
    """Return the same of a server that answers so, in turn."""
    with Server(in_turn(list(answers))) as server:
        return checks(spec, base_url=server.url + ("/v1" if spec == "openai:m" else ""))


def test_a_healthy_openai_server(llama: str) -> None:
    report = checks("openai:tiny", base_url=f"{llama}/v1", max_tokens=64)
    healthy = ("judge", "key", "server", "schema", "usage")
    assert all(report[name].ok for name in healthy)
    # A model of random numbers: its pair is judged, or told apart from one that is.
    assert report.keys() - set(healthy) <= {"pair", "orders", "verdict"}
    assert "calls" in report["pair"].detail
    assert "json_schema" in report["schema"].detail


def test_a_healthy_ollama_server(ollama_url: str) -> None:
    report = checks("ollama:tiny", base_url=ollama_url, max_tokens=64)
    # A model of random numbers: its pair may be judged, or its reply may have no end.
    bad = {name for name, check in report.items() if not check.ok}
    assert bad <= {"pair", "orders", "verdict"}
    assert "calls" in report["pair"].detail
    assert "16384 tokens" in report["context"].detail


def test_a_small_context_is_found(llama: str) -> None:
    with ollama_front(llama, context=4096) as server:
        report = checks("ollama:tiny", base_url=server.url, max_tokens=64)
    assert report["server"].ok
    assert not report["context"].ok


@pytest.mark.parametrize("spec", ["openai:tiny", "ollama:tiny"])
def test_a_server_that_is_down(spec: str) -> None:
    report = checks(spec, base_url=unused_url())
    assert not report["server"].ok
    assert "cannot be reached" in report["server"].detail


def test_a_missing_model(ollama_url: str) -> None:
    report = checks("ollama:other", base_url=ollama_url)
    assert "ollama pull other" in report["server"].detail


UNCOUNTED = {
    k: v for k, v in completion('{"rating": "both_good"}').items() if k != "usage"
}


@pytest.mark.parametrize(
    ("spec", "body", "bad"),
    [
        ("openai:m", completion("Hello!"), "schema"),
        ("ollama:m", chat("Hello!"), "schema"),
        ("openai:m", UNCOUNTED, "usage"),
        ("openai:m", completion(""), "reply"),
    ],
)
def test_a_bad_reply_is_found(spec: str, body: Any, bad: str) -> None:
    report = answered(Answer(body=body), spec=spec)
    assert report["server"].ok
    assert not report[bad].ok
    assert bad != "schema" or "Hello!" in report[bad].detail


def test_a_key_in_clear_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    options = JudgeOptions(base_url="http://192.0.2.1/v1")
    (check,) = key_check(OpenAIClient("m", options))  # contacts nobody
    assert not check.ok
    assert "use https" in check.detail
    local = JudgeOptions(base_url="http://127.0.0.1:8080/v1")
    assert key_check(OpenAIClient("m", local))[0].ok


def test_what_needs_no_server_and_what_cannot_be_made() -> None:
    assert checks("rules")["judge"].ok
    assert not checks("nonsense")["judge"].ok
    assert not checks("openai:gpt-4.1")["judge"].ok


def _verdicts(rating: str) -> Answer:
    reply = verdict(rating, rating, rating, "Answer 1 names the city.")
    return Answer(body=completion(json.dumps(reply)))


def test_one_real_pair_shows_what_the_tiny_call_cannot() -> None:
    tiny = Answer(body=completion('{"rating": "both_good"}'))
    found = answered(tiny, refusal(400, "exceed_context_size"))
    assert found["schema"].ok  # all green, and yet no pair fits
    assert not found["pair"].ok
    assert "prompt_cut" in found["pair"].detail
    assert "-J mode=transcript has about" in found["pair"].detail

    found = answered(tiny, _verdicts("1"))
    assert found["pair"].ok
    assert "2 calls" in found["pair"].detail
    assert "2000 tokens in, 100 out" in found["pair"].detail
    assert not found["orders"].ok  # answer 1 in both orders: it answers by place
    assert not found["verdict"].ok

    assert not answered(tiny, _verdicts("..."))["pair"].ok
