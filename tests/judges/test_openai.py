"""``openai:`` against a real llama.cpp server, and against servers that misbehave."""

import asyncio
import itertools
import json
import logging
import threading
import time
import traceback
from contextlib import ExitStack
from typing import Any

import pytest

from blueprints import UserError
from fusion import DIMENSIONS
from tests.support.cases import case, verdict
from tests.support.llm_judges import judged, replied
from tests.support.openai_faults import FAULTS, OK, judge_once, made, refusal
from tests.support.servers import Answer, Asked, Server, completion, in_turn, unused_url
from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.base import CallFailed
from trace_eval.judges.ask.connection import CALLS_PER_CLIENT, PerLoop
from trace_eval.judges.ask.openai_dialect import retry_after
from trace_eval.judges.base import JudgeUnreachable
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge

KEY = "sk-test-0123456789abcdef"


# Real sampling.


@pytest.mark.parametrize("elicitation", ["label", "acceptability"])
def test_real_constrained_sampling_gives_typed_ties(
    llama: str, elicitation: str
) -> None:
    judge = made(llama, swap="both", samples=2, elicitation=elicitation)

    for judgement in judged(judge, [case()], at_once=True):
        assert judgement.status == "scored", judgement.detail
        assert set(judgement.dimensions) == set(DIMENSIONS)
        assert len(judgement.opinions) == 4
        assert judgement.usage.input_tokens > 4000
        assert judgement.usage.cost_usd == 0  # the server is on this machine
    assert judge.observed()["structure"] == "json_schema"
    assert judge.observed()["model"] == "tiny"


def test_the_servers_prefix_cache_finds_the_static_part(llama: str) -> None:
    judge = made(llama, concurrency=1, max_tokens=16, repair=False)

    last = judged(judge, (case(a=f"answer {n}") for n in range(3)))[-1]
    # The system message is over three quarters of this small prompt.
    assert last.usage.cached_tokens > 0.75 * last.usage.input_tokens


def test_both_orders_share_all_before_the_answers(llama: str) -> None:
    judge = made(
        llama,
        concurrency=1,
        swap="both",
        rendering="brief",
        max_tokens=16,
        repair=False,
    )
    asked = case(instruction="tell me of the tower " * 60)
    texts = []
    for call in judge.calls(asked):
        texts.append("\n".join(message.content for message in call.request.messages))
    ab, ba = texts
    shared = ab[
        : next(n for n, (x, y) in enumerate(zip(ab, ba, strict=False)) if x != y)
    ]
    assert "tower tell me of the tower" in shared  # the request, between its fences
    assert shared.endswith('en "')  # up to the first word of an answer

    usage = judged(judge, [asked])[0].usage
    # Of two calls the second finds what they share; letters stand for tokens.
    assert usage.cached_tokens > 0.9 * len(shared) / len(ab) * usage.input_tokens / 2


def test_a_prompt_that_is_too_long_is_a_cut_prompt(llama: str) -> None:
    # The slot has 16384 tokens; 40,000 words cannot fit.
    judgement = judge_once(made(llama), a="word " * 40_000)
    assert judgement.reason is Reason.PROMPT_CUT
    assert "400" in (judgement.detail or "")


def test_a_cut_reply_is_not_a_verdict(llama: str) -> None:
    judgement = judge_once(made(llama, max_tokens=16))
    assert judgement.reason is Reason.REPLY_CUT
    assert judgement.opinions[0].raw


# Faults. Each: the answers of the server in turn, the reason (None: scored), and how
# many requests were made.


@pytest.mark.parametrize("name", FAULTS)
def test_faults(name: str) -> None:
    answers, reason, requests = FAULTS[name]
    with Server(in_turn(answers)) as server:
        judge = made(server.url, timeout_s=0.5 if "slow" in name else 20)
        # A settled dialect: how it is found out is another test's subject.
        judge.client._settled = True
        judgement = judge_once(judge)
        assert judgement.reason is reason, judgement.detail
        assert (judgement.status == "scored") is (reason is None)
        assert len(server.asked) == requests
        assert len(judgement.opinions) == 1
        if reason is not None:
            assert judgement.dimensions == {}
            assert judgement.opinions[0].detail
        assert judge.sender.asker.caller.limiter.in_flight == 0


