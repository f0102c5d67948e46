"""Runs of scores: resumed, cut into shards, merged, bounded in money, asked once."""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from tests.support.audio import tone, write
from tests.support.prices import price_table
from tests.support.servers import Answer, Asked, Server, completion
from trace_eval.data.manifests import Manifest, read_items
from trace_eval.data.outcome import Reason
from trace_eval.data.shards import Shard
from trace_eval.extracting.options import ExtractOptions
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.runs.estimate import estimate_manifest, quick_estimate
from trace_eval.runs.job import rate_manifest
from trace_eval.runs.merge import merge
from trace_eval.runs.options import RateOptions
from trace_eval.runs.run import Run
from trace_eval.runs.session import Session


def manifest_of(folder: Path, count: int = 6, **fields: Any) -> Manifest:
    records = [
        {
            "id": f"i{n}",
            "question_id": f"q{n // 2}",
            "question": f"Which one is number {n // 2}?",
            "reference": f"answer {n // 2}",
            "candidate": f"answer {n}",
            "system": f"s{n % 2}",
            **fields,
        }
        for n in range(count)
    ]
    path = folder / "items.jsonl"
    path.write_text(
        "".join(json.dumps(record) + "\n" for record in records) + "{broken\n"
    )
    return read_items(path)


def scorer(
    fails: Callable[[Asked], bool] = lambda _: False,
) -> Callable[[Asked], Answer]:
    """Scores by the seed, so that every sample differs: 1 + seed mod 5."""

    def answer(asked: Asked) -> Answer:
        if fails(asked):
            return Answer(status=500, body={"error": {"message": "down"}})
        score = 1 + asked.body["seed"] % 5
        return Answer(body=completion(json.dumps({"reasoning": "r", "score": score})))

    return answer


def options(folder: Path, server: Server, **judging: Any) -> RateOptions:
    chosen: dict[str, Any] = {"samples": 5, "retries": 0, "backoff_s": 0, **judging}
    where = {"base_url": f"{server.url}/v1", "cache": folder / "replies.sqlite"}
    return RateOptions(judge=("openai:m",), judging=JudgeOptions(**where, **chosen))


def test_five_calls_per_item_and_a_second_run_sends_nothing(tmp_path: Path) -> None:
    manifest = manifest_of(tmp_path, 3)
    with Server(scorer()) as server:
        chosen = options(tmp_path, server)
        summary = rate_manifest(manifest, tmp_path / "run", chosen)
        assert (summary.total, summary.scored) == (4, 3)
        assert summary.unscored == {"unreadable_record": 1}
        asked = [
            (a.body["seed"], a.body["messages"][1]["content"]) for a in server.asked
        ]
        assert len(asked) == 15
        assert len(set(asked)) == 15
        assert {seed for seed, _ in asked} == {0, 1, 2, 3, 4}
        rate_manifest(manifest, tmp_path / "run", chosen)
        rate_manifest(manifest, tmp_path / "again", chosen)
        assert len(server.asked) == 15
        # Two more samples are two more calls per item; another word in the rubric is
        # all anew.
        rate_manifest(
            manifest, tmp_path / "seven", options(tmp_path, server, samples=7)
        )
        assert len(server.asked) == 21
        mine = tmp_path / "mine.toml"
        shipped = Path("trace_eval/data/rubrics/files/correctness.toml").read_text()
        mine.write_text(shipped.replace("How well does", "How far does"))
        rate_manifest(
            manifest, tmp_path / "mine", replace(chosen, rubrics=(str(mine),))
        )
        assert len(server.asked) == 36
        with pytest.raises(UserError, match="was made with other rubrics"):
            rate_manifest(
                manifest, tmp_path / "run", replace(chosen, rubrics=(str(mine),))
            )
    scores = list(Run.open(tmp_path / "run").scores())
    assert [score.value for score in scores] == [3, 3, 3]
    again = list(Run.open(tmp_path / "again").scores())
    assert all(opinion.cached for score in again for opinion in score.opinions)


