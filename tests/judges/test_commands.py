"""The judge command with models, as a user types it; real sampling behind both clients."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fusion import DIMENSIONS, RATINGS
from tests.support.cli import ROOT, Done, trace_eval
from tests.support.servers import Server
from trace_eval.data.judgement import Judgement
from trace_eval.runs.run import Run

PAIRS = ROOT / "examples" / "pairs.jsonl"
SECRET = "sk-this-must-never-be-written"


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two of the example pairs: one with a spoken instruction, one with a silent answer."""
    folder = tmp_path_factory.mktemp("commands")
    records = {r["id"]: r for r in map(json.loads, PAIRS.read_text().splitlines())}
    chosen = [records[name] for name in ("refusal", "silent")]
    for record in chosen:
        for role in ("instruction", "a", "b"):
            if "audio" in record[role]:
                record[role]["audio"] = str(ROOT / "examples" / record[role]["audio"])
    path = folder / "pairs.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in chosen))
    return path


def _judge(manifest: Path, name: str, *options: object) -> tuple[Done, Run]:
    folder = manifest.parent
    done = trace_eval(
        "judge", manifest, "--out", folder / name, "--cache", folder / "cache", *options
    )
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
            assert opinion.usage is not None
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
    again, _ = _judge(manifest, "openai", "--judge", "openai:tiny", "--base-url", f"{llama}/v1")
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
    options = ["--judge", "openai:x", "--base-url", "http://127.0.0.1:9/v1", "-J", "retries=0"]
    done, run = _judge(manifest, "down", *options)
    assert done.code == 2
    assert "error: judge openai:x: http://127.0.0.1:9/v1: cannot be reached" in done.err
    assert "the same command continues" in done.err
    assert {o.rating for o in run.overall().values()} == {None}
    assert not run.judgements()