def test_no_pair_is_lost_or_judged_twice_among_faults() -> None:
    bad = [answers[0] for name, (answers, _, _) in FAULTS.items() if "slow" not in name]
    turn = iter(range(10**6))
    broken = {n: bad[n // 3 % len(bad)] for n in range(0, 3 * len(bad), 3)}

    def answer(_: Asked) -> Answer:
        return broken.get(next(turn), OK)

    with Server(answer) as server:
        judge = made(server.url, retries=6, swap="both", max_wait_s=0.2)
        shown = (case(pair=f"p{n}", a=f"words {n}") for n in range(60))
        judgements = judged(judge, shown, at_once=True)
    assert [judgement.pair for judgement in judgements] == [f"p{n}" for n in range(60)]
    for judgement in judgements:
        assert [opinion.order for opinion in judgement.opinions] == ["ab", "ba"]
        assert (judgement.status == "scored") is (judgement.reason is None)
    scored = [judgement for judgement in judgements if judgement.status == "scored"]
    assert len(scored) > 30


def test_a_server_that_is_down_ends_the_session() -> None:
    with pytest.raises(
        JudgeUnreachable, match=r"is it running\?.*repeat the same command to go on"
    ):
        judge_once(made(unused_url()))


def _date(year: int, zone: str = "GMT") -> str:
    return f"Fri, 31 Dec {year} 23:59:59 {zone}"


@pytest.mark.parametrize(
    "value",
    [
        *(
            "1e400",
            "1e5",
            "nan",
            "inf",
            "-inf",
            "-5",
            "-1e400",
            "+3",
            "9" * 400,
            "0x10",
            "1_0",
        ),
        *(
            "١٢",
            "86401",
            _date(9999),
            _date(9999, "+9999"),
            _date(99999),
            _date(10**30),
        ),
        *(_date(2031, "-0000"), "Fri, 99 Xxx", ",", " ", "", "a" * 60_000),
    ],
)
def test_a_retry_after_that_makes_no_sense_was_not_said(value: str) -> None:
    assert retry_after({"retry-after": value}) is None


def test_a_date_in_the_past_asks_for_nothing() -> None:
    assert retry_after({"retry-after": _date(1999)}) == 0
    assert retry_after({"retry-after": _date(1, "-0000")}) in (0, None)
    assert retry_after({"retry-after": "86400"}) == 86_400


def test_retry_after_is_obeyed() -> None:
    with Server(in_turn([refusal(429, headers={"retry-after": "0.4"}), OK])) as server:
        started = time.monotonic()
        assert judge_once(made(server.url, backoff_s=60)).status == "scored"
        assert 0.39 < time.monotonic() - started < 50  # not the 60 of its own


# What the server takes.


def picky(asked: Asked) -> Answer:
    """Take JSON mode but no schema, the new name of max_tokens, and no temperature."""
    body = asked.body
    if body.get("response_format", {}).get("type") == "json_schema":
        told = (
            "Invalid parameter: 'response_format' of type 'json_schema' is not"
            " supported"
        )
        return Answer(400, {"error": {"message": told, "param": "response_format"}})
    if "max_tokens" in body:
        told = "Unsupported parameter: use 'max_completion_tokens' instead."
        return refusal(400, told)
    if "temperature" in body:
        return refusal(400, "Unsupported value: 'temperature'")
    return OK


def test_what_a_server_takes_is_found_out_once() -> None:
    with Server(picky) as server:
        judge = made(server.url, swap="both")

        made_at_once = judged(
            judge, (case(pair=f"p{n}") for n in range(5)), at_once=True
        )
        assert {judgement.status for judgement in made_at_once} == {"scored"}
        assert len(server.asked) == 10 + 3
        observations = judge.observed()
    assert observations["structure"] == "json_object"
    assert observations["token_field"] == "max_completion_tokens"
    assert observations["temperature"] is False
    assert observations["seed"] is True


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (400, "response_format is not supported"),
        (422, "extra fields not permitted"),
        (500, "json_schema: not implemented"),
        (404, "No endpoints found that support response_format"),
    ],
)
def test_plain_text_is_the_last_resort(status: int, text: str) -> None:
    def answer(asked: Asked) -> Answer:
        if "response_format" in asked.body:
            return refusal(status, text)
        return Answer(body=completion("My verdict: " + json.dumps(verdict())))

    with Server(answer) as server:
        judge = made(server.url)
        assert judge_once(judge).status == "scored"
        assert judge.observed()["structure"] == "text"


def test_errors_settle_nothing() -> None:
    refused = refusal(400, "your account is closed")  # in every form
    with Server(
        in_turn([Answer(503, {}), Answer(429, {}), *[refused] * 3, OK])
    ) as server:
        judge = made(server.url, swap="off")

        first, second = judged(judge, [case(), case()])
        assert first.reason is Reason.REFUSED
        assert "account is closed" in (first.detail or "")
        assert second.status == "scored"
        assert judge.observed()["structure"] == "json_schema"


def test_a_chosen_structure_is_kept() -> None:
    with Server(picky) as server:
        judgement = judge_once(made(server.url, structure="json_schema"))
        assert judgement.reason is Reason.REFUSED
        assert "json_schema" in (judgement.detail or "")


