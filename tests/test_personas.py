"""Four annotators' first useful result, in at most two calls each."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import xml.etree.ElementTree as Xml
from pathlib import Path

import pytest
import soundfile

from tests.support.calls import CLIPS, write_spoken_call
from tests.support.cli import ROOT, trace_eval
from tests.support.espeak import spoken
from tests.support.speed import PATIENCE_S

#: Pairs of the examples, and the system that a listener named, in her own words.
JUDGED = {
    "refusal": "new",
    "off-topic": "old wins",
    "noise": "New",
    "rising-pitch": "No difference",
}


def test_folders_odd_columns_and_labels_by_systems(
    tmp_path: Path, examples_cache: Path
) -> None:
    for side, system in (("a", "new"), ("b", "old")):
        (tmp_path / system).mkdir()
        for name in JUDGED:
            shutil.copy(CLIPS / f"{name}-{side}.ogg", tmp_path / system / f"{name}.ogg")
    items = map(
        json.loads, (ROOT / "examples" / "pairs.jsonl").read_text().splitlines()
    )
    asked = {
        item["id"]: item["instruction"]["text"]
        for item in items
        if item["id"] in JUDGED
    }
    for name, rows in (("prompts", asked), ("winners", JUDGED)):
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            table = csv.writer(file, delimiter=";")
            table.writerows([("case", name), *rows.items()])
    words = "judge --a new --b old --prompts prompts.csv --column id=case"
    words += " --column instruction_text=prompts --out run"
    trace_eval(*words.split(), "--cache", examples_cache, cwd=tmp_path, ends=0)
    words = (
        "agree run --labels winners.csv --column id=case --column preference=winners"
    )
    agreed = trace_eval(*words.split(), cwd=tmp_path, ends=0)
    # As README's demo: rules names a winner of each, and the listener ties on the last
    # of four.
    assert "rules agrees with human labels on 75 %" in " ".join(agreed.out.split())


def test_twelve_stereo_calls_and_a_gate(tmp_path: Path) -> None:
    for system, pause in (("old", 0.3), ("new", 0.9)):
        (tmp_path / system).mkdir()
        for number in range(12):
            write_spoken_call(
                tmp_path / system / f"call-{number:02d}.wav", pause, 0.6 + 0.03 * number
            )
    words = "turns new --against old --fail-over response_p50_s=+0.2 --junit gate.xml"
    words += " --html calls.html --audio --markdown calls.md"
    done = trace_eval(*words.split(), cwd=tmp_path, ends=1)
    told = " ".join(done.out.split())
    assert "new answers 0.60 s later than old" in told
    assert "in 12 of 12 calls" in told
    assert Xml.parse(tmp_path / "gate.xml").getroot().get("failures") == "1"
    page = (tmp_path / "calls.html").read_text()
    first = page.index(
        "new answers after 1.27 s, interrupts in 0 of 12 calls; worst: new/call-"
    )
    assert first < page.index("fail: response_p50_s") < page.index("<h2")
    copies = {file.name for file in (tmp_path / "calls_audio").iterdir()}
    assert len(copies) == 48  # two channels of 24 calls
    assert set(re.findall(r'src="\./calls_audio/([^"]+)"', page)) == copies
    summary = (tmp_path / "calls.md").read_text().splitlines()
    assert summary[2].startswith("new answers 0.60 s later than old")


def test_a_data_frame_in_a_kernel(tmp_path: Path, examples_cache: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    cells = (
        "import pandas as pd, trace_eval as te\n"
        "rows = [{'frage': 'What is the capital of France, and which river runs through"
        f" it?', 'links': '{CLIPS}/refusal-a.ogg', 'rechts':"
        f" '{CLIPS}/refusal-b.ogg'}}]",
        "run = te.judge(pd.DataFrame(rows), out='run', columns={'a': 'links', 'b':"
        " 'rechts', 'instruction_text': 'frage'})",
        "run",
    )
    page = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(text) for text in cells]
    )
    client = nbclient.NotebookClient(
        page,
        timeout=PATIENCE_S,
        startup_timeout=PATIENCE_S,
        resources={"metadata": {"path": str(tmp_path)}},
    )
    here = {"PYTHONPATH": str(ROOT), "TRACE_EVAL_CACHE": str(examples_cache)}
    client.execute(env={**os.environ, **here})
    (shown,) = page.cells[-1]["outputs"]
    assert "1 of 1 scored" in shown["data"]["text/plain"]


def test_german_answers(tmp_path: Path) -> None:
    rows = []
    asked = (
        "Wie wird das Wetter morgen in Berlin, und brauche ich einen Schirm?",
        "Bitte erkläre mir, warum der Himmel am Abend rot ist.",
        "Welche Züge fahren heute noch von Hamburg nach München?",
    )
    for number, text in enumerate(asked):
        sides = {}
        for side, voice in (("a", "Male1"), ("b", "Female1")):
            samples, rate = spoken(
                "Das kann ich dir gerne sagen, mein Freund.", "German", voice
            )
            soundfile.write(tmp_path / f"{number}{side}.wav", samples, int(rate))
            sides[side] = {"audio": f"{number}{side}.wav"}
        rows.append({"id": str(number), "instruction": {"text": text}, **sides})
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    words = "judge pairs.jsonl --out run --min-coverage 0 --workers 0"
    done = trace_eval(*words.split(), cwd=tmp_path)
    told = " ".join((done.err + done.out).split())
    assert "answers seem to be German" in told
    assert "[base]" in told
    assert "voice_quality of 3" in told
