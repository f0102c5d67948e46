"""Endless bodies, bodies that unpack to gigabytes, loops, placeholders as replies."""

from __future__ import annotations

import gzip
import json
import re
import tracemalloc
import zlib
from typing import Any

import pytest

from tests.support.cases import case, verdict
from tests.support.llm_judges import judged, replied
from tests.support.openai_faults import judge_once, made, refusal
from tests.support.servers import Answer, Asked, Server, chat, completion, in_turn
from trace_eval.data.judgement import Judgement
from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.base import CallFailed, Request
from trace_eval.judges.ask.connection import MAX_BODY
from trace_eval.judges.ask.message import Message
from trace_eval.judges.ask.openai import OpenAIClient
from trace_eval.judges.ask.reply_length import (
    MAX_TEXT_CHARS,
    SHOWN_CHARS,
    bounded_schema,
    cut_detail,
    loop_in,
    shortened,
)
from trace_eval.judges.combine.orders import NO_REASON
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.read.labels import parse_reply, reply_schema
from trace_eval.judges.registry.create import create_judge

#: 96 MB of spaces, in 420 kB.
BOMB = gzip.compress(b" " * (12 * MAX_BODY), 1)

GZIP = {"Content-Encoding": "gzip"}


def _judged(kind: str, answer: Answer) -> tuple[Judgement, float]:
    """Return a judgement, and the most memory that Python held meanwhile, MB."""

    def answers(asked: Asked) -> Answer:
        if asked.path == "/api/show":
            return Answer(body={"model_info": {"llama.context_length": 131072}})
        return answer

    options: dict[str, Any] = {
        "swap": "off",
        "backoff_s": 0,
        "retries": 0,
        "repair": False,
    }
    with Server(answers) as server:
        url = f"{server.url}/v1" if kind == "openai" else server.url
        judge = create_judge(f"{kind}:tiny", JudgeOptions(base_url=url, **options))

        tracemalloc.start()
        try:
            judgement = judged(judge, [case()])[0]
            return judgement, tracemalloc.get_traced_memory()[1] / 1e6
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize("kind", ["openai", "ollama"])
@pytest.mark.parametrize("status", [200, 400, 500])
def test_a_body_that_unpacks_to_gigabytes_is_bounded(kind: str, status: int) -> None:
    judgement, megabytes = _judged(kind, Answer(status, BOMB, dict(GZIP)))
    assert judgement.reason is Reason.UNPARSEABLE, judgement
    assert f"more than {MAX_BODY} bytes" in str(judgement.detail)
    assert megabytes < 40


@pytest.mark.parametrize("kind", ["openai", "ollama"])
@pytest.mark.parametrize(
    ("headers", "damage", "said"),
    [
        ({"Content-Encoding": "br"}, bytes, "encoded as 'br', not gzip, deflate"),
        (GZIP, lambda data: b"\x1f\x8b" + data[9:], "is no gzip"),
    ],
)
def test_other_encodings_are_refused(
    kind: str, headers: dict[str, str], damage: Any, said: str
) -> None:
    judgement, _ = _judged(
        kind, Answer(200, damage(gzip.compress(b"{}" * 99)), dict(headers))
    )
    assert said in str(judgement.detail)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
@pytest.mark.parametrize(
    ("junk", "said"),
    [
        (b"\0", "goes on after the end"),
        (b"\0" * (MAX_BODY + 1), "after the end|packed response has more"),
        (gzip.compress(b"{}"), "goes on after the end"),
    ],
    ids=["a byte", "megabytes", "another member"],
)
def test_what_follows_the_end_of_a_packed_reply_is_not_swallowed(
    encoding: str, junk: bytes, said: str
) -> None:
    pack = gzip.compress if encoding == "gzip" else zlib.compress
    body = pack(json.dumps(completion(json.dumps(verdict()))).encode()) + junk
    judgement, _ = _judged("openai", Answer(200, body, {"Content-Encoding": encoding}))
    assert re.search(said, str(judgement.detail)), judgement


