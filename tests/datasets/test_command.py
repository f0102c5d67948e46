"""``convert`` as typed: tables, exit codes, URLs, others' packages, missing files."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import fsspec
import pytest

from blueprints import UserError
from tests.support import datasets_made as made
from tests.support.cli import ROOT, refused, trace_eval
from tests.support.processes import run_python
from trace_eval.data.access import UrlAccess, set_url_access
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.datasets import convert, read_dataset


def test_as_typed(tmp_path: Path) -> None:
    folder = made.vocalbench(tmp_path / "in")
    figures = tmp_path / "figures.json"
    done = trace_eval(
        "convert", "vocalbench", folder, tmp_path / "out", "--json", figures, ends=0
    )
    assert "licence Apache-2.0" in done.out
    assert "8 answers to rate" in done.out
    for row in ("knowledge, heard", "single_round, marks of", "16 of 18 rows"):
        assert row in done.out, done.out
    assert json.loads(figures.read_text()) == json.loads(
        (tmp_path / "out" / "published.json").read_text()
    )
    rubric = tmp_path / "out" / "rubrics" / "vocalbench-single_round.toml"
    trace_eval("rubrics", "check", rubric, ends=0)
    items = tmp_path / "out" / "sets" / "knowledge.jsonl"
    command = ["rate", items, "--judge", "lexical", "--rubric", "correctness"]
    rated = trace_eval(*command, "--out", tmp_path / "run")
    # the empty transcript is an empty answer, which has no score
    assert rated.code in (0, 1), rated.err
    assert "knowledge-0002" in rated.out


def test_the_authors_prompt_only_where_it_is_pointed_at(tmp_path: Path) -> None:
    folder = made.vocalbench(tmp_path / "in")
    prompt = tmp_path / "theirs.txt"
    prompt.write_text('Mark it.\n"Well", they say: \\ [0-5]\x7f\n')
    words = "convert", "vocalbench", folder, tmp_path / "out", "--prompt", prompt
    trace_eval(*words, "--set", "single_round", ends=0)
    rubric = load_rubric(tmp_path / "out" / "rubrics" / "vocalbench-single_round.toml")
    assert rubric.name == "vocalbench-single_round-authors"
    assert rubric.question == prompt.read_text().strip()
    digest = hashlib.sha256(prompt.read_bytes()).hexdigest()
    assert digest in rubric.origin
    record = json.loads((tmp_path / "out" / "published.json").read_text())
    assert record["prompt"] == f"theirs.txt, SHA-256 {digest}"
    refused("choose one with --set (here: none)", *words, "--set", "knowledge")


def test_bad_rows_end_with_1_and_another_layout_with_2(tmp_path: Path) -> None:
    folder = made.vocalbench(tmp_path / "in")
    path = folder / "result" / "toy" / "json" / "knowledge.json"
    path.write_text(path.read_text() + "{torn\n")
    done = trace_eval("convert", "vocalbench", folder, tmp_path / "out", ends=1)
    assert "knowledge.json, line 5: not JSON" in done.err
    assert (tmp_path / "out" / "items.jsonl").exists()
    other = tmp_path / "other"
    for typed, *told in (
        (("vstyle", folder, other), "expected metadata.jsonl", "found json/, result/"),
        (("nothing", folder, other), "use one of audiojudge, emergent-tts"),
        (
            ("vocalbench", folder, other, "--set", "safty"),
            "'safty': no such set; use knowledge",
        ),
        (("vocalbench",),),
    ):
        done = trace_eval("convert", *typed, ends=2)
        assert all(text in done.err for text in told), done.err
    assert not other.exists()


@pytest.mark.usefixtures("memory_urls")
def test_a_folder_behind_a_url_keeps_its_recordings_there(tmp_path: Path) -> None:
    files = fsspec.filesystem("memory")
    folder = made.vstyle(tmp_path)
    files.pipe("/made/run/metadata.jsonl", (folder / "metadata.jsonl").read_bytes())
    files.pipe("/made/run/wav/0.wav", b"RIFF")
    done = convert("vstyle", "memory://made/run", tmp_path / "out")
    first = done.converted.items[0]
    assert first.answer.url == "memory://made/run/wav/0.wav"
    assert not first.meta.keys() & {"gemini_raw"}
    one = read_dataset("vstyle", "memory://made/run/metadata.jsonl")
    assert one.converted.items == done.converted.items
    set_url_access(UrlAccess())
    with pytest.raises(UserError, match="protocol 'memory' is unknown or not allowed"):
        read_dataset("vstyle", "memory://made/run")


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("hcot", "system"),
        ("speechjudge", "system"),
        ("audiojudge", "system"),
        ("audiojudge", "set"),
    ],
)
def test_a_benchmark_of_pairs_refuses_what_does_not_divide_it(
    tmp_path: Path, name: str, option: str
) -> None:
    (tmp_path / "its").mkdir()
    typed = ("convert", name, tmp_path / "its", tmp_path / "out")
    words = f"--{option}: this benchmark is not divided by it; leave it out"
    refused(words, *typed, f"--{option}", "zed")


def test_an_installed_package_adds_a_benchmark(tmp_path: Path) -> None:
    site = tmp_path / "site"
    info = site / "toyset-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toyset\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[trace_eval.datasets]\ntoy = toyset:TOY\nhalf = toyset:read\nlost ="
        " nowhere:TOY\n"
    )
    page = (ROOT / "docs" / "how-to" / "plug-ins.md").read_text()
    (module,) = re.findall(r"```python\n# toyset/toyset.py\n(.*?)```", page, re.S)
    (site / "toyset.py").write_text(module)
    rows = [{"id": id_, "text": "x", "right": id_ == "a"} for id_ in "ab"]
    made.write_lines(tmp_path / "toy.jsonl", rows)

    command = ("-m", "trace_eval", "convert")
    files, path = (tmp_path / "toy.jsonl", tmp_path / "out"), f"{ROOT}:{site}"
    done = run_python(*command, "toy", *files, PYTHONPATH=path)
    assert done.returncode == 0, done.stderr
    assert "2 answers to rate" in done.stdout
    assert "licence CC0-1.0" in done.stdout
    assert "equal" in done.stdout
    for name, shown in (
        ("half", "is not a Dataset"),
        ("lost", "cannot import nowhere:TOY"),
    ):
        done = run_python(*command, name, *files, PYTHONPATH=path)
        assert (done.returncode, shown in done.stderr) == (2, True), done.stderr