def test_the_request_has_what_was_asked_for() -> None:
    with Server(in_turn([OK])) as server:
        judge_once(made(server.url, samples=2, seed=5, temperature=0.3, max_tokens=99))
        bodies = [asked.body for asked in server.asked]
    assert sorted(body["seed"] for body in bodies) == [5, 6]
    for body in bodies:
        assert (body["model"], body["temperature"], body["max_tokens"]) == (
            "tiny",
            0.3,
            99,
        )
        schema = body["response_format"]["json_schema"]
        assert schema["strict"] is True
        assert list(schema["schema"]["properties"]) == list(DIMENSIONS)
        # Generated in this order: the reasons first.
        content = schema["schema"]["properties"]["content"]["properties"]
        assert list(content) == ["reasoning", "rating"]


def test_many_calls_at_once_go_through_several_clients_that_are_all_closed() -> None:
    opened, closed = [], []

    async def close(made: int) -> None:
        closed.append(made)

    def make() -> int:
        opened.append(len(opened))
        return opened[-1]

    async def main() -> list[int]:
        clients = PerLoop(make, close)
        with ExitStack() as calls:
            lent = [
                calls.enter_context(clients.lend())
                for _ in range(2 * CALLS_PER_CLIENT + 1)
            ]
        with clients.lend() as after:  # what has ended makes room
            assert after == clients.get() == 0
        await clients.close()
        return lent

    lent = asyncio.run(main())
    assert [lent.count(one) for one in opened] == [
        CALLS_PER_CLIENT,
        CALLS_PER_CLIENT,
        1,
    ]
    assert closed == opened


def test_one_judge_in_two_event_loops() -> None:
    with Server(in_turn([OK])) as server:
        judge = made(server.url)
        assert asyncio.run(judge.judge(case())).status == "scored"
        assert judge_once(judge).status == "scored"


# Keys.


def echo(asked: Asked) -> Answer:
    """Answer as a gateway that repeats what it was sent in its error."""
    told = {
        "message": f"refused: {asked.headers.get('authorization')}",
        "headers": asked.headers,
    }
    return Answer(401, {"error": told})


def echo_in_reply(asked: Asked) -> Answer:
    return Answer(body=completion(f"you sent {asked.headers.get('authorization')}"))


def echo_broken(asked: Asked) -> Answer:
    return Answer(body=f"not json: {asked.headers.get('authorization')}".encode())


@pytest.mark.parametrize("answer", [echo, echo_in_reply, echo_broken])
@pytest.mark.parametrize(
    ("key", "name"), [(KEY, "OPENAI_API_KEY"), ("plainwordkey", "MY_KEY")]
)
def test_a_key_never_leaves_the_client(
    answer: Any,
    key: str,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv(name, key)
    caplog.set_level(logging.DEBUG)
    with Server(answer) as server:
        judge = made(server.url, key_env=name)
        judgement = judge_once(judge)
        assert server.asked[0].headers["authorization"] == f"Bearer {key}"
    kept = [
        judgement.model_dump_json(),
        repr(judgement),
        json.dumps(judge.parameters()),
        json.dumps(judge.observed()),
        repr(judge),
        repr(judge.client),
        repr(judge.client.redact),
        repr(judge.options),
        caplog.text,
    ]
    for text in kept:
        assert key not in text


def test_a_key_is_in_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Server(echo) as server:
        judge = made(server.url)
        with pytest.raises(CallFailed) as failed:
            replied(judge.client, judge.calls(case())[0].request)
    told = "".join(traceback.format_exception(failed.value)) + repr(failed.value)
    assert "401" in told
    assert KEY not in told


@pytest.mark.parametrize("spec", ["openai:m", "ollama:m"])
def test_credentials_in_the_address_are_refused_and_not_repeated(spec: str) -> None:
    with pytest.raises(UserError, match="-J key_env") as caught:
        create_judge(
            spec, JudgeOptions(base_url="http://me:pass-word-1@127.0.0.1:1/v1")
        )
    assert "pass-word-1" not in str(caught.value)


@pytest.mark.parametrize("key", ["1", None])
def test_a_key_that_is_no_secret_spoils_no_reply(
    key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if key:
        monkeypatch.setenv("OPENAI_API_KEY", key)
    with Server(in_turn([Answer(body=completion(json.dumps(verdict())))])) as server:
        judgement = judge_once(made(server.url))
        assert server.asked[0].headers["authorization"] == f"Bearer {key or 'none'}"
    assert str(judgement.rating("content")) == "1"


def test_only_the_first_call_is_waited_for() -> None:
    turn, together = itertools.count(), threading.Barrier(15, timeout=30)

    def answer(asked: Asked) -> Answer:
        if next(
            turn
        ):  # one settles the dialect; then the other fifteen are under way together
            together.wait()
        return OK

    with Server(answer) as server:
        judge = made(server.url, concurrency=16)
        judged(judge, (case(pair=f"p{n}") for n in range(16)), at_once=True)
        assert server.most_at_once == 15