def test_what_unpacks_to_nothing_is_counted() -> None:
    packer = zlib.compressobj(wbits=31)
    empty = packer.compress(b"{}") + packer.flush(zlib.Z_SYNC_FLUSH)
    empty += b"\0\0\0\xff\xff" * (MAX_BODY // 4)
    judgement, _ = _judged("openai", Answer(200, empty, dict(GZIP)))
    assert "packed response has more than" in str(judgement.detail)


@pytest.mark.parametrize("cut", [0, 40])
def test_a_reply_that_is_cut_off_may_have_been_charged(cut: int) -> None:
    whole = json.dumps(completion(json.dumps(verdict()))).encode()
    with Server(lambda asked: Answer(200, whole, cut=cut)) as server:
        options = JudgeOptions(base_url=f"{server.url}/v1", retries=0, repair=False)
        client = OpenAIClient("tiny", options)
        request = Request(
            (Message("user", "Which?"),),
            {"type": "object"},
            seed=0,
            temperature=0.0,
            max_tokens=9,
        )
        with pytest.raises(CallFailed, match="connection lost") as failed:
            replied(client, request)
    assert failed.value.billed
    assert failed.value.retry


@pytest.mark.parametrize("kind", ["openai", "ollama"])
@pytest.mark.parametrize(
    ("encoding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)]
)
def test_packed_replies_are_read(kind: str, encoding: str, pack: Any) -> None:
    reply = (completion if kind == "openai" else chat)(json.dumps(verdict()))
    body = pack(json.dumps(reply).encode())
    judgement, _ = _judged(kind, Answer(200, body, {"Content-Encoding": encoding}))
    assert judgement.status == "scored", judgement.detail


@pytest.mark.parametrize(
    "count", ["1" + "0" * 400, "9" * 5000, "-1", "1e400", '"many"']
)
def test_absurd_token_counts_cost_the_count_only(count: str) -> None:
    usage = {"prompt_tokens": "COUNT", "completion_tokens": "COUNT"}
    body = json.dumps({**completion(json.dumps(verdict())), "usage": usage})
    body = body.replace('"COUNT"', count)
    judgement, _ = _judged("openai", Answer(200, body.encode()))
    assert judgement.status == "scored", judgement.detail
    assert judgement.usage is None or judgement.usage.input_tokens == 0


def _reply(reasoning: str) -> str:
    return json.dumps(verdict(reasoning=reasoning))


@pytest.mark.parametrize("words", ["", "1."])
def test_a_rating_without_a_reason_counts_with_a_caveat(words: str) -> None:
    assert parse_reply(_reply(words), "label").ratings["content"] == "1"
    bare, full = completion(_reply(words)), completion(_reply("A is clear."))
    for answers, caveats in (
        ([bare], [NO_REASON]),
        ([full], []),
        ([full, bare], [NO_REASON]),
    ):
        with Server(in_turn([Answer(body=body) for body in answers])) as server:
            judgement = judge_once(made(server.url, swap="both", concurrency=1))
        assert judgement.status == "scored"
        assert [one for one in judgement.caveats if "reason" in one] == caveats


def test_free_texts_are_bounded_and_choices_are_not() -> None:
    schema = bounded_schema(reply_schema("acceptability"))
    verdict = schema["properties"]["content"]["properties"]
    assert verdict["reasoning"]["maxLength"] == MAX_TEXT_CHARS
    assert verdict["better"] == {"type": "string", "enum": ["1", "2", "tie"]}
    assert verdict["answer_1_acceptable"] == {"type": "boolean"}


@pytest.mark.parametrize(
    "fragment", ["ha", "It is clear. ", '\\n  "reasoning": "", ', "0"]
)
def test_loops_are_found_at_the_end_only(fragment: str) -> None:
    text = "The first answer is better because " + fragment * 80
    assert loop_in(text)
    assert "repeated" in cut_detail(text, "at the limit; raise -J max_tokens")
    assert loop_in(text + "and that decided it for the second one.") is None


def test_what_was_merely_long_may_be_given_more_room() -> None:
    text = " ".join(f"word{n}" for n in range(400))
    assert loop_in(text) is None
    assert loop_in("a a a a") is None
    assert cut_detail(text, "at the limit; raise -J max_tokens").endswith(
        "raise -J max_tokens"
    )


def test_the_second_chance_sees_little_of_the_first() -> None:
    assert shortened("short") == "short"
    long = "again and " * 900
    with Server(in_turn([Answer(body=completion(long, "length"))])) as server:
        judgement = judge_once(made(server.url))
        first, second = (asked.body["messages"] for asked in server.asked[-2:])
    assert judgement.reason is Reason.REPLY_CUT
    assert "more tokens do not help" in str(judgement.detail)
    assert len(second) == len(first) + 2
    assert len(second[-2]["content"]) < SHOWN_CHARS + 60


def test_a_server_that_refuses_lengths_gets_the_schema_without() -> None:
    refused = refusal(400, "failed to parse grammar: repetition too large")
    with Server(in_turn([refused, Answer(body=completion(_reply("fine")))])) as server:
        judge = made(server.url)
        judge_once(judge)
        asked = [
            a.body["response_format"]["json_schema"] for a in server.asked if a.body
        ]
    assert "maxLength" in json.dumps(asked[0])
    assert "maxLength" not in json.dumps(asked[1:])
    assert judge.observed()["structure"] == "json_schema"


def test_a_prompt_that_does_not_fit_names_shorter_forms() -> None:
    with Server(in_turn([refusal(400, "exceed_context_size")])) as server:
        judgement = judge_once(made(server.url, rendering="paper"))
    assert judgement.reason is Reason.PROMPT_CUT
    told = str(judgement.detail)
    assert "-J rendering=compact has about" in told
    assert "-J rendering=brief has about" in told
    assert "-J mode=transcript has about" in told
    assert case().a.transcript
