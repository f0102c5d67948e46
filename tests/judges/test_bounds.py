"""Replies are kept short, loops are called loops, and placeholders are no reasons."""

from __future__ import annotations

import json

import pytest

from tests.support.cases import case
from tests.support.openai_faults import judge_once, made
from tests.support.servers import Answer, Server, completion, in_turn
from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.reply_json import (
    MAX_TEXT_CHARS,
    SHOWN_CHARS,
    bounded_schema,
    cut_detail,
    loop_in,
    shortened,
)
from trace_eval.judges.combine.orders import NO_REASON
from trace_eval.judges.read.labels import parse_reply, reply_schema


def _reply(reasoning: str) -> str:
    verdict = {"reasoning": reasoning, "rating": "1"}
    return json.dumps(dict.fromkeys(("content", "voice_quality", "paralinguistics"), verdict))


@pytest.mark.parametrize("words", ["", "…", "1."])
def test_a_rating_without_a_reason_counts_with_a_caveat(words: str) -> None:
    assert parse_reply(_reply(words), "label").ratings["content"] == "1"
    bare, full = completion(_reply(words)), completion(_reply("A is clear."))
    for answers, caveats in (([bare], [NO_REASON]), ([full], []), ([full, bare], [NO_REASON])):
        with Server(in_turn([Answer(body=body) for body in answers])) as server:
            judgement = judge_once(made(server.url, swap="both", concurrency=1))
        assert judgement.status == "scored"
        assert [one for one in judgement.caveats if "reason" in one] == caveats


def test_free_texts_are_bounded_and_choices_are_not() -> None:
    found = bounded_schema(reply_schema("acceptability"))
    verdict = found["properties"]["content"]["properties"]
    assert verdict["reasoning"]["maxLength"] == MAX_TEXT_CHARS
    assert verdict["better"] == {"type": "string", "enum": ["1", "2", "tie"]}
    assert verdict["answer_1_acceptable"] == {"type": "boolean"}


@pytest.mark.parametrize("fragment", ["ha", "It is clear. ", '\\n  "reasoning": "", ', "0"])
def test_loops_are_found_at_the_end_only(fragment: str) -> None:
    text = "The first answer is better because " + fragment * 80
    assert loop_in(text)
    assert "repeated" in cut_detail(text, "at the limit; raise -J max_tokens")
    assert loop_in(text + "and that decided it for the second one.") is None


def test_what_was_merely_long_may_be_given_more_room() -> None:
    text = " ".join(f"word{n}" for n in range(400))
    assert loop_in(text) is None
    assert loop_in("a a a a") is None
    assert cut_detail(text, "at the limit; raise -J max_tokens").endswith("raise -J max_tokens")


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
    refusal = Answer(400, {"error": {"message": "failed to parse grammar: repetition too large"}})
    with Server(in_turn([refusal, Answer(body=completion(_reply("fine")))])) as server:
        judge = made(server.url)
        judge_once(judge)
        asked = [a.body["response_format"]["json_schema"] for a in server.asked if a.body]
    assert "maxLength" in json.dumps(asked[0])
    assert "maxLength" not in json.dumps(asked[1:])
    assert judge.observed()["structure"] == "json_schema"


def test_a_prompt_that_does_not_fit_names_shorter_forms() -> None:
    full = Answer(400, {"error": {"message": "exceed_context_size", "code": 400}})
    with Server(in_turn([full])) as server:
        judgement = judge_once(made(server.url, rendering="paper"))
    assert judgement.reason is Reason.PROMPT_CUT
    told = str(judgement.detail)
    assert "-J rendering=compact has about" in told
    assert "-J rendering=brief has about" in told
    assert "-J mode=transcript has about" in told
    assert case().a.transcript
