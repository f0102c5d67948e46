"""The commands with models, as a user types them; real sampling behind both clients."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from fusion import DIMENSIONS, RATINGS
from tests.support.audio_cases import placed
from tests.support.cases import case
from tests.support.cli import ROOT, Done, code_and_words, output_of, trace_eval
from tests.support.datasets_made import write_lines
from tests.support.llm_judges import judged
from tests.support.servers import Server, llama_server
from tests.support.small_model import weights
from trace_eval.data.judgement import Judgement
from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.reply_json import is_placeholder
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge
from trace_eval.runs.run import Run

PAIRS = ROOT / "examples" / "pairs.jsonl"
SECRET = "sk-this-must-never-be-written"


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write two example pairs: with a spoken instruction, and with a silent answer."""
    records = {r["id"]: r for r in map(json.loads, PAIRS.read_text().splitlines())}
    chosen = [placed(records[name], PAIRS.parent) for name in ("refusal", "silent")]
    return write_lines(tmp_path_factory.mktemp("commands") / "pairs.jsonl", chosen)


def _judge(manifest: Path, name: str, *options: object) -> tuple[Done, Run]:
    folder = manifest.parent
    places = ("--out", folder / name, "--cache", folder / "cache")
    done = trace_eval("judge", manifest, *places, "--workers", 0, *options)
    return done, Run(folder / name)


def _check_scored(judgements: dict[str, Judgement], judge: str) -> None:
    for judgement in judgements.values():
        assert judgement.judge == judge
        assert [opinion.order for opinion in judgement.opinions] == ["ab", "ba"]
        for name in DIMENSIONS:
            verdict = judgement.dimensions[name]
            assert verdict.rating in RATINGS
            assert verdict.consistent is not None
        for opinion in judgement.opinions:
            assert opinion.raw
            assert opinion.usage.input_tokens > 0


