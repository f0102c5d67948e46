"""The plug-ins of the documents, installed as packages and used by the commands."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.cli import ROOT
from tests.support.plug_ins import install_plug_ins
from tests.support.processes import run_python
from trace_eval.runs.run import Run

CLIPS = ROOT / "examples" / "clips"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder of packages as an installer would leave them."""
    folder = install_plug_ins(tmp_path_factory.mktemp("site"))
    broken = folder / "broken-1.dist-info"
    broken.mkdir()
    (broken / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: broken\nVersion: 1\n"
    )
    (broken / "entry_points.txt").write_text(
        "[trace_eval.judges]\nbroken = broken:create\n"
    )
    (folder / "broken.py").write_text(
        "class Half:\n    spec = 'broken'\n\ndef create(argument, options):\n   "
        " return Half()\n"
    )
    return folder


def typed(site: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return run_python(
        "-m", "trace_eval", *arguments, cwd=site, PYTHONPATH=f"{ROOT}:{site}"
    )


def test_doctor_and_help_name_them(site: Path) -> None:
    doctor = typed(site, "doctor").stdout
    for row in ("crest=crest", "longest", "quality_first"):
        assert re.search(rf"yes +{row}", doctor), row
    assert re.search(r"yes +crest=crest +from crest 1 *\n", doctor)
    assert re.search(r"yes +toy +Toy: 2 texts; from toyset 1 *\n", doctor)
    packages = doctor[doctor.index("\npackages") :].split("\n\n")[0].splitlines()[2:]
    starts = {re.match(r" (yes|no) +\S", row).end() for row in packages}
    assert (len(packages) > 20, len(starts)) == (True, 1)  # one column, however long
    assert "longest" in typed(site, "judge", "--help").stdout


def test_all_three_work_together(site: Path, tmp_path: Path) -> None:
    sides = {side: {"audio": str(next(CLIPS.glob(f"slow-{side}.*")))} for side in "ab"}
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"id": "p", "instruction": {"text": "Hi."}, **sides}))
    off = [
        word
        for name in ("transcript", "rate", "quality")
        for word in ("-x", f"{name}=none")
    ]
    run = tmp_path / "run"
    command = ["judge", pairs, "--judge", "longest", "-x", "crest=crest", *off]
    command += ["--out", run, "--policy", "quality_first"]
    done = typed(site, *command, "--cache", tmp_path / "cache")
    assert done.returncode == 0, done.stderr
    opened = Run.open(run)
    (blueprint, _) = opened.blueprints()
    crest = blueprint.extensions["crest"]
    assert 5 < crest.values["crest_db"] < 40
    assert blueprint.provenance["crest"].parameters == {"floor": 1e-9}
    assert opened.overall()["p"].why == "voice quality prefers 2"  # b is spoken slowly
    assert opened.record().judge.spec == "longest"


def test_what_is_missing_is_named(site: Path, tmp_path: Path) -> None:
    pairs = ROOT / "examples" / "pairs.jsonl"
    done = typed(site, "judge", pairs, "--judge", "broken", "--out", tmp_path / "run")
    assert done.returncode == 2
    assert "close" in done.stderr
    assert "Traceback" not in done.stderr
    done = typed(site, "judge", pairs, "--judge", "longest:x", "--out", tmp_path / "l")
    assert done.returncode == 2
    assert "longest takes no argument; use --judge longest" in done.stderr


