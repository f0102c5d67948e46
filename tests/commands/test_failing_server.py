"""What a user reads when a judge's server fails, counts oddly or costs too much."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from tests.support import calls
from tests.support.cli import Done, trace_eval
from tests.support.prices import price_table
from tests.support.servers import Answer, Asked, Server, completion

REPLY = json.dumps({"reasoning": "It is right.", "score": 4})


def _items(folder: Path, count: int) -> Path:
    known = {"question": "Why?", "reference": "So."}
    records = ({"id": f"i{n}", **known, "candidate": f"So {n}."} for n in range(count))
    return calls.manifest(folder, records)


def _rate(server: Server, folder: Path, *options: object, count: int = 4) -> Done:
    prices = price_table(folder, "tiny", input=1.0, output=1.0)
    command = [
        "rate",
        _items(folder, count),
        "--judge",
        "openai:tiny",
        "--rubric",
        "correctness",
    ]
    command += ["--base-url", f"{server.url}/v1", "--cache", folder / "cache"]
    command += ["-J", f"prices={prices}", "-J", "backoff_s=0", "-J", "retries=1"]
    return trace_eval(*command, "--out", folder / "run", *options)


def test_the_summary_says_what_was_spent_and_how_far_that_is_unsure(
    tmp_path: Path,
) -> None:
    count = itertools.count()

    def answer(asked: Asked) -> Answer:
        if next(count) in (1, 2):
            return Answer(reset=True)  # after the whole request: it may be charged
        body = completion(REPLY)
        # One million tokens at US$ 1: far above any worst case of a prompt this short.
        body["usage"] = {"prompt_tokens": 600_000, "completion_tokens": 400_000}
        return Answer(body=body)

    with Server(answer) as server:
        options = [
            "-J",
            "concurrency=1",
            "--max-cost",
            "1.5",
            "--json",
            tmp_path / "x.json",
        ]
        done = _rate(server, tmp_path, *options)
        # Another sitting knows of all that: two calls are put down as open.
        again = _rate(server, tmp_path, "--max-cost", "1.5")
    assert "cost: US$ 2.0000 as the server counted, up to US$ 0.0" in done.err
    assert "more for 2 calls that ended without a count; US$ 1.99" in done.err
    assert (
        "is above the worst case of the calls; --max-cost 1.5 was passed by US$ 0.5000"
        in done.err
    )
    told = json.loads((tmp_path / "x.json").read_text())["summary"]["spending"]
    assert (told["spent"], told["calls"], told["limit"]) == (2.0, 2, 1.5)
    assert told["above"] == pytest.approx(2 - told["possible"], abs=0.02)
    assert "cost: US$ 2.0000" in again.err
    assert "2 calls that ended without a count; US$ 1.99" in again.err


@pytest.mark.parametrize("status", [429, 500])
def test_a_reason_is_told_once_with_a_count(status: int, tmp_path: Path) -> None:
    """The server's messages differ in numbers; one item in 30 has another reason."""
    count = itertools.count()

    def answer(asked: Asked) -> Answer:
        if "So 3." in json.dumps(asked.body):
            return Answer(body=completion("", "content_filter"))
        return Answer(
            status, {"error": {"message": f"try later, number {next(count)} of many"}}
        )

    with Server(answer) as server:
        done = _rate(server, tmp_path, count=30)
    reason = "rate_limited" if status == 429 else "server_error"
    told = (done.out + done.err).split("unscored")
    assert sum("try later" in part for part in told) == 1
    assert f"\nunscored 29: {reason}: " in done.out
    assert "\nunscored 1: filtered: " in done.out
    assert f"unscored 29: {reason}\n" in done.err
    rows = [line for line in done.out.splitlines() if line.startswith("i")]
    assert len(rows) == 1 + 20  # the titles begin with "item"
    assert f"... 10 more rows; all: {tmp_path / 'run' / 'results.csv'}" in done.out


def test_ratings_without_a_reason_are_counted_beside_the_results(
    tmp_path: Path,
) -> None:
    def answer(asked: Asked) -> Answer:
        words = "1." if "So 2." in json.dumps(asked.body) else "It is right."
        return Answer(body=completion(json.dumps({"reasoning": words, "score": 4})))

    with Server(answer) as server:
        done = _rate(server, tmp_path)
    assert done.code == 0, done.err
    told = (
        "note (1 of 4): a rating came without a reason in words; it counts all the same"
    )
    assert told in done.out
