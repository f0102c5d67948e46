"""Remedies for replies of language models that are of no use, at servers of loopback.

Each server misbehaves until the option that the message names is set.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from blueprints import UserError
from tests.support.cases import case, verdict
from tests.support.cli import code_and_words
from tests.support.datasets_made import write_lines
from tests.support.llm_judges import judged
from tests.support.openai_faults import GOOD, OK, judge_once, made, refusal, written
from tests.support.prices import price_table
from tests.support.servers import Answer, Asked, Server, chat
from trace_eval.data.judgement import Judgement
from trace_eval.judges.ask.connection import checked_url
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge

#: Whether an answer is any good, by the body of its request.
Good = Callable[[dict[str, Any]], bool]


def named_in(detail: object, pattern: str) -> str:
    """Return the one option that a message names by this pattern."""
    found = re.search(pattern, str(detail))
    assert found, f"{pattern} is not in {detail}"
    return found[1]


def setting(name: str, value: object, **others: Any) -> dict[str, Any]:
    """Return options with the one that a message names, beside others."""
    return others | {name: value}


def _mended(bad: Answer, is_good: Good, pattern: str, value: object) -> str:
    """Set the option that the message names: the same server is then of use."""

    def answer(asked: Asked) -> Answer:
        return OK if is_good(asked.body) else bad

    with Server(answer) as server:
        failed = judge_once(made(server.url, retries=0, repair=False))
        option = named_in(failed.detail, pattern)
        chosen = {option: value}
        after = judge_once(made(server.url, retries=0, repair=False, **chosen))
    assert failed.status == "unscored"
    assert after.status == "scored", after.detail
    return str(failed.detail)


def no_answer_in_time() -> str:
    def answer(_: Asked) -> Answer:
        return Answer(body=GOOD, sleep=0.3)

    with Server(answer) as server:
        failed = judge_once(made(server.url, retries=0, timeout_s=0.05))
        option = named_in(failed.detail, r"raise -J (\w+)")
        after = judge_once(made(server.url, retries=0, **setting(option, 20.0)))
    assert after.status == "scored", after.detail
    return str(failed.detail)


def cut_replies() -> str:
    def has_room(body: dict[str, Any]) -> bool:
        return body["max_tokens"] > 4000

    cut = _mended(written('{"co', "length"), has_room, r"raise -J (\w+)", 5000)
    thought = written(None, reasoning_content="Hm.")
    thinking = _mended(thought, has_room, r"raise -J (\w+)", 5000)
    loop = written("and so on " * 60, "length")

    def is_warm(body: dict[str, Any]) -> bool:
        return float(body["temperature"]) > 0.5

    def is_seeded(body: dict[str, Any]) -> bool:
        return body["seed"] == 7

    warm = _mended(loop, is_warm, r"another -J (\w+)", 0.8)
    assert warm == _mended(loop, is_seeded, r"or -J (\w+)", 7)
    return f"{cut} {thinking} {warm}"


def too_large_a_request() -> str:
    """Send a shorter form of a prompt, which has no sound to leave out."""
    longest: list[int] = []

    def answer(asked: Asked) -> Answer:
        length = sum(len(each["content"]) for each in asked.body["messages"])
        longest.append(length)
        return OK if length < longest[0] else refusal(413, "Request Entity Too Large")

    with Server(answer) as server:
        paper = {"rendering": "paper", "retries": 0}
        failed = judge_once(made(server.url, **paper))
        here = int(named_in(failed.detail, r"prompt has about (\d+)"))
        shorter = r"-J (\w+)=(\w+) has about (\d+)"
        for name, value, tokens in re.findall(shorter, str(failed.detail)):
            if int(tokens) > here:  # compact, of so small a blueprint
                continue
            after = judge_once(made(server.url, **setting(name, value, **paper)))
            assert after.status == "scored", (name, after.detail)
    assert "max_request_mb" not in str(failed.detail)
    assert len(longest) == 3, "brief and the transcript were asked"
    return str(failed.detail)


@contextmanager
def _ollama(answer: Callable[[dict[str, Any]], Answer]) -> Iterator[Server]:
    def answered(asked: Asked) -> Answer:
        if asked.path == "/api/show":
            return Answer(body={"model_info": {"llama.context_length": 131_072}})
        if asked.path == "/api/tags":
            return Answer(body={"models": []})
        return answer(asked.body)

    with Server(answered) as server:
        yield server


def _by_ollama(url: str, **options: Any) -> Judgement:
    chosen: dict[str, Any] = {"swap": "off", "retries": 0, "repair": False}
    chosen |= {"base_url": url, **options}
    judge = create_judge("ollama:tiny", JudgeOptions(**chosen))
    return judged(judge, [case()])[0]


def short_contexts() -> str:
    good = json.dumps(verdict())

    def full(body: dict[str, Any]) -> Answer:
        context = body["options"]["num_ctx"]
        return Answer(body=chat(good, prompt_eval_count=min(9000, context)))

    def cut(body: dict[str, Any]) -> Answer:
        room = body["options"]["num_predict"] > 4000
        done = "stop" if room else "length"
        return Answer(body=chat(good if room else good[:9], done_reason=done))

    def thinks(body: dict[str, Any]) -> Answer:
        if body.get("think") is False or body["options"]["num_predict"] > 4000:
            return Answer(body=chat(good))
        made = chat("")
        made["message"]["thinking"] = "Hm."
        return Answer(body=made)

    said = []
    with _ollama(full) as server:
        filled = _by_ollama(server.url, num_ctx=8192)
        option = named_in(filled.detail, r"raise -J (\w+)")
        assert _by_ollama(server.url, **setting(option, 16_384)).status == "scored"
        unsent = _by_ollama(server.url, num_ctx=256)
        option = named_in(unsent.detail, r"larger -J (\w+)")
        longer = _by_ollama(server.url, **setting(option, 16_384))
        assert longer.status == "scored", longer.detail
        shorter = named_in(unsent.detail, r"context, -J (\w+),")
        dropped = {shorter: ("emotion", "quality", "signal"), "rendering": "brief"}
        assert "not sent" not in str(
            _by_ollama(server.url, num_ctx=512, **dropped).detail
        )
        said += [filled.detail, unsent.detail]
    with _ollama(cut) as server:
        short = _by_ollama(server.url)
        option = named_in(short.detail, r"raise -J (\w+) or")
        assert _by_ollama(server.url, **setting(option, 5000)).status == "scored"
        said.append(short.detail)
    with _ollama(thinks) as server:
        thought = _by_ollama(server.url)
        option = named_in(thought.detail, r"raise -J (\w+) or")
        assert _by_ollama(server.url, **setting(option, 5000)).status == "scored"
        name = named_in(thought.detail, r"set -J (\w+)=false")
        assert _by_ollama(server.url, **setting(name, False)).status == "scored"
        said.append(thought.detail)
    return " ".join(map(str, said))


def spent_budgets() -> str:
    """Raise a limit that is reached: what is paid is kept."""
    price_table(Path(), input=1, output=2)
    fields = {"instruction": {"text": "Which?"}, "reference": ["It"]}
    rows = ({"id": f"i{n}", **fields, "answer": {"text": f"It, {n}"}} for n in range(3))
    write_lines(Path("paid.jsonl"), rows)
    good = json.dumps({"reasoning": "r", "score": 4})
    with Server(lambda _: written(good)) as server:
        typed = f"rate paid.jsonl --judge openai:m --base-url {server.url}/v1"
        typed += " --rubric correctness -J prices=prices.toml --out budget --max-cost"
        code, said = code_and_words(*typed.split(), "0.004")
        assert (code, len(server.asked)) == (1, 1), said
        option = named_in(said, r"raise (--max-cost) to")
        again = typed.removesuffix("--max-cost").split()
        code, after = code_and_words(*again, option, "1")
        assert (code, len(server.asked)) == (0, 3), after
    return f"{said} {after}"


def keys_in_an_address() -> str:
    """Put the key that stood in an address into a variable: it is sent."""
    try:
        checked_url("http://me:pw@127.0.0.1:9/v1")
    except UserError as error:
        message = str(error)
    option = named_in(message, r"\(-J (\w+)\)")
    os.environ["OF_A_REMEDY"] = "pw"
    try:
        with Server(lambda _: OK) as server:
            after = judge_once(made(server.url, **setting(option, "OF_A_REMEDY")))
    finally:
        del os.environ["OF_A_REMEDY"]
    assert after.status == "scored"
    assert {asked.headers["authorization"] for asked in server.asked} == {"Bearer pw"}
    return message


CALLS = (
    no_answer_in_time,
    cut_replies,
    too_large_a_request,
    short_contexts,
    spent_budgets,
    keys_in_an_address,
)