def test_the_same_answer_to_the_same_question_is_rated_once(tmp_path: Path) -> None:
    manifest = manifest_of(tmp_path, 6, question="Q?", reference="yes", candidate="yes")
    with Server(scorer()) as server:
        rate_manifest(manifest, tmp_path / "run", options(tmp_path, server))
        assert len(server.asked) == 5
    scores = list(Run.open(tmp_path / "run").scores())
    assert {score.value for score in scores} == {3}
    assert len(scores) == 6


def test_a_run_goes_on_where_it_was(tmp_path: Path) -> None:
    manifest = manifest_of(tmp_path)
    down = threading.Event()
    down.set()

    def fails(asked: Asked) -> bool:
        return down.is_set() and "answer 3" in asked.body["messages"][1]["content"]

    with Server(scorer(fails)) as server:
        chosen = options(tmp_path, server, repair=False)
        first = rate_manifest(manifest, tmp_path / "run", chosen)
        assert (first.scored, sum(first.unscored.values())) == (5, 2)
        before = len(server.asked)
        down.clear()
        second = rate_manifest(manifest, tmp_path / "run", chosen)
        assert (second.scored, second.total) == (6, 7)
        assert len(server.asked) == before + 5
    run = Run.open(tmp_path / "run")
    failed, mended = [score for score in run.scores() if score.item == "i3"]
    assert (failed.status, failed.value) == ("unscored", None)
    assert (mended.status, mended.value) == ("scored", 3)
    rows = (tmp_path / "run" / "results.csv").read_text().splitlines()
    assert rows[4].startswith("i3,q1,s1,correctness,scored,,3,1.58114,5,5,0.5,0.125")
    assert not re.search(r"nan|NaN", (tmp_path / "run" / "scores.jsonl").read_text())


def test_shards_become_the_run_that_one_process_makes(tmp_path: Path) -> None:
    manifest = manifest_of(tmp_path)
    with Server(scorer()) as server:
        chosen = options(tmp_path, server)
        rate_manifest(manifest, tmp_path / "whole", chosen)
        shards = []
        for index in (1, 2, 3):
            shards.append(tmp_path / f"shard{index}")
            rate_manifest(manifest.shard(Shard(index, 3)), shards[-1], chosen)
        assert len(server.asked) == 30
    result = merge(random.Random(0).sample(shards, 3), tmp_path / "merged")
    assert (result.summary.scored, result.summary.total) == (6, 7)
    for name in ("items.jsonl", "problems.jsonl", "results.csv"):
        assert (tmp_path / "merged" / name).read_text() == (
            tmp_path / "whole" / name
        ).read_text()
    again = merge([tmp_path / "merged", tmp_path / "whole"], tmp_path / "twice")
    assert again.summary.scored == 6
    with pytest.raises(UserError, match="shards 2/3 are missing"):
        merge([shards[0], shards[2]], tmp_path / "two")


def test_two_rubrics_and_two_judges_are_asked_in_one_go(tmp_path: Path) -> None:
    manifest = manifest_of(tmp_path, 2)
    with Server(scorer()) as server:
        chosen = replace(
            options(tmp_path, server, samples=1),
            judge=("openai:m", "openai:n"),
            rubrics=("correctness", "correctness-brief"),
        )
        summary = rate_manifest(manifest, tmp_path / "run", chosen)
        assert summary.scored == 2
        assert len(server.asked) == 8
    run = Run.open(tmp_path / "run")
    rubrics = ["correctness", "correctness-brief"]
    assert {score.key for score in run.scores()} == {
        (i, r) for i in ("i0", "i1") for r in rubrics
    }
    assert list(run.record().rubrics) == rubrics
    assert run.record().judge.spec == "openai:m + openai:n"


def test_money_is_one_purse(tmp_path: Path) -> None:
    prices = price_table(tmp_path, input=1.0, output=1.0)
    manifest = manifest_of(tmp_path, 40)
    with Server(scorer()) as server:
        chosen = options(
            tmp_path,
            server,
            prices=prices,
            max_cost=0.02,
            max_tokens=400,
            concurrency=1,
        )
        chosen = replace(chosen, rubrics=("correctness", "correctness-brief"))
        rate_manifest(manifest, tmp_path / "run", chosen)
        sent = len(server.asked)
    run = Run.open(tmp_path / "run")
    spent = sum((s.usage.cost_usd or 0) for s in run.scores() if s.usage)
    assert 0 < spent <= 0.02
    reasons = {o.reason for s in run.scores() for o in s.opinions if o.reason}
    assert reasons == {Reason.OVER_BUDGET}
    assert sent < 40 * 2 * 5


