"""Estimates before a run: made without it or a key; the quick one extracts nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import soundfile

from blueprints import UserError
from tests.support.cli import ROOT, refused, trace_eval
from trace_eval.data.manifests import Manifest, read_manifest
from trace_eval.extracting.options import ExtractOptions
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.runs.estimate import estimate_manifest, quick_estimate
from trace_eval.runs.options import Options
from trace_eval.runs.run import Run

PAIRS = ROOT / "examples" / "pairs.jsonl"
# of OpenAI's own server, whose price is known; there is no key
MODEL = "openai:gpt-4.1-mini"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def options(cache: Path) -> Options:
    extract = ExtractOptions(overrides={"quality": "none"}, cache=cache, workers=0)
    return Options(extract, MODEL, JudgeOptions(samples=3))


@pytest.fixture
def manifest() -> Manifest:
    return read_manifest(PAIRS, limit=2)


def test_the_quick_one_is_near_the_exact_one(
    manifest: Manifest, options: Options
) -> None:
    quick = quick_estimate(manifest, options)
    exact = estimate_manifest(manifest, options)
    assert quick.calls == exact.calls == 2 * 2 * 3
    assert (quick.guessed, exact.guessed) == (0, None)
    assert quick.cost_usd is not None
    assert (
        0.9 < quick.input_tokens / exact.input_tokens < 1.3
    )  # it guesses high rather than low


def test_the_quick_one_opens_a_file_once(
    manifest: Manifest,
    options: Options,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    opened: list[str] = []
    info = soundfile.info
    monkeypatch.setattr(
        soundfile, "info", lambda path: opened.append(path) or info(path)
    )
    options = replace(
        options, extract=replace(options.extract, cache=tmp_path / "cache")
    )
    first = quick_estimate(manifest, options)
    assert opened
    opened.clear()
    assert quick_estimate(manifest, options) == first
    assert not opened


def test_longer_clips_cost_more_and_unknown_ones_count_as_the_mean(
    tmp_path: Path, manifest: Manifest, options: Options
) -> None:
    options = replace(options, judging=JudgeOptions())
    record = json.loads(PAIRS.read_text().splitlines()[0])
    record["a"] = {"audio": "s3://bucket/a.wav"}
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(record))
    remote = quick_estimate(read_manifest(path, ROOT / "examples"), options)
    local = quick_estimate(read_manifest(PAIRS, limit=1), options)
    assert (remote.guessed, local.guessed) == (1, 0)
    assert remote.calls == local.calls == 2
    short = quick_estimate(_only(manifest, "silent"), options).input_tokens
    assert quick_estimate(_only(manifest, "off-topic"), options).input_tokens > short
    del record["instruction"]["audio"]
    record["b"] = record["a"]
    path.write_text(json.dumps(record))
    with pytest.raises(UserError, match="duration of none of 1 recording is known"):
        quick_estimate(read_manifest(path), options)


def _only(manifest: Manifest, name: str) -> Manifest:
    pairs = [pair for pair in read_manifest(PAIRS).pairs if pair.id == name]
    return Manifest(manifest.path, pairs)


def test_the_command_needs_no_key_and_makes_no_run(tmp_path: Path, cache: Path) -> None:
    out = tmp_path / "run"
    command = ["judge", PAIRS, "--limit", 2, "--judge", MODEL, "--out", out]
    done = trace_eval(*command, "--estimate", "--quick", ends=0)
    assert "2 pairs, 4 calls to make" in done.out
    assert "nothing was extracted" in done.out
    assert "no price is known" not in done.err
    unpriced = [*command[:-4], "--judge", "openai:mine", "--estimate", "--quick"]
    done = trace_eval(*unpriced, ends=0)
    assert done.out.count("unknown") == 2
    assert "no price is known for these calls; name a table with -J prices" in done.err
    exact = [*command, "--estimate", "-x", "quality=none", "--cache", cache]
    done = trace_eval(*exact, ends=0)
    assert "2 pairs, 4 calls to make" in done.out
    assert not out.exists()
    assert not Run(out).exists
    refused("judge rules sends nothing", "judge", PAIRS, "--estimate", "--quick")
