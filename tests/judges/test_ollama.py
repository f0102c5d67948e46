"""``ollama:`` with the real client, before real sampling and with scripted servers."""

import json
from typing import Any

import pytest

from fusion import DIMENSIONS
from tests.support.cases import case, verdict
from tests.support.llm_judges import judged
from tests.support.openai_faults import judge_once
from tests.support.servers import Answer, Asked, Server, chat, unused_url
from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.base import JudgeUnreachable
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge

GOOD = chat(json.dumps(verdict()))


def made(url: str, model: str = "tiny", **options: Any) -> LLMJudge:
    chosen: dict[str, Any] = {"swap": "off", "backoff_s": 0, "retries": 2}
    chosen |= options
    return create_judge(f"ollama:{model}", JudgeOptions(base_url=url, **chosen))


def scripted(answers: list[Answer], show: Answer | None = None) -> Server:
    """``/api/show`` answers with a large context; ``/api/chat`` with these in turn."""
    left = list(answers)
    shown = show or Answer(body={"model_info": {"llama.context_length": 131072}})

    def answer(asked: Asked) -> Answer:
        if asked.path == "/api/show":
            return shown
        if asked.path == "/api/tags":
            return Answer(
                body={"models": [{"model": "tiny:latest", "digest": "d" * 64}]}
            )
        return left.pop(0) if len(left) > 1 else left[0]

    return Server(answer)


def test_the_digest_of_the_model_is_recorded() -> None:
    with scripted([Answer(body=GOOD)]) as server:
        judge = made(server.url)
        judge_once(judge)
    assert judge.observed()["digest"] == "d" * 64


def chats(server: Server) -> list[dict[str, Any]]:
    return [asked.body for asked in server.asked if asked.path == "/api/chat"]


@pytest.mark.parametrize("elicitation", ["label", "acceptability"])
def test_real_sampling_through_the_native_route(
    front: Server, elicitation: str
) -> None:
    judge = made(front.url, swap="both", temperature=1.0, elicitation=elicitation)
    judgement = judge_once(judge)
    assert judgement.status == "scored", judgement.detail
    assert set(judgement.dimensions) == set(DIMENSIONS)
    assert judgement.usage.cost_usd == 0.0
    bodies = chats(front)
    assert len(bodies) == 2
    for body in bodies:
        # About 2,200 tokens by the bound of ours, and 2,048 of reply: the next power of
        # two.
        assert body["options"]["num_ctx"] == 8192
        assert body["options"] | {"num_ctx": 0} == {
            "num_ctx": 0,
            "seed": 0,
            "temperature": 1.0,
            "num_predict": 2048,
        }
        assert body["keep_alive"] == "10m"
        assert list(body["format"]["properties"]) == list(DIMENSIONS)
        assert body["stream"] is False
    assert judge.observed()["model_context"] == 16384


def test_the_context_grows_in_powers_of_two_and_never_shrinks() -> None:
    with scripted([Answer(body={**GOOD, "prompt_eval_count": 7000})]) as server:
        judge = made(server.url, max_tokens=256)
        judged(judge, (case(a="word " * words) for words in (10, 6000, 10)))
        sizes = [body["options"]["num_ctx"] for body in chats(server)]
    # 6000 short words are 6000 tokens; with the rest of the prompt that is over 8192.
    assert sizes == [4096, 16384, 16384]


def test_a_prompt_that_cannot_fit_is_not_sent() -> None:
    with scripted(
        [Answer(body=GOOD)], Answer(body={"model_info": {"qwen3.context_length": 2048}})
    ) as server:
        judgement = judge_once(made(server.url), a="word " * 6000)
        assert judgement.reason is Reason.PROMPT_CUT
        assert "the context is 2048" in (judgement.detail or "")
        assert chats(server) == []


OK = Answer(body=GOOD)


def bodied(**fields: Any) -> Answer:
    """Return a good reply with other fields; a field that is None is left out."""
    return Answer(body={k: v for k, v in {**GOOD, **fields}.items() if v is not None})


def refusal(status: int, message: str) -> Answer:
    return Answer(status, {"error": message})


