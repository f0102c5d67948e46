"""What the tests of openai and others share."""

import json
from email.utils import formatdate
from typing import Any

from tests.support.cases import case, verdict
from tests.support.llm_judges import judged
from tests.support.servers import Answer, completion
from trace_eval.data.judgement import Judgement
from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.bodies import MAX_BODY
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge

GOOD = completion(json.dumps(verdict("both_good", "both_good", "both_good")))


def made(url: str, **options: Any) -> LLMJudge:
    chosen: dict[str, Any] = {"swap": "off", "backoff_s": 0, "retries": 2, "concurrency": 4}
    judge = create_judge("openai:tiny", JudgeOptions(base_url=f"{url}/v1", **{**chosen, **options}))
    assert isinstance(judge, LLMJudge)
    return judge


def judge_once(judge: LLMJudge, **shown: Any) -> Judgement:
    return judged(judge, [case(**shown)])[0]


FAULTS: dict[str, tuple[list[Answer], Reason | None, int]] = {
    "fine": ([Answer(body=GOOD)], None, 1),
    "429 once": ([Answer(429, {"error": {"message": "slow"}}), Answer(body=GOOD)], None, 2),
    "429 with Retry-After": (
        [Answer(429, {}, {"retry-after": "0.05"}), Answer(body=GOOD)],
        None,
        2,
    ),
    "429 with a date": (
        [Answer(429, {}, {"retry-after": formatdate(0, usegmt=True)}), Answer(body=GOOD)],
        None,
        2,
    ),
    "429 with nonsense": ([Answer(429, {}, {"retry-after": "soon"}), Answer(body=GOOD)], None, 2),
    "429 for ever": ([Answer(429, {})], Reason.RATE_LIMITED, 3),
    "429 for an hour": ([Answer(429, {}, {"retry-after": "3600"})], Reason.RATE_LIMITED, 1),
    "429 no money": (
        [Answer(429, {"error": {"code": "insufficient_quota", "message": "pay"}})],
        Reason.REFUSED,
        1,
    ),
    "500 once": ([Answer(500, {"error": {"message": "oops"}}), Answer(body=GOOD)], None, 2),
    "500 text": ([Answer(500, b"Internal Server Error"), Answer(body=GOOD)], None, 2),
    "503 loading": (
        [
            Answer(503, {"error": {"code": 503, "message": "Loading model"}}),
            Answer(503, {}, {"retry-after": "0"}),
            Answer(body=GOOD),
        ],
        None,
        3,
    ),
    "500 for ever": ([Answer(500, b"oops")], Reason.SERVER_ERROR, 3),
    "503 for ever": ([Answer(503, b"<html>")], Reason.SERVER_ERROR, 3),
    "505": ([Answer(505, b"HTTP Version Not Supported")], Reason.SERVER_ERROR, 1),
    "reset in mid-body": ([Answer(body=GOOD, cut=40), Answer(body=GOOD)], None, 2),
    "reset before the body": ([Answer(body=GOOD, cut=0), Answer(body=GOOD)], None, 2),
    "reset for ever": ([Answer(body=GOOD, cut=40)], Reason.UNREACHABLE, 3),
    "reset before the response": ([Answer(reset=True), Answer(body=GOOD)], None, 2),
    "reset for ever, unanswered": ([Answer(reset=True)], Reason.UNREACHABLE, 3),
    "too slow": ([Answer(body=GOOD, sleep=2.0), Answer(body=GOOD)], None, 2),
    "always too slow": ([Answer(body=GOOD, sleep=2.0)], Reason.UNREACHABLE, 2),
    "401": ([Answer(401, {"error": {"message": "bad key"}})], Reason.REFUSED, 1),
    "403": ([Answer(403, {"error": {"message": "no"}})], Reason.REFUSED, 1),
    "404": ([Answer(404, {"error": {"message": "no such model"}})], Reason.REFUSED, 1),
    "too long (OpenAI)": (
        [Answer(400, {"error": {"code": "context_length_exceeded", "message": "x"}})],
        Reason.PROMPT_CUT,
        1,
    ),
    "too long (vLLM)": (
        [Answer(400, {"message": "This model's maximum context length is 4096 tokens."})],
        Reason.PROMPT_CUT,
        1,
    ),
    "filter before the model": (
        [Answer(400, {"error": {"code": "content_filter", "message": "filtered"}})],
        Reason.FILTERED,
        1,
    ),
    # A reply that is of no use is asked for once more.
    "empty choices": ([Answer(body={**GOOD, "choices": []})], Reason.UNPARSEABLE, 2),
    "empty choices once": (
        [Answer(body={**GOOD, "choices": []}), Answer(body=GOOD)],
        None,
        2,
    ),
    "choices null": ([Answer(body={**GOOD, "choices": None})], Reason.UNPARSEABLE, 2),
    "no message": ([Answer(body={**GOOD, "choices": [{}]})], Reason.UNPARSEABLE, 2),
    "content null": ([Answer(body=completion(None))], Reason.UNPARSEABLE, 2),
    "content filter": ([Answer(body=completion("", "content_filter"))], Reason.FILTERED, 2),
    "refusal": ([Answer(body=completion(None, refusal="I can't"))], Reason.FILTERED, 2),
    "cut": ([Answer(body=completion('{"content', "length"))], Reason.REPLY_CUT, 2),
    "cut once": ([Answer(body=completion("{", "length")), Answer(body=GOOD)], None, 2),
    "prose around": (
        [Answer(body=completion(f"Sure!\n{json.dumps(verdict())}\nBest, me"))],
        None,
        1,
    ),
    "code fence": ([Answer(body=completion(f"```json\n{json.dumps(verdict())}\n```"))], None, 1),
    "wrong label": ([Answer(body=completion(json.dumps(verdict("A"))))], Reason.OFF_LABEL, 2),
    "wrong label once": (
        [Answer(body=completion(json.dumps(verdict("A")))), Answer(body=GOOD)],
        None,
        2,
    ),
    "duplicate keys": (
        [Answer(body=completion('{"content": 1, ' + json.dumps(verdict())[1:]))],
        Reason.UNPARSEABLE,
        2,
    ),
    "1 MB reply": ([Answer(body=completion("x" * 2**20))], Reason.UNPARSEABLE, 2),
    "1 MB of braces": ([Answer(body=completion("{" * 990_000))], Reason.UNPARSEABLE, 2),
    "endless body": ([Answer(body=b" " * (MAX_BODY + 1))], Reason.UNPARSEABLE, 2),
    "200 not json": ([Answer(body=b"hello")], Reason.UNPARSEABLE, 2),
    "200 list": ([Answer(body=[1])], Reason.UNPARSEABLE, 2),
    "200 deep": ([Answer(body=b"[" * 100_000)], Reason.UNPARSEABLE, 2),
    "200 error": (
        [Answer(body={"error": {"code": 429, "message": "upstream"}}), Answer(body=GOOD)],
        None,
        2,
    ),
    "read a tenth": (
        [Answer(body={**GOOD, "usage": {"prompt_tokens": 9, "completion_tokens": 5}})],
        Reason.PROMPT_CUT,
        1,
    ),
    "no usage": ([Answer(body={k: v for k, v in GOOD.items() if k != "usage"})], None, 1),
    "odd usage": ([Answer(body={**GOOD, "usage": {"prompt_tokens": "9"}})], None, 1),
}