def test_an_estimate_counts_what_a_run_sends(tmp_path: Path) -> None:
    manifest = manifest_of(tmp_path)
    with Server(scorer()) as server:
        chosen = replace(
            options(tmp_path, server), rubrics=("correctness", "correctness-brief")
        )
        result = estimate_manifest(manifest, chosen, tmp_path / "run")
        quick = quick_estimate(manifest, chosen, tmp_path / "run")
        assert server.asked == []
        assert (result.cases, result.calls, result.cached, result.unscored) == (
            6,
            60,
            0,
            0,
        )
        assert quick == replace(result, guessed=0)
        rate_manifest(manifest, tmp_path / "run", chosen)
        assert len(server.asked) == result.calls
        assert estimate_manifest(manifest, chosen, tmp_path / "run").cases == 0


def test_a_batch_goes_there_and_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    manifest = manifest_of(tmp_path, 2)
    judging = JudgeOptions(samples=2, cache=tmp_path / "replies.sqlite")
    chosen = RateOptions(
        judge=("openai:m",),
        rubrics=("correctness", "correctness-brief"),
        judging=judging,
    )
    with Session(manifest, tmp_path / "run", chosen) as session:
        written = session.write_batch(tmp_path / "out.jsonl")
    lines = [
        json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()
    ]
    assert (written.requests, len({line["custom_id"] for line in lines})) == (8, 8)
    body = completion(json.dumps({"reasoning": "r", "score": 4}))
    reply = {
        "id": "b",
        "response": {"status_code": 200, "request_id": "r", "body": body},
    }
    replies = [
        reply | {"custom_id": line["custom_id"], "error": None} for line in lines
    ]
    results = tmp_path / "in.jsonl"
    results.write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    offline = replace(chosen, judging=replace(judging, offline=True))
    with Session(manifest, tmp_path / "run", offline) as session:
        summary = session.judge_pending([results])
    assert summary.scored == 2
    assert {score.value for score in Run.open(tmp_path / "run").scores()} == {4}


@pytest.mark.parametrize("judge", ["lexical", "scripted"])
def test_nothing_is_extracted_of_an_item_without_a_reference(
    tmp_path: Path, judge: str
) -> None:
    write(tmp_path / "a.wav", tone())
    script = tmp_path / "script.jsonl"
    script.write_text("")
    chosen = RateOptions(
        judge=(f"scripted:{script}" if judge == "scripted" else judge,),
        extract=ExtractOptions(
            overrides={"transcript": "none", "rate": "none"},
            workers=0,
            cache=tmp_path / "cache",
        ),
    )
    clips = []
    for reference in ("yes", "  "):
        manifest = manifest_of(
            tmp_path, 1, candidate=None, audio="a.wav", reference=[reference]
        )
        summary = rate_manifest(manifest, tmp_path / f"run-{reference.strip()}", chosen)
        clips.append(summary.clips)
    assert clips == [1, 0]
    (score,) = Run.open(tmp_path / "run-").scores()
    assert (score.status, score.reason) == ("unscored", "evidence_missing")
    assert "no reference" in str(score.detail)


def test_pair_runs_and_score_runs_are_told_apart(tmp_path: Path) -> None:
    manifest = manifest_of(tmp_path, 2)
    rate_manifest(manifest, tmp_path / "run")
    run = Run.open(tmp_path / "run")
    with pytest.raises(UserError, match="holds scores of single answers and no pairs"):
        list(run.pairs())
    pairs = Run.open(Path(__file__).resolve().parent / "before" / "rules")
    with pytest.raises(UserError, match="holds judgements of pairs and no scores"):
        list(pairs.singles())
