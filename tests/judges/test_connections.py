"""The connections of ``openai:``: proxies of the environment, and missing servers."""

import pytest

from tests.support.llm_judges import replied
from tests.support.openai_faults import OK, judge_once, made
from tests.support.servers import Server, in_turn, unused_url
from trace_eval.judges.ask.base import CallFailed, Request
from trace_eval.judges.ask.connection import has_socks, ran_out_of_time
from trace_eval.judges.ask.message import Message
from trace_eval.judges.ask.openai import OpenAIClient
from trace_eval.judges.options.judge_options import JudgeOptions

REQUEST = Request(
    (Message("user", "Which?"),),
    {"type": "object"},
    seed=0,
    temperature=0.0,
    max_tokens=9,
)


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http", "https", "all", "no"):
        monkeypatch.delenv(f"{name}_proxy", raising=False)
        monkeypatch.delenv(f"{name.upper()}_PROXY", raising=False)


def test_calls_go_through_the_proxy_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Server(in_turn([OK])) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        judgement = judge_once(made("http://model.invalid"))
        assert judgement.status == "scored", judgement.detail
        assert proxy.asked[0].path == "http://model.invalid/v1/chat/completions"
        assert proxy.asked[0].headers["authorization"] == "Bearer none"


def test_headers_of_the_account_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    with Server(in_turn([OK])) as server:
        judge_once(made(server.url))
        assert server.asked[0].headers["openai-organization"] == "org-1"
        assert server.asked[0].headers["accept-encoding"] == "gzip, deflate"


@pytest.mark.parametrize(
    ("proxy", "socks"), [("socks5://127.0.0.1:9", True), ("http://127.0.0.1:9", False)]
)
def test_only_socks_needs_other_connections(
    proxy: str, socks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    assert has_socks() is socks


@pytest.mark.parametrize("has_name", [False, True])
def test_a_server_that_is_not_there_has_not_worked(has_name: bool) -> None:
    url = "http://nobody.invalid" if has_name else unused_url()
    client = OpenAIClient("tiny", JudgeOptions(base_url=f"{url}/v1", retries=0))
    with pytest.raises(CallFailed, match="cannot be reached") as failed:
        replied(client, REQUEST)
    assert failed.value.unreachable
    assert not failed.value.billed


def test_a_connection_that_the_system_gave_up_on_did_not_take_all_of_the_time() -> None:
    own, of_the_system = TimeoutError(), TimeoutError(110, "Connection timed out")
    assert ran_out_of_time(own)
    assert not ran_out_of_time(of_the_system)
