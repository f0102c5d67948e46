"""``--json`` of every command: there, and as its schema says."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from tests.support.audio import tone, write
from tests.support.calls import conversation, sound
from tests.support.cli import leaves
from tests.support.cli import output_of as typed
from tests.support.datasets_made import vocalbench
from trace_eval.commands.cli import app
from trace_eval.commands.listing import RESULTS, WITHOUT
from trace_eval.commands.schema import result_schema

#: Commands that no cheap call brings to a result, and where else they run.
ELSEWHERE = {
    "models fetch": "downloads, see tests/models",
    "train scorer": "needs torch, see tests/models",
    "train clamp": "needs torch, see tests/models",
    "train card": "needs a trained scorer, see tests/models",
    "train fusion": "its file is in tests/stats/test_train_fusion.py",
}


def _takes_json(command: Any) -> bool:
    return any("--json" in parameter.opts for parameter in command.params)


def test_every_command_has_it_or_says_why_not() -> None:
    known = dict(leaves(typer.main.get_command(app)))
    without = {name for name, command in known.items() if not _takes_json(command)}
    assert without == WITHOUT.keys()
    assert all(WITHOUT.values())
    assert known.keys() - without == RESULTS.keys()


def test_every_schema_is_one_and_is_printed() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    for command in RESULTS:
        jsonschema.Draft202012Validator.check_schema(result_schema(command))
    for words in (["gate"], ["models", "list"], ["rubrics"]):
        assert json.loads(typed("schema", *words)) == result_schema(" ".join(words))
    assert "use one of pair, blueprint" in typed("schema", "models", "lis", code=2)


def test_what_came_to_nothing_says_so(tmp_path: Path) -> None:
    said = typed("review", tmp_path, "--json", tmp_path / "x.json", code=2)
    assert "no such" in said or "no run" in said
    path = tmp_path / "none" / "x.json"
    assert str(path) in typed("plan", 50, "--json", path, code=2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make six pairs of tones with labels, answers in words, a call and a benchmark."""
    folder = tmp_path_factory.mktemp("json")
    rows = [("id", "prompt", "a", "b", "system_a", "system_b", "overall")]
    for n in range(6):
        names = [f"{side}{n}.wav" for side in "ab"]
        for place, name in enumerate(names):
            write(folder / name, tone(0.05, hz=200 + 100 * place + n))
        rows.append(
            (f"p{n}", "Say it.", *names, "new", "old", ("both_good", "1")[n % 2])
        )
    with (folder / "pairs.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    answer = {
        "question": "Which sea?",
        "reference": "The North Sea",
        "candidate": "The North Sea.",
    }
    lines = [
        json.dumps({"id": f"i{n}", "question_id": f"q{n // 2}", "system": ["new", "old"][n % 2]}
        | answer | {"scores": [1 + n, 2]})
        for n in range(4)
    ]  # fmt: skip
    (folder / "items.jsonl").write_text("\n".join(lines))
    (folder / "best.csv").write_text(
        "group,text,audio\n1,Say it.,a0.wav\n1,Say it.,b0.wav\n"
    )
    sound(folder)
    (folder / "calls.jsonl").write_text(
        json.dumps({"id": "c", "conversation": conversation()})
    )
    vocalbench(folder / "bench")
    return folder


GROUPS = ("transcript", "quality", "pitch", "loudness", "rate")
FAST = [*(f"--extractor={group}=none" for group in GROUPS), "--workers=0"]

#: What is typed in the folder, in this order; by command.
LINES: tuple[tuple[str, list[str]], ...] = (
    ("judge", ["pairs.csv", "--out=run", *FAST]),
    ("judge", ["pairs.csv", "--judge=openai:m", "--estimate", "--quick", *FAST]),
    ("judge", ["pairs.csv", "--out=one", "--shard=1/2", *FAST]),
    ("judge", ["pairs.csv", "--out=two", "--shard=2/2", *FAST]),
    (
        "rate",
        [
            "items.jsonl",
            "--rubric=correctness",
            "--judge=lexical",
            "--out=rated",
            *FAST,
        ],
    ),
    ("best", ["best.csv", "--out=picked", "--by=signal.peak_dbfs", *FAST]),
    ("extract", ["a0.wav", "b0.wav", "--out=clips", *FAST]),
    ("report", ["rated"]),
    ("show", ["run"]),
    ("show", ["rated"]),
    ("show", ["run", "--config"]),
    ("show", ["a0.wav", *FAST]),
    ("runs", ["."]),
    ("export", ["run", "--to=csv"]),
    ("review", ["run", "--export=labels"]),
    ("agree", ["run"]),
    ("agree", ["rated"]),
    ("rank", ["run"]),
    ("rank", ["rated", "--resamples=5"]),
    ("merge", ["one", "two", "--out=all"]),
    ("compare", ["run", "all"]),
    ("compare", ["run", "all", "--judge-change"]),
    ("gate", ["run", "all"]),
    ("screen", ["run"]),
    ("plan", ["run"]),
    ("plan", ["200"]),
    ("card", ["run"]),
    ("doctor", ["--judge=rules"]),
    ("models list", []),
    ("models verify", []),
    ("rubrics list", []),
    ("rubrics show", ["correctness"]),
    ("rubrics check", ["correctness"]),
    ("turns", ["calls.jsonl"]),
    ("convert", ["--list"]),
    ("convert", ["vocalbench", "bench", "converted"]),
    ("fuse", ["run", "--policy=majority_vote"]),
    ("fuse", ["rated", "--out=pairs_of_scores.csv"]),
    ("ablate", ["run", "--without=signal"]),
    ("drill injection", ["pairs.csv", "--out=drill", "--limit=1", *FAST]),
    ("drill judge", ["pairs.csv", "--out=probes", "--limit=1", *FAST]),
)


def test_what_is_written_follows_the_schema(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TRACE_EVAL_CACHE", str(folder / "cache"))
    out = folder / "out.json"
    wrong, seen = [], set()
    for command, words in LINES:
        done = CliRunner().invoke(app, [*command.split(), *words, "--json", str(out)])
        line = f"{command} {' '.join(words)}"
        if not out.exists():
            wrong.append(
                f"{line}: nothing written, code {done.exit_code}: {done.output[-600:]}"
            )
            continue
        stored = json.loads(out.read_text())
        out.unlink()
        try:
            jsonschema.validate(stored, result_schema(command))
            assert done.exit_code in (0, 1), done.output[-600:]
            if isinstance(stored, dict) and "sentences" in stored:
                assert (
                    stored["sentences"]
                    == done.stdout.splitlines()[: len(stored["sentences"])]
                )
        except (AssertionError, jsonschema.ValidationError) as error:
            wrong.append(f"{line}: {str(error)[:600]}")
        seen.add(command)
    assert not wrong, "\n\n".join(wrong)
    assert seen == RESULTS.keys() - ELSEWHERE.keys()
