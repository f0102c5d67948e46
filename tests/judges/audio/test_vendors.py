"""What vendors document, checked to the byte; their failures; what sound costs."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from tests.support.audio_cases import (
    case,
    examples,
    heard,
    said,
    sounds_of,
    with_texts,
    write,
)
from tests.support.llm_judges import judged, unasked
from tests.support.openai_faults import refusal
from tests.support.prices import price_table
from tests.support.servers import Answer, Asked, Server, completion, in_turn
from trace_eval.data.judgement import Judgement
from trace_eval.data.outcome import Reason
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.judges.ask.base import Tokens
from trace_eval.judges.ask.estimate import estimate
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.ask.prices import FREE, find_price, read_prices
from trace_eval.judges.base import Case, JudgeUnreachable
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge, create_scorers

OPENAI = "https://api.openai.com/v1"


def documented(asked: Asked) -> Answer:
    """Answer like an OpenAI audio model: sound in user turns only, no schemas."""
    if "response_format" in asked.body:
        told = (
            "Invalid parameter: 'response_format' of type 'json_schema' is not"
            " supported"
        )
        return refusal(400, told)
    sounds = heard(asked)
    if not sounds:
        told = (
            "This model requires that either input content or output modality contain"
            " audio."
        )
        return refusal(400, told)
    assert asked.body["modalities"] == ["text"]
    tokens = sum(round(len(samples) / rate * 10) for samples, rate in sounds)
    body = completion(said("1"))
    body["usage"] = {
        "prompt_tokens": tokens + 300,
        "completion_tokens": 50,
        "prompt_tokens_details": {"audio_tokens": tokens, "cached_tokens": 0},
    }
    return Answer(body=body)


def judge_at(server: Server, model: str = "gpt-audio-1.5", **options: Any) -> LLMJudge:
    chosen: dict[str, Any] = {"task": "s2s", "retries": 1, "backoff_s": 0.0}
    chosen |= options
    judging = JudgeOptions(base_url=f"{server.url}/v1", **chosen)
    return create_judge(f"audio:openai:{model}", judging)


def run(judge: LLMJudge, made: Case) -> Judgement:
    return judged(judge, [made])[0]


def test_an_audio_model_gets_what_its_api_documents(tmp_path: Path) -> None:
    file = examples(tmp_path, [{"label": "1"}, {"label": "2"}])
    with Server(documented) as server:
        judge = judge_at(server, examples=file)
        judgement = run(judge, case(tmp_path))
    assert judgement.status == "scored", judgement.detail
    assert len(server.asked) == 2  # no structured output was ever tried
    parts = [
        p
        for call in judge.calls(case(tmp_path))
        for p in sounds_of(call.request.messages)
    ]
    sent = [
        (len(samples), rate) for asked in server.asked for samples, rate in heard(asked)
    ]
    assert sorted(sent) == sorted((round(p.seconds * 24_000), 24_000) for p in parts)
    usage = judgement.opinions[0].usage
    assert usage is not None
    seconds = judgement.opinions[0].sent["seconds"] if judgement.opinions[0].sent else 0
    assert usage.audio_tokens == pytest.approx(10 * float(seconds), abs=2)  # type: ignore[arg-type]
    prefixes = {json.dumps(asked.body["messages"][:-1]) for asked in server.asked}
    assert len(prefixes) == 1


@pytest.mark.parametrize(
    ("answers", "reason", "told", "requests"),
    [
        (
            [refusal(413, "Request Entity Too Large")],
            Reason.TOO_LARGE,
            "max_request_mb",
            2,
        ),
        (
            [refusal(500, "audio input is not supported - hint: provide the mmproj")],
            Reason.REFUSED,
            "serve a model that listens",
            2,
        ),
        (
            [refusal(400, "unsupported content[].type")],
            Reason.REFUSED,
            "unsupported",
            None,
        ),
        (
            [Answer(body=completion("I'm sorry, I cannot identify people by voice."))],
            Reason.UNPARSEABLE,
            "no JSON object",
            4,
        ),
        ([Answer(body=completion(said("Audio 1")))], Reason.OFF_LABEL, "Audio 1", 4),
    ],
)
def test_failures_have_reasons_and_are_no_verdicts(
    tmp_path: Path,
    answers: list[Answer],
    reason: Reason,
    told: str,
    requests: int | None,
) -> None:
    with Server(in_turn(answers)) as server:
        judgement = run(judge_at(server), case(tmp_path))
    assert (judgement.status, judgement.reason) == ("unscored", reason)
    assert told in str(judgement.detail)
    assert judgement.dimensions == {}
    if requests is not None:
        assert len(server.asked) == requests


def test_fields_are_dropped_where_refused(tmp_path: Path) -> None:
    def strict(asked: Asked) -> Answer:
        for name in ("modalities", "top_p", "top_k"):
            if name in asked.body:
                return refusal(400, f"Unrecognized argument supplied: {name}")
        return Answer(body=completion(said("tie")))

    with Server(strict) as server:
        judgement = run(judge_at(server, top_p=0.9, top_k=50), case(tmp_path))
    assert judgement.dimensions["overall"].rating == "tie"
    others = {"modalities", "top_p", "top_k", "response_format"}
    assert not others & set(server.asked[-1].body)


def test_top_k_goes_along(tmp_path: Path) -> None:
    """A field beyond OpenAI's own: vLLM takes it."""
    with Server(lambda _: Answer(body=completion(said("tie")))) as server:
        judge = judge_at(server, "any", top_k=50)
        assert run(judge, case(tmp_path)).status == "scored"
        assert {asked.body["top_k"] for asked in server.asked} == {50}
        assert judge.parameters()["top_k"] == 50
        plain, other = (judge_at(server, "any", **some) for some in ({}, {"top_k": 40}))
        calls = [j.calls(case(tmp_path))[0] for j in (judge, plain, other)]
    assert len({call.key for call in calls}) == 3
    assert "top_k" not in plain.parameters()