def test_openai_compatible_server(
    manifest: Path, llama: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    server = ["--judge", "openai:tiny", "--base-url", f"{llama}/v1"]
    done, run = _judge(manifest, "openai", *server)
    assert done.code == 0, done.err
    _check_scored(run.judgements(), "openai:tiny")
    assert run.record().judge_observed
    for path in run.folder.rglob("*"):
        if path.is_file():
            assert SECRET not in path.read_text(errors="replace"), path
    assert SECRET not in done.out + done.err

    # A finished run sends nothing, and a new one answers from the reply cache.
    again, _ = _judge(
        manifest, "openai", "--judge", "openai:tiny", "--base-url", f"{llama}/v1"
    )
    assert (again.code, again.out.split("run:")[0]) == (0, done.out.split("run:")[0])
    estimate, _ = _judge(manifest, "other", *server, "--estimate")
    assert "2 pairs, 0 calls to make (4 in the reply cache" in estimate.out
    afresh, other = _judge(manifest, "third", *server)
    assert afresh.code == 0, afresh.err
    assert all(o.cached for j in other.judgements().values() for o in j.opinions)


def test_ollama(manifest: Path, front: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", front.url)
    done, run = _judge(manifest, "ollama", "--judge", "ollama:tiny")
    assert done.code == 0, done.err
    _check_scored(run.judgements(), "ollama:tiny")
    checks = trace_eval("doctor", "--judge", "ollama:tiny", "-J", "max_tokens=64")
    # The model is random: its server passes, its verdict on an easy pair does not.
    assert checks.code == 1, checks.out
    rows = [line.split() for line in checks.out.splitlines()]
    looked_at = {row[1]: row[0] for row in rows if row[:1] in (["yes"], ["no"])}
    assert [looked_at[name] for name in ("server", "schema", "context")] == ["yes"] * 3
    assert looked_at.get("verdict", looked_at["pair"]) == "no"


def test_a_server_that_is_down_is_no_verdict(manifest: Path) -> None:
    options = [
        "--judge",
        "openai:x",
        "--base-url",
        "http://127.0.0.1:9/v1",
        "-J",
        "retries=0",
    ]
    done, run = _judge(manifest, "down", *options)
    assert done.code == 2
    assert "error: judge openai:x: http://127.0.0.1:9/v1: cannot be reached" in done.err
    assert "repeat the same command to go on" in done.err
    assert {o.rating for o in run.overall().values()} == {None}
    assert not run.judgements()


@pytest.fixture
def items(tmp_path: Path) -> Path:
    records = [
        {
            "id": f"i{n}",
            "question": "Which way does it lean?",
            "reference": "To the south.",
            "candidate": words,
            "system": f"s{n}",
        }
        for n, words in enumerate(["South.", "It leans north, I think.", ""])
    ]
    return write_lines(tmp_path / "items.jsonl", records)


def test_a_real_model_rates_and_people_are_compared(
    llama: str, items: Path, tmp_path: Path
) -> None:
    command = ["rate", items, "--judge", "openai:tiny", "--base-url", f"{llama}/v1"]
    command += [
        "--samples",
        3,
        "--out",
        tmp_path / "run",
        "--cache",
        tmp_path / "cache",
    ]
    command += ["-J", "max_tokens=400"]
    done = trace_eval(*command)
    assert done.code == 0, done.err
    scores = {score.item: score for score in Run.open(tmp_path / "run").scores()}
    # The grammar holds the model to the schema: every sample is a label of the scale.
    for name in ("i0", "i1"):
        assert scores[name].used == 3, scores[name].detail
        assert all(o.score in (1, 2, 3, 4, 5) for o in scores[name].opinions)
        assert len({o.seed for o in scores[name].opinions}) == 3
        assert all(o.usage and o.usage.input_tokens for o in scores[name].opinions)
    assert scores["i2"].reason == "empty_candidate"
    labels = tmp_path / "people.csv"
    labels.write_text("id,rater,score\ni0,ann,5\ni1,ann,1\ni2,ann,1\n")
    agree = output_of("agree", tmp_path / "run", "--labels", labels)
    assert "nan" not in agree.lower()


def test_as_a_user_types_it(items: Path, tmp_path: Path) -> None:
    done = trace_eval("rate", items, cwd=tmp_path)
    assert done.code == 0, done.err
    assert "does not understand meaning" in " ".join(done.out.split())
    assert "run: runs/items-correctness-lexical" in done.out
    assert "3 of 3 items scored (100.0%)" in done.err
    items.write_text(items.read_text() + "{broken\n")
    typed = ["rate", items, "--out", tmp_path / "run"]
    assert "3 of 4 items scored" in output_of(*typed, code=1)
    output_of(*typed, "--min-coverage", 0.7)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--judge", "rules"], "judge rules: compares pairs and has no scores"),
        (
            ["--rubric", "style"],
            "judge lexical: reads candidate and reference and rates on 1-5",
        ),
        (
            ["--judge", "lexical", "--judge", "lexical"],
            "judge: name one or more different ones",
        ),
        (["--policy", "majority_vote"], "policy majority_vote: scores are not fused"),
        (["--estimate"], "estimate: judge lexical sends nothing"),
    ],
)
def test_what_cannot_work_is_said(items: Path, options: list[str], said: str) -> None:
    code, words = code_and_words("rate", items, *options, "--out", f"{items}-run")
    assert code == 2
    assert said in words


def test_replies_of_a_small_model_are_bounded_and_read() -> None:
    """SmolLM2-135M-Instruct behind a real server, as a new user's first try takes it.

    Its verdict is worth nothing; that its replies are read, bounded and told apart from
    healthy ones is the test.
    """
    options: dict[str, Any] = {"mode": "transcript", "max_tokens": 60, "swap": "off"}
    with llama_server(weights(), slots=1, context=8192) as url:
        options |= {
            "base_url": f"{url}/v1",
            "retries": 0,
            "timeout_s": 200.0,
            "repair": False,
        }
        judge = create_judge("openai:tiny", JudgeOptions(**options))
        started = time.monotonic()
        (judgement,) = judged(judge, [case()])
    assert judge.observed()["model_path"]
    if judgement.status == "scored":
        for verdict in judgement.dimensions.values():
            assert not is_placeholder(verdict.reasoning)
    else:
        assert judgement.reason in (
            Reason.UNPARSEABLE,
            Reason.REPLY_CUT,
            Reason.OFF_LABEL,
        )
    for opinion in judgement.opinions:
        assert opinion.raw
        assert len(opinion.raw) < 4000  # the schema's bounds hold
    assert time.monotonic() - started < 120
