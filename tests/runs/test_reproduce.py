"""Repeating a run: its page typed as printed; its files say what decided the result."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from blueprints import DISTRIBUTION
from tests.support.cli import ROOT, refused, trace_eval
from tests.support.docs import commands
from trace_eval.runs.reproduce import input_digest
from trace_eval.runs.run import Run

PAGE = ROOT / "docs" / "how-to" / "reproduce.md"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, examples_cache: Path) -> Path:
    """Judge a table whose columns have other names, beside its recordings."""
    home = tmp_path_factory.mktemp("reproduce")
    shutil.copytree(ROOT / "examples" / "clips", home / "clips")
    pairs = map(
        json.loads, (ROOT / "examples" / "pairs.jsonl").read_text().splitlines()
    )
    lines = [
        {
            "nr": pair["id"],
            "asked": pair["instruction"]["text"],
            "a_side": pair["a"]["audio"],
            "b_side": pair["b"]["audio"],
        }
        for pair in list(pairs)[:4]
    ]
    (home / "pairs.jsonl").write_text(
        "".join(f"{json.dumps(line)}\n" for line in lines)
    )
    named = ("id=nr", "instruction_text=asked", "a=a_side", "b=b_side")
    columns = [word for text in named for word in ("--column", text)]
    call = ["judge", "pairs.jsonl", *columns, "--cache", examples_cache, "--out", "run"]
    trace_eval(*call, cwd=home, ends=0)
    return home


def test_the_page_is_typed_as_printed(home: Path) -> None:
    """In a folder elsewhere, to which run and recordings were moved together."""
    elsewhere = home.parent / "elsewhere"
    shutil.copytree(home, elsewhere)
    typed = [one.text for one in commands(PAGE) if not one.text.startswith("pip ")]
    assert len(typed) == 8
    printed = ""
    for text in typed:
        command, _, file = text.partition(" | ")[0].partition(" > ")
        done = trace_eval(*shlex.split(command)[1:], cwd=elsewhere, ends=0)
        printed += done.out
        if file:
            (elsewhere / file).write_text(done.out)
    assert (
        printed.count("pass: no change: every judgement is the same in both runs") == 2
    )
    digests = re.findall(
        r"SHA-256 of their words and recordings ([0-9a-f]{64})", printed
    )
    assert (len(digests), len(set(digests))) == (3, 1)
    configs = [
        trace_eval("show", run, "--config", cwd=elsewhere).out
        for run in ("run", "again")
    ]
    assert configs[0].replace(str(home), "") == configs[1].replace(str(elsewhere), "")


def test_a_file_of_options_has_what_the_profile_left_to_the_machine(home: Path) -> None:
    text = trace_eval("show", "run", "--config", cwd=home, ends=0).out
    assert "transcript=faster-whisper:tiny.en" in text
    assert '[extract."faster-whisper"]\ndevice = "cpu"' in text
    assert (
        'columns = ["id=nr", "instruction_text=asked", "a=a_side", "b=b_side"]' in text
    )
    assert re.search(
        r"# transcript: faster-whisper, version \d+, weights [0-9a-f]{12}, ", text
    )
    assert re.search(r"# input \S+pairs.jsonl, SHA-256 [0-9a-f]{64}\n", text)


def test_requirements_are_a_file_for_pip(home: Path) -> None:
    lines = trace_eval(
        "show", "run", "--requirements", cwd=home, ends=0
    ).out.splitlines()
    packages = Run.open(home / "run").record().environment.packages
    assert lines[0].startswith(f"# trace-eval {packages[DISTRIBUTION]}")
    assert f"numpy=={packages['numpy']}" in lines
    assert not [line for line in lines if line.startswith(DISTRIBUTION)]
    pattern = re.compile(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+_-]+")
    assert all(pattern.fullmatch(line) for line in lines if not line.startswith("#"))
    refused("are two files", "show", home / "run", "--config", "--requirements")


def test_the_digest_is_of_words_and_recordings_alone(
    home: Path, tmp_path: Path
) -> None:
    own = input_digest(Run.open(home / "run"))

    def changed(change: dict[str, object], **inner: object) -> str:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        shutil.copytree(home / "run", folder)
        lines = [
            json.loads(line)
            for line in (folder / "pairs.jsonl").read_text().splitlines()
        ]
        lines[0] |= change
        lines[0]["instruction"] |= inner
        lines.reverse()
        (folder / "pairs.jsonl").write_text(
            "".join(f"{json.dumps(line)}\n" for line in lines)
        )
        return input_digest(Run.open(folder))

    assert changed({}) == own  # the order does not count
    assert changed({"meta": {"note": "later"}, "labels": {"overall": "1"}}) == own
    assert changed({}, text="Something else.") != own
    assert changed({"language": "de"}) != own