# Each: the answers in turn, the reason (None: scored), and how many chats were made.
FAULTS: dict[str, tuple[list[Answer], Reason | None, int]] = {
    "fine": ([OK], None, 1),
    # The context of this prompt is 8192; a count that fills it means a cut.
    "prompt fills the context": (
        [bodied(prompt_eval_count=8192)],
        Reason.PROMPT_CUT,
        1,
    ),
    "prompt was cut to a fraction": (
        [bodied(prompt_eval_count=40)],
        Reason.PROMPT_CUT,
        1,
    ),
    # Some versions leave the count out when the prompt was in their cache.
    "no prompt count": ([bodied(prompt_eval_count=None)], None, 1),
    "prompt count 0": ([bodied(prompt_eval_count=0)], None, 1),
    # ... or count only what was not: the static part may be missing, the pair may not.
    "count without the static part": ([bodied(prompt_eval_count=400)], None, 1),
    "reply cut": ([bodied(done_reason="length")], Reason.REPLY_CUT, 2),
    "reply cut once": ([bodied(done_reason="length"), OK], None, 2),
    "only loaded": (
        [bodied(message={"role": "assistant"}, done_reason="load")],
        Reason.UNPARSEABLE,
        2,
    ),
    "not done": ([bodied(done=False)], Reason.UNPARSEABLE, 2),
    "no done_reason": ([bodied(done_reason=None)], None, 1),
    "empty": ([Answer(body=chat(""))], Reason.UNPARSEABLE, 2),
    "wrong label": ([Answer(body=chat(json.dumps(verdict("A"))))], Reason.OFF_LABEL, 2),
    "2 MB": ([Answer(body=chat("x" * 2**21))], Reason.UNPARSEABLE, 2),
    "200 not json": ([Answer(body=b"hello")], Reason.UNPARSEABLE, 2),
    "200 without message": ([Answer(body={})], Reason.UNPARSEABLE, 2),
    "500": ([refusal(500, "boom"), OK], None, 2),
    "500 text": ([Answer(500, b"Internal"), OK], None, 2),
    "503 busy": ([refusal(503, "server busy")], Reason.SERVER_ERROR, 3),
    "429": ([refusal(429, "slow"), OK], None, 2),
    "429 for ever": ([refusal(429, "slow")], Reason.RATE_LIMITED, 3),
    "404 model": ([refusal(404, "model 'tiny' not found")], Reason.REFUSED, 1),
    "400": ([refusal(400, "does not support thinking")], Reason.REFUSED, 1),
    "too long": (
        [refusal(500, "input length exceeds the context length")],
        Reason.PROMPT_CUT,
        1,
    ),
    "reset in mid-body": ([Answer(body=GOOD, cut=30), OK], None, 2),
    "reset for ever": ([Answer(body=GOOD, cut=30)], Reason.UNREACHABLE, 3),
    "slow": ([Answer(body=GOOD, sleep=1.0), OK], None, 2),
    "slow for ever": ([Answer(body=GOOD, sleep=1.0)], Reason.UNREACHABLE, 2),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults(name: str) -> None:
    answers, reason, requests = FAULTS[name]
    with scripted(answers) as server:
        judge = made(server.url, timeout_s=0.5 if "slow" in name else 20)
        judgement = judge_once(judge)
        assert judgement.reason is reason, judgement.detail
        assert (judgement.status == "scored") is (reason is None)
        assert len(chats(server)) == requests
        assert judge.sender.asker.caller.limiter.in_flight == 0


def test_a_missing_model_says_how_to_get_it(ollama_url: str) -> None:
    judgement = judge_once(made(ollama_url, "qwen3:8b"))
    assert judgement.reason is Reason.REFUSED
    assert "run: ollama pull qwen3:8b" in (judgement.detail or "")


def test_a_server_that_is_down_says_how_to_start_it() -> None:
    with pytest.raises(
        JudgeUnreachable, match=r"ollama serve.*repeat the same command to go on"
    ):
        judge_once(made(unused_url()))


@pytest.mark.parametrize(
    "show",
    [
        Answer(404, b"404 page not found"),
        Answer(500, {"error": "x"}),
        Answer(body={}),
        Answer(body={"model_info": {"general.x": 1, "qwen3.context_length": None}}),
        Answer(body=b"?"),
    ],
)
def test_a_server_that_does_not_tell_its_context_is_used_all_the_same(
    show: Answer,
) -> None:
    with scripted([Answer(body=GOOD)], show) as server:
        judge = made(server.url)
        assert judge_once(judge).status == "scored"
        assert judge.observed()["model_context"] is None


def test_the_address_comes_from_the_environment(
    ollama_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", ollama_url.removeprefix("http://"))
    judge = create_judge("ollama:tiny", JudgeOptions(swap="off", temperature=1.0))
    assert judge.client.server == ollama_url
    assert judge_once(judge).status == "scored"


def test_its_key_is_kept_secret_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", "my-ollama-key-1")

    def echo(asked: Asked) -> Answer:
        return Answer(401, {"error": f"refused: {asked.headers['authorization']}"})

    with Server(echo) as server:
        judge = made(server.url)
        judgement = judge_once(judge)
        assert server.asked[0].headers["authorization"] == "Bearer my-ollama-key-1"
    text = judgement.model_dump_json() + repr(judge) + json.dumps(judge.parameters())
    assert judgement.reason is Reason.REFUSED
    assert "my-ollama-key-1" not in text


def test_thinking_and_a_chosen_context_are_passed_on() -> None:
    with scripted([Answer(body=GOOD)]) as server:
        judge_once(made(server.url, think=False, num_ctx=5000))
        judge_once(made(server.url))
        first, second = chats(server)
    assert (first["think"], first["options"]["num_ctx"]) == (False, 5000)
    assert "think" not in second
