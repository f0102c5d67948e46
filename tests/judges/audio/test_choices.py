"""All samples of an answer in one request: servers honour, ignore or refuse ``n``."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from tests.support.cli import trace_eval
from tests.support.llm_judges import judged, judged_by
from tests.support.prices import price_table
from tests.support.processes import wait_for
from tests.support.rated_sound import case, clip, said, write_items
from tests.support.servers import Answer, Asked, Server, completion
from trace_eval.data.items import Single
from trace_eval.data.manifests import read_items
from trace_eval.data.outcome import Reason
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.data.scores import Choice, Score
from trace_eval.judges.ask.base import Tokens
from trace_eval.judges.ask.batch import write_batch
from trace_eval.judges.ask.estimate import estimate
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.ask.openai_dialect import Dialect
from trace_eval.judges.ask.openai_replies import shares
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_scorers
from trace_eval.runs.job import rate_manifest
from trace_eval.runs.options import RateOptions
from trace_eval.runs.run import Run

#: Of a request, whatever it brings; no count can be divided by five.
USAGE = {
    "prompt_tokens": 2003,
    "completion_tokens": 502,
    "prompt_tokens_details": {
        "audio_tokens": 1501,
        "cached_tokens": 203,
        "cached_tokens_details": {"audio_tokens": 101},
    },
}

PRICES = {
    **{"input": 2.5, "output": 10.0, "cached": 1.25},
    **{"audio_input": 32.0, "audio_cached": 4.0, "audio_tokens_per_s": 10.0},
}

#: 1400 new and 101 cached tokens of sound, 400 new and 102 cached of words, 502 of
#: replies.
COST = (1400 * 32 + 101 * 4 + 400 * 2.5 + 102 * 1.25 + 502 * 10) / 1e6


def choices(*texts: str | None) -> Answer:
    """Return a completion with several replies."""
    body: dict[str, Any] = completion(None)
    body["usage"] = USAGE
    (first,) = body["choices"]
    body["choices"] = [
        {**first, "index": index, "message": {"role": "assistant", "content": text}}
        for index, text in enumerate(texts)
    ]
    return Answer(body=body)


def honours(asked: Asked) -> Answer:
    """Scores 5, 4, 3, 2, 1, from the seed on."""
    seed, count = asked.body["seed"], asked.body.get("n", 1)
    return choices(*(said(5 - (seed + index) % 5) for index in range(count)))


def rater(server: Server, folder: Path, **options: Any) -> LLMJudge:
    given = {
        "samples": 5,
        "choices": True,
        "prices": price_table(folder, **PRICES),
        **options,
    }
    chosen = JudgeOptions(base_url=f"{server.url}/v1", temperature=1.0, **given)
    (made,) = create_scorers("audio:openai:m", [load_rubric("style")], chosen)
    return made


def rated(judge: LLMJudge, *items: Single) -> list[Score]:
    return judged(judge, (case(item) for item in items))


def test_one_request_brings_all_samples_and_is_paid_once(tmp_path: Path) -> None:
    with Server(honours) as server:
        ledger = tmp_path / "ledger.jsonl"
        judge = rater(server, tmp_path, max_cost=1.0, ledger=ledger)
        (score,) = rated(judge, clip(tmp_path))
        (asked,) = server.asked
    assert (asked.body["n"], asked.body["seed"]) == (5, 0)
    assert (score.value, score.used, score.samples) == (3.0, 5, 5)
    assert [opinion.score for opinion in score.opinions] == [5, 4, 3, 2, 1]
    assert [opinion.sample for opinion in score.opinions] == [0, 1, 2, 3, 4]
    assert {opinion.seed for opinion in score.opinions} == {0}
    assert [opinion.choice for opinion in score.opinions] == [
        Choice(index=index, of=5) for index in range(5)
    ]
    assert score.usage.model_dump(exclude={"cost_usd"}) == {
        "input_tokens": 2003,
        "output_tokens": 502,
        "cached_tokens": 203,
        "audio_tokens": 1501,
    }
    assert score.usage.cost_usd == pytest.approx(COST, rel=1e-12)
    costs = [opinion.usage.cost_usd for opinion in score.opinions if opinion.usage]
    assert costs == [pytest.approx(COST / 5, rel=1e-12)] * 5
    assert judge.budget.spending.spent == pytest.approx(COST, rel=1e-12)
    sent, settled = map(json.loads, ledger.read_text().splitlines())
    assert settled["cost_usd"] == pytest.approx(COST, rel=1e-12)
    # The bound has room for five replies of 1024 tokens, and for one prompt.
    assert 5 * 1024 * 10e-6 < sent["worst_usd"] < 5 * 1024 * 10e-6 + 0.02


def test_a_server_that_ignores_n_is_asked_one_by_one_and_that_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Server(lambda asked: choices(said(5 - asked.body["seed"]))) as server:
        judge = rater(server, tmp_path)
        items = [clip(tmp_path, f"c{n}", hertz=300.0 + 50 * n) for n in range(2)]
        scores = rated(judge, *items)
        bodies = [asked.body for asked in server.asked]
    assert [body.get("n") for body in bodies] == [5] + [None] * 9
    for score in scores:
        assert [opinion.score for opinion in score.opinions] == [5, 4, 3, 2, 1]
        assert [opinion.seed for opinion in score.opinions] == [0, 1, 2, 3, 4]
        assert {opinion.choice for opinion in score.opinions} == {None}
        assert score.usage.input_tokens == 5 * 2003
        assert score.usage.cost_usd == pytest.approx(5 * COST, rel=1e-12)
    assert judge.observed()["choices"] is False
    (told,) = [record.getMessage() for record in caplog.records]
    assert told.startswith("choices are off")
    assert "gave 1 of 5" in told


def test_what_comes_of_fewer_choices_is_used_and_the_rest_asked(tmp_path: Path) -> None:
    def three(asked: Asked) -> Answer:
        if "n" in asked.body:
            return choices(said(5), said(4), said(3))
        return choices(said(5 - asked.body["seed"]))

    with Server(three) as server:
        (score,) = rated(rater(server, tmp_path), clip(tmp_path))
        seeds = [(asked.body.get("n"), asked.body["seed"]) for asked in server.asked]
    assert sorted(seeds, key=str) == [(5, 0), (None, 3), (None, 4)]
    assert [opinion.score for opinion in score.opinions] == [5, 4, 3, 2, 1]
    assert [opinion.seed for opinion in score.opinions] == [0, 0, 0, 3, 4]
    assert score.usage.input_tokens == 3 * 2003


@pytest.mark.parametrize("taken", [0, 1])
def test_a_refused_n_costs_no_sample_at_first_or_later(
    taken: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    told = {"error": {"message": "Unsupported parameter: 'n'", "param": "n"}}
    left = [taken]

    def refuses(asked: Asked) -> Answer:
        if "n" in asked.body and not left[0]:
            return Answer(400, told)
        left[0] -= "n" in asked.body
        return honours(asked)

    items = [clip(tmp_path, f"c{n}", hertz=300.0 + 50 * n) for n in range(2)]
    with Server(refuses) as server:
        scores = rated(rater(server, tmp_path), *items)
        asked = len(server.asked)
    assert [score.value for score in scores] == [3.0, 3.0]
    assert asked == (1 + 5 + 5, 1 + 1 + 5)[taken]
    assert len(caplog.records) == 1
    assert "Unsupported parameter" in caplog.text


def spoilt(asked: Asked) -> Answer:
    """Answer with five choices of which the third is no score; alone it is one."""
    if "n" in asked.body:
        return choices(said(5), said(4), "I can't say.", said(2), said(1))
    return choices(said(3))


def test_a_bad_choice_is_repaired_by_a_request_of_its_own(tmp_path: Path) -> None:
    with Server(spoilt) as server:
        (score,) = rated(rater(server, tmp_path), clip(tmp_path))
        _, repair = server.asked
    assert "n" not in repair.body
    assert repair.body["seed"] == 2
    assert [opinion.score for opinion in score.opinions] == [5, 4, 3, 2, 1]
    third = score.opinions[2]
    assert (third.repaired, third.seed, third.choice) == (True, 2, None)
    assert third.usage.input_tokens == 400 + 2003
    assert score.usage.input_tokens == 2 * 2003
    assert score.usage.cost_usd == pytest.approx(2 * COST, rel=1e-12)


def test_without_repair_a_bad_choice_is_one_sample_less(tmp_path: Path) -> None:
    with Server(spoilt) as server:
        (score,) = rated(rater(server, tmp_path, repair=False), clip(tmp_path))
        assert len(server.asked) == 1
    assert (score.status, score.used, score.value) == ("scored", 4, 3.0)
    third = score.opinions[2]
    assert (third.reason, third.score, third.raw) == (
        Reason.UNPARSEABLE,
        None,
        "I can't say.",
    )
    assert third.choice == Choice(index=2, of=5)
    assert score.usage.input_tokens == 2003


@pytest.mark.parametrize(
    ("answer", "requests", "used"),
    [
        # What cannot be read at all is not asked for together again.
        (
            lambda asked: Answer(body=b"{}") if "n" in asked.body else honours(asked),
            6,
            5,
        ),
        (lambda _: Answer(403, {"error": {"message": "no such project"}}), 1, 0),
    ],
)
def test_a_joint_request_that_brings_nothing(
    answer: Callable[[Asked], Answer], requests: int, used: int, tmp_path: Path
) -> None:
    with Server(answer) as server:
        (score,) = rated(rater(server, tmp_path), clip(tmp_path))
        assert len(server.asked) == requests
    assert score.used == used
    assert [opinion.score for opinion in score.opinions] == (
        [5, 4, 3, 2, 1] if used else [None] * 5
    )
    assert score.reason is (None if used else Reason.REFUSED)


def test_only_samples_that_are_not_kept_are_asked_for(tmp_path: Path) -> None:
    """Keys are those of single requests: replies serve both ways, and say which."""
    cache, item = tmp_path / "replies.sqlite", clip(tmp_path)
    with Server(honours) as server:
        rated(rater(server, tmp_path, cache=cache, samples=2, choices=False), item)
        assert len(server.asked) == 2
        (score,) = rated(rater(server, tmp_path, cache=cache), item)
        assert [(a.body.get("n"), a.body["seed"]) for a in server.asked[2:]] == [(3, 2)]
        assert [opinion.cached for opinion in score.opinions] == [True] * 2 + [
            False
        ] * 3
        assert [opinion.seed for opinion in score.opinions] == [0, 1, 2, 2, 2]
        (plain,) = rated(rater(server, tmp_path, cache=cache, choices=False), item)
        assert len(server.asked) == 3
    assert all(opinion.cached for opinion in plain.opinions)
    for before, after in zip(score.opinions, plain.opinions, strict=True):
        assert (before.score, before.seed, before.choice) == (
            after.score,
            after.seed,
            after.choice,
        )


def test_two_runs_at_once_pay_for_each_sample_once(tmp_path: Path) -> None:
    cache, item = tmp_path / "replies.sqlite", clip(tmp_path)

    def slowly(asked: Asked) -> Answer:
        answer = honours(asked)
        return Answer(body=answer.body, sleep=0.3)

    with Server(slowly) as server:
        judges = [rater(server, tmp_path, cache=cache) for _ in range(2)]
        outcomes = judged_by(judges, [case(item)])
        assert len(server.asked) == 1
    assert [score.value for score in outcomes] == [3.0, 3.0]


def test_a_kill_loses_only_what_is_under_way(tmp_path: Path) -> None:
    """A kill while a bad choice is repaired keeps the good; one call stays open."""
    killed = threading.Event()

    def answer(asked: Asked) -> Answer:
        if "n" not in asked.body:
            killed.wait(60)
        return spoilt(asked)

    manifest, out = write_items(tmp_path, clip(tmp_path)), tmp_path / "run"
    prices = price_table(tmp_path, **PRICES)
    with Server(answer) as server:
        typed = ["rate", manifest, "--rubric", "style", "--judge", "audio:openai:m"]
        typed += [
            "--base-url",
            f"{server.url}/v1",
            "--samples",
            5,
            "-J",
            "choices=true",
        ]
        typed += ["-J", f"prices={prices}", "--max-cost", 1]
        typed += ["--cache", tmp_path / "cache", "--out", out]
        command = [sys.executable, "-m", "trace_eval", *map(str, typed)]
        running = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            wait_for(
                lambda: len(server.asked) == 2 or running.poll() is not None, "a repair"
            )
            assert len(server.asked) == 2, "it ended too early"
        finally:
            running.kill()
            running.wait()
            killed.set()
        with sqlite3.connect(tmp_path / "cache" / "replies.sqlite") as cache:
            assert cache.execute("SELECT COUNT(*) FROM replies").fetchone() == (4,)
        done = trace_eval(*typed)
        assert done.code == 0, done.err
        after = [asked.body.get("n") for asked in server.asked[2:]]
    assert after == [None]
    (score,) = Run(out).scores()
    assert [opinion.score for opinion in score.opinions] == [5, 4, 3, 2, 1]
    assert [opinion.cached for opinion in score.opinions] == [
        True,
        True,
        False,
        True,
        True,
    ]
    observed = Run(out).record().judge_observed
    # Both requests that came to an end, and the worst case of the one that did not.
    assert observed["spent_usd"] == pytest.approx(2 * COST, rel=1e-9)
    assert float(str(observed["possibly_spent_usd"])) > 0


@pytest.mark.parametrize("count", [1, 2, 3, 5, 7])
@pytest.mark.parametrize(
    "tokens",
    [
        Tokens(2003, 502, 203, audio=1501, cached_audio=101, audio_s=6.0),
        Tokens(8, 1, 3, audio=5),
        Tokens(2, 0, 0, audio=2, cached_audio=0),
        Tokens(100, 7, 0, audio=None, audio_s=3.0),
        Tokens(1, 4, 90, audio=5, cached_audio=80),  # contradict each other
        Tokens(),
    ],
)
def test_shares_add_up_to_the_request(tokens: Tokens, count: int) -> None:
    parts = shares(tokens, count)
    assert len(parts) == count
    for name in ("input", "output", "cached", "audio", "cached_audio"):
        whole = getattr(tokens, name)
        given = [getattr(part, name) for part in parts]
        assert (None if None in given else sum(given)) == whole, name
        assert None in given or min(given) >= 0
    assert sum(part.audio_s for part in parts) == pytest.approx(
        tokens.audio_s, abs=1e-12
    )


def test_the_estimate_counts_the_sound_of_a_request_once(tmp_path: Path) -> None:
    items = [
        case(clip(tmp_path, f"c{n}", seconds=2.0, hertz=300.0 + 50 * n))
        for n in range(2)
    ]
    with Server(honours) as server:
        together = estimate(rater(server, tmp_path), items)
        alone = estimate(rater(server, tmp_path, choices=False), items)
        assert server.asked == []
    assert (together.calls, together.replies) == (2, 10)
    assert (alone.calls, alone.replies) == (10, 10)
    assert (together.audio_s, alone.audio_s) == (4.0, 20.0)
    assert 5 * together.input_tokens == alone.input_tokens
    assert together.output_tokens == alone.output_tokens
    # The bound is for a server that gives one reply at a time.
    assert together.input_tokens_at_most == alone.input_tokens_at_most


def test_choices_are_for_scores_of_servers_that_have_them(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not use choices"):
        create_scorers(
            "ollama:m", [load_rubric("correctness")], JudgeOptions(choices=True)
        )
    with (
        Server(honours) as server,
        pytest.raises(UserError, match="leave out -J choices=true"),
    ):
        write_batch([rater(server, tmp_path)], list, tmp_path / "batch.jsonl")


@pytest.mark.parametrize(
    ("text", "about"),
    [
        (
            "Field 'n': Value must be between 1 <= value <= 2, but got 3",
            True,
        ),  # llama.cpp
        ('{"message": "bad", "param": "n"}', True),
        (r'"unsupported value: \"n\" is not 1"', True),
        ("only one completion choice is allowed", True),
        (r"model not loaded\n\nsee the log\n", False),
        ("temperature must be 1", False),
    ],
)
def test_refusals_of_several_choices_are_told_from_others(
    text: str, about: bool
) -> None:
    assert Dialect(choices=True).refuses_choices(text.lower()) is about
    assert not Dialect().refuses_choices(text.lower())


@pytest.mark.parametrize(("samples", "together"), [(2, True), (3, False)])
def test_a_real_server_takes_as_many_as_it_has_slots(
    samples: int,
    together: bool,
    tmp_path: Path,
    ears: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """llama.cpp with two slots: ``n`` of 2 is honoured for sound, of 3 refused."""
    manifest = write_items(tmp_path, clip(tmp_path))
    judging = JudgeOptions(
        base_url=f"{ears}/v1",
        samples=samples,
        temperature=1.0,
        choices=True,
        max_tokens=1024,
    )
    options = RateOptions(
        judge=("audio:openai:tiny",), rubrics=("style",), judging=judging
    )
    summary = rate_manifest(read_items(manifest), tmp_path / "run", options)
    assert summary.scored == 1
    (score,) = Run(tmp_path / "run").scores()
    assert score.used == samples
    assert all(opinion.score in (1, 2, 3, 4, 5) for opinion in score.opinions)
    assert [opinion.choice is not None for opinion in score.opinions] == [
        together
    ] * samples
    # The prompt holds 375 tokens of sound; a request of its own pays them anew.
    each = score.usage.input_tokens / (1 if together else samples)
    assert len({opinion.seed for opinion in score.opinions}) == (
        1 if together else samples
    )
    assert each > 375
    assert ("choices are off" in caplog.text) is not together
    record = Run(tmp_path / "run").record()
    assert record.judge_observed["choices"] is together
    assert record.judge.parameters["choices"] is True
