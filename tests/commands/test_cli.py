"""The commands as a user types them, on the shipped example pairs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from blueprints import Blueprint
from fusion import POLICIES
from tests.support.cli import ROOT, Done, refused, trace_eval
from trace_eval.api.doctor import diagnose
from trace_eval.data.items import Pair
from trace_eval.runs.run import Run

PAIRS = ROOT / "examples" / "pairs.jsonl"
CLIP = next((ROOT / "examples" / "clips").glob("slow-a.*"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, examples_cache: Path) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    examples_cache.rename(folder / "cache")
    return folder


@pytest.fixture(scope="module")
def judged(folder: Path) -> Done:
    return trace_eval(
        "judge", PAIRS, "--out", folder / "run", "--cache", folder / "cache"
    )


@pytest.fixture(scope="module")
def extracted(folder: Path) -> Done:
    options = ["--out", folder / "out", "--cache", folder / "cache"]
    return trace_eval("extract", PAIRS, CLIP, *options)


def test_judge_prints_the_table_and_where_the_run_is(
    judged: Done, folder: Path
) -> None:
    assert judged.code == 0, judged.err
    ids = [json.loads(line)["id"] for line in PAIRS.read_text().splitlines()]
    assert len(ids) >= 6
    header, *rows = judged.out.splitlines()
    assert header.split() == ["pair", "C", "VQ", "P", "overall", "why"]
    assert [row.split()[0] for row in rows[: len(ids)]] == ids
    assert f"run: {folder / 'run'}" in judged.out
    assert "screening baseline" in judged.out.lower()
    assert f"{len(ids)} of {len(ids)} pairs scored (100.0%)" in judged.err
    assert "\x1b" not in judged.out + judged.err  # no colours, no bars off a terminal
    silent = Run.open(folder / "run").judgements()["silent"]
    assert silent.rating("content") == "2"
    assert "screening baseline" in " ".join(silent.caveats).lower()


def test_fuse_gives_every_policy_without_judging(judged: Done, folder: Path) -> None:
    before = (folder / "run" / "judgements.jsonl").read_bytes()
    for name, policy in POLICIES.items():
        trace_eval("fuse", folder / "run", "--policy", name, ends=0)
        run = Run.open(folder / "run")
        for pair, overall in run.overall().items():
            verdicts = run.judgements()[pair].dimensions
            c, vq, p = (
                verdicts[d].rating
                for d in ("content", "voice_quality", "paralinguistics")
            )
            assert overall.rating is policy(c, vq, p)
    assert (folder / "run" / "judgements.jsonl").read_bytes() == before
    wrong = trace_eval("fuse", folder / "run", "--policy", "democracy", ends=2)
    assert wrong.err.startswith(
        "error: policy 'democracy' is unknown; use one of content_first"
    )


def test_extract_and_show(extracted: Done, folder: Path) -> None:
    assert extracted.code == 0, extracted.err
    lines = (folder / "out" / "blueprints.jsonl").read_text().splitlines()
    blueprints = [Blueprint.model_validate_json(line) for line in lines]
    assert len(blueprints) == len({blueprint.clip for blueprint in blueprints}) >= 12

    options = ["--cache", folder / "cache"]
    shown = trace_eval("show", CLIP, *options)
    assert re.search(r"sig +\d\.\d+", shown.out)
    as_json = trace_eval("show", CLIP, "--format", "json", *options)
    assert Blueprint.model_validate_json(as_json.out) in blueprints
    paper = json.loads(trace_eval("show", CLIP, "--format", "paper", *options).out)
    assert len(paper["agent_audio_properties"]["Full_Pitch_Contour_Hz"]) == 20
    compact = trace_eval("show", CLIP, "--format", "compact", *options).out
    assert compact.startswith("signal: ")


def test_coverage_decides_the_exit_code(folder: Path) -> None:
    manifest = folder / "two.jsonl"
    good = json.loads(PAIRS.read_text().splitlines()[0])
    for side in "ab":
        good[side] = {"audio": str(ROOT / "examples" / good[side]["audio"])}
    del good["instruction"]["audio"]
    bad = good | {"id": "bad", "b": {"audio": "nowhere.wav"}}
    manifest.write_text(json.dumps(good) + "\n" + json.dumps(bad) + "\n")
    command = ["judge", manifest, "--out", folder / "two", "--cache", folder / "cache"]
    done = trace_eval(*command, ends=1)
    assert "1 of 2 pairs scored (50.0%)" in done.err
    assert "unscored 1: clip_failed" in done.err
    warning = (
        f"warning: pair bad, b: {folder / 'nowhere.wav'}: no such file; check the path"
    )
    assert warning in done.err
    assert trace_eval(*command, "--min-coverage", "0.5").code == 0


def test_user_errors_are_one_line_and_exit_2(folder: Path) -> None:
    for arguments, message in (
        (["judge", "none.jsonl", "--out", folder / "x"], "none.jsonl: no such file"),
        (
            ["judge", PAIRS, "--out", folder / "x", "--judge", "oracle"],
            "judge 'oracle' is unknown",
        ),
        (["judge", PAIRS, "--out", folder / "x", "-x", "pitch"], "write GROUP=SPEC"),
        (
            ["judge", PAIRS, "--out", folder / "x", "--profile", "best"],
            "profile 'best' is unknown",
        ),
        (["show", "none.wav"], "none.wav: no such file"),
        (["schema", "run"], "schema 'run': use one of pair, blueprint, judgement"),
    ):
        done = trace_eval(*arguments, ends=2)
        assert done.err.startswith("error: ")
        assert message in done.err
        assert "Traceback" not in done.err


def test_extract_in_shards(extracted: Done, folder: Path) -> None:
    assert extracted.code == 0, extracted.err
    parts = [folder / "part1", folder / "part2"]
    for index, part in enumerate(parts, start=1):
        command = ["extract", PAIRS, "--out", part, "--cache", folder / "cache"]
        trace_eval(*command, "--shard", f"{index}/2", ends=0)
    trace_eval("merge", *parts, "--out", folder / "parts", ends=0)
    whole = Run(folder / "parts")
    one = Run(folder / "out")
    wanted = {source: r for source, r in one.clips().items() if source in whole.clips()}
    assert whole.clips() == wanted
    assert len(whole.clips()) == sum(len(Run(part).clips()) for part in parts) >= 26


def test_a_run_tells_its_options_and_is_listed(judged: Done, folder: Path) -> None:
    printed = trace_eval("show", folder / "run", "--config", ends=0)
    assert '[judge]\nspec = "rules"\n' in printed.out
    config = folder / "run.toml"
    config.write_text('tag = "again"\n' + printed.out)
    again = [
        "judge",
        PAIRS,
        "--out",
        folder / "again",
        "--config",
        config,
        "--limit",
        "2",
    ]
    done = trace_eval(*again, "--policy", "majority_vote", ends=0)
    assert "2 of 2 pairs scored" in done.err
    record = Run.open(folder / "again").record()
    assert (record.tag, record.policy) == (
        "again",
        "majority_vote",
    )  # the command line counts more
    assert record.options["cache"] == str(folder / "cache")
    listed = trace_eval("runs", folder, "--tag", "again").out.splitlines()
    assert listed[0].split()[:5] == ["run", "input", "judge", "policy", "scored"]
    assert listed[1].split()[1:5] == ["pairs.jsonl", "rules", "majority_vote", "2/2"]

    refused(f"('off-topic'); use --out {folder / 'again-2'}", *again[:-1], "1")
    config.write_text('judge = "rules"\ncolour = 3\n')
    refused("no option 'colour'", *again)
    refused("is a Python package", "extract", PAIRS, "--out", "blueprints")


def test_schema_and_doctor() -> None:
    schemas = json.loads(trace_eval("schema").out)
    assert schemas.keys() == {
        "pair",
        "single",
        "blueprint",
        "judgement",
        "score",
        "conversation",
    }
    assert json.loads(trace_eval("schema", "pair").out) == Pair.model_json_schema()
    assert (
        diagnose().sections["install"][0].detail.endswith(f"from {ROOT / 'trace_eval'}")
    )
    doctor = trace_eval("doctor").out
    assert re.search(r"yes +pitch=praat", doctor)
    assert re.search(r"yes +rules", doctor)
