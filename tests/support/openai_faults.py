"""What the tests of openai and others share."""

import json
from email.utils import formatdate
from typing import Any

from tests.support.cases import case, verdict
from tests.support.llm_judges import judged
from tests.support.servers import Answer, completion
from trace_eval.data.judgement import Judgement
from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.connection import MAX_BODY
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge

GOOD = completion(json.dumps(verdict("both_good", "both_good", "both_good")))


def made(url: str, **options: Any) -> LLMJudge:
    chosen: dict[str, Any] = {
        "swap": "off",
        "backoff_s": 0,
        "retries": 2,
        "concurrency": 4,
    }
    chosen |= options
    judge = create_judge("openai:tiny", JudgeOptions(base_url=f"{url}/v1", **chosen))
    assert isinstance(judge, LLMJudge)
    return judge


def judge_once(judge: LLMJudge, **shown: Any) -> Judgement:
    return judged(judge, [case(**shown)])[0]


OK = Answer(body=GOOD)


def refusal(
    status: int, message: str = "no", headers: dict[str, str] | None = None
) -> Answer:
    return Answer(status, {"error": {"message": message}}, headers or {})


def written(text: str | None, finish: str = "stop", **message: Any) -> Answer:
    return Answer(body=completion(text, finish, **message))


def bodied(**fields: Any) -> Answer:
    return Answer(body={**GOOD, **fields})


#: What the server answers in turn, the reason of the judgement (None: scored), and the
#: number of requests. A reply that is of no use is asked for once more.
FAULTS: dict[str, tuple[list[Answer], Reason | None, int]] = {
    "fine": ([OK], None, 1),
    "429 with Retry-After": (
        [refusal(429, headers={"retry-after": "0.05"}), OK],
        None,
        2,
    ),
    "429 with a date": (
        [refusal(429, headers={"retry-after": formatdate(0, usegmt=True)}), OK],
        None,
        2,
    ),
    "429 with nonsense": ([refusal(429, headers={"retry-after": "soon"}), OK], None, 2),
    "429 for ever": ([refusal(429)], Reason.RATE_LIMITED, 3),
    "429 for an hour": (
        [refusal(429, headers={"retry-after": "3600"})],
        Reason.RATE_LIMITED,
        1,
    ),
    "429 no money": ([refusal(429, "insufficient_quota")], Reason.REFUSED, 1),
    "500 once": ([refusal(500, "oops"), OK], None, 2),
    "500 text": ([Answer(500, b"Internal Server Error"), OK], None, 2),
    "503 loading": (
        [refusal(503), refusal(503, headers={"retry-after": "0"}), OK],
        None,
        3,
    ),
    "503 for ever": ([Answer(503, b"<html>")], Reason.SERVER_ERROR, 3),
    "505": ([Answer(505, b"HTTP Version Not Supported")], Reason.SERVER_ERROR, 1),
    "reset in mid-body": ([Answer(body=GOOD, cut=40), OK], None, 2),
    "reset before the body": ([Answer(body=GOOD, cut=0), OK], None, 2),
    "reset for ever": ([Answer(body=GOOD, cut=40)], Reason.UNREACHABLE, 3),
    "reset before the response": ([Answer(reset=True), OK], None, 2),
    "reset for ever, unanswered": ([Answer(reset=True)], Reason.UNREACHABLE, 3),
    "too slow": ([Answer(body=GOOD, sleep=1.0), OK], None, 2),
    "always too slow": ([Answer(body=GOOD, sleep=1.0)], Reason.UNREACHABLE, 2),
    "401": ([refusal(401, "bad key")], Reason.REFUSED, 1),
    "404": ([refusal(404, "no such model")], Reason.REFUSED, 1),
    "too long (OpenAI)": (
        [refusal(400, "context_length_exceeded")],
        Reason.PROMPT_CUT,
        1,
    ),
    "too long (vLLM)": (
        [
            Answer(
                400, {"message": "This model's maximum context length is 4096 tokens."}
            )
        ],
        Reason.PROMPT_CUT,
        1,
    ),
    "filter before the model": ([refusal(400, "content_filter")], Reason.FILTERED, 1),
    "empty choices": ([bodied(choices=[])], Reason.UNPARSEABLE, 2),
    "empty choices once": ([bodied(choices=[]), OK], None, 2),
    "choices null": ([bodied(choices=None)], Reason.UNPARSEABLE, 2),
    "no message": ([bodied(choices=[{}])], Reason.UNPARSEABLE, 2),
    "content null": ([written(None)], Reason.UNPARSEABLE, 2),
    "content filter": ([written("", "content_filter")], Reason.FILTERED, 2),
    "refusal": ([written(None, refusal="I can't")], Reason.FILTERED, 2),
    "cut": ([written('{"content', "length")], Reason.REPLY_CUT, 2),
    "cut once": ([written("{", "length"), OK], None, 2),
    "prose around": ([written(f"Sure!\n{json.dumps(verdict())}\nBest, me")], None, 1),
    "wrong label": ([written(json.dumps(verdict("A")))], Reason.OFF_LABEL, 2),
    "wrong label once": ([written(json.dumps(verdict("A"))), OK], None, 2),
    "1 MB reply": ([written("x" * 2**20)], Reason.UNPARSEABLE, 2),
    "endless body": ([Answer(body=b" " * (MAX_BODY + 1))], Reason.UNPARSEABLE, 2),
    "200 not json": ([Answer(body=b"hello")], Reason.UNPARSEABLE, 2),
    "200 list": ([Answer(body=[1])], Reason.UNPARSEABLE, 2),
    "200 deep": ([Answer(body=b"[" * 100_000)], Reason.UNPARSEABLE, 2),
    "200 error": (
        [Answer(body={"error": {"code": 429, "message": "up"}}), OK],
        None,
        2,
    ),
    "read a tenth": (
        [bodied(usage={"prompt_tokens": 9, "completion_tokens": 5})],
        Reason.PROMPT_CUT,
        1,
    ),
    "no usage": (
        [Answer(body={k: v for k, v in GOOD.items() if k != "usage"})],
        None,
        1,
    ),
    "odd usage": ([bodied(usage={"prompt_tokens": "9"})], None, 1),
}
