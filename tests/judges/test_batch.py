"""Batch files: written for the provider, read back into the run."""

import json
from pathlib import Path
from typing import Any

import pytest

from blueprints import Absent, Status, UserError
from fusion import Rating
from tests.support.cases import blueprint, case, verdict
from tests.support.llm_judges import judged
from tests.support.servers import Answer, Server, completion, in_turn
from trace_eval.data.judgement import Judgement
from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.batch import read_batch, write_batch
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.base import Case
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge

CASES = [case(pair=f"p{n}", a=f"words {n}") for n in range(4)]


def made(tmp_path: Path, model: str = "gpt-4.1-mini", **options: Any) -> LLMJudge:
    return create_judge(
        f"openai:{model}",
        JudgeOptions(
            cache=tmp_path / "replies.sqlite", retries=0, backoff_s=0, **options
        ),
    )


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")


def answer(line: dict[str, Any], body: Any, status: int = 200) -> str:
    response = {"status_code": status, "request_id": "r", "body": body}
    return json.dumps(
        {"id": "b", "custom_id": line["custom_id"], "response": response, "error": None}
    )


def test_there_and_back(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    judge = made(tmp_path)
    written = write_batch([judge], lambda: CASES, out)
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert (written.requests, written.files, written.cached) == (8, (out,), 0)
    assert len({line["custom_id"] for line in lines}) == 8
    for line in lines:
        assert (line["method"], line["url"]) == ("POST", "/v1/chat/completions")
        assert line["body"]["model"] == "gpt-4.1-mini"
        assert line["body"]["response_format"]["type"] == "json_schema"
        assert "max_completion_tokens" in line["body"]
    assert "sk-test" not in out.read_text()

    # Results come in any order: B is always better, wherever it is shown.
    results = tmp_path / "in.jsonl"
    replies = [
        answer(line, completion(json.dumps(verdict("2" if index % 2 == 0 else "1"))))
        for index, line in enumerate(lines)
    ]
    results.write_text("\n".join(reversed(replies)) + "\n")
    judge = made(tmp_path, offline=True)
    read = read_batch(judge, [results])
    assert (read.replies, read.failed) == (8, {})
    # 8 x (2000 x 0.40 + 100 x 1.60) / 1e6 = 0.00768, and half of it as a batch.
    assert read.usage.cost_usd == pytest.approx(0.00384)
    judgements: list[Judgement] = judged(judge, CASES)
    assert {judgement.status for judgement in judgements} == {"scored"}
    assert {judgement.rating("content") for judgement in judgements} == {Rating.B}
    assert sum(j.usage.cost_usd or 0 for j in judgements if j.usage) == pytest.approx(
        0.00384
    )
    # Everything is answered now.
    again = write_batch([made(tmp_path)], lambda: CASES, tmp_path / "again.jsonl")
    assert (again.requests, again.cached) == (0, 8)


def test_failed_requests_are_told_apart_and_asked_again(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    write_batch([made(tmp_path)], lambda: CASES, out)
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    good = completion(json.dumps(verdict("both_good", "both_good", "both_good")))
    results = [answer(line, good) for line in lines[:2]]  # p0 is whole
    results += [
        answer(lines[2], {"error": {"message": "slow down"}}, 429),
        answer(lines[3], good),
        answer(lines[4], completion("no json")),
        answer(lines[5], completion("{", "length")),
        json.dumps(
            {
                "custom_id": lines[6]["custom_id"],
                "response": None,
                "error": {"code": "expired"},
            }
        ),
        # lines[7] is missing altogether
        json.dumps({"custom_id": "of another run", "response": None, "error": {}}),
    ]
    path = tmp_path / "in.jsonl"
    path.write_text("\n".join(results))
    judge = made(tmp_path, offline=True)
    read = read_batch(judge, [path])
    assert read.replies == 3
    assert read.failed == {
        "rate_limited": 1,
        "unparseable": 1,
        "reply_cut": 1,
        "refused": 2,
    }
    judgements: list[Judgement] = judged(judge, CASES)
    assert [judgement.reason for judgement in judgements] == [
        None,
        Reason.RATE_LIMITED,
        Reason.UNPARSEABLE,
        Reason.REFUSED,
    ]
    assert "expired" in (judgements[3].detail or "")
    assert "line 7" in (judgements[3].detail or "")

    # A new file asks for what is open only.
    assert write_batch([made(tmp_path)], lambda: CASES, out).requests == 5


def test_a_live_run_asks_for_what_a_batch_left_open(tmp_path: Path) -> None:
    good = completion(json.dumps(verdict("both_good", "both_good", "both_good")))
    with Server(in_turn([Answer(body=good)])) as server:
        options = {"model": "tiny", "base_url": f"{server.url}/v1"}
        out, path = tmp_path / "out.jsonl", tmp_path / "in.jsonl"
        write_batch([made(tmp_path, **options)], lambda: CASES, out)
        lines = [json.loads(line) for line in out.read_text().splitlines()]
        path.write_text("\n".join(answer(line, good) for line in lines[:5]))
        judge = made(tmp_path, **options)
        read_batch(judge, [path])
        assert {judgement.status for judgement in judged(judge, CASES)} == {"scored"}
        assert len(server.asked) == 3


def test_a_long_batch_is_several_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trace_eval.judges.ask.batch.MAX_REQUESTS", 3)
    failed = blueprint(transcript=Absent(status=Status.FAILED, reason="x"))
    cases = [*CASES, Case.of(case(pair="p9").pair, failed, blueprint())]
    written = write_batch([made(tmp_path)], lambda: cases, tmp_path / "out.jsonl")
    assert written.unscored == 1  # no evidence
    assert [path.name for path in written.files] == [
        "out.jsonl",
        "out-2.jsonl",
        "out-3.jsonl",
    ]
    assert [len(path.read_text().splitlines()) for path in written.files] == [3, 3, 2]
    size = written.files[2].stat().st_size
    monkeypatch.setattr("trace_eval.judges.ask.batch.MAX_BYTES", size + 10)
    by_size = write_batch([made(tmp_path)], lambda: CASES, tmp_path / "b.jsonl")
    assert len(by_size.files) == 4


@pytest.mark.parametrize("text", ["{", "[1]", '{"id": 1}'])
def test_a_file_that_is_no_result_is_a_user_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(text)
    with pytest.raises(UserError, match="line 1: not a batch result"):
        read_batch(made(tmp_path), [path])
    with pytest.raises(UserError, match="cannot be read"):
        read_batch(made(tmp_path), [tmp_path / "none.jsonl"])


def test_only_openai_has_batches(tmp_path: Path) -> None:
    judge = create_judge("ollama:m", JudgeOptions(cache=tmp_path / "r.sqlite"))
    with pytest.raises(UserError, match="use openai:MODEL"):
        write_batch([judge], lambda: CASES, tmp_path / "out.jsonl")
    with pytest.raises(UserError, match="reply cache"):
        read_batch(
            create_judge("openai:m", JudgeOptions(base_url="http://127.0.0.1/v1")), []
        )