def test_stereo_44k_beside_mono_16k(tmp_path: Path) -> None:
    one_case = case(tmp_path)
    write(tmp_path / "p_a.wav", 0.2, 300.0, 44_100, channels=2)
    write(tmp_path / "p_b.wav", 0.25, 500.0, 16_000)
    with Server(documented) as server:
        judgement = run(judge_at(server, concat="none"), one_case)
    assert judgement.status == "scored", judgement.detail
    # the instruction has 16 kHz as well, so 16 kHz is the commonest
    assert {rate for asked in server.asked for _, rate in heard(asked)} == {16_000}


# --- money ----------------------------------------------------------------------------


def test_the_price_of_a_second() -> None:
    price = find_price(OPENAI, "gpt-audio-1.5")
    assert price.audio_tokens(33.495) == 335
    assert price.cost(Tokens(335, 0, audio=335)) == pytest.approx(0.01072)
    gemini = find_price(
        "https://generativelanguage.googleapis.com/v1beta", "gemini-2.5-flash"
    )
    # audio tokens that the server does not count apart come from the seconds
    assert gemini.cost(Tokens(32, 0, audio_s=1.0)) == pytest.approx(0.000032)


def test_sound_without_a_price_has_no_cost_and_no_budget(tmp_path: Path) -> None:
    price = find_price(OPENAI, "gpt-audio-mini")
    assert price.cost(Tokens(100, 10, audio=50)) is None
    assert price.cost(Tokens(100, 10)) is not None
    assert FREE.cost(Tokens(100, 10, audio_s=5.0)) == 0
    own = price_table(tmp_path, input=1, output=1)
    options = unasked(prices=own, max_cost=1.0)
    with pytest.raises(UserError, match="the price of sound is not known"):
        create_judge("audio:openai:m", options)
    with pytest.raises(UserError, match="the price of sound is not known"):
        create_scorers("audio:openai:m", [load_rubric("style")], options)


def test_a_budget_counts_sound_before_it_is_sent(tmp_path: Path) -> None:
    prices = {"input": 0, "output": 1e-6, "audio_input": 1e6, "audio_tokens_per_s": 10}
    own = price_table(tmp_path, "gpt-audio-1.5", **prices)
    assert read_prices(own)[0].audio_input == 1e6
    with Server(documented) as server:
        # a dollar a token: the test of about 5 s would cost 50 dollars
        judgement = run(judge_at(server, prices=own, max_cost=20.0), case(tmp_path))
    assert judgement.reason == Reason.OVER_BUDGET
    assert server.asked == []