def test_a_package_that_fails_costs_itself_alone(site: Path, tmp_path: Path) -> None:
    site = shutil.copytree(site, tmp_path / "site")
    info = site / "faulty-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: faulty\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[trace_eval.extractors]\nfaulty = no_such_module:Faulty\n"
        "worse = raising:Worse\n"
        "[trace_eval.judges]\nfaulty = no_such_module:make\n"
        "[trace_eval.policies]\nfaulty = no_such_module:policy\n"
        "[trace_eval.trackers]\nfaulty = no_such_module:send\n"
    )
    (site / "raising.py").write_text("raise RuntimeError('no device')")
    listed = " ".join(typed(site, "doctor").stdout.split())
    assert "cannot import no_such_module:Faulty" in listed
    assert "cannot import raising:Worse (no device)" in listed
    clip = next(CLIPS.glob("slow-a.*"))
    out = ("--out", tmp_path / "out", "--cache", tmp_path / "cache")
    off = [f"-x{name}=none" for name in ("transcript", "quality", "pitch", "rate")]
    done = typed(site, "extract", clip, "-x", "crest=crest", *off, *out)
    assert done.returncode == 0, done.stderr
    pairs = ROOT / "examples" / "pairs.jsonl"
    for spec in ("faulty", "faulty:x"):
        done = typed(site, "judge", pairs, "--judge", spec, "--out", tmp_path / "run")
        assert done.returncode == 2, done.stderr
        assert f"judge {spec}: cannot import no_such_module:make" in done.stderr
    done = typed(site, "judge", pairs, "--policy", "faulty", "--out", tmp_path / "run")
    assert done.returncode == 2, done.stderr
    assert "policy faulty: cannot import no_such_module:policy" in done.stderr
    done = typed(site, "export", tmp_path, "--to", "faulty")
    assert done.returncode == 2, done.stderr
    assert "tracker 'faulty': cannot import no_such_module:send" in done.stderr


def test_a_judge_of_single_answers_rates_by_each_rubric(
    site: Path, tmp_path: Path
) -> None:
    items = tmp_path / "items.jsonl"
    clip = str(next(CLIPS.glob("slow-a.*")))
    given = ("one two", None), ("one two three four", None), (None, clip)
    rows = (
        {"id": f"i{n}", "reference": "r", "candidate": text, "audio": audio}
        for n, (text, audio) in enumerate(given)
    )
    items.write_text("".join(json.dumps(row) + "\n" for row in rows))
    rubrics = ["--rubric", "correctness", "--rubric", "correctness-brief"]
    run = tmp_path / "run"
    done = typed(site, "rate", items, "--judge", "brief:3", *rubrics, "--out", run)
    assert done.returncode == 1, done.stderr  # the spoken answer has no score
    scores = {score.key: score for score in Run.open(run).scores()}
    for rubric in ("correctness", "correctness-brief"):
        assert [scores[f"i{n}", rubric].value for n in range(3)] == [5, 1, None]
    assert "not written" in str(scores["i2", "correctness"].detail)
    refused = typed(
        site, "rate", items, "--judge", "brief:abc", "--out", tmp_path / "x"
    )
    assert refused.returncode == 2
    assert "makes no judge of 'abc' (ValueError: " in refused.stderr
    refused = typed(
        site, "rate", items, "--judge", "longest", "--out", tmp_path / "other"
    )
    assert refused.returncode == 2
    assert "LongestJudge rates no single answers" in refused.stderr


def test_the_notebook_cell_extracts_and_judges(
    tmp_path: Path, examples_cache: Path
) -> None:
    """The cell of the tutorial, on two of the pairs, whose other groups are known."""
    page = (ROOT / "docs" / "tutorials" / "own-judge.md").read_text("utf-8")
    cell = re.findall(r"```python\n(.*?)```", page, re.S)[0]
    records = [
        json.loads(line)
        for line in (ROOT / "examples/pairs.jsonl").read_text().splitlines()
    ]
    few = [record for record in records if record["id"] in ("clipped", "loud")]
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "clips").symlink_to(CLIPS)
    lines = "".join(json.dumps(record) + "\n" for record in few)
    (tmp_path / "examples" / "pairs.jsonl").write_text(lines)
    variables = {"PYTHONPATH": str(ROOT), "TRACE_EVAL_CACHE": str(examples_cache)}
    done = run_python("-c", cell, cwd=tmp_path, **variables)
    assert done.returncode == 0, done.stderr
    assert "crest agrees with human labels on" in done.stdout
    opened = Run.open(next((tmp_path / "runs").iterdir()))
    assert opened.record().judge.spec == "crest"
    judged = opened.judgements()["loud"]
    assert "dB against" in judged.dimensions["content"].reasoning
    crest = next(iter(opened.blueprints())).extensions["crest"].values["crest_db"]
    assert 5 < crest < 40