def test_the_estimate_counts_seconds_parts_and_bytes(tmp_path: Path) -> None:
    file = examples(tmp_path, [{"label": "1"}, {"label": "2"}])
    with Server(documented) as server:
        judge = judge_at(server, examples=file, signals="none")
        forecast = estimate(judge, [case(tmp_path)])
        asyncio.run(judge.close())
    assert server.asked == []
    assert (forecast.calls, forecast.audio_parts, forecast.orders) == (2, 4, 2)
    # each unit: 0.3 + 0.2 + 0.25 s and three gaps of 0.5 s
    assert forecast.audio_s == pytest.approx(2 * 3 * 2.25)
    assert forecast.example_audio_s == pytest.approx(2 * 2 * 2.25)
    wav = [44 + 2 * 24_000 * 4.5, 44 + 2 * 24_000 * 2.25]
    assert forecast.audio_bytes == 2 * sum(4 * -(-round(size) // 3) for size in wav)


def test_models_that_listen_have_no_batch_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trace_eval.judges.ask.batch import write_batch

    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    judge = create_judge("audio:openai:gpt-audio-1.5", JudgeOptions(task="s2s"))
    with pytest.raises(UserError, match="lists no Batch"):
        write_batch([judge], lambda: [case(tmp_path)], tmp_path / "batch.jsonl")
    asyncio.run(judge.close())
    own = create_judge("audio:openai:m", unasked(task="s2s"))
    written = write_batch([own], lambda: [case(tmp_path)], tmp_path / "batch.jsonl")
    lost = case(tmp_path, "lost")
    gone = lost.pair.a.model_copy(update={"audio": tmp_path / "gone.wav"})
    broken = Case(
        lost.pair.model_copy(update={"a": gone}), lost.blueprints, lost.decode
    )
    again = write_batch([own], lambda: [broken, lost], tmp_path / "again.jsonl")
    assert (again.requests, again.unscored) == (2, 1)
    asyncio.run(own.close())
    assert written.requests == 2
    line = json.loads((tmp_path / "batch.jsonl").read_text().splitlines()[0])
    assert heard(Asked("POST", "", {}, line["body"]))


# --- sound that is not heard ----------------------------------------------------------


@pytest.mark.parametrize(
    ("counted", "task"), [(0, "s2s"), (1, "dimensions"), (0, "naturalness")]
)
def test_sound_that_the_server_counted_too_low_is_no_evidence(
    tmp_path: Path, counted: int, task: str
) -> None:
    """Many tokens of words do not stand for the sound that a gateway dropped."""
    body = completion(said("1"))
    body["usage"] |= {
        "prompt_tokens_details": {"audio_tokens": counted, "cached_tokens": 0}
    }
    with Server(in_turn([Answer(body=body)])) as server:
        judge = create_judge(
            "audio:openai:m",
            JudgeOptions(base_url=f"{server.url}/v1", task=task, concat="none"),
        )
        judgement = run(judge, with_texts(case(tmp_path, spoken=False)))  # type: ignore[arg-type]
    assert (judgement.status, judgement.reason) == ("unscored", Reason.PROMPT_CUT)
    assert f"counted {counted} tokens of sound" in str(judgement.detail)
    assert len(server.asked) == 2  # one in each order, and none again


DEAF = "This model does not support audio input."


@pytest.mark.parametrize(
    ("status", "told", "requests"),
    [
        (400, DEAF, 3),
        (404, "No endpoints found that support input audio", 3),
        (400, "At most 0 audio(s) may be provided in one prompt.", 3),
        (
            400,
            "Invalid value: 'input_audio'. Supported values are: 'text', 'image_url'.",
            3,
        ),
        # words that nobody foresaw: ten equal refusals, of which the first tries three
        # forms
        (422, "messages[0].content is no string", 12),
    ],
)
def test_a_model_that_takes_no_sound_ends_the_run(
    tmp_path: Path, status: int, told: str, requests: int
) -> None:
    with Server(lambda _: refusal(status, told)) as server:
        judge = judge_at(server, "deaf", concurrency=1)
        pairs = (case(tmp_path, f"p{n}") for n in range(8))
        with pytest.raises(
            JudgeUnreachable, match="identical refusals of sound"
        ) as caught:
            judged(judge, pairs)
    assert len(server.asked) == requests
    assert told in str(caught.value)
    assert "repeat the same command to go on" in str(caught.value)


def test_one_recording_that_is_refused_does_not_end_the_run(tmp_path: Path) -> None:
    refused = refusal(400, "audio longer than 30 seconds is not supported")
    answers = [*[refused] * 20, Answer(body=completion(said("1")))]
    with Server(in_turn(answers)) as server:
        judge = judge_at(server, "m", structure="text")

        found = judged(judge, (case(tmp_path, f"p{n}") for n in range(4)))
    assert [judgement.reason for judgement in found] == [Reason.REFUSED] * 4
